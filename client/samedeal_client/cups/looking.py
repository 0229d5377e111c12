"""What one can look at in a tournament by a word, at a console or between races."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from samedeal_protocol.tournament.formats import DoubleElimination, SingleElimination

from .bracket import bracket_lines
from .cup import Cup
from .tables import cross_lines, player_lines, round_lines, standings_lines
from .telling import head_lines, terms_text_lines, you_lines

__all__ = ["LOOKS", "looked", "picture_lines"]

LOOKS: Final[Mapping[str, str]] = {
    "show": "how it stands",
    "matches": "what is being played; matches 2 for a round",
    "bracket": "the bracket, or who has played whom",
    "table": "the standings; table why for their arithmetic",
    "players": "who is in it",
    "terms": "its terms",
}
"""Words, and what they show."""


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
            return picture_lines(cup, width=width, has_blocks=has_blocks)
        case "table":
            why = "why" in rest
            return standings_lines(await cup.standings(), sheet, width=width, why=why)
        case "players":
            return player_lines(sheet, width=width)
        case _:
            return terms_text_lines(sheet.terms)


def picture_lines(cup: Cup, *, width: int, has_blocks: bool) -> list[str]:
    """Returns the bracket of an elimination, or the cross table and the open matches."""
    sheet = cup.sheet
    if isinstance(sheet.terms.format, SingleElimination | DoubleElimination):
        return bracket_lines(sheet, width=width, has_blocks=has_blocks)
    cross = cross_lines(sheet, width=width)
    return [*cross, *([""] if cross else []), *round_lines(sheet, now=cup.now_ms)]
