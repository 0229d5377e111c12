"""Logs in pages, as they are asked for one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from samedeal_protocol.events import CHAIN_START, link
from samedeal_protocol.messages import ReplayPage

__all__ = ["page_of", "replay_page"]

PAGE_LINES: Final = 400
PAGE_BYTES: Final = 128 * 1024
"""How much of a log one page holds at most; one line it always holds, however long."""
PAUSE_AFTER: Final = 1000
"""Lines of a replay that are hashed at a stretch."""


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


async def replay_page(race: str, lines: Sequence[bytes], *, after: int) -> ReplayPage:
    """Returns the page behind so many lines of a race's whole log, and the head of its chain."""
    head = CHAIN_START
    for count, line in enumerate(lines, 1):
        head = link(head, line)
        if count % PAUSE_AFTER == 0:
            await asyncio.sleep(0)
    page = page_of(line.decode() for line in lines[after : after + PAGE_LINES])
    return ReplayPage(
        race=race,
        after=after,
        lines=page,
        more=after + len(page) < len(lines),
        head=head.hex(),
    )
