"""When each race next needs the clock: a heap, and a bell for whoever sleeps until the first."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterator
from typing import Final

__all__ = ["Deadlines"]

_LEAST_S: Final = 0.001
"""The shortest sleep: a timer that rings a little early must not spin."""


class Deadlines:
    """The instants, in milliseconds, at which races are due; one a race."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, str]] = []
        self._due_of: dict[str, int] = {}
        self._bell = asyncio.Event()

    def get(self, race: str) -> int | None:
        """Returns when the race is due, as far as it was said."""
        return self._due_of.get(race)

    def set(self, race: str, due: int | None) -> None:
        """Says when the race is due; None for never."""
        if due is None:
            self._due_of.pop(race, None)
            return
        self._due_of[race] = due
        heapq.heappush(self._heap, (due, race))
        if self._heap[0][0] == due:
            self._bell.set()
        # What was said before stays in the heap until its time; not too much of it.
        if len(self._heap) > 64 + 4 * len(self._due_of):
            self._heap = [(due, race) for race, due in self._due_of.items()]
            heapq.heapify(self._heap)

    def take(self, now: int) -> Iterator[str]:
        """Yields the races that are due by `now`, earliest first; they are due no more."""
        while self._heap and self._heap[0][0] <= now:
            due, race = heapq.heappop(self._heap)
            if self._due_of.get(race) == due:
                del self._due_of[race]
                yield race

    async def sleep(self, now: int) -> None:
        """Returns when the first race is due, or when another one comes to be the first."""
        self._bell.clear()
        wait = max(_LEAST_S, (self._heap[0][0] - now) / 1000) if self._heap else None
        try:
            async with asyncio.timeout(wait):
                await self._bell.wait()
        except TimeoutError:
            pass
