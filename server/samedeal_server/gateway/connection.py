"""One client's connection: its frames judged, its messages passed on, its answers sent.

Everything here happens inside the event loop's callbacks. A message that needs the store (a
greeting, a new race, a race that is not in memory) becomes an errand, a coroutine that runs while
the connection's later messages wait in order; there is one at a time. A move is no errand.

Their fault is answered with a code and counted; our fault is logged once and answered `internal`.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from samedeal_protocol.codec import Codec
from samedeal_protocol.errors import CloseCode, ErrorCode, Malformed
from samedeal_protocol.messages import ClientMessage, Notice, ServerMessage
from samedeal_server.bucket import Bucket
from samedeal_server.gateway.outbox import Outbox, Post
from samedeal_server.gateway.rounds import Rounds
from samedeal_server.gateway.transport import Link, Wire
from samedeal_server.ports import Clock, Meter
from samedeal_server.refusals import fault_text, refusal

__all__ = ["Caller", "Connection", "Errand", "Limits", "Surroundings"]

_log = logging.getLogger(__name__)

Errand = Coroutine[None, None, None]


class Caller(Protocol):
    """The hall's side of one connection."""

    @property
    def is_known(self) -> bool:
        """Whether the caller has said hello."""
        ...

    def hear(self, message: ClientMessage, now: int) -> Errand | None:
        """Answers a message, or returns what has to be awaited to answer it."""
        ...

    def drained(self) -> None:
        """The peer reads again: tell it where things stand."""
        ...

    def gone(self) -> None:
        """The connection has ended."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one connection may do. Durations are milliseconds."""

    requests_per_second: float
    burst: int
    flood: int
    """Requests beyond the rate, without a pause, that end the connection."""
    faults: int
    """Malformed messages that end the connection."""
    waiting: int
    """Messages that may wait behind an errand."""
    hello_ms: int
    idle_ms: int
    slow_ms: int
    """How long a peer may leave its frames unread."""
    outbox_bytes: int
    """What may wait for a peer that does not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all connections share."""

    limits: Limits
    clock: Clock
    meter: Meter
    post: Post
    rounds: Rounds
    call_soon: Callable[[Callable[[], None]], object]
    spawn: Callable[[Errand, str], None]
    """Runs an errand under a name, in a group that outlives the connection."""


class Connection:
    """A link's receiver, and the peer whom the hall speaks to."""

    __slots__ = (
        "_around",
        "_bucket",
        "_caller",
        "_clogged_at",
        "_codec",
        "_faults",
        "_forget",
        "_heard_at",
        "_is_busy",
        "_is_open",
        "_is_overdue",
        "_later",
        "_link",
        "_opened_at",
        "_outbox",
        "_wire",
        "draws_from",
        "draws_no_more_from",
        "legal",
        "looked_at",
        "offer",
        "offer_all",
        "put_off",
        "send",
    )

    def __init__(
        self,
        link: Link,
        codec: Codec,
        wire: Wire,
        around: Surroundings,
        *,
        forget: Callable[[Connection], None],
    ) -> None:
        now = around.clock.now()
        self._forget = forget
        self._link = link
        self._codec = codec
        self._around = around
        limits = around.limits
        outbox = Outbox(
            link,
            around.post,
            limit=limits.outbox_bytes,
            overflow=self._overflow,
            spared=partial(around.meter.count, "slow_readers_skipped"),
        )
        self._outbox = outbox
        self.send = outbox.put
        """Puts a frame made by `wire` in the outbox; straight, since nothing is done so often."""
        self.offer = outbox.offer
        """Like `send`, but a peer that leaves its frames unread is spared; says which it was."""
        self.offer_all = outbox.offer_all
        """Like `offer`, several frames, which are in one piece, too."""
        self.put_off = around.post.put_off
        self.draws_from = outbox.draws_from
        self.draws_no_more_from = outbox.draws_no_more_from
        self._bucket = Bucket(rate=limits.requests_per_second, burst=limits.burst, now=now)
        self._caller: Caller | None = None
        self._faults = 0
        self._opened_at = now
        self._heard_at = now
        self._clogged_at: int | None = None
        self._is_busy = False
        self._is_open = True
        self._is_overdue = False
        self._later: deque[tuple[ClientMessage, int]] = deque()
        self._wire = wire
        self.looked_at = 0
        around.rounds.look(self, now + min(limits.hello_ms, limits.idle_ms))
        self.legal = False
        """Whether the client wants the legal moves with its views."""

    # --- what the hall sees ---

    @property
    def address(self) -> str:
        return self._link.address

    @property
    def wire(self) -> Wire:
        """The way from a message to a frame, shared by all connections of the encoding."""
        return self._wire

    @property
    def is_open(self) -> bool:
        return self._is_open

    def meet(self, caller: Caller) -> None:
        """Says who answers for the hall; before the first frame."""
        self._caller = caller

    @property
    def berth(self) -> Connection:
        """Spectators may be told together with others."""
        return self

    def say(self, message: ServerMessage) -> None:
        """Sends a message that nobody else gets."""
        self.send(self._wire(message))

    def close(self, code: CloseCode) -> None:
        """Ends the connection with a code; from here on nothing is heard and nothing is sent."""
        if not self._is_open:
            return
        self._is_open = False
        self._outbox.draw()
        self._outbox.write()
        self._outbox.close()
        self._later.clear()
        self._link.close(code)
        # Not at once: whoever closes a peer may be in the middle of telling all of them.
        self._around.call_soon(self._leave)

    # --- what the link tells ---

    def on_frame(self, payload: bytes, is_text: bool) -> None:
        if not self._is_open:
            return
        around = self._around
        now = around.clock.now()
        self._heard_at = now
        if is_text is not self._codec.is_text:
            self.close(CloseCode.BAD_FRAME)
            return
        around.post.requests += 1
        may = self._bucket.take(now)
        try:
            message = self._codec.read_client(payload)
        except Malformed as fault:
            around.meter.count("requests_malformed")
            self._faults += 1
            self.say(refusal(fault.code, fault.sentence, request=fault.request))
            if self._faults > around.limits.faults:
                self.close(CloseCode.TOO_MANY_FAULTS)
            return
        if not may:
            around.meter.count("requests_limited")
            if self._bucket.debt > around.limits.flood:
                self.close(CloseCode.FLOODING)
                return
            self.say(
                refusal(ErrorCode.RATE_LIMITED, request=message.id, after_ms=self._bucket.wait_ms)
            )
            return
        if not self._is_busy:
            self._hear(message, now)
        elif len(self._later) < around.limits.waiting:
            self._later.append((message, now))
        else:
            self.say(
                refusal(
                    ErrorCode.RATE_LIMITED,
                    "Too many requests wait for an answer; wait for some of them.",
                    request=message.id,
                )
            )

    def on_clogged(self) -> None:
        self._outbox.clog()
        self._clogged_at = self._around.clock.now()
        slow_at = self._clogged_at + self._around.limits.slow_ms
        if slow_at < self.looked_at:
            self._around.rounds.look(self, slow_at)

    def on_drained(self) -> None:
        self._clogged_at = None
        self._outbox.drain()
        if self._is_open and self._caller is not None:
            self._caller.drained()

    def on_close(self) -> None:
        self._is_open = False
        self._outbox.close()
        self._later.clear()
        self._around.rounds.forget(self)
        self._forget(self)
        self._leave()

    # --- what the gateway's rounds ask ---

    def check(self, now: int) -> int | None:
        """Ends a connection that has not greeted, is silent, or does not read.

        Who is overdue to say something is found so twice in a row: when the loop has stalled, what
        they said meanwhile may not have been read yet.
        """
        limits = self._around.limits
        caller = self._caller
        if not self._is_open or caller is None:
            return None
        slow_at = None if self._clogged_at is None else self._clogged_at + limits.slow_ms
        if slow_at is not None and now >= slow_at:
            self._around.meter.count("slow_readers_closed")
            self.close(CloseCode.SLOW_READER)
            return None
        is_late = (
            not (caller.is_known or self._is_busy) and now - self._opened_at >= limits.hello_ms
        )
        was_overdue = self._is_overdue
        self._is_overdue = is_late or now - self._heard_at >= limits.idle_ms
        if self._is_overdue and was_overdue:
            self.close(CloseCode.NO_HELLO if is_late else CloseCode.IDLE)
            return None
        if self._is_overdue:
            return now
        due = self._heard_at + limits.idle_ms
        if not caller.is_known:
            due = min(due, max(now, self._opened_at + limits.hello_ms))
        return due if slow_at is None else min(due, slow_at)

    def notify(self, notice: Notice) -> None:
        """Tells what every connection should know."""
        if self._caller is not None and self._caller.is_known:
            self.say(notice)

    # --- within ---

    def _hear(self, message: ClientMessage, now: int) -> None:
        caller = self._caller
        if caller is None:
            return
        try:
            errand = caller.hear(message, now)
        except Exception as fault:
            self._blame(fault, message.id)
            return
        if errand is not None:
            self._is_busy = True
            self._around.spawn(self._run(errand, message.id), f"errand {self._link.address}")

    async def _run(self, errand: Errand, request: int) -> None:
        try:
            await errand
        except Exception as fault:
            self._blame(fault, request)
        self._is_busy = False
        while self._later and not self._is_busy and self._is_open:
            self._hear(*self._later.popleft())

    def _blame(self, fault: Exception, request: int) -> None:
        """Logs a fault of ours once and answers the request."""
        _log.error("connection failed address=%s fault=%s", self.address, fault_text(fault))
        self.say(refusal(ErrorCode.INTERNAL, request=request))

    def _overflow(self) -> None:
        self._around.meter.count("slow_readers_closed")
        self.close(CloseCode.SLOW_READER)

    def _leave(self) -> None:
        caller, self._caller = self._caller, None
        if caller is not None:
            caller.gone()
