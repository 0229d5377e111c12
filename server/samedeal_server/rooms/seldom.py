"""Errands that anybody may ask for, run but now and then however often they are asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Final

__all__ = ["Seldom"]

PAUSE_S: Final = 0.3
"""How long an errand is not run again after it has ended."""


class Seldom:
    """Runs each errand, told by its key, at most once at a time, with a pause behind it."""

    def __init__(self, spawn: Callable[[Coroutine[None, None, None], str], None]) -> None:
        self._spawn = spawn
        self._running: set[Hashable] = set()

    def run(self, key: Hashable, errand: Callable[[], Awaitable[None]]) -> None:
        """Has the errand run soon, unless it runs or has just ended."""
        if key not in self._running:
            self._running.add(key)
            self._spawn(self._run(key, errand), f"seldom {key}")

    async def _run(self, key: Hashable, errand: Callable[[], Awaitable[None]]) -> None:
        try:
            await errand()
            await asyncio.sleep(PAUSE_S)
        finally:
            self._running.discard(key)
