"""How much time a busy machine takes from everybody, so that no bound is missed for its sake."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

__all__ = ["Lateness", "lateness"]

_TICK_S: Final = 0.05
_HANDS: Final = 4
"""Through so many processes goes a move: each may be as late as we are."""


@dataclass(slots=True)
class Lateness:
    """By how much all sleeps so far have ended later than they should, in seconds."""

    seconds: float = 0.0

    @property
    def allowed(self) -> float:
        """By how much later everything may have happened meanwhile, in seconds."""
        return _HANDS * self.seconds


@asynccontextmanager
async def lateness() -> AsyncIterator[Lateness]:
    """Measures it while the block lasts."""
    late = Lateness()
    loop = asyncio.get_running_loop()

    async def measure() -> None:
        while True:
            due = loop.time() + _TICK_S
            await asyncio.sleep(_TICK_S)
            late.seconds += loop.time() - due

    async with asyncio.TaskGroup() as group:
        measuring = group.create_task(measure(), name="lateness")
        try:
            yield late
        finally:
            measuring.cancel()
