"""A whole game planned ahead, for bots, where nothing is hidden and nothing is left to luck.

Best first over positions: a position is dear if low cards lie under high ones, if neighbours in a
pile do not build, and if cells are filled; it is cheap if cards are home and piles are empty. The
same plan comes out for the same position every time.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise
from typing import Final

from samedeal_rules.builds import Build, InOrder, Space
from samedeal_rules.cards import RANKS, rank_of
from samedeal_rules.engine import Table
from samedeal_rules.notation import Move
from samedeal_rules.spec import Game

__all__ = ["can_plan", "plan"]

_HOME: Final = 20.0
"""What a card at home is worth; the other weights are against this one."""
_BURIED: Final = 6.0
_BROKEN: Final = 2.0
_IN_A_CELL: Final = 3.0
_SPACE: Final = 6.0
_STEP: Final = 0.1
"""What each move costs, so that a short way is preferred."""

_Piles = tuple[bytes, ...]


def can_plan(game: Game) -> bool:
    """Whether a game can be planned to its end: all is open, and no stock is turned."""
    return game.is_open and not game.actions


def plan(table: Table, *, nodes: int) -> tuple[list[Move], bool]:
    """Returns a line of play and whether it wins; otherwise it leads to the best position found.

    Looks at about `nodes` positions. The line may be empty.
    """
    piles = tuple(map(bytes, table.piles()))
    root = _Node(piles, _eye(table.game, table.base).cost(piles), None, None, 0, table.copy())
    best, seen, ticks = root, {_key(table.game, piles)}, count()
    waiting = [(root.cost, next(ticks), root)]
    made = 0
    while waiting and made < nodes:
        node = heapq.heappop(waiting)[2]
        for child in _onward(node):
            made += 1
            key = _key(table.game, child.piles)
            if key in seen:
                continue
            seen.add(key)
            if sum(len(child.piles[at]) for at in table.game.home) >= table.game.goal:
                return child.line(), True
            if child.cost < best.cost:
                best = child
            heapq.heappush(waiting, (child.cost, -next(ticks), child))
    return best.line(), False


@dataclass(slots=True)
class _Node:
    """A position on the way: its piles, what it costs, and the move that led to it."""

    piles: _Piles
    cost: float
    parent: _Node | None
    move: Move | None
    depth: int
    known: Table | None = None

    @property
    def table(self) -> Table:
        """The position as a table, made when it is first needed."""
        if self.known is None:
            if self.parent is None or self.move is None:
                raise AssertionError("the root has its table")
            self.known = self.parent.table.copy()
            self.known.play(self.move)
        return self.known

    def line(self) -> list[Move]:
        """The moves that lead here."""
        moves: list[Move] = []
        node = self
        while node.parent is not None and node.move is not None:
            moves.append(node.move)
            node = node.parent
        return moves[::-1]


def _onward(node: _Node) -> Iterator[_Node]:
    """Every position that one move leads to, but those that only swap places."""
    table = node.table
    kinds = [name[0] for name in table.game.piles]
    spaces: set[tuple[int, str, int]] = set()
    for move in sorted(table.legal()):
        source, target, cards = move
        if not node.piles[target]:
            # One empty pile is as good as another, and worth nothing to a pile's only cards.
            space = (source, kinds[target], cards)
            is_null = kinds[source] == kinds[target] and len(node.piles[source]) == cards
            if is_null or space in spaces:
                continue
            spaces.add(space)
        piles = list(node.piles)
        piles[source], piles[target] = (
            piles[source][:-cards],
            piles[target] + piles[source][-cards:],
        )
        base = table.base
        if base is None and table.game.varies_base and kinds[target] == "F":
            base = rank_of(piles[target][0])
        depth = node.depth + 1
        cost = _eye(table.game, base).cost(tuple(piles)) + _STEP * depth
        yield _Node(tuple(piles), cost, node, move, depth)


def _key(game: Game, piles: _Piles) -> int:
    """The position up to the order of its piles: in these games any pile may play anywhere."""
    kinds: dict[str, list[bytes]] = {}
    for name, pile in zip(game.piles, piles, strict=True):
        kinds.setdefault(name[0], []).append(pile)
    return hash(tuple((kind, *sorted(each)) for kind, each in kinds.items()))


class _Eye:
    """How good positions of a game look, once the base rank is known if it varies."""

    def __init__(self, game: Game, base: int | None) -> None:
        ranks = game.deck.ranks
        self._kinds: Final = [name[0] for name in game.piles]
        self._turn: Final = [self._first_turn(game, base, card) for card in range(64)]
        build = game.tableau.build
        self._builds: Final = {
            (below, above)
            for below in game.pack
            for above in game.pack
            if build is not None and build.step(ranks, above, below) != 0
        }
        self._space: Final = 0.0 if game.tableau.space is Space.CLOSED else _SPACE
        self._costs: Final[dict[bytes, float]] = {}

    @staticmethod
    def _first_turn(game: Game, base: int | None, card: int) -> int:
        """How many cards of its suit a foundation takes before this one, at least."""
        rank = rank_of(card)
        turns = [0]
        for order in {row.order for row in game.rows}:
            if isinstance(order, Build) or not 1 <= rank <= 13:
                return 0
            if isinstance(order, InOrder):
                if RANKS[rank - 1] in order.ranks:
                    turns.append(order.ranks.index(RANKS[rank - 1]))
            else:
                turns.append((rank - (base or 1)) % 13)
        return max(turns)

    def cost(self, piles: _Piles) -> float:
        cost = 0.0
        for kind, pile in zip(self._kinds, piles, strict=True):
            if kind == "F":
                cost -= _HOME * len(pile)
            elif kind == "C":
                cost += _IN_A_CELL * len(pile)
            else:
                known = self._costs.get(pile)
                if known is None:
                    known = self._costs[pile] = self._of_pile(pile)
                cost += known
        return cost

    def _of_pile(self, pile: bytes) -> float:
        if not pile:
            return -self._space
        cost, lowest = 0.0, 99
        for card in pile:
            turn = self._turn[card]
            if turn > lowest:
                cost += _BURIED
            lowest = min(lowest, turn)
        return cost + sum(_BROKEN for pair in pairwise(pile) if pair not in self._builds)


@cache
def _eye(game: Game, base: int | None) -> _Eye:
    return _Eye(game, base)
