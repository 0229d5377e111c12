"""Races that are over as files: their replay, and as a film, of which a few are kept.

Both are made of a whole log, which can be long: in small pieces, between which the event loop does
what is more urgent, and one after the other, as the press has it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Final

import msgspec

from samedeal_protocol.events import CHAIN_START, Opened, link, parse_line
from samedeal_server.gateway.answers import OPEN, Page, etag_of, packed
from samedeal_server.gateway.press import Printing, at_once
from samedeal_server.racing.reel import Reeling
from samedeal_server.version import VERSION

__all__ = ["Lines", "Reels", "replay_file"]

Lines = Callable[[str], Awaitable[Sequence[bytes]]]
"""Returns the log of a race that is over; raises `Refused`."""

_JSON: Final = msgspec.json.Encoder()
_KEPT: Final = 16
_STEPS: Final = 40
"""How many events are folded and frames made at a stretch: one or two milliseconds."""
_LINES: Final = 1000
"""How many lines of a log are hashed at a stretch."""
_REST_S: Final = 0.002
"""How long the loop has for others after each piece: as long as that took, or longer."""
_LONGEST: Final = 12_000
"""Frames of a reel: a second's work, and some 6 MB before they are compressed."""


class Reels:
    """The files of races, and the reels that were asked for last."""

    def __init__(self, printing: Printing = at_once, *, longest: int = _LONGEST) -> None:
        """`longest` is how many frames a reel may have."""
        self._printing = printing
        self._longest = longest
        self._kept: OrderedDict[str, Page] = OrderedDict()

    async def of(self, race: str, lines: Lines) -> Page:
        """Returns the reel of a race as an answer; raises what `lines` raises.

        What is kept is only what `lines` once gave to a stranger, and a race that is over never
        changes; nor does it become shorter, if it is too long.
        """

        async def make() -> Page:
            page = self._kept[race] = await _reel(await lines(race), longest=self._longest)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return page

        kept = self._kept.get(race)
        if kept is None:
            return await self._printing(f"reel {race}", make)
        self._kept.move_to_end(race)
        return kept

    async def replay(self, race: str, lines: Lines) -> Page:
        """Returns the replay of a race as an answer; raises what `lines` raises.

        It is not kept: what is said after the race still goes into its log.
        """

        async def make() -> Page:
            name = f'attachment; filename="{race}.samedeal.jsonl"'
            return Page(
                HTTPStatus.OK,
                await replay_file(race, await lines(race)),
                "application/jsonl; charset=utf-8",
                {**OPEN, "Content-Disposition": name},
            )

        return await self._printing(f"replay {race}", make)


async def replay_file(race: str, lines: Sequence[bytes]) -> bytes:
    """Returns a replay file: the header, the log exactly as it was written, the head, in lines."""
    header = {"samedeal": "replay/1", "race": race, "server": f"samedeal {VERSION}"}
    head = CHAIN_START
    for count, line in enumerate(lines, 1):
        head = link(head, line)
        if count % _LINES == 0:
            await asyncio.sleep(_REST_S)
    return b"\n".join((_JSON.encode(header), *lines, _JSON.encode({"head": head.hex()}), b""))


async def _reel(log: Sequence[bytes], *, longest: int) -> Page:
    """Returns the reel of a race whose log is whole."""
    opened, *rest = log
    first = parse_line(opened)
    if not isinstance(first, Opened):
        raise AssertionError("a log begins with its race's opening")
    reeling = Reeling(first)
    rested = 0
    for count, line in enumerate(rest, 1):
        reeling.add(parse_line(line))
        if reeling.length > longest:
            return _too_long(longest)
        if count + reeling.length - rested >= _STEPS:
            rested = count + reeling.length
            await asyncio.sleep(_REST_S)
    body = _JSON.encode(reeling.reel())
    whole = await asyncio.to_thread(packed, body)
    return Page(HTTPStatus.OK, whole, headers=OPEN, is_packed=True, etag=etag_of(body))


def _too_long(longest: int) -> Page:
    sentence = f"this race has more than {longest} moves: take its replay instead"
    fault = {"error": "reel-too-long", "message": sentence}
    return Page(HTTPStatus.UNPROCESSABLE_ENTITY, _JSON.encode(fault), headers=OPEN)
