"""What is put in at a screen, carried out strictly in order, each when the one before is done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

__all__ = ["Inputs", "Job"]

Job: TypeAlias = Callable[[], Awaitable[None]]

_AHEAD: Final = 32
"""How much may be put in before what came before it is done; what is more is dropped."""


class Inputs:
    """A queue of what is put in."""

    def __init__(self) -> None:
        self._jobs: asyncio.Queue[Job] = asyncio.Queue(_AHEAD)

    def put(self, job: Job) -> bool:
        """Takes something in; False where too much waits already."""
        try:
            self._jobs.put_nowait(job)
        except asyncio.QueueFull:
            return False
        return True

    async def carry_out(self, do: Callable[[Job], Awaitable[None]]) -> None:
        """Has each of them done, until this is cancelled."""
        while True:
            await do(await self._jobs.get())
            self._jobs.task_done()

    async def settled(self) -> None:
        """Waits until everything that was put in has been done."""
        await self._jobs.join()
