"""What waits to be sent, one outbox a connection, each written once per turn of the event loop.

A send to the kernel is the dearest step of a move, so all frames that one turn brings forth for a
connection leave in one write. Nothing is written to a link that is clogged: what gathers then is
bounded by `limit`, and whoever lets it overflow is cut off.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from samedeal_server.batch import Batch
from samedeal_server.gateway.transport import Link

__all__ = ["Outbox", "Post"]

_SLICE_S = 0.0005
"""How long is written at a stretch before other work gets its turn."""
_SLICE = 4
"""Outboxes that are written before anybody looks how long that took."""
_AT_ONCE = 64
"""Spectators who are written in the turn in which something came for them."""
_GATHER_S = 0.05
_GATHER_LONGER_S = 0.1
"""How long a crowd is put off: what comes meanwhile leaves in the same write."""
_YIELD_S = 0.001
"""How long a crowd waits for what is under way before that is looked at again."""
_YIELDS = 20
"""How often at a stretch: something is always under way on a busy server."""
_LARGE = 500
"""A crowd that is put off longer."""


class Post:
    """Writes the outboxes that have something: those of players and replies first, in every turn.

    To a large crowd a write for each event is dearer than all the rest, so the outboxes of many
    spectators are written ten or twenty times a second only, with all that has gathered, and a few
    milliseconds' worth of them a turn, behind everything that somebody waits for.
    """

    __slots__ = (
        "_call_later",
        "_call_soon",
        "_is_due",
        "_is_gathering",
        "_patient",
        "_prompt",
        "_ready",
        "_seconds",
        "_yielded",
        "_yields",
        "bytes",
        "frames",
        "requests",
    )

    def __init__(
        self,
        call_soon: Callable[[Callable[[], None]], object],
        call_later: Callable[[float, Callable[[], None]], object],
        seconds: Callable[[], float] = time.monotonic,
        yields: Callable[[], bool] = lambda: False,
    ) -> None:
        """`yields` says whether something is under way that a crowd's writes would slow down."""
        self._yields = yields
        self._call_soon = call_soon
        self._call_later = call_later
        self._seconds = seconds
        self._prompt: deque[Outbox] = deque()
        self._patient: list[Batch] = []
        self._ready: deque[Batch] = deque()
        self._is_due = False
        self._is_gathering = False
        self._yielded = 0
        self.requests = 0
        self.frames = 0
        self.bytes = 0
        """What came and was written since somebody counted, and set these back."""

    def add(self, outbox: Outbox) -> None:
        """Sees to it that the outbox is written before the next turn's reading."""
        self._prompt.append(outbox)
        self._wake()

    def put_off(self, batch: Batch) -> None:
        """Sees to it that the batch leaves when there is time, if it must be a little later.

        It is asked to `hurry` then, until it says that all of it has left.
        """
        self._patient.append(batch)
        self._wake()

    def _wake(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._call_soon(self._write)

    def _write(self) -> None:
        self._is_due = False
        until = self._seconds() + _SLICE_S
        prompt = self._prompt
        count = 0
        while prompt:
            prompt.popleft().write()
            count += 1
            if not count % _SLICE and self._seconds() > until:
                self._wake()
                return
        self._gather()
        ready = self._ready
        if ready and self._yields() and self._yielded < _YIELDS:
            self._yielded += 1
            self._call_later(_YIELD_S, self._wake)
            return
        self._yielded = 0
        while ready:
            batch = ready[0]
            if batch.hurry():
                ready.popleft()
            count += min(len(batch), _SLICE)
            if count >= _SLICE and self._seconds() > until:
                self._wake()
                return

    def _gather(self) -> None:
        """Takes up those who were put off, or has a crowd of them wait for more."""
        crowd = sum(map(len, self._patient))
        if self._is_gathering or not crowd:
            return
        if crowd <= _AT_ONCE:
            self._ready += self._patient
            self._patient = []
            return
        self._is_gathering = True
        self._call_later(_GATHER_LONGER_S if crowd > _LARGE else _GATHER_S, self._hurry)

    def _hurry(self) -> None:
        self._is_gathering = False
        self._ready += self._patient
        self._patient = []
        self._wake()


class Outbox:
    """The frames that one link has still to take."""

    __slots__ = (
        "_draws",
        "_frames",
        "_is_closed",
        "_is_patient",
        "_is_waiting",
        "_limit",
        "_link",
        "_overflow",
        "_owed",
        "_post",
        "_spared",
        "is_clogged",
    )  # fmt: skip

    def __init__(
        self,
        link: Link,
        post: Post,
        *,
        limit: int,
        overflow: Callable[[], None],
        spared: Callable[[], None],
    ) -> None:
        """`overflow` is called when a clogged link is owed more than `limit` bytes.

        `spared` is called when it is not given what was only offered.
        """
        self._link = link
        self._post = post
        self._limit = limit
        self._overflow = overflow
        self._spared = spared
        self._frames: list[bytes] = []
        self._draws: list[Callable[[], Sequence[bytes]]] = []
        self._is_waiting = False
        self._is_patient = False
        self._is_closed = False
        self._owed = 0
        self.is_clogged = False
        """Whether the peer does not read at present."""

    def __len__(self) -> int:
        """It leaves to one."""
        return 1

    def draws_from(self, draw: Callable[[], Sequence[bytes]]) -> None:
        """Has `draw` called before a frame is added: what it returns goes first."""
        self._draws.append(draw)

    def draws_no_more_from(self, draw: Callable[[], Sequence[bytes]]) -> None:
        """Takes that back."""
        self._draws.remove(draw)

    def draw(self) -> None:
        """Adds what has to be sent before anything else, if the peer reads."""
        if not self.is_clogged:
            for draw in tuple(self._draws):
                self._frames += draw()

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
        if self._draws:
            self.draw()
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

    def offer(self, frame: bytes) -> bool:
        """Adds a spectator's frame, to be written when there is time, unless the link is clogged.

        Returns whether it was added.
        """
        if self.is_clogged:
            self._spared()
            return False
        if self._draws:
            self.draw()
        if self._is_patient:
            self._frames.append(frame)
        elif self._is_waiting or self._is_closed:
            self.put(frame)
        else:
            self._is_patient = True
            self._frames.append(frame)
            self._post.put_off(self)
        return True

    def offer_all(self, frames: Sequence[bytes], together: bytes) -> bool:
        """Writes frames now, or behind those that wait, unless the link is clogged.

        `together` is all of them in one piece. Returns whether the link was not clogged.
        """
        if self.is_clogged:
            self._spared()
            return False
        if self._is_closed:
            return True
        if self._frames:
            self._frames += frames
            if not self._is_waiting:
                self.write()
        else:
            self._post.frames += len(frames)
            self._post.bytes += self._link.write((together,))
        return True

    def hurry(self) -> bool:
        """Writes what was put off, unless that has happened or is about to; that is all."""
        self._is_patient = False
        if not (self._is_waiting or self._is_closed):
            self.write()
        return True

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
