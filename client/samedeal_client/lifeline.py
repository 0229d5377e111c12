"""The connection that a hall hangs on: dialled, kept alive, and dialled again when it is lost.

What the session decides is in `samedeal_protocol.session`; here it is given a wire and a clock, and
every request its one answer. What is not an answer is handed on to `told`, in order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Final

from samedeal_protocol import happenings
from samedeal_protocol.errors import CloseCode, ErrorCode, Retry
from samedeal_protocol.losses import Loss
from samedeal_protocol.messages import ClientMessage, Error, Notice, Reply
from samedeal_protocol.session import Session

from .bell import Bell
from .errors import ClientError, Closed, GaveUpConnecting, OutcomeUnknown, Replaced, refusal
from .errors import Refused as RefusedError
from .transport import Dial, DialFailed, Timing, Wire, WireLost

__all__ = ["Lifeline", "Link", "Waiting"]

_PASSING: Final = (ErrorCode.RATE_LIMITED.code, ErrorCode.STORE_UNAVAILABLE.code)
"""Refusals that the hall waits out by itself."""
_TRIES: Final = 6
_BACKOFF: Final = 0.25
"""Seconds: the first reconnect comes within this, then within twice as long, and so on."""
_BACKOFF_AFTER: Final = 1.0
"""The same, where the server asked for a pause."""
_BACKOFF_MAX: Final = 8.0
_PING_MS: Final = 20_000
"""How often to ping at least, until the server says how often it wants to hear something."""


@dataclass(frozen=True, slots=True)
class Link:
    """How the connection is: told to `on_link` at every change."""

    is_up: bool
    sentence: str
    """What to tell a person: "connected", "the connection was lost; trying again"."""
    again_in_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How long to try, and whom to tell."""

    patience: float | None
    """Seconds that an outage may last; None for ever."""
    first_patience: float
    """Seconds that the first connection may take."""
    on_link: Callable[[Link], None] | None = None
    on_notice: Callable[[Notice], None] | None = None


class Lifeline:
    """One player's connection. `serve` keeps it up; `told` gets whatever happens, first of all.

    `ended` gets the failure that ends everything.
    """

    def __init__(
        self,
        url: str,
        session: Session,
        *,
        dial: Dial,
        timing: Timing,
        waiting: Waiting,
        told: Callable[[happenings.Happening], None],
        ended: Callable[[ClientError], None],
    ) -> None:
        self.url = url
        self.session = session
        self.failure: ClientError | None = None
        """What has ended it for good."""
        self._dial = dial
        self._timing = timing
        self._waiting = waiting
        self._told = told
        self._ended_with = ended
        self._answers: dict[int, asyncio.Future[Reply | None]] = {}
        self._to_send = Bell()
        self._greeted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._greeted.add_done_callback(_look_at)
        self._unwelcome: Error | None = None
        self._talk: asyncio.TaskGroup | None = None
        self._heard = 0.0
        self._attempt = 0

    # --- asking -----------------------------------------------------------------------------

    def now_ms(self) -> float:
        """Returns milliseconds by a clock that never goes back."""
        return self._timing.now() * 1000

    async def pause(self, seconds: float) -> None:
        """Lets time pass."""
        await self._timing.sleep(seconds)

    async def ask(
        self,
        make: Callable[[int], ClientMessage],
        *,
        on_sent: Callable[[asyncio.Future[Reply | None]], None] | None = None,
    ) -> Reply | None:
        """Sends the request made from a fresh id and waits for its answer; see `sight.Port`."""
        for tries_left in range(_TRIES - 1, -1, -1):
            answer = self.submit(make(self.session.new_id()))
            if on_sent is not None:
                on_sent(answer)
            try:
                return await asyncio.shield(answer)
            except RefusedError as refused:
                if refused.code not in _PASSING or not tries_left:
                    raise
                pause = (refused.after_ms or 1000) / 1000
            await self._timing.sleep(pause * (1 + self._timing.chance() / 4))
        raise AssertionError("the last try returns or raises")

    def submit(self, request: ClientMessage) -> asyncio.Future[Reply | None]:
        """Sends a request; returns what its answer will be. Raises what has ended it all."""
        if self.failure is not None:
            raise self.failure
        answer: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(_look_at)
        self._answers[request.id] = answer
        self.session.ask(request)
        self._to_send.ring()
        return answer

    def ring(self) -> None:
        """Has sent what the session was told to send."""
        self._to_send.ring()

    def beside(self, work: Coroutine[None, None, None], *, name: str) -> None:
        """Does the work for as long as this connection stands; without one it is let be."""
        if self._talk is None:
            work.close()
        else:
            self._talk.create_task(work, name=name)

    # --- keeping it up ----------------------------------------------------------------------

    async def serve(self) -> None:
        """Keeps a connection up until it is cancelled or the hall is closed for good."""
        try:
            loss: Loss | None = None
            # Cancelled while its connection breaks, a task group may tell of the break alone.
            while self.failure is None:
                wire = await self._connected(loss)
                try:
                    code = await self._conversed(wire)
                finally:
                    await wire.close()
                loss = self.session.lost(code, round(self.now_ms()))
                self._deal_out()
                if loss.retry is Retry.NEVER:
                    raise self._ended(loss)
        except ClientError as failure:
            self.close(failure)

    def close(self, failure: ClientError) -> None:
        """Ends everything that waits for the server, with that failure."""
        if self.failure is not None:
            return
        self.failure = failure
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(failure)
        self._answers.clear()
        self._ended_with(failure)
        if not self._greeted.done():
            self._greeted.set_exception(failure)

    async def greeted(self) -> None:
        """Waits for the first welcome. Raises why there is none."""
        await asyncio.shield(self._greeted)

    def _ended(self, loss: Loss) -> ClientError:
        if self._unwelcome is not None:
            return refusal(self._unwelcome)
        if loss.code == CloseCode.REPLACED.number:
            return Replaced(loss.reason, code=loss.code)
        return Closed(loss.reason, code=loss.code)

    async def _connected(self, loss: Loss | None) -> Wire:
        """Returns a new wire, after as many tries as patience allows."""
        is_first = self.session.welcome is None
        patience = self._waiting.first_patience if is_first else self._waiting.patience
        begun = self._timing.now()
        if loss is not None:
            await self._pause(loss)
        while True:
            try:
                return await self._dial(self.url, self.session.codec)
            except DialFailed as fault:
                waited = self._timing.now() - begun
                if not fault.may_pass or (patience is not None and waited >= patience):
                    raise GaveUpConnecting(str(fault)) from fault
                await self._pause(Loss(Retry.NOW, str(fault), None))

    async def _pause(self, loss: Loss) -> None:
        """Waits a random part of a span that doubles with every try, so that no herd comes back."""
        span = _BACKOFF_AFTER if loss.retry is Retry.AFTER else _BACKOFF
        seconds = self._timing.chance() * min(_BACKOFF_MAX, span * 2**self._attempt)
        if self._unwelcome is not None and self._unwelcome.after_ms is not None:
            seconds += self._unwelcome.after_ms / 1000
        self._attempt = min(self._attempt + 1, 10)
        self._tell_link(
            Link(False, f"{_told(loss)}; trying again", again_in_ms=round(seconds * 1000))
        )
        await self._timing.sleep(seconds)

    async def _conversed(self, wire: Wire) -> int | None:
        """Talks over the wire until it is lost; returns the close code."""
        code: int | None = None
        self._unwelcome = None
        self._heard = self._timing.now()
        self.session.opened()
        try:
            async with asyncio.TaskGroup() as group:
                self._talk = group
                group.create_task(self._read(wire), name=f"hall reads {self.url}")
                group.create_task(self._write(wire), name=f"hall writes {self.url}")
                group.create_task(self._keep_alive(), name=f"hall pings {self.url}")
        except* WireLost as lost:
            codes = [fault.code for fault in _leaves(lost)]
            code = next((known for known in codes if known is not None), None)
        return code

    async def _read(self, wire: Wire) -> None:
        while True:
            frame = await wire.receive()
            self._heard = self._timing.now()
            self.session.receive(frame, round(self.now_ms()))
            self._deal_out()
            self._to_send.ring()
            if self._unwelcome is not None:
                raise WireLost(CloseCode.NO_HELLO.number)

    async def _write(self, wire: Wire) -> None:
        while True:
            frames = self.session.take_frames()
            if frames:
                await wire.send(frames)
            else:
                await self._to_send.wait()

    async def _keep_alive(self) -> None:
        """Pings thrice as often as the server asks; a server that is silent so long is gone."""
        while True:
            welcome = self.session.welcome
            wanted = _PING_MS if welcome is None else welcome.limits.ping_ms
            await self._timing.sleep(wanted / 3000)
            if self._timing.now() - self._heard > wanted / 1000:
                raise WireLost
            self.session.ping(round(self.now_ms()))
            self._to_send.ring()

    # --- what comes of it -------------------------------------------------------------------

    def _deal_out(self) -> None:
        """Hands what happened to whoever waits for it."""
        for happening in self.session.take_happenings():
            self._told(happening)
            match happening:
                case happenings.Answered(request, result):
                    self._answer(request, result)
                case happenings.Declined(request, error):
                    self._answer(request, refusal(error))
                case happenings.Unanswered(request):
                    what = type(request).__name__.lower()
                    self._answer(
                        request,
                        OutcomeUnknown(
                            f"the connection broke after `{what}`; look before retrying"
                        ),
                    )
                case happenings.Greeted():
                    self._attempt = 0
                    if not self._greeted.done():
                        self._greeted.set_result(None)
                    self._tell_link(Link(True, "connected"))
                case happenings.Unwelcome(error):
                    self._unwelcome = error
                case happenings.Noticed(notice):
                    if self._waiting.on_notice is not None:
                        self._waiting.on_notice(notice)
                case _:
                    pass  # It answers nothing that anybody here still waits for.

    def _answer(self, request: ClientMessage, answer: Reply | ClientError | None) -> None:
        waiting = self._answers.pop(request.id, None)
        if waiting is None or waiting.done():
            return
        if isinstance(answer, ClientError):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)

    def _tell_link(self, link: Link) -> None:
        if self._waiting.on_link is not None:
            self._waiting.on_link(link)


def _told(loss: Loss) -> str:
    """Why the connection is gone, as a player reads it."""
    return "the server restarts" if loss.code == CloseCode.RESTARTING.number else loss.reason


def _look_at(answer: asyncio.Future[Reply | None] | asyncio.Future[None]) -> None:
    """Looks at the exception of an answer that nobody waits for, so that asyncio does not warn."""
    if not answer.cancelled():
        answer.exception()


def _leaves(group: BaseExceptionGroup[WireLost]) -> list[WireLost]:
    leaves: list[WireLost] = []
    for fault in group.exceptions:
        leaves += _leaves(fault) if isinstance(fault, BaseExceptionGroup) else [fault]
    return leaves
