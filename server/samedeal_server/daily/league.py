"""The league of a week.

Every place of a day's board has its points; k players who share a place share the points of k
places equally. Whoever made no move has no points and takes none from others. A day missed counts
nothing. The week's points, summed, are the place in the league; equals share one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from samedeal_protocol.events import EntrantState
from samedeal_server.racing.standings import places
from samedeal_server.tourneys.scores import heat_points

from .board import Line

__all__ = ["POINTS", "LeagueLine", "points", "table"]

POINTS: Final = (25, 20, 16, 13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
"""For the places 1 to 15 of a day; those behind have none."""


@dataclass(frozen=True, slots=True)
class LeagueLine:
    """One player in a league."""

    place: int
    player: str
    name: str
    """As it was on the last day that the player played."""
    points: Fraction
    days: tuple[Fraction | None, ...]
    """By weekday; None for a day that was missed, or whose board is not known."""


def points(board: Sequence[Line]) -> dict[str, Fraction]:
    """Returns the points of everybody on a day's board."""
    scored = [
        (line.attempt.player, line.place)
        for line in board
        if line.attempt.moves and line.attempt.state is not EntrantState.DISQUALIFIED
    ]
    nothing = {line.attempt.player: Fraction(0) for line in board}
    return nothing | heat_points(scored, POINTS)


def table(boards: Sequence[Sequence[Line] | None]) -> tuple[LeagueLine, ...]:
    """Returns the league of a week from its days' boards, None for a day that is not over."""
    days = [None if board is None else points(board) for board in boards]
    names = {line.attempt.player: line.attempt.name for board in boards for line in (board or ())}
    by_day = {
        player: tuple(None if each is None else each.get(player) for each in days)
        for player in names
    }
    totals = {
        player: sum((each for each in own if each is not None), Fraction(0))
        for player, own in by_day.items()
    }
    ordered = sorted(names, key=lambda player: (-totals[player], names[player], player))
    by_place = places([totals[player] for player in ordered])
    return tuple(
        LeagueLine(place, player, names[player], totals[player], by_day[player])
        for place, player in zip(by_place, ordered, strict=True)
    )
