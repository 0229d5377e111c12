"""Round robin by the circle method: the first stays, the others move on by one place a round.

The field is fixed by who has joined in round 1. With an odd number somebody has a bye each round,
everybody as often. Who leaves loses the remaining matches by walkover; so nobody's number of
matches depends on when somebody left.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from samedeal_protocol.tournament.formats import RoundRobin

from .forfeits import forfeits
from .scores import Book, of_matches
from .state import Ending, Match, Plan, Result, Tourney
from .table import Line, rank
from .tiebreaks import points_marks

__all__ = ["book", "look", "schedule", "standings"]


def schedule(field: Sequence[str], *, times: int) -> list[list[tuple[str, ...]]]:
    """Returns the rounds, each a list of pairs and, with an odd number, one who has a bye."""
    circle: list[str | None] = [*field]
    if len(circle) % 2:
        circle.append(None)
    half = len(circle) // 2
    rounds: list[list[tuple[str, ...]]] = []
    for number in range(times * (len(circle) - 1)):
        seats = list(zip(circle[:half], reversed(circle[half:]), strict=True))
        if number // (len(circle) - 1) % 2:
            seats = [(other, one) for one, other in seats]
        rounds.append([tuple(player for player in seat if player is not None) for seat in seats])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def look(terms: RoundRobin, tourney: Tourney) -> Plan:
    """Returns the next round when the last one is played."""
    field = [player.id for player in tourney.field() if player.joined <= 1]
    if len(field) < 2:
        return Plan(over=True, reason="there are not two players")
    open = tourney.open()
    if open:
        return Plan(decide=tuple(forfeits(open, tourney.by_id())))
    rounds = schedule(field, times=terms.times)
    number = max((match.round for match in tourney.matches), default=0) + 1
    if number > len(rounds):
        return Plan(over=True, reason="all rounds are played")
    pair: list[Match] = []
    for board, players in enumerate(rounds[number - 1], 1):
        bye = Result(Ending.BYE, players[0]) if len(players) == 1 else None
        id = f"R{number}.{board}"
        pair.append(Match(id, number, players, f"round {number}", id, bye))
    return Plan(pair=tuple(pair))


def book(terms: RoundRobin, tourney: Tourney) -> Book:
    """Returns the scores; byes are worth nothing, for everybody has as many."""
    return of_matches(tourney, replace(terms.points, bye=0))


def standings(terms: RoundRobin, tourney: Tourney) -> tuple[Line, ...]:
    """Returns places by points, then by the tie-breaks of the terms."""
    scores = book(terms, tourney)
    return rank(tourney, points_marks(scores), tie_breaks=terms.tie_breaks, book=scores)
