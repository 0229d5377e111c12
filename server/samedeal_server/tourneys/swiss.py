"""Swiss rounds by maximum-weight matching: the best pairing, and not just a good one.

In this order, with each law kept as far as those before it allow:

    1. everybody in the round plays, but one if the number is odd
    2. the bye goes to one of those who have had the fewest byes
    3. ... who is not in the top group of points, unless only such are eligible
    4. ... who has missed no round, unless only such are eligible
    5. as few rematches as possible, then as few meetings before as possible
    6. equal points: the sum of squared distances between groups of points, a bye's being that to
       the lowest group
    7. upper half against lower half of a group, in the order of the terms
    8. lots

So byes of two who play every round differ by at most one; and who leaves and comes back has lost
the rounds in between, and stands behind everybody else for the bye. Lots make the best pairing
unique, so that any matching code finds the same. A field of more than `NEAR_FROM` is searched among
each player's `NEAR` cheapest pairs in the own group and half as many above and below it, and among
twice as many while that leaves somebody over or a rematch: laws 1 to 5 stay exact, and the others
come as close as those pairs allow.

A round of 256 takes about two seconds, one of 512 about eight: keep it off the event loop. networkx
is imported when the first round is paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from samedeal_protocol.tournament.formats import Order, Swiss

from .chance import LOT_BITS, lot, lots
from .forfeits import forfeits
from .scores import Book, Outcome, of_matches
from .state import Ending, Match, Plan, Player, Result, Tourney
from .table import Line, rank
from .tiebreaks import points_marks

__all__ = ["NEAR", "NEAR_FROM", "eligible", "look", "standings"]

NEAR: Final = 8
NEAR_FROM: Final = 40

_Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Edge:
    """What pairing two would be like."""

    rematch: bool
    step: int
    """How many groups the second stands below the first."""
    cost: int


def look(terms: Swiss, tourney: Tourney) -> Plan:
    """Returns the next round when the last one is played."""
    open = tourney.open()
    if open:
        return Plan(decide=tuple(forfeits(open, tourney.by_id())))
    number = max((match.round for match in tourney.matches), default=0) + 1
    if number > terms.rounds:
        return Plan(over=True, reason="all rounds are played")
    staying = [player for player in tourney.field() if player.is_in]
    if len(staying) < 2:
        return Plan(over=True, reason="nobody is left to play against")
    free = [player for player in staying if not player.paused]
    there = [player for player in free if player.joined <= number]
    if len(there) < 2:
        there = free  # nobody waits for a round that cannot be
    if len(there) < 2:
        return Plan(reason="the others pause")
    return Plan(pair=_paired(terms, tourney, there, number=number))


def standings(terms: Swiss, tourney: Tourney) -> tuple[Line, ...]:
    """Returns places by points, then by the tie-breaks of the terms."""
    scores = of_matches(tourney, terms.points)
    return rank(tourney, points_marks(scores), tie_breaks=terms.tie_breaks, book=scores)


def eligible(there: Sequence[Player], book: Book, *, number: int) -> list[Player]:
    """Returns who can have the bye of round `number`: laws 2 to 4."""
    byes = {player.id: _byes(book, player.id) for player in there}
    fewest = min(byes.values())
    found = [player for player in there if byes[player.id] == fewest]
    top = max(book.points[player.id] for player in there)
    below = [player for player in found if book.points[player.id] < top]
    found = below or found
    always = [player for player in found if len(book.meetings[player.id]) >= number - 1]
    return always or found


@dataclass(frozen=True, slots=True)
class _Seat:
    """A player as the round sees them."""

    player: Player
    group: int
    """0 is the top group of points."""
    position: int
    """In the group, from 0."""
    size: int
    """Of the group."""


def _paired(
    terms: Swiss, tourney: Tourney, there: Sequence[Player], *, number: int
) -> tuple[Match, ...]:
    book = of_matches(tourney, terms.points)
    seats = _seats(terms, tourney.seed, there, book=book, number=number)
    byes = eligible(there, book, number=number) if len(seats) % 2 else []
    costs = _costs(seats, byes, tourney, book=book, number=number)
    label = f"round {number}"
    pair: list[Match] = []
    bye: list[Match] = []
    for one, other in sorted(_matched(len(seats), costs)):
        if other == len(seats):
            id, player = f"R{number}.bye", seats[one].player.id
            bye.append(Match(id, number, (player,), label, id, Result(Ending.BYE, player)))
            continue
        id = f"R{number}.{len(pair) + 1}"
        pair.append(Match(id, number, (seats[one].player.id, seats[other].player.id), label, id))
    return (*pair, *bye)


def _seats(
    terms: Swiss, seed: str, there: Sequence[Player], *, book: Book, number: int
) -> list[_Seat]:
    """Returns everybody of the round, by points, then in the order of the terms."""
    numbers = [player.seeding for player in there]
    if terms.order is Order.LOTS:
        numbers = [*lots(seed, f"round/{number}", numbers)]
    before = {number: index for index, number in enumerate(numbers)}
    levels = sorted({book.points[player.id] for player in there}, reverse=True)
    seats: list[_Seat] = []
    for group, level in enumerate(levels):
        inside = sorted(
            (player for player in there if book.points[player.id] == level),
            key=lambda player: before[player.seeding],
        )
        seats += [
            _Seat(player, group, position, len(inside)) for position, player in enumerate(inside)
        ]
    return seats


def _costs(
    seats: Sequence[_Seat],
    byes: Sequence[Player],
    tourney: Tourney,
    *,
    book: Book,
    number: int,
) -> dict[_Pair, _Edge]:
    """Returns for each possible pair whether it is a rematch, and its cost: laws 5 to 8.

    The bye is paired as index `len(seats)`. Scales are such that no sum over a whole round of a
    lesser law outweighs one unit of a greater.
    """
    count = len(seats) + 1
    fold_scale = count << LOT_BITS
    group_scale = 2 * count * count * fold_scale
    met_scale = count**3 * group_scale
    rematch_scale = count * (number + 1) * met_scale
    lowest = max(seat.group for seat in seats)
    costs: dict[_Pair, _Edge] = {}
    for index, one in enumerate(seats):
        met = _met(book, one.player.id)
        for other_index in range(index + 1, len(seats)):
            other = seats[other_index]
            times = met.get(other.player.id, 0)
            step = other.group - one.group
            cost = (
                (times > 0) * rematch_scale
                + times * met_scale
                + step**2 * group_scale
                + _unfolded(one, other) * fold_scale
                + _pair_lot(tourney.seed, number, one.player, other.player)
            )
            costs[index, other_index] = _Edge(times > 0, step, cost)
    with_bye = {player.id for player in byes}
    for index, one in enumerate(seats):
        if one.player.id in with_bye:
            step = lowest - one.group
            cost = (
                step**2 * group_scale
                + (one.size - 1 - one.position) * fold_scale
                + lot(tourney.seed, f"round/{number}", one.player.seeding)
            )
            costs[index, len(seats)] = _Edge(rematch=False, step=step, cost=cost)
    return costs


def _unfolded(one: _Seat, other: _Seat) -> int:
    """Returns how far from half a group two of it stand; across groups, how far from its edge."""
    if one.group == other.group:
        return abs(abs(one.position - other.position) - one.size // 2)
    return one.size - 1 - one.position + other.position


def _pair_lot(seed: str, number: int, one: Player, other: Player) -> int:
    low, high = sorted((one.seeding, other.seeding))
    return lot(seed, f"round/{number}", low, high)


def _byes(book: Book, player: str) -> int:
    return sum(1 for meeting in book.meetings[player] if meeting.outcome is Outcome.BYE)


def _met(book: Book, player: str) -> Mapping[str, int]:
    """Returns how often each opponent was played; walkovers and forfeits count as met."""
    met: dict[str, int] = {}
    for meeting in book.meetings[player]:
        if meeting.opponent is not None:
            met[meeting.opponent] = met.get(meeting.opponent, 0) + 1
    return met


def _matched(count: int, costs: Mapping[_Pair, _Edge]) -> list[_Pair]:
    """Returns the cheapest pairs that leave nobody over; `count` stands for the bye."""
    wanted = (count + 1) // 2
    near = NEAR if count > NEAR_FROM else count
    while True:
        edges = costs if near >= count else _nearest(costs, near)
        pairs = _cheapest(edges)
        whole = len(pairs) == wanted
        if near >= count or (whole and not any(costs[pair].rematch for pair in pairs)):
            if not whole:
                raise AssertionError("everybody can meet everybody, and somebody the bye")
            return pairs
        near *= 2


def _nearest(costs: Mapping[_Pair, _Edge], near: int) -> dict[_Pair, _Edge]:
    """Returns each player's cheapest pairs: `near` in the group, and half as many up and down.

    Without those, a group of an odd number could never send anybody to the next one.
    """
    choices: dict[tuple[int, int], list[tuple[int, _Pair]]] = {}
    for (one, other), edge in costs.items():
        down = min(edge.step, 1)
        choices.setdefault((one, down), []).append((edge.cost, (one, other)))
        choices.setdefault((other, -down), []).append((edge.cost, (one, other)))
    kept = {
        pair
        for (_, way), own in choices.items()
        for _, pair in sorted(own)[: near // 2 if way else near]
    }
    return {pair: edge for pair, edge in costs.items() if pair in kept}


def _cheapest(edges: Mapping[_Pair, _Edge]) -> list[_Pair]:
    import networkx  # here, so that a server without Swiss tournaments does not load it

    graph: networkx.Graph[int] = networkx.Graph()
    most = max(edge.cost for edge in edges.values()) + 1
    for (one, other), edge in edges.items():
        graph.add_edge(one, other, weight=most - edge.cost)
    matched = networkx.max_weight_matching(graph, maxcardinality=True)
    return [(min(pair), max(pair)) for pair in matched]
