"""What an entrant does to their board, each under its number: in turn, or close behind.

Laws: a number is used for one thing; what takes its turn is asked when all before it is answered;
what follows is asked at once, under the next number, and counts only if what it follows does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeAlias

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import ClientMessage, Played, Reply

from .errors import Refused, TakenBack, expect

__all__ = ["Asking", "Numbered", "Turns"]

Numbered: TypeAlias = Callable[[int, int], ClientMessage]
"""Makes a request from its id and its number on the board."""


class Asking(Protocol):
    """Whoever carries requests to the server."""

    async def ask(
        self,
        make: Callable[[int], ClientMessage],
        *,
        on_sent: Callable[[asyncio.Future[Reply | None]], None] | None = None,
    ) -> Reply | None:
        """Sends the request made from a fresh id and waits for its answer.

        Tries again after a while where the server says that it is only too busy. `on_sent` gets
        the answer's future, which comes true even if this call is cancelled.
        """
        ...


class Turns:
    """The numbers of one board. `last` returns the last number that the board has seen."""

    def __init__(self, port: Asking, last: Callable[[], int]) -> None:
        self._port = port
        self._last = last
        self._lock = asyncio.Lock()  # first come, first served: turns have one order
        self._waiting = 0
        self._under_way: list[_Turn] = []

    async def take(self, make: Numbered) -> Played:
        """Asks when everything before is answered."""
        self._waiting += 1
        try:
            async with self._lock:
                # A call that was cancelled may still have its move played: its number is taken.
                while open := [turn.outcome for turn in self._under_way if not turn.is_known]:
                    await asyncio.wait(open)
                self._under_way.clear()
                turn = self._next(self._last() + 1)
        finally:
            self._waiting -= 1
        return await self._asked(make, turn)

    async def follow(self, make: Numbered) -> Played:
        """Asks at once, behind what is under way.

        Raises `TakenBack` where what is before it does not count: then this does not, either.
        """
        behind = self._under_way[-1] if self._under_way else None
        has_failed = any(turn.is_known and not turn.outcome.result() for turn in self._under_way)
        if behind is None or behind.is_known or has_failed or self._waiting:
            return await self.take(make)
        return await self._asked(make, self._next(behind.number + 1), behind=behind)

    def _next(self, number: int) -> _Turn:
        turn = _Turn(number)
        self._under_way.append(turn)
        return turn

    async def _asked(self, make: Numbered, turn: _Turn, *, behind: _Turn | None = None) -> Played:
        reply: Reply | None = None
        has_counted = False
        try:
            while not has_counted:
                try:
                    reply = await self._port.ask(
                        lambda id: make(id, turn.number), on_sent=turn.is_sent
                    )
                    has_counted = True
                except Refused as refused:
                    if behind is None or refused.code != ErrorCode.BAD_NUMBER.code:
                        raise
                    # What is before it was refused; or it only had to wait, and was overtaken.
                    if not await behind.counts():
                        raise TakenBack("the move before it was refused") from refused
        except asyncio.CancelledError:
            turn.let_go()
            raise
        finally:
            turn.is_answered(counts=has_counted)
        return expect(Played, reply)


class _Turn:
    """One number, and whether it was used in the end."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.outcome: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._answer: asyncio.Future[Reply | None] | None = None
        self._is_let_go = False

    @property
    def is_known(self) -> bool:
        return self.outcome.done()

    async def counts(self) -> bool:
        return await asyncio.shield(self.outcome)

    def is_sent(self, answer: asyncio.Future[Reply | None]) -> None:
        self._answer = answer

    def let_go(self) -> None:
        """Nobody waits for the answer any more; it comes all the same."""
        if self._answer is not None and not self._answer.done():
            self._is_let_go = True
            self._answer.add_done_callback(self._came)

    def is_answered(self, *, counts: bool) -> None:
        if not self._is_let_go and not self.is_known:
            self.outcome.set_result(counts)

    def _came(self, answer: asyncio.Future[Reply | None]) -> None:
        if not self.is_known:
            counts = not answer.cancelled() and answer.exception() is None
            self.outcome.set_result(counts)
