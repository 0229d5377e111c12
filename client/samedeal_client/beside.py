"""One task that lives beside a block and ends with it; what the block raises comes out as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager

__all__ = ["beside"]


@asynccontextmanager
async def beside(work: Coroutine[None, None, None], *, name: str) -> AsyncIterator[None]:
    """Runs `work` in a task of this name until the block is left.

    What the work raises ends the block and is raised in a group.
    """
    failure: Exception | None = None
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(work, name=name)
        try:
            yield
        except Exception as fault:
            # Kept out of the group, so that a caller catches `Refused` and not a group of one.
            failure = fault
        finally:
            task.cancel()
    if failure is not None:
        raise failure
