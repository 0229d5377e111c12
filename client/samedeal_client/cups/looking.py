"""What one can look at in a tournament by a word, at a console or between races."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Heats,
    Ladder,
    SingleElimination,
)
from samedeal_protocol.tournament.views import TournamentSheet, TournamentTable

from .bracket import bracket_lines
from .cup import Cup
from .scoreboards import heat_lines, ladder_lines
from .tables import cross_lines, player_lines, round_lines, standings_lines
from .telling import head_lines, terms_text_lines, you_lines

__all__ = ["LOOKS", "looked", "needs_table", "picture_lines"]

LOOKS: Final[Mapping[str, str]] = {
    "show": "how it stands",
    "matches": "what is being played; matches 2 for a round",
    "bracket": "the bracket; of other formats heats, pairs, or who has played whom",
    "table": "the standings; table why for their arithmetic",
    "players": "who is in it",
    "terms": "its terms",
}
"""Words, and what they show."""
_NOBODY_YET: Final = "Nobody is paired yet: that comes when it starts."


async def looked(
    word: str, rest: Sequence[str], cup: Cup, *, width: int, has_blocks: bool
) -> list[str]:
    """Returns what the word shows. Raises `ClientError`."""
    sheet = cup.sheet
    match word:
        case "show":
            return [*head_lines(sheet, cup.now_ms), *you_lines(sheet)]
        case "matches":
            number = int(rest[0]) if rest and rest[0].isdigit() else None
            lines = round_lines(sheet, now=cup.now_ms, round=number)
            return lines or ["Nothing is paired there."]
        case "bracket":
            table = await cup.standings() if needs_table(sheet) else None
            return picture_lines(sheet, table, now=cup.now_ms, width=width, has_blocks=has_blocks)
        case "table":
            why = "why" in rest
            return standings_lines(await cup.standings(), sheet, width=width, why=why)
        case "players":
            return player_lines(sheet, width=width)
        case _:
            return terms_text_lines(sheet.terms)


def needs_table(sheet: TournamentSheet) -> bool:
    """Whether the picture of this tournament shows its standings."""
    return isinstance(sheet.terms.format, Ladder)


def picture_lines(
    sheet: TournamentSheet,
    table: TournamentTable | None,
    *,
    now: int,
    width: int,
    has_blocks: bool,
) -> list[str]:
    """Returns the bracket of an elimination, the heats by round, a ladder's standing and pairs, or
    the cross table and the open matches."""
    match sheet.terms.format:
        case SingleElimination() | DoubleElimination():
            return bracket_lines(sheet, width=width, has_blocks=has_blocks)
        case Heats():
            lines = heat_lines(sheet, now=now, width=width) or [_NOBODY_YET]
            return lines if has_blocks else [line.replace("•", "*") for line in lines]
        case Ladder():
            return ladder_lines(table, sheet, now=now, width=width) or [_NOBODY_YET]
        case _:
            cross = cross_lines(sheet, width=width)
            rounds = round_lines(sheet, now=now)
            lines = [*cross, *([""] if cross and rounds else []), *rounds]
            return lines or [_NOBODY_YET]
