"""Looking ahead over known cards: best first, each position once, within a budget of positions.

A line ends where a hidden card would turn up, for nobody knows what comes then. Where nothing is
hidden it may go all the way to a win. The same position, budget and chance give the same plan.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from samedeal_rules.cards import HIDDEN, rank_of
from samedeal_rules.engine import Table
from samedeal_rules.notation import Move, Position
from samedeal_rules.spec import Game

from .outlook import Outlook, Piles
from .view import View

__all__ = ["Horizon", "Plan", "Step", "first_steps", "look_ahead"]

_SHARES: Final = (0.125, 0.125, 0.25, 0.5)
"""What each attempt may spend of a whole game's budget; those after the first try their luck."""
_ATTEMPTS_FROM: Final = 1000
"""The budget from which more than one attempt is worth making."""
_LUCK: Final = 4.0
"""By how much, at most, luck makes a position look worse."""


class Step(NamedTuple):
    """A move, and the piles after it as far as they are known then (empty: they are not)."""

    move: Move
    piles: Piles


@dataclass(frozen=True, slots=True)
class Plan:
    """The best line that was found; without steps nothing is better than to stay."""

    steps: tuple[Step, ...]
    wins: bool = False
    is_all: bool = False
    """Nothing is hidden, and nothing else can be reached without an action of the stock."""


class Horizon:
    """What a planner has worked out about the positions of the game that it plays."""

    def __init__(self, game: Game) -> None:
        self.game: Final = game
        self._outlooks: Final[dict[int | None, Outlook]] = {}

    def outlook(self, base: int | None) -> Outlook:
        """What judges positions with that base rank."""
        if base not in self._outlooks:
            self._outlooks[base] = Outlook(self.game, base)
        return self._outlooks[base]

    def key(self, position: Position) -> bytes:
        """The same for positions that are alike."""
        return self.outlook(position.base).key(tuple(map(bytes, position.piles)))

    def root(self, position: Position) -> _Node:
        """Where a search begins."""
        outlook = self.outlook(position.base)
        root = _Node(outlook, tuple(map(bytes, position.piles)), None, Move(0, 0, 0))
        root.table = View(position).table()
        root.cost = outlook.cost(root.piles) + root.common
        return root


class _Node:
    """A position that was reached, and how."""

    __slots__ = (
        "common",
        "cost",
        "depth",
        "is_news",
        "move",
        "outlook",
        "parent",
        "piles",
        "table",
    )

    def __init__(self, outlook: Outlook, piles: Piles, parent: _Node | None, move: Move) -> None:
        self.outlook = outlook
        self.piles = piles
        self.parent = parent
        self.move = move
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.common = outlook.common_cost(piles)
        self.cost = 0.0
        self.is_news = False
        self.table: Table | None = None

    @property
    def home(self) -> int:
        """How many cards are home."""
        return sum([len(self.piles[at]) for at in self.outlook.game.home])

    @property
    def score(self) -> float:
        """How little it is worth to go there; less is better."""
        return self.cost + self.outlook.taste.step * self.depth

    def play(self) -> Table:
        """The table at this position, to list its moves."""
        if self.table is None:
            assert self.parent is not None, "the first position comes with its table"
            self.table = self.parent.play().copy()
            self.table.play(self.move)
        return self.table

    def steps(self) -> tuple[Step, ...]:
        """How one gets there."""
        steps: list[Step] = []
        node = self
        while node.parent is not None:
            steps.append(Step(node.move, node.piles))
            node = node.parent
        return tuple(reversed(steps))


def look_ahead(
    horizon: Horizon,
    position: Position,
    *,
    nodes: int,
    chance: random.Random,
    avoid: Container[bytes] = (),
) -> Plan:
    """The line to the best position in reach, through about `nodes` positions at most.

    Hidden cards are never looked at. `avoid` holds the keys of positions that are not worth going
    to (again). Where nothing is hidden, a line that wins is taken as soon as one is found; if none
    is there to be found, the best line is the one that brings most cards home.
    """
    is_whole = not position.hides
    shares = _SHARES if is_whole and nodes >= _ATTEMPTS_FROM else (1.0,)
    best: _Node | None = None
    for attempt, share in enumerate(shares):
        search = _Search(horizon, horizon.root(position), avoid, chance=chance if attempt else None)
        search.run(max(1, round(nodes * share)))
        if search.won is not None:
            return Plan(search.won.steps(), wins=True)
        if search.is_all and is_whole:
            return Plan(search.fullest.steps(), is_all=True)
        if best is None or search.best.score < best.score:
            best = search.best
    assert best is not None, "there is at least one attempt"
    return Plan(best.steps())


def first_steps(horizon: Horizon, position: Position, *, avoid: Container[bytes]) -> list[Step]:
    """Every move but the stock's actions that does not lead to where to avoid, the best first."""
    search = _Search(horizon, horizon.root(position), avoid)
    nodes = sorted(search.onward(), key=lambda node: node.score)
    return [
        Step(node.move, node.piles)
        for node in nodes
        if node.is_news or node.outlook.key(node.piles) not in avoid
    ]


class _Search:
    """One attempt."""

    def __init__(
        self,
        horizon: Horizon,
        root: _Node,
        avoid: Container[bytes],
        *,
        chance: random.Random | None = None,
    ) -> None:
        self._root = root
        self.best = root
        self.fullest = root
        self.won: _Node | None = None
        self.is_all = False
        self._horizon = horizon
        self._avoid = avoid
        self._chance = chance
        self._goal = root.outlook.game.goal
        self._seen = {root.outlook.key(root.piles)}
        self._waiting: list[tuple[float, int, _Node]] = [(0.0, 0, root)]
        self._made = 0

    def run(self, nodes: int) -> None:
        """Looks at about that many positions, or until one is won or none is left."""
        while self._waiting and self._made < nodes and self.won is None:
            _, _, node = heapq.heappop(self._waiting)
            self._expand(node)
        self.is_all = not self._waiting and self.won is None

    def onward(self) -> list[_Node]:
        """What the first position's moves lead to."""
        return list(self._onward(self._root))

    def _expand(self, node: _Node) -> None:
        """Takes in what follows the position; goes on at once where a safe card goes home."""
        onward: _Node | None = node
        while onward is not None and self.won is None:
            children = list(self._onward(onward))
            safe = next((child for child in children if self._is_safe(child)), None)
            if safe is None:
                for child in children:
                    if self._is_new(child) and not child.is_news:
                        score = child.score
                        if self._chance is not None:
                            score += _LUCK * self._chance.random()
                        # Of equals the newest goes first.
                        heapq.heappush(self._waiting, (score, -self._made, child))
                return
            onward = safe if self._is_new(safe) and not safe.is_news else None

    def _is_new(self, node: _Node) -> bool:
        """Notes the position; False if it was met before."""
        self._made += 1
        key = node.outlook.key(node.piles)
        if key in self._seen:
            return False
        self._seen.add(key)
        home = node.home
        if home >= self._goal:
            self.won = node
        if key not in self._avoid:
            if node.score < self.best.score:
                self.best = node
            if (-home, node.depth) < (-self.fullest.home, self.fullest.depth):
                self.fullest = node
        return True

    def _is_safe(self, node: _Node) -> bool:
        source, target, cards = node.move
        outlook, parent = node.outlook, node.parent
        kinds = outlook.facts.kinds
        return (
            cards == 1
            and kinds[target] == "F"
            and kinds[source] != "F"
            and parent is not None
            and parent.outlook is outlook
            and outlook.is_safe(parent.piles, parent.piles[source][-1])
        )

    def _onward(self, node: _Node) -> Iterator[_Node]:
        """What the moves lead to, but for the stock's actions and moves that are alike."""
        facts = node.outlook.facts
        kinds = facts.kinds
        spaces: set[tuple[int, str, int]] = set()
        for move in sorted(node.play().legal()):
            source, target, cards = move
            if cards == 0:
                continue
            kind = kinds[target]
            if not node.piles[target] and (facts.are_alike or kind == "C"):
                if (source, kind, cards) in spaces:
                    continue
                spaces.add((source, kind, cards))
                if kind == kinds[source] and len(node.piles[source]) == cards:
                    continue
            yield self._child(node, move)

    def _child(self, node: _Node, move: Move) -> _Node:
        source, target, cards = move
        outlook = node.outlook
        facts = outlook.facts
        old = node.piles
        piles = list(old)
        piles[target] += piles[source][-cards:]
        piles[source] = piles[source][:-cards]
        touched = [source, target]
        if facts.fills and not piles[source] and source in facts.tableau:
            for filler in (*facts.stock, *facts.waste):
                if piles[filler]:
                    # The stock is written next card first, a waste top card last.
                    first = filler in facts.stock
                    piles[source] = piles[filler][:1] if first else piles[filler][-1:]
                    piles[filler] = piles[filler][1:] if first else piles[filler][:-1]
                    touched.append(filler)
                    break
        if outlook.base is None and facts.kinds[target] == "F" and outlook.game.varies_base:
            outlook = self._horizon.outlook(rank_of(piles[target][0]))
        child = _Node(outlook, tuple(piles), node, move)
        if outlook is node.outlook:
            judges = outlook.pile_cost
            child.cost = node.cost - node.common + child.common
            for at in touched:
                child.cost += judges[at](piles[at]) - judges[at](old[at])
        else:
            child.cost = outlook.cost(child.piles) + child.common
        if piles[source] and piles[source][-1] == HIDDEN:
            child.is_news = True
            child.cost -= outlook.taste.news
        return child
