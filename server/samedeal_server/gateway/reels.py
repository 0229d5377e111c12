"""Races that are over as films, made when they are asked for, and a few of them kept.

One is made in small pieces, between which the event loop does what is more urgent. Whoever asks for
one that is being made waits for it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Final

import msgspec

from samedeal_protocol.events import Opened, parse_line
from samedeal_server.gateway.answers import OPEN, Page, etag_of, packed
from samedeal_server.racing.reel import Reeling

__all__ = ["Reels"]

_JSON: Final = msgspec.json.Encoder()
_KEPT: Final = 16
_PAUSE_AFTER: Final = 20
"""Events that are folded at a stretch: one or two milliseconds."""
_LONGEST: Final = 12_000
"""Frames of a reel: a second's work, and some 6 MB before they are compressed."""


class Reels:
    """The reels that were asked for last."""

    def __init__(self, *, longest: int = _LONGEST) -> None:
        """`longest` is how many frames a reel may have."""
        self._longest = longest
        self._kept: OrderedDict[str, Page] = OrderedDict()
        self._making: dict[str, asyncio.Future[None]] = {}

    async def of(self, race: str, lines: Callable[[str], Awaitable[Sequence[bytes]]]) -> Page:
        """Returns the reel of a race whose log `lines` returns, as an answer.

        What is kept is only what `lines` once gave to a stranger, and a race that is over never
        changes. Raises what `lines` raises.
        """
        while (page := self._kept.get(race)) is None:
            making = self._making.get(race)
            if making is not None:
                await asyncio.wait((making,))
                continue
            making = self._making[race] = asyncio.get_running_loop().create_future()
            try:
                page = await _made(await lines(race), longest=self._longest)
                if page.status is HTTPStatus.OK:
                    self._kept[race] = page
                    while len(self._kept) > _KEPT:
                        self._kept.popitem(last=False)
                return page
            finally:
                del self._making[race]
                making.cancel()
        self._kept.move_to_end(race)
        return page


async def _made(log: Sequence[bytes], *, longest: int) -> Page:
    """Returns the reel of a race whose log is whole."""
    opened, *rest = log
    first = parse_line(opened)
    if not isinstance(first, Opened):
        raise AssertionError("a log begins with its race's opening")
    reeling = Reeling(first)
    for count, line in enumerate(rest, 1):
        reeling.add(parse_line(line))
        if count % _PAUSE_AFTER == 0:
            await asyncio.sleep(0)
        if reeling.length > longest:
            return _too_long(longest)
    body = _JSON.encode(reeling.reel())
    whole = await asyncio.to_thread(packed, body)
    return Page(HTTPStatus.OK, whole, headers=OPEN, is_packed=True, etag=etag_of(body))


def _too_long(longest: int) -> Page:
    sentence = f"this race has more than {longest} moves: take its replay instead"
    fault = {"error": "reel-too-long", "message": sentence}
    return Page(HTTPStatus.UNPROCESSABLE_ENTITY, _JSON.encode(fault), headers=OPEN)
