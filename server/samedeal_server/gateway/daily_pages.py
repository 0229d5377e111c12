"""The daily deal and the weekly league over plain HTTP, as a stranger may know them.

/api/v1/daily                 today: how many have played; /api/v1/daily/bots of the bots
/api/v1/daily/20261130        a day; of one that is over everything; .../bots
/api/v1/league                this week, as far as its days are over; .../bots
/api/v1/league/2026-W49       a week; .../bots
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from samedeal_protocol.daily import DailySheet, LeagueTable
from samedeal_server.gateway.queries import given

__all__ = ["Almanac", "answer"]

_JSON: Final = msgspec.json.Encoder()
_DAY: Final = re.compile(r"\d{8}", re.ASCII)
_WEEK: Final = re.compile(r"\d{4}-W\d{2}", re.ASCII)


class Almanac(Protocol):
    """What these pages may ask; every answer is what a stranger may know."""

    async def public_sheet(self, day: str | None, *, bots: bool = False) -> DailySheet:
        """Returns a day, today without one; raises `Refused`."""
        ...

    async def public_league(self, week: str | None, *, bots: bool = False) -> LeagueTable:
        """Returns a week's league, this week's without one; raises `Refused`."""
        ...


async def answer(path: Sequence[str], query: str, almanac: Almanac) -> bytes | None:
    """Returns the JSON of a path below /api/v1, or None if there is no such page.

    Raises `Refused`, as the almanac does, and for a query: these pages take none.
    """
    given(query)
    bots = bool(path) and path[-1] == "bots"
    match path[:-1] if bots else path:
        case ["daily"]:
            return _JSON.encode(await almanac.public_sheet(None, bots=bots))
        case ["daily", day] if _DAY.fullmatch(day):
            return _JSON.encode(await almanac.public_sheet(day, bots=bots))
        case ["league"]:
            return _JSON.encode(await almanac.public_league(None, bots=bots))
        case ["league", week] if _WEEK.fullmatch(week):
            return _JSON.encode(await almanac.public_league(week, bots=bots))
        case _:
            return None
