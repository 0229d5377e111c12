"""Logs in pages, as they are asked for one after the other."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from samedeal_protocol.events import CHAIN_START, link
from samedeal_protocol.messages import ReplayPage
from samedeal_server.ports import Log

__all__ = ["PAGE_LINES", "Replays", "page_of"]

PAGE_LINES: Final = 400
PAGE_BYTES: Final = 128 * 1024
"""How much of a log one page holds at most; one line it always holds, however long."""
STRETCH: Final = 1000
"""Lines of a replay that are hashed at a stretch."""
REMEMBERED: Final = 1024
"""Races of which the end of the chain is remembered."""


def page_of(lines: Iterable[str]) -> tuple[str, ...]:
    """Returns the first of the lines, as many as one page holds."""
    page: list[str] = []
    size = 0
    for line in lines:
        size += len(line.encode())
        if len(page) == PAGE_LINES or (page and size > PAGE_BYTES):
            break
        page.append(line)
    return tuple(page)


class Replays:
    """Replays in pages. A page costs what it holds: how a race's chain ends is remembered."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._ends: OrderedDict[str, tuple[int, bytes]] = OrderedDict()
        """By race, those asked for last: how many lines were hashed, and what came of it."""

    async def page(self, race: str, *, after: int, length: int) -> ReplayPage:
        """Returns the page behind so many lines of a race's log, and the head of its chain.

        `length` is how many lines the log is known to have. Raises `LogUnavailable`.
        """
        head = await self._head(race, length)
        limit = max(0, min(PAGE_LINES, length - after))
        found = await self._log.read(race, after=after, limit=limit)
        page = page_of(line.decode() for line in found)
        return ReplayPage(
            race=race, after=after, lines=page, more=after + len(page) < length, head=head.hex()
        )

    async def _head(self, race: str, length: int) -> bytes:
        """Returns the end of the chain over so many lines; those that are new are hashed."""
        count, head = self._ends.get(race, (0, CHAIN_START))
        if count > length:
            count, head = 0, CHAIN_START
        while count < length:
            lines = await self._log.read(race, after=count, limit=min(STRETCH, length - count))
            if not lines:
                raise AssertionError("the log has as many lines as were settled")
            for line in lines:
                head = link(head, line)
            count += len(lines)
        self._ends[race] = count, head
        self._ends.move_to_end(race)
        while len(self._ends) > REMEMBERED:
            self._ends.popitem(last=False)
        return head
