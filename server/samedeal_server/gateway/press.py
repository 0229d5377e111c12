"""Answers that are much work, made one after the other, each once for all who wait for it.

What was begun is made to its end, though whoever asked has gone: visitors wait a few seconds only,
and on a busy machine a long answer takes more; who comes again finds it made, or on its way.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from http import HTTPStatus
from typing import Final

import msgspec

from samedeal_server.gateway.answers import NEVER, Page

__all__ = ["Make", "Press", "Printing", "at_once"]

Make = Callable[[], Awaitable[Page]]
"""Makes an answer, in pieces between which others have their turn."""
Printing = Callable[[str, Make], Awaitable[Page]]
"""Has an answer made, which has a name among those that are made; raises what making it raises."""

WAITING: Final = 32
"""How many different answers may wait to be made; whoever wants one more is told to come back."""


async def at_once(name: str, make: Make) -> Page:
    """Makes an answer here and now."""
    return await make()


class Press:
    """Has one answer made at a time."""

    def __init__(
        self, spawn: Callable[[Coroutine[None, None, None], str], None], *, waiting: int = WAITING
    ) -> None:
        """`spawn` has a coroutine run as a task of that name."""
        self._spawn = spawn
        self._waiting = waiting
        self._wanted: dict[str, asyncio.Future[Page]] = {}
        """Those that wait, and the one that is being made."""
        self._queue: deque[tuple[str, Make]] = deque()
        self._is_running = False

    async def __call__(self, name: str, make: Make) -> Page:
        """Returns the answer of that name when its turn has come; raises what making it raises."""
        page = self._wanted.get(name)
        if page is None:
            if len(self._wanted) >= self._waiting:
                return _busy()
            page = self._wanted[name] = asyncio.get_running_loop().create_future()
            self._queue.append((name, make))
            if not self._is_running:
                self._is_running = True
                self._spawn(self._run(), "press")
        return await asyncio.shield(page)

    async def _run(self) -> None:
        """Makes what is wanted until nothing more is."""
        try:
            while self._queue:
                name, make = self._queue.popleft()
                await self._print(self._wanted[name], make)
                del self._wanted[name]
        finally:
            self._is_running = False
            for page in self._wanted.values():
                page.cancel()

    async def _print(self, page: asyncio.Future[Page], make: Make) -> None:
        try:
            page.set_result(await make())
        except Exception as fault:
            # It is theirs who asked; if all of them have gone, nobody is left to be told.
            page.set_exception(fault)
            page.exception()


def _busy() -> Page:
    fault = {"error": "busy", "message": "many large answers are being made: come back soon"}
    body = msgspec.json.encode(fault)
    return Page(HTTPStatus.SERVICE_UNAVAILABLE, body, headers={**NEVER, "Retry-After": "5"})
