"""Single and double elimination: their brackets, and places by how far each has come.

The standard seeding lets the two best seeds meet in the final only, and gives byes to the top
seeds. The field is fixed by who has joined in round 1; later entries find no place. In the losers'
bracket losers drop in turned round, so that who has met before meets again as late as can be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from samedeal_protocol.tournament.formats import DoubleElimination, Points, SingleElimination

from .brackets import Exit, LoserOf, Node, Place, Progress, Reset, Source, WinnerOf, unfold
from .errors import BadTourney
from .scores import of_matches
from .state import Ending, Plan, Tourney
from .table import Line, rank
from .tiebreaks import Mark

__all__ = ["double_nodes", "look", "places", "single_nodes", "standings"]

Elimination = SingleElimination | DoubleElimination

_THIRD = "third place"


def look(terms: Elimination, tourney: Tourney) -> Plan:
    """Returns what is to be played next."""
    slots = places(terms, tourney)
    if len(slots) < 2:
        alone = next(iter(slots), None)
        return Plan(over=True, champion=alone, reason="there are not two players")
    progress = unfold(_nodes(terms, len(slots)), slots, tourney)
    plan = Plan(void=tuple(progress.void), pair=tuple(progress.pair), decide=tuple(progress.decide))
    if progress.waiting or not plan.is_settled:
        return plan
    champion = _champion(progress)
    if champion is None:
        return Plan(over=True, reason="nobody is left")
    if tourney.by_id()[champion].disqualified:
        # The title falls to nobody by itself; the host can overturn the final.
        return Plan(over=True, reason="the champion is disqualified")
    return Plan(over=True, champion=champion, reason="there is a champion")


def standings(terms: Elimination, tourney: Tourney) -> tuple[Line, ...]:
    """Returns places by the match that each lost last.

    Who can still win it all stands before the others; who plays for the third place has that.
    """
    slots = places(terms, tourney)
    progress = unfold(_nodes(terms, len(slots)), slots, tourney) if len(slots) > 1 else Progress()
    names = {player.id: player.called for player in tourney.field()}
    first = {
        id: _mark(progress.exits.get(id), names, ahead=progress.ahead.get(id))
        for id in slots
        if id is not None
    }
    book = of_matches(tourney, Points())
    return rank(tourney, first, tie_breaks=terms.tie_breaks, book=book)


def places(terms: Elimination, tourney: Tourney) -> tuple[str | None, ...]:
    """Returns who stands where in the first round: as the host drew it, or by seed numbers."""
    field = [player.id for player in tourney.field() if player.joined <= 1]
    if terms.bracket:
        if {id for id in terms.bracket if id is not None} != set(field):
            raise BadTourney("the bracket does not name exactly those who play")
        return terms.bracket
    size = 1
    while size < len(field):
        size *= 2
    return tuple(field[number - 1] if number <= len(field) else None for number in _seeding(size))


def single_nodes(size: int, *, third_place: bool) -> tuple[Node, ...]:
    """Returns the bracket of that many places, a power of two, the final last."""
    nodes = _winners(size)
    final = nodes.pop()
    if third_place and size > 2:
        semis = [node.id for node in nodes[-2:]]
        beaten = (LoserOf(semis[0]), LoserOf(semis[1]))
        nodes.append(Node("T", final.round, _THIRD, beaten, final.rank - 1))
    return (*nodes, final)


def double_nodes(size: int, *, reset: bool) -> tuple[Node, ...]:
    """Returns winners' and losers' brackets, the final, and the second final if wanted."""
    winners = _winners(size)
    rounds = winners[-1].round
    by_round = [[node for node in winners if node.round == number + 1] for number in range(rounds)]
    label = {1: "winners' final", 2: "winners' semi-final"}
    nodes: list[Node] = []
    for number, row in enumerate(by_round, 1):
        name = label.get(rounds - number + 1, f"winners' round {number}")
        # Ends here only who leaves: as far as the losers' round that losers of this one drop into.
        depth = max(1, 2 * (number - 1))
        for index, node in enumerate(row, 1):
            id = f"W{number}.{index}"
            nodes.append(Node(id, max(1, 2 * number - 2), name, node.sources, depth))
    lower: list[Source] = [LoserOf(f"W1.{index}") for index in range(1, size // 2 + 1)]
    last = 2 * (rounds - 1)
    number = 0
    while number < last:
        number += 1
        name = "losers' final" if number == last else f"losers' round {number}"
        if number % 2:
            pairs = list(zip(lower[::2], lower[1::2], strict=True))
        else:
            dropped = number // 2 + 1
            fresh = [LoserOf(f"W{dropped}.{index + 1}") for index in range(len(lower))]
            pairs = list(zip(_turned(fresh, dropped), lower, strict=True))
        row = [
            Node(f"L{number}.{index}", number + 1, name, pair, number)
            for index, pair in enumerate(pairs, 1)
        ]
        nodes += row
        lower = [WinnerOf(node.id) for node in row]
    # For two players the loser of the only match has dropped into no round.
    final = Node("F", last + 2, "final", (WinnerOf(f"W{rounds}.1"), lower[0]), last + 1)
    nodes.append(final)
    if reset:
        again = (Reset("F", 0), Reset("F", 1))
        nodes.append(Node("F2", last + 3, "second final", again, last + 2))
    return tuple(nodes)


def _nodes(terms: Elimination, size: int) -> tuple[Node, ...]:
    if isinstance(terms, SingleElimination):
        return single_nodes(size, third_place=terms.third_place)
    return double_nodes(size, reset=terms.reset)


def _winners(size: int) -> list[Node]:
    """Returns the bracket of winners, round by round, the final last."""
    sources: list[Source] = [Place(index) for index in range(size)]
    nodes: list[Node] = []
    number = 0
    while len(sources) > 1:
        number += 1
        left = len(sources)
        label = {2: "final", 4: "semi-final", 8: "quarter-final"}.get(left, f"round of {left}")
        row = [
            Node("F" if left == 2 else f"W{number}.{index}", number, label, pair, 2 * number)
            for index, pair in enumerate(zip(sources[::2], sources[1::2], strict=True), 1)
        ]
        nodes += row
        sources = [WinnerOf(node.id) for node in row]
    return nodes


def _turned(losers: Sequence[LoserOf], dropped: int) -> list[LoserOf]:
    """Returns losers of a winners' round in the order in which they drop in."""
    half = len(losers) // 2
    match dropped:
        case 3:
            return [*losers[half:], *losers[:half]]
        case 4:
            return [*losers[:half][::-1], *losers[half:][::-1]]
        case _:
            return [*losers[::-1]]


def _seeding(size: int) -> list[int]:
    """Returns seed numbers place by place: 1 against the last, and so on in each half."""
    order = [1]
    while len(order) < size:
        double = 2 * len(order)
        order = [number for seed in order for number in (seed, double + 1 - seed)]
    return order


def _champion(progress: Progress) -> str | None:
    best = max((exit.node.rank for exit in progress.exits.values()), default=0)
    return next(
        (
            player
            for player, exit in progress.exits.items()
            if exit.won and exit.node.rank == best and exit.node.label != _THIRD
        ),
        None,
    )


def _mark(exit: Exit | None, names: Mapping[str, str], *, ahead: Node | None) -> Mark:
    if exit is None:
        if ahead is not None and ahead.label == _THIRD:
            key = (Fraction(0), Fraction(2 * ahead.rank))
            return Mark("reached", key, _THIRD, "plays for the third place")
        return Mark("reached", (Fraction(1), Fraction(0)), "still in", "still in")
    node = exit.node
    key = (Fraction(0), Fraction(2 * node.rank + exit.won))
    return Mark("reached", key, node.label, _told(exit, names))


def _told(exit: Exit, names: Mapping[str, str]) -> str:
    """How a player's last match ended for them."""
    label = exit.node.label
    against = "" if exit.opponent is None else names[exit.opponent]
    match exit.ending:
        case Ending.WALKOVER if exit.won:
            return f"won the {label} by walkover" + (f", {against}" if against else "")
        case Ending.WALKOVER if against:
            return f"did not play the {label}: walkover for {against}"
        case Ending.FORFEIT if against:
            return f"did not play the {label}, nor did {against}"
    if exit.won:
        return f"won the {label}" + (f" against {against}" if against else " without a match")
    return f"lost the {label}" + (f" to {against}" if against else " by leaving")
