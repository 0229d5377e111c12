"""Standings: places from criteria applied one after the other, each only to those still level.

Who is level on all of them shares a place, and the next place counts those before it (1, 2, 2, 4).
The disqualified share the last place. Within a place players stand by seed number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from samedeal_protocol.tournament.formats import TieBreak

from .scores import Book
from .state import Player, Tourney
from .tiebreaks import Mark, marks

__all__ = ["Line", "rank"]


@dataclass(frozen=True, slots=True)
class Line:
    """One player's place, and why."""

    place: int
    player: Player
    marks: tuple[Mark, ...]
    """What counted first, then the tie-breaks in the order of the terms."""


Criterion = Callable[[Sequence[str]], Mapping[str, Mark]]


def rank(
    tourney: Tourney, first: Mapping[str, Mark], *, tie_breaks: Sequence[TieBreak], book: Book
) -> tuple[Line, ...]:
    """Returns the standings of those who have a first mark."""
    criteria: list[Criterion] = [lambda group: {player: first[player] for player in group}]
    criteria += [_criterion(tie_break, book) for tie_break in tie_breaks]
    field = tourney.by_id()
    ranked = [id for id, player in field.items() if id in first and not player.disqualified]
    out = [id for id, player in field.items() if id in first and player.disqualified]
    lines: list[Line] = []
    for group in _split(ranked, criteria):
        place = len(lines) + 1
        lines += [Line(place, field[id], own) for id, own in group]
    last = len(lines) + 1
    lines += [Line(last, field[id], (first[id],)) for id in out]
    return tuple(lines)


def _criterion(tie_break: TieBreak, book: Book) -> Criterion:
    return lambda group: marks(tie_break, group, book)


def _split(
    group: Sequence[str], criteria: Sequence[Criterion]
) -> list[list[tuple[str, tuple[Mark, ...]]]]:
    """Returns groups of those who are level on everything, the best first."""
    if not criteria or not group:
        return [[(id, ()) for id in group]] if group else []
    found = criteria[0](group)
    best_first = sorted(group, key=lambda id: found[id].key, reverse=True)
    split: list[list[tuple[str, tuple[Mark, ...]]]] = []
    for _, level in groupby(best_first, key=lambda id: found[id].key):
        split += [
            [(id, (found[id], *rest)) for id, rest in part]
            for part in _split(list(level), criteria[1:])
        ]
    return split
