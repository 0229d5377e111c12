"""Heats: many in a race, and every place has its points.

A round is divided into as few heats as its size allows, as even as can be, and each player goes
where the fewest are whom it has raced before. Each heat has a deal of its own: they do not run at
the same instant, so whoever raced later could have watched the deal of an earlier one.
"""

from __future__ import annotations

from collections.abc import Sequence

from samedeal_protocol.tournament.formats import Heats, Order

from .chance import lots
from .forfeits import forfeits
from .scores import of_heats
from .state import Match, Plan, Player, Tourney
from .table import Line, rank
from .tiebreaks import points_marks

__all__ = ["look", "standings"]


def look(terms: Heats, tourney: Tourney) -> Plan:
    """Returns the next round when the last one is raced."""
    open = tourney.open()
    if open:
        return Plan(decide=tuple(forfeits(open, tourney.by_id())))
    number = max((match.round for match in tourney.matches), default=0) + 1
    if number > terms.rounds:
        return Plan(over=True, reason="all rounds are raced")
    staying = [player for player in tourney.field() if player.is_in]
    if len(staying) < 2:
        return Plan(over=True, reason="nobody is left to race against")
    free = [player for player in staying if not player.paused]
    there = [player for player in free if player.joined <= number]
    if len(there) < 2:
        there = free
    if len(there) < 2:
        return Plan(reason="the others pause")
    groups = _divided(terms, tourney, there, number=number)
    pair: list[Match] = []
    for index, group in enumerate(groups, 1):
        label = f"round {number}"
        if len(groups) > 1:
            label += f", heat {index} of {len(groups)}"
        id = f"H{number}.{index}"
        pair.append(Match(id, number, group, label, id))
    return Plan(pair=tuple(pair))


def standings(terms: Heats, tourney: Tourney) -> tuple[Line, ...]:
    """Returns places by points, then by the tie-breaks of the terms."""
    scores = of_heats(tourney, terms)
    return rank(tourney, points_marks(scores), tie_breaks=terms.tie_breaks, book=scores)


def _divided(
    terms: Heats, tourney: Tourney, there: Sequence[Player], *, number: int
) -> list[tuple[str, ...]]:
    """Returns the heats of a round, their players by seed number."""
    count = -(-len(there) // terms.size)
    if count == 1:
        return [tuple(player.id for player in there)]
    numbers: Sequence[int] = [player.seeding for player in there]
    if terms.order is Order.LOTS:
        numbers = lots(tourney.seed, f"round/{number}", numbers)
    by_seeding = {player.seeding: player for player in there}
    met = _met(tourney)
    small, large = divmod(len(there), count)
    rooms = [small + (index < large) for index in range(count)]
    groups: list[list[Player]] = [[] for _ in range(count)]
    for seeding in numbers:
        player = by_seeding[seeding]
        index = min(
            (index for index in range(count) if len(groups[index]) < rooms[index]),
            key=lambda index: (
                sum(met.get(frozenset({player.id, other.id}), 0) for other in groups[index]),
                len(groups[index]),
                index,
            ),
        )
        groups[index].append(player)
    return [
        tuple(player.id for player in sorted(group, key=lambda player: player.seeding))
        for group in groups
    ]


def _met(tourney: Tourney) -> dict[frozenset[str], int]:
    met: dict[frozenset[str], int] = {}
    for match in tourney.matches:
        for index, one in enumerate(match.players):
            for other in match.players[index + 1 :]:
                pair = frozenset({one, other})
                met[pair] = met.get(pair, 0) + 1
    return met
