"""A game, declared: a frozen value with a drawn table, made of `parts`; and its variants.

What follows from a declaration is worked out here once: its piles, what they are dealt, its goal,
its counters. Nothing here plays: `tables` compiles a game into lookup tables and `engine` plays
from those; `prose` reads a game aloud. A mistake in a declaration is a ValueError when the game is
made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Literal

from .builds import Build, FromBase
from .cards import RANKS, SUITS, make_card, parse_card
from .parts import (
    ALL_HOME,
    ONE_PACK,
    Bases,
    Cells,
    Collect,
    Deck,
    Exit,
    Filled,
    Foundations,
    Gather,
    Goal,
    Named,
    Redeal,
    Tableau,
    Turn,
)

__all__ = ["Counter", "Game", "Variation"]

_KINDS = "FTCRSW"
_SINGLE = "SW"
Counter = Literal["redeals", "base", "plays", "idle"]


class Variation(Enum):
    """A ruling that could reasonably have gone the other way: its name, and what it changes."""

    NO_WRAP = "no-wrap"
    FOUNDATION_EXIT = "foundation-exit"
    ROW_EXCHANGE = "row-exchange"
    CELLS_FILLED = "cells-filled"
    ACE_APART = "ace-apart"

    @property
    def words(self) -> str:
        return _VARIATION_WORDS[self]

    def of(self, game: Game) -> Game:
        """The game with this variation."""
        tableau, cells, foundations = game.tableau, game.cells, game.foundations
        match self:
            case Variation.NO_WRAP if tableau.build is not None:
                tableau = replace(tableau, build=replace(tableau.build, wrap=False))
            case Variation.ACE_APART if tableau.build is not None:
                tableau = replace(tableau, build=replace(tableau.build, apart="A"))
            case Variation.FOUNDATION_EXIT:
                foundations = tuple(replace(row, exit=Exit.TABLEAU) for row in foundations)
            case Variation.ROW_EXCHANGE:
                foundations = tuple(replace(row, exit=Exit.FOUNDATIONS) for row in foundations)
            case Variation.CELLS_FILLED if cells is not None:
                cells = replace(cells, filled=Filled.BEFORE_TABLEAU)
                left = sum(game.dealt) - len(game.named("C"))
                shortest, longer = divmod(left, len(game.dealt))
                dealt = tuple(shortest + (pile < longer) for pile in range(len(game.dealt)))
                tableau = replace(tableau, dealt=dealt)
            case _:
                raise ValueError(f"{game.key} has nothing that {self.value} could change")
        return replace(
            game,
            key=f"{game.key}:{self.value}",
            tableau=tableau,
            cells=cells,
            foundations=foundations,
            variations=(),
            rulings=(*game.rulings, f"In this variant: {self.words}"),
        )


_VARIATION_WORDS = {
    Variation.NO_WRAP: "King and Ace do not meet in the tableau.",
    Variation.FOUNDATION_EXIT: "The top card of a foundation may be moved back to the tableau; "
    "base cards stay.",
    Variation.ROW_EXCHANGE: "The top card of a foundation may be moved to a foundation of the "
    "other row; base cards stay.",
    Variation.CELLS_FILLED: "The cells are dealt one card each, before the piles.",
    Variation.ACE_APART: "Aces build nowhere in the tableau.",
}


@dataclass(frozen=True, kw_only=True)
class Game:
    """One solitaire game, or a variant of one (`opus:no-wrap`).

    `table` draws the table: every pile stands where it lies, `.` is nothing. A game's piles, their
    number and their places come from the drawing alone. `rulings` say where books differ and what
    is chosen here.
    """

    key: str
    name: str
    table: str
    deck: Deck = ONE_PACK
    foundations: tuple[Foundations, ...] = (Foundations(),)
    tableau: Tableau
    cells: Cells | None = None
    stock: Turn | None = None
    redeal: Redeal | None = None
    aim: Goal = ALL_HOME
    rulings: tuple[str, ...] = ()
    variations: tuple[Variation, ...] = ()

    def __hash__(self) -> int:
        return hash(self.key)

    def __post_init__(self) -> None:
        drawn = [name for row in self.grid for name in row if name is not None]
        for name in drawn:
            if drawn.count(name) > 1:
                raise ValueError(f"{self.key}: {name} stands twice on the table")
        for kind in _KINDS:
            count = sum(name[0] == kind for name in drawn)
            wanted = [kind] if kind in _SINGLE else [f"{kind}{i}" for i in range(1, count + 1)]
            if count and sorted(wanted) != sorted(name for name in drawn if name[0] == kind):
                raise ValueError(f"{self.key}: the piles {kind} are not numbered 1 to {count}")
        if len(self.piles) != len(drawn):
            raise ValueError(f"{self.key}: a pile is none of {', '.join(_KINDS)}")
        if (len(self.named("C")) > 0) != (self.cells is not None):
            raise ValueError(f"{self.key}: cells are either drawn and described, or neither")
        if len(self.dealt) != len(self.named(self.tableau.key)):
            raise ValueError(f"{self.key}: `dealt` must name a number for each tableau pile")
        left = self.size - sum(self.dealt) - self.cells_dealt - len(self.bases)
        if left < 0 or (left > 0 and "S" not in drawn):
            raise ValueError(f"{self.key}: the deal leaves {left} cards of {self.size}")

    @cached_property
    def grid(self) -> tuple[tuple[str | None, ...], ...]:
        """The drawn table: rows of pile names, None where nothing lies."""
        rows = [row.split() for row in self.table.strip().splitlines()]
        return tuple(tuple(None if name == "." else name for name in row) for row in rows)

    @cached_property
    def piles(self) -> tuple[str, ...]:
        """Pile names in notation order: F1.., T1.., C1.., R1.., S, W. Moves use the indexes."""
        drawn = [name for row in self.grid for name in row if name is not None]
        return tuple(
            name
            for kind in _KINDS
            for name in sorted(
                (name for name in drawn if name[0] == kind), key=lambda name: int(name[1:] or 0)
            )
        )

    def named(self, kind: str) -> tuple[int, ...]:
        """The indexes of the piles of a kind: F, T, C, R, S or W."""
        return self._by_kind.get(kind, ())

    @cached_property
    def _by_kind(self) -> dict[str, tuple[int, ...]]:
        kinds = [name[0] for name in self.piles]
        return {kind: tuple(at for at, each in enumerate(kinds) if each == kind) for kind in kinds}

    @cached_property
    def pack(self) -> tuple[int, ...]:
        """All cards before the shuffle."""
        return self.deck.cards

    @cached_property
    def size(self) -> int:
        """How many cards the pack has."""
        return len(self.pack)

    @cached_property
    def goal(self) -> int:
        """How many cards must be home to win."""
        aim = self.aim
        return sum(map(aim.takes, self.pack)) if isinstance(aim, Collect) else self.size

    @cached_property
    def home(self) -> tuple[int, ...]:
        """The piles where cards are home: the foundations, or the waste that collects a suit."""
        return self.named("W" if isinstance(self.aim, Collect) else "F")

    @cached_property
    def dealt(self) -> tuple[int, ...]:
        """How many cards each tableau pile is dealt."""
        dealt = self.tableau.dealt
        if isinstance(dealt, int):
            return (dealt,) * len(self.named(self.tableau.key))
        return dealt

    @property
    def cells_dealt(self) -> int:
        """How many cards the cells are dealt."""
        filled = self.cells is not None and self.cells.filled is not Filled.EMPTY
        return len(self.named("C")) if filled else 0

    @cached_property
    def rows(self) -> tuple[Foundations, ...]:
        """The rules of each foundation, F1 first."""
        rows: list[Foundations] = []
        total = len(self.named("F"))
        for row in self.foundations:
            rows.extend([row] * (row.count or total - len(rows)))
        return tuple(rows[:total])

    @cached_property
    def bases(self) -> tuple[tuple[str, int | None], ...]:
        """What the foundations are dealt: pile name, and card, or None where the pack decides."""
        dealt: list[tuple[str, int | None]] = []
        for at, row in enumerate(self.rows):
            place = sum(1 for before in self.rows[:at] if before is row)
            name = f"F{at + 1}"
            match row.bases:
                case Named(cards):
                    dealt.append((name, parse_card(cards[place])))
                case Bases.EACH_SUIT if not isinstance(row.order, Build | FromBase):
                    rank = RANKS.index(row.order.ranks[0]) + 1
                    dealt.append((name, make_card(rank, place % len(SUITS))))
                case Bases.FIRST_CARD if place < 1:
                    dealt.append((name, None))
                case Bases.FIRST_THREE if place < 3:
                    dealt.append((name, None))
                case _:
                    pass
        return tuple(dealt)

    @property
    def varies_base(self) -> bool:
        """Whether the foundations' base rank differs from deal to deal."""
        return any(isinstance(row.order, FromBase) for row in self.rows)

    @cached_property
    def counters(self) -> tuple[Counter, ...]:
        """The counters that this game's positions have."""
        counters: list[Counter] = []
        if self.redeal is not None and self.redeal.times is not None:
            counters.append("redeals")
        if self.varies_base:
            counters.append("base")
        if self.redeal is not None and self.redeal.idle_passes is not None:
            counters.extend(("plays", "idle"))
        return tuple(counters)

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The stock actions, as players type them: some of `draw`, `deal`, `redeal`."""
        actions = [] if self.stock is None else [self.stock.value]
        if self.redeal is not None and self.redeal.times is not None:
            actions.append("redeal")
        return tuple(actions)

    @cached_property
    def variants(self) -> tuple[Game, ...]:
        """The variants of this game that a race can name."""
        return tuple(variation.of(self) for variation in self.variations)

    @property
    def hides(self) -> bool:
        """Whether a player cannot see some of the cards."""
        return self.tableau.hidden or "S" in self.piles

    @property
    def is_open(self) -> bool:
        """Whether every card is visible and no chance is left after the deal."""
        shuffles = self.redeal is not None and self.redeal.gather is Gather.SHUFFLED
        return not self.hides and not shuffles
