"""What happens besides telling, once events are durable."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from samedeal_protocol.events import Event
from samedeal_server.ports import Clock, LogUnavailable, Meter
from samedeal_server.rooms.viewers import Told, Viewer

__all__ = ["Parted", "Refreshed", "Settled", "Stored", "Then", "Timed"]


class Keeper(Protocol):
    """A room that keeps what becomes durable."""

    def stored(self, seq: int, event: Event) -> None: ...


class Stored:
    """Tells everybody what has become durable, and the room that it has."""

    __slots__ = ("_events", "_first", "_room", "_told")

    def __init__(self, room: Keeper, events: Sequence[Event], told: Told, *, first: int) -> None:
        """`first` is the seq of the first event."""
        self._room = room
        self._events = events
        self._told = told
        self._first = first

    def run(self) -> None:
        self._told.run()
        for seq, event in enumerate(self._events, self._first):
            self._room.stored(seq, event)

    def fail(self) -> None:
        self._told.fail()


class Then:
    """Does something then, and nothing if it does not come to that."""

    __slots__ = ("_do",)

    def __init__(self, do: Callable[[], None]) -> None:
        self._do = do

    def run(self) -> None:
        self._do()

    def fail(self) -> None:
        """Does nothing: what was not stored did not happen."""


class Timed:
    """Takes the time of a move, from its receipt until its answer was handed over."""

    __slots__ = ("_clock", "_meter", "_since")

    def __init__(self, meter: Meter, clock: Clock, since: int) -> None:
        self._meter = meter
        self._clock = clock
        self._since = since

    def run(self) -> None:
        self._meter.observe("move_seconds", (self._clock.now() - self._since) / 1000)

    def fail(self) -> None:
        """Takes no time: there was no answer."""


class Refreshed:
    """Tells a viewer who has missed events where things stand."""

    __slots__ = ("_frame", "_viewer")

    def __init__(self, viewer: Viewer, frame: bytes) -> None:
        self._viewer = viewer
        self._frame = frame

    def run(self) -> None:
        self._viewer.catch_up(self._frame)

    def fail(self) -> None:
        """Changes nothing: the race is read again, and the viewer told then."""


class Parted:
    """Stops telling viewers who may not be told any more, once they have heard why."""

    __slots__ = ("_viewers",)

    def __init__(self, viewers: Sequence[Viewer]) -> None:
        self._viewers = viewers

    def run(self) -> None:
        for viewer in self._viewers:
            viewer.detach()

    def fail(self) -> None:
        self.run()


class Settled:
    """Wakes somebody who waits until all is durable."""

    __slots__ = ("future",)

    def __init__(self) -> None:
        self.future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def run(self) -> None:
        if not self.future.done():
            self.future.set_result(None)

    def fail(self) -> None:
        if not self.future.done():
            self.future.set_exception(LogUnavailable("the race was lost"))
            # Whoever waited may be gone.
            self.future.exception()
