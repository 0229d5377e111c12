"""Waking whoever waits for news, without a queue: they look for themselves what is new."""

from __future__ import annotations

import asyncio

__all__ = ["Bell"]


class Bell:
    """Rings for everybody who waits at that moment.

    Look, and if there is nothing new, `await wait()` with no await in between: no ring is missed.
    """

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def ring(self) -> None:
        """Wakes everybody who waits."""
        rung, self._event = self._event, asyncio.Event()
        rung.set()

    async def wait(self) -> None:
        """Waits for the next ring."""
        await self._event.wait()
