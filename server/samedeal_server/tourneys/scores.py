"""What everybody has scored: meetings of two, places of heats, races of both.

A `Book` is reckoned from the recorded matches alone. Nothing is ever taken from a player who left:
results stand, and only the rounds missed bring nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import groupby
from typing import Final

from samedeal_protocol.tournament.formats import Heats, Points

from .arithmetic import said
from .errors import BadTourney
from .state import Ending, Match, Race, Showing, Tourney

__all__ = [
    "Book",
    "Meeting",
    "Outcome",
    "heat_gains",
    "heat_points",
    "of_heats",
    "of_matches",
    "term",
]


class Outcome(Enum):
    """How a match of two ended for one of them."""

    WON = "beat"
    DREW = "drew with"
    LOST = "lost to"
    BYE = "bye"
    WALKOVER = "walkover"
    FORFEIT = "forfeit"


FREE: Final = frozenset({Outcome.BYE, Outcome.WALKOVER})


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match of two, or a bye, as one of them sees it."""

    round: int
    opponent: str | None
    outcome: Outcome
    points: Fraction

    @property
    def is_free(self) -> bool:
        """Points without an opponent. A bye that is worth nothing is none."""
        return self.outcome in FREE and self.points > 0

    @property
    def is_played(self) -> bool:
        return self.outcome in (Outcome.WON, Outcome.DREW, Outcome.LOST)


@dataclass(frozen=True, slots=True)
class Book:
    """All scores. Every mapping has every player, by seed number."""

    names: Mapping[str, str]
    points: Mapping[str, Fraction]
    sums: Mapping[str, tuple[str, ...]]
    """The terms of the points, one a match."""
    meetings: Mapping[str, tuple[Meeting, ...]]
    races: Mapping[str, tuple[tuple[Race, Showing], ...]]
    """The races that count."""


def of_matches(tourney: Tourney, points: Points) -> Book:
    """Returns the book of a tournament of matches of two."""
    meetings: dict[str, list[Meeting]] = {player.id: [] for player in tourney.field()}
    for match in tourney.matches:
        for player in match.players:
            meeting = _meeting(match, player, points)
            if meeting is not None:
                meetings[player].append(meeting)
    names = {player.id: player.called for player in tourney.field()}
    return Book(
        names=names,
        points={
            id: sum((meeting.points for meeting in own), Fraction(0))
            for id, own in meetings.items()
        },
        sums={id: tuple(term(meeting, names) for meeting in own) for id, own in meetings.items()},
        meetings={id: tuple(own) for id, own in meetings.items()},
        races=_races(tourney),
    )


def of_heats(tourney: Tourney, heats: Heats) -> Book:
    """Returns the book of heats: points for places."""
    names = {player.id: player.called for player in tourney.field()}
    points = dict.fromkeys(names, Fraction(0))
    sums: dict[str, list[str]] = {id: [] for id in names}
    for match in tourney.matches:
        for player, (worth, why) in heat_gains(match, heats).items():
            points[player] += worth
            sums[player].append(f"{said(worth)} ({why})")
    return Book(
        names=names,
        points=points,
        sums={id: tuple(terms) for id, terms in sums.items()},
        meetings=dict.fromkeys(names, ()),
        races=_races(tourney),
    )


def heat_points(places: Iterable[tuple[str, int]], table: tuple[int, ...]) -> dict[str, Fraction]:
    """Returns the points for places: k who share one share the points of k places equally.

    Nothing is lost or made: the sum is the same whoever ties with whom.
    """
    by_place = sorted(places, key=lambda line: line[1])
    shares: dict[str, Fraction] = {}
    taken = 0
    for _, group in groupby(by_place, key=lambda line: line[1]):
        sharing = [player for player, _ in group]
        pot = sum(table[taken : taken + len(sharing)])
        taken += len(sharing)
        shares.update(dict.fromkeys(sharing, Fraction(pot, len(sharing))))
    return shares


def heat_gains(match: Match, heats: Heats) -> dict[str, tuple[Fraction, str]]:
    """Returns the points that a heat brought, by player, and what for; others got none."""
    result = match.result
    if result is None or result.ending is Ending.FORFEIT:
        return {}
    if result.ending is not Ending.PLAYED:
        if result.winner is None:
            raise AssertionError("a walkover has a winner")
        return {result.winner: (Fraction(heats.points[0]), "alone in the heat")}
    gained: dict[str, tuple[Fraction, str]] = {}
    for race in result.races:
        if race.void:
            continue
        placed = {
            showing.player: showing.place
            for showing in race.showings
            if showing.place is not None
            and (showing.elapsed_ms is not None or not heats.finishers_only)
        }
        for player, share in heat_points(placed.items(), heats.points).items():
            had = gained[player][0] if player in gained else Fraction(0)
            sharing = sum(1 for place in placed.values() if place == placed[player])
            why = f"place {placed[player]}" + (f" shared by {sharing}" if sharing > 1 else "")
            gained[player] = (had + share, why)
    return gained


def term(meeting: Meeting, names: Mapping[str, str]) -> str:
    """Returns the points of a meeting and how they came about: `1 (beat B)`."""
    against = "" if meeting.opponent is None else names[meeting.opponent]
    match meeting.outcome:
        case Outcome.BYE:
            why = "bye"
        case Outcome.WALKOVER | Outcome.FORFEIT:
            why = f"{meeting.outcome.value}, {against}" if against else meeting.outcome.value
        case _:
            why = f"{meeting.outcome.value} {against}"
    return f"{said(meeting.points)} ({why})"


def _meeting(match: Match, player: str, points: Points) -> Meeting | None:
    result = match.result
    if result is None:
        return None
    if len(match.players) > 2:
        raise BadTourney(f"match {match.id} has more than two players")
    opponent = next((other for other in match.players if other != player), None)
    match result.ending:
        case Ending.BYE:
            return Meeting(match.round, None, Outcome.BYE, Fraction(points.bye))
        case Ending.FORFEIT:
            return Meeting(match.round, opponent, Outcome.FORFEIT, Fraction(points.loss))
        case Ending.WALKOVER if result.winner == player:
            return Meeting(match.round, opponent, Outcome.WALKOVER, Fraction(points.win))
        case Ending.WALKOVER:
            return Meeting(match.round, opponent, Outcome.FORFEIT, Fraction(points.loss))
        case Ending.PLAYED if result.winner is None:
            return Meeting(match.round, opponent, Outcome.DREW, Fraction(points.draw))
        case Ending.PLAYED if result.winner == player:
            return Meeting(match.round, opponent, Outcome.WON, Fraction(points.win))
        case Ending.PLAYED:
            return Meeting(match.round, opponent, Outcome.LOST, Fraction(points.loss))


def _races(tourney: Tourney) -> dict[str, tuple[tuple[Race, Showing], ...]]:
    races: dict[str, list[tuple[Race, Showing]]] = {player.id: [] for player in tourney.field()}
    for match in tourney.matches:
        for race in match.result.races if match.result is not None else ():
            if race.void:
                continue
            for showing in race.showings:
                if showing.player in races:
                    races[showing.player].append((race, showing))
    return {id: tuple(own) for id, own in races.items()}
