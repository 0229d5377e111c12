"""What waits to be sent, one outbox a connection, each written once per turn of the event loop.

A send to the kernel is the dearest step of a move, so all frames that one turn brings forth for a
connection leave in one write. Nothing is written to a link that is clogged: what gathers then is
bounded by `limit`, and whoever lets it overflow is cut off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from samedeal_server.gateway.transport import Link

__all__ = ["Outbox", "Post"]

_SLICE = 200
"""Outboxes that are written before other work gets its turn."""
_AT_ONCE = 64
"""Outboxes that may wait for a turn before those of spectators are put off."""
_GATHER_S = 0.05
"""How long they are put off: what comes meanwhile leaves in the same write."""


class Post:
    """Writes the outboxes that have something, once per turn of the loop and in slices.

    To a large crowd a write for each event is dearer than all the rest, so when many outboxes wait
    those of spectators are written some twenty times a second only, with all that has gathered.
    """

    __slots__ = (
        "_call_later",
        "_call_soon",
        "_is_due",
        "_patient",
        "_waiting",
        "bytes",
        "frames",
        "requests",
    )

    def __init__(
        self,
        call_soon: Callable[[Callable[[], None]], object],
        call_later: Callable[[float, Callable[[], None]], object],
    ) -> None:
        self._call_soon = call_soon
        self._call_later = call_later
        self._waiting: deque[Outbox] = deque()
        self._patient: list[Outbox] = []
        self._is_due = False
        self.requests = 0
        self.frames = 0
        self.bytes = 0
        """What came and was written since somebody counted, and set these back."""

    @property
    def is_busy(self) -> bool:
        """Whether so many outboxes wait that those of spectators are put off."""
        return len(self._waiting) >= _AT_ONCE

    def add(self, outbox: Outbox) -> None:
        """Sees to it that the outbox is written before the next turn's reading."""
        self._waiting.append(outbox)
        if not self._is_due:
            self._is_due = True
            self._call_soon(self._write)

    def put_off(self, outbox: Outbox) -> None:
        """Sees to it that the outbox is written a little later."""
        if not self._patient:
            self._call_later(_GATHER_S, self._hurry)
        self._patient.append(outbox)

    def _hurry(self) -> None:
        patient, self._patient = self._patient, []
        for outbox in patient:
            outbox.hurry()

    def _write(self) -> None:
        waiting = self._waiting
        for _ in range(min(_SLICE, len(waiting))):
            waiting.popleft().write()
        if waiting:
            self._call_soon(self._write)
        else:
            self._is_due = False


class Outbox:
    """The frames that one link has still to take."""

    __slots__ = (
        "_frames",
        "_is_closed",
        "_is_patient",
        "_is_waiting",
        "_limit",
        "_link",
        "_overflow",
        "_owed",
        "_post",
        "is_clogged",
    )  # fmt: skip

    def __init__(self, link: Link, post: Post, *, limit: int, overflow: Callable[[], None]) -> None:
        """`overflow` is called when a clogged link is owed more than `limit` bytes."""
        self._link = link
        self._post = post
        self._limit = limit
        self._overflow = overflow
        self._frames: list[bytes] = []
        self._is_waiting = False
        self._is_patient = False
        self._is_closed = False
        self._owed = 0
        self.is_clogged = False
        """Whether the peer does not read at present."""

    def clog(self) -> None:
        """Notes that the peer does not read: what comes now waits, up to the limit."""
        self.is_clogged = True
        self._owed = sum(map(len, self._frames))

    def drain(self) -> None:
        """Notes that the peer reads again, and writes what has waited."""
        self.is_clogged = False
        self.write()

    def put(self, frame: bytes) -> None:
        """Adds a frame, to be written before the next turn's reading."""
        self._frames.append(frame)
        if not self._is_waiting:
            if self._is_closed:
                self._frames.clear()
            elif not self.is_clogged:
                self._is_waiting = True
                self._post.add(self)
            else:
                self._owed += len(frame)
                if self._owed > self._limit:
                    self._overflow()

    def put_patiently(self, frame: bytes) -> None:
        """Adds a spectator's frame, to be written when there is time."""
        if self._is_patient:
            self._frames.append(frame)
        elif self._post.is_busy and not (self._is_waiting or self._is_closed or self.is_clogged):
            self._is_patient = True
            self._frames.append(frame)
            self._post.put_off(self)
        else:
            self.put(frame)

    def hurry(self) -> None:
        """Has written what was put off, unless that has happened."""
        self._is_patient = False
        if self._frames and not (self._is_waiting or self._is_closed or self.is_clogged):
            self._is_waiting = True
            self._post.add(self)

    def write(self) -> None:
        """Hands all that waits to the link, unless the link is clogged."""
        self._is_waiting = False
        frames = self._frames
        if frames and not self.is_clogged:
            self._frames = []
            self._post.frames += len(frames)
            self._post.bytes += self._link.write(frames)

    def close(self) -> None:
        """Forgets what waits, and takes no more."""
        self._is_closed = True
        self._is_waiting = self._is_patient = False
        self._frames = []
