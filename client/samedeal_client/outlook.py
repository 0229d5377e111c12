"""How good a position looks, judged by facts of its game's description alone.

The cost of a position is a sum over its piles, so that a move changes only what it touches, and of
what the table as a whole has to offer. Lower is better; it means nothing between two games. Piles
are bytes, bottom card first (the stock: next card first), with 0 for a card that nobody has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from samedeal_rules.builds import Build, FromBase, InOrder, Space
from samedeal_rules.cards import HIDDEN, RANKS, SUITS, make_card, rank_of, suit_of
from samedeal_rules.parts import Gather
from samedeal_rules.routes import ANYWHERE
from samedeal_rules.spec import Game

__all__ = ["Outlook", "Piles", "Taste", "taste_of"]

Piles: TypeAlias = tuple[bytes, ...]

_CODES: Final = 64
_RANK_OF_CODE: Final = bytes(rank_of(code) for code in range(256))
_FAR: Final = 20
_BETWEEN_PILES: Final = b"\xff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taste:
    """What each thing on the table is worth to a planner, as costs."""

    home: float = 20.0
    """Gained by each card home."""
    buried: float = 0.0
    """For a tableau card on one that goes home before it: it must move first."""
    breaks: float = 0.0
    """For a tableau card that does not build on the one below it."""
    deep: float = 0.0
    """For each card on one that goes home first of all; less for those that go later."""
    reach: float = 0.0
    """For each card on the nearest of those that the foundations take next."""
    space: float = 0.0
    """Gained by an empty pile that a player may fill."""
    tall: float = 0.0
    """For the square of a pile's height."""
    cell: float = 3.0
    waste: float = 5.0
    disorder: float = 0.5
    """For a waste card on one that goes home before it."""
    unseen: float = 0.0
    """For each tableau card that nobody has seen."""
    news: float = 3.0
    """Gained by a move that turns up a card."""
    choice: float = 0.0
    """Gained by each rank on top that goes on another top card."""
    uneven: float = 0.0
    """For the square of how many cards of each rank are left, where any neighbour goes home."""
    step: float = 1.0
    """For each move on the way."""


_OPEN: Final = Taste(buried=6.0, breaks=4.0, deep=1.0, reach=5.0, space=6.0)
_STOCK: Final = Taste(
    home=10.0, buried=1.8, breaks=1.4, deep=0.07, reach=0.7, space=8.4, waste=3.5, disorder=1.2,
    step=0.02,
)  # fmt: skip
_REFILLED: Final = Taste(home=10.0, reach=2.0, tall=1.0, waste=3.0, step=0.1)
_BLIND: Final = Taste(breaks=0.5, buried=0.1, reach=1.2, unseen=3.0, choice=0.3, step=0.2)
_STARS: Final = Taste(tall=0.5, uneven=2.0)


def taste_of(game: Game) -> Taste:
    """What matters in such a game: by what it builds at home and what it hides."""
    if any(isinstance(row.order, Build) for row in game.rows):
        return _STARS
    if game.tableau.hidden:
        return _BLIND
    if game.tableau.space is Space.FILLED:
        return _REFILLED
    return _STOCK if game.stock is not None else _OPEN


class _Facts:
    """What a game's description says about its cards and piles, for one base rank."""

    def __init__(self, game: Game, base: int | None) -> None:
        self.game: Final = game
        self.base: Final = base
        self.deck: Final = tuple(dict.fromkeys(game.pack))
        self.kinds: Final = tuple(name[0] for name in game.piles)
        self.tableau: Final = game.named(game.tableau.key)
        self.foundations: Final = game.named("F")
        self.cells: Final = game.named("C")
        self.stock: Final = game.named("S")
        self.waste: Final = game.named("W")
        self.fills: Final = game.tableau.space is Space.FILLED
        self.takes_spaces: Final = game.tableau.space not in (Space.CLOSED, Space.FILLED)
        shuffles = game.redeal is None or game.redeal.gather is Gather.SHUFFLED
        routes = all(row.route == ANYWHERE for row in game.rows)
        self.are_alike: Final = shuffles and routes
        """Whether it makes no difference which tableau pile, or foundation, is which."""
        self.counts: Final = not any(isinstance(row.order, Build) for row in game.rows)
        self.turn: Final = self._turns()
        build = game.tableau.build
        ranks = game.deck.ranks
        self.above: Final = tuple(
            frozenset(
                card
                for card in self.deck
                if on in self.deck and build is not None and build.step(ranks, card, on)
            )
            for on in range(_CODES)
        )
        """By card: the cards that build on it in the tableau."""
        self.unfit: Final = tuple(
            bytes(on for on in range(_CODES) if card not in self.above[on])
            for card in range(_CODES)
        )
        """By card: the codes on which it does not build."""

    def _turns(self) -> tuple[int, ...]:
        """By card: how many cards at least go to its foundation before it."""
        turns = [0] * _CODES
        for card in self.deck:
            places = [self._place(row.order, rank_of(card)) for row in self.game.rows]
            turns[card] = min(places, default=0)
        return tuple(turns)

    def _place(self, order: InOrder | FromBase | Build, rank: int) -> int:
        match order:
            case InOrder():
                return order.ranks.index(RANKS[rank - 1])
            case FromBase():
                return (rank - (self.base or 1)) % len(RANKS)
            case Build():
                return 0

    @property
    def goes_one_way(self) -> bool:
        """Whether each suit is counted in one order, in which each rank comes once."""
        orders = {row.order for row in self.game.rows}
        if len(orders) != 1:
            return False
        order = orders.pop()
        if isinstance(order, InOrder):
            return len(set(order.ranks)) == len(order.ranks)
        return isinstance(order, FromBase) and self.base is not None

    def next_cards(self, foundations: Sequence[bytes]) -> tuple[int, ...]:
        """The cards that the foundations take next, wherever they lie."""
        if self.base is None and self.game.varies_base:
            return ()
        cards: set[int] = set()
        for row, pile in zip(self.game.rows, foundations, strict=True):
            order, count = row.order, len(pile)
            if isinstance(order, InOrder) and count < order.length:
                rank = RANKS.index(order.ranks[count]) + 1
            elif isinstance(order, FromBase) and count < order.length:
                rank = ((self.base or 1) - 1 + count) % len(RANKS) + 1
            else:
                continue
            suits = [suit_of(pile[-1])] if pile else range(len(SUITS))
            cards.update(make_card(rank, suit) for suit in suits)
        return tuple(sorted(cards))


@lru_cache(maxsize=128)
def _facts(game: Game, base: int | None) -> _Facts:
    return _Facts(game, base)


class Outlook:
    """Judges positions of one game with one base rank (None until a player has fixed it)."""

    def __init__(self, game: Game, base: int | None) -> None:
        self.game: Final = game
        self.base: Final = base
        self.facts: Final = _facts(game, base)
        self.taste: Final = taste_of(game)
        self._pile_costs: Final[dict[bytes, float]] = {}
        self._next: Final[dict[Piles, tuple[int, ...]]] = {}
        by_kind: dict[str, Callable[[bytes], float]] = {
            "F": self._home_cost,
            "T": self._tableau_cost,
            "R": self._tableau_cost,
            "C": self._cell_cost,
            "S": self._stock_cost,
            "W": self._waste_cost,
        }
        self.pile_cost: Final = tuple(
            self._home_cost if at in game.home else by_kind[kind]
            for at, kind in enumerate(self.facts.kinds)
        )
        """By pile index: what judges that pile."""
        self.goes_one_way: Final = self.facts.goes_one_way

    def cost(self, piles: Piles) -> float:
        """How bad the position is, as far as its piles say one by one."""
        return sum(judge(pile) for judge, pile in zip(self.pile_cost, piles, strict=True))

    def common_cost(self, piles: Piles) -> float:
        """How bad the position is beyond that."""
        taste, facts = self.taste, self.facts
        cost = 0.0
        if taste.reach and facts.counts:
            cost += taste.reach * self._reach(piles)
        if taste.choice:
            tops = b"".join([piles[at][-1:] for at in facts.tableau])
            unfit = facts.unfit
            cost -= taste.choice * sum(
                1 for top in set(tops) if top and tops.translate(None, unfit[top])
            )
        if taste.uneven:
            ranks = b"".join([piles[at] for at in facts.tableau]).translate(_RANK_OF_CODE)
            left = [ranks.count(rank) for rank in range(1, len(RANKS) + 1)]
            cost += taste.uneven * sum([count * count for count in left])
        return cost

    def key(self, piles: Piles) -> bytes:
        """The same for positions that differ only in which of several like piles is which."""
        facts = self.facts
        tableau = [piles[at] for at in facts.tableau]
        if facts.are_alike:
            tableau.sort()
        cells = sorted([piles[at] for at in facts.cells])
        home = [piles[at] for at in facts.foundations]
        if facts.counts:
            home = [bytes((len(pile), *pile[-1:])) for pile in home]
            if facts.are_alike:
                home.sort()
        waste = [piles[at] for at in facts.waste]
        return _BETWEEN_PILES.join([*tableau, *cells, *home, *waste])

    def is_safe(self, piles: Piles, card: int) -> bool:
        """Whether it cannot hurt to take the card home: nothing needs it in the tableau.

        What builds on it is home, or is the very card that goes home after it.
        """
        if not self.goes_one_way:
            return False
        facts, packs = self.facts, self.game.deck.packs
        home = b"".join([piles[at] for at in facts.foundations])
        for other in facts.above[card]:
            away = packs - home.count(other)
            follows = (
                away == 1
                and suit_of(other) == suit_of(card)
                and facts.turn[other] == facts.turn[card] + 1
            )
            if away and not follows:
                return False
        return True

    def _reach(self, piles: Piles) -> int:
        foundations = tuple([piles[at] for at in self.facts.foundations])
        wanted = self._next.get(foundations)
        if wanted is None:
            wanted = self._next[foundations] = self.facts.next_cards(foundations)
        tableau = [piles[at] for at in self.facts.tableau]
        total = 0
        for card in wanted:
            nearest = _FAR
            for pile in tableau:
                place = pile.rfind(card)
                if place >= 0:
                    nearest = min(nearest, len(pile) - 1 - place)
            if nearest < _FAR:
                total += nearest
        return total

    def _home_cost(self, pile: bytes) -> float:
        return -self.taste.home * len(pile)

    def _cell_cost(self, pile: bytes) -> float:
        return self.taste.cell * len(pile)

    def _stock_cost(self, pile: bytes) -> float:
        return 0.0

    def _waste_cost(self, pile: bytes) -> float:
        cost = self._pile_costs.get(pile)
        if cost is None:
            taste, turn = self.taste, self.facts.turn
            cost, first = taste.waste * len(pile), _FAR
            for card in pile:
                if turn[card] > first:
                    cost += taste.disorder
                first = min(first, turn[card])
            self._pile_costs[pile] = cost
        return cost

    def _tableau_cost(self, pile: bytes) -> float:
        cost = self._pile_costs.get(pile)
        if cost is None:
            cost = self._pile_costs[pile] = self._fresh_tableau_cost(pile)
        return cost

    def _fresh_tableau_cost(self, pile: bytes) -> float:
        taste, facts = self.taste, self.facts
        if not pile:
            return -taste.space if facts.takes_spaces else 0.0
        height = len(pile)
        cost = taste.tall * height * height
        first, below = _FAR, HIDDEN
        for place, card in enumerate(pile):
            if card == HIDDEN:
                cost += taste.unseen
                continue
            turn = facts.turn[card]
            if turn > first:
                cost += taste.buried
            first = min(first, turn)
            if below != HIDDEN and card not in facts.above[below]:
                cost += taste.breaks
            below = card
            cost += taste.deep * (height - 1 - place) * (len(RANKS) - turn) / len(RANKS)
        return cost
