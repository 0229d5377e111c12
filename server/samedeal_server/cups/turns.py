"""One after the other, by name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["Turns"]


class Turns:
    """Who does something that must not be done twice at a time waits for their turn."""

    def __init__(self) -> None:
        self._taken: dict[str, asyncio.Future[None]] = {}

    def __contains__(self, name: str) -> bool:
        """Whether somebody has the turn now."""
        return name in self._taken

    @asynccontextmanager
    async def of(self, name: str) -> AsyncIterator[None]:
        """Lets nobody else have the turn of this name meanwhile."""
        while (before := self._taken.get(name)) is not None:
            await asyncio.wait((before,))
        taken = self._taken[name] = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            del self._taken[name]
            taken.cancel()
