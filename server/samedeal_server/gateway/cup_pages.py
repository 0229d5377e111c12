"""Tournaments as JSON and CSV, for pages, spreadsheets and programs; what a stranger may know.

/api/v1/tournaments                       those that are not over; with ?over=yes those that are
/api/v1/tournaments/CODE                  all of one: terms, players, matches
/api/v1/tournaments/CODE/standings        with the arithmetic of everything that counted
/api/v1/tournaments/CODE/matches          the matches, and their players by number
/api/v1/tournaments/CODE/standings.csv    the same as tables
/api/v1/tournaments/CODE/matches.csv
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import msgspec

from samedeal_protocol.tournament.sheets import (
    MATCHES,
    STANDINGS,
    Row,
    as_csv,
    match_rows,
    standing_rows,
)
from samedeal_protocol.tournament.views import TournamentCard, TournamentSheet, TournamentTable
from samedeal_server.gateway.queries import given, is_wanted

__all__ = ["Answer", "Cups", "answer"]

_JSON: Final = msgspec.json.Encoder()
_CODE: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")


class Cups(Protocol):
    """What these pages may ask; every answer is what a stranger may know."""

    async def listed(self, *, over: bool) -> tuple[TournamentCard, ...]:
        """Returns the listed tournaments, those that are over or those that are not."""
        ...

    async def sheet(self, code: str) -> TournamentSheet:
        """Returns all of a tournament; raises `Refused`."""
        ...

    async def table(self, code: str) -> TournamentTable:
        """Returns the standings; raises `Refused`."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered, and what kind of thing it is."""

    body: bytes
    kind: str = "application/json"
    file: str = ""
    """Under which name it is to be kept."""


async def answer(parts: Sequence[str], query: str, cups: Cups) -> Answer | None:
    """Answers for `/api/v1/tournaments` and what is below; None for no such page.

    Raises `Refused` and `LogUnavailable`, as the tournaments do.
    """
    if not parts:
        over = is_wanted(query, "over")
        return Answer(_JSON.encode({"tournaments": await cups.listed(over=over)}))
    given(query)
    match parts:
        case [code] if _CODE.fullmatch(code):
            return Answer(_JSON.encode(await cups.sheet(code)))
        case [code, "standings"] if _CODE.fullmatch(code):
            return Answer(_JSON.encode(await cups.table(code)))
        case [code, "matches"] if _CODE.fullmatch(code):
            sheet = await cups.sheet(code)
            shown = {
                "tournament": code,
                "seq": sheet.seq,
                "players": sheet.players,
                "matches": sheet.matches,
            }
            return Answer(_JSON.encode(shown))
        case [code, "standings.csv"] if _CODE.fullmatch(code):
            rows = standing_rows(await cups.table(code), await cups.sheet(code))
            return _table(rows, STANDINGS, f"{code}-standings.csv")
        case [code, "matches.csv"] if _CODE.fullmatch(code):
            return _table(match_rows(await cups.sheet(code)), MATCHES, f"{code}-matches.csv")
        case _:
            return None


def _table(rows: Sequence[Row], columns: Sequence[str], file: str) -> Answer:
    return Answer(as_csv(rows, always=columns).encode(), "text/csv; charset=utf-8", file)
