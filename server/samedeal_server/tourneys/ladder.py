"""A ladder, or arena: whoever is free is paired with whoever else is, until the bell.

Whoever has waited longest (by the order of pairings) is served first, with somebody of about as
many points, then whom he has met less often, then by lot. Two who have just met each other wait for
somebody else to become free, unless nobody else plays. Whoever pauses keeps nobody waiting. After
the bell nobody is paired, and matches in progress count.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from samedeal_protocol.tournament.formats import Ladder

from .chance import lot
from .forfeits import forfeits
from .scores import Book, of_matches
from .state import Match, Plan, Player, Tourney
from .table import Line, rank
from .tiebreaks import points_marks

__all__ = ["look", "standings"]


def look(terms: Ladder, tourney: Tourney) -> Plan:
    """Returns whom to pair now."""
    open = tourney.open()
    decide = tuple(forfeits(open, tourney.by_id()))
    if decide:
        return Plan(decide=decide)
    if tourney.closed:
        return Plan() if open else Plan(over=True, reason="the bell has rung")
    busy = {player for match in open for player in match.players}
    playing = [player for player in tourney.field() if player.is_in and not player.paused]
    free = [player for player in playing if player.id not in busy]
    return Plan(pair=_paired(terms, tourney, free, only_two=len(playing) == 2))


def standings(terms: Ladder, tourney: Tourney) -> tuple[Line, ...]:
    """Returns places by points, then by the tie-breaks of the terms."""
    scores = of_matches(tourney, terms.points)
    return rank(tourney, points_marks(scores), tie_breaks=terms.tie_breaks, book=scores)


def _paired(
    terms: Ladder, tourney: Tourney, free: Sequence[Player], *, only_two: bool
) -> tuple[Match, ...]:
    book = of_matches(tourney, terms.points)
    last: dict[str, tuple[int, str]] = {}
    for index, match in enumerate(tourney.matches):
        for player in match.players:
            opponent = next((other for other in match.players if other != player), player)
            last[player] = index, opponent
    waiting = sorted(
        free,
        key=lambda player: (last[player.id][0] if player.id in last else -1, player.seeding),
    )
    pair: list[Match] = []
    while waiting:
        one = waiting.pop(0)
        number = len(tourney.matches) + len(pair) + 1
        others = [other for other in waiting if only_two or not _just_met(one.id, other.id, last)]
        if not others:
            continue
        ill = {
            other.seeding: _distance(tourney.seed, book, one, other, number=number)
            for other in others
        }
        other = min(others, key=lambda other: ill[other.seeding])
        waiting.remove(other)
        players = (one.id, other.id)
        pair.append(Match(f"A{number}", number, players, f"match {number}", f"A{number}"))
    return tuple(pair)


def _just_met(one: str, other: str, last: dict[str, tuple[int, str]]) -> bool:
    """Returns whether it would be the same opponent twice running for either."""
    return any(
        player in last and last[player][1] == opponent
        for player, opponent in ((one, other), (other, one))
    )


def _distance(
    seed: str, book: Book, one: Player, other: Player, *, number: int
) -> tuple[Fraction, int, int]:
    """Returns how ill two suit each other: points apart, times met, and a lot."""
    met = sum(1 for meeting in book.meetings[one.id] if meeting.opponent == other.id)
    apart = abs(book.points[one.id] - book.points[other.id])
    return apart, met, lot(seed, f"ladder/{number}", one.seeding, other.seeding)
