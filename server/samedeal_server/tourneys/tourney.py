"""One tournament as pure functions of its state: what comes next, and who stands where.

    look(terms, tourney)                what the state demands: to be recorded, then asked again
    standings(terms, tourney)           places, with the arithmetic of everything that counted
    verdict(terms, tourney, match, ..)  where a match of several races stands, and its next race
    length_of(terms, match)             how long the match is

Laws. The same state gives the same answer, whatever the order of its players. Nobody is paired who
has an open match. Whatever is recorded stays as it is: a later flag changes no earlier pairing.
With results for all that is paired, every format but a ladder comes to its end by itself, and a
ladder after the bell; whoever leaves, and whenever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Format,
    Heats,
    Ladder,
    Length,
    RoundRobin,
    SingleElimination,
    Swiss,
)

from . import circle, elimination, heats, ladder, swiss
from .chance import deal_seed
from .errors import BadTourney
from .series import Verdict, settle
from .state import Ending, Match, Plan, Race, Result, Tourney, check
from .table import Line

__all__ = ["deal_seed", "length_of", "look", "standings", "verdict"]


def look(terms: Format, tourney: Tourney) -> Plan:
    """Returns what the state demands now. A settled plan waits for results, flags or the bell.

    Raises:
        BadTourney: the state is none that recorded plans and results can lead to.
    """
    check(tourney)
    match terms:
        case SingleElimination() | DoubleElimination():
            return elimination.look(terms, tourney)
        case RoundRobin():
            return circle.look(terms, tourney)
        case Swiss():
            return swiss.look(terms, tourney)
        case Heats():
            return heats.look(terms, tourney)
        case Ladder():
            return ladder.look(terms, tourney)
        case _:
            assert_never(terms)


def standings(terms: Format, tourney: Tourney) -> tuple[Line, ...]:
    """Returns the standings as they are; final when `look` says that it is over."""
    check(tourney)
    match terms:
        case SingleElimination() | DoubleElimination():
            return elimination.standings(terms, tourney)
        case RoundRobin():
            return circle.standings(terms, tourney)
        case Swiss():
            return swiss.standings(terms, tourney)
        case Heats():
            return heats.standings(terms, tourney)
        case Ladder():
            return ladder.standings(terms, tourney)
        case _:
            assert_never(terms)


def length_of(terms: Format, match: Match) -> Length:
    """Returns how long the match is; a heat is one race."""
    match terms:
        case SingleElimination() | DoubleElimination():
            return terms.lengths.get(match.label, terms.length)
        case RoundRobin() | Swiss() | Ladder():
            return terms.length
        case Heats():
            return Length(best_of=1, replays=0)
        case _:
            assert_never(terms)


def verdict(terms: Format, tourney: Tourney, match: Match, races: Sequence[Race]) -> Verdict:
    """Returns where a match stands after these races, void ones included.

    The next race's deal is `deal_seed(tourney.seed, match.deals, verdict.next_race)`. A heat's
    races are not added up: it is over with the first that counts, without a winner.
    """
    if isinstance(terms, Heats):
        if all(race.void for race in races):
            return Verdict(len(races) + 1, None, "")
        return Verdict(None, Result(Ending.PLAYED, None, tuple(races)), "")
    if len(match.players) != 2:
        raise BadTourney(f"match {match.id} is not between two")
    one, other = match.players
    senior: str | None = None
    if isinstance(terms, SingleElimination | DoubleElimination):
        field = tourney.by_id()
        senior = min(match.players, key=lambda player: field[player].seeding)
    return settle((one, other), races, length=length_of(terms, match), senior=senior)
