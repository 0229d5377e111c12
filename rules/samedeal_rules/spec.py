"""A game, declared: a frozen value with a drawn table, made of rules.

Rules are values too: each decides, reads aloud (`words`) and travels as plain data.
The defaults are the commonest solitaire, so that a declaration says only what is special. Nothing
here plays: `tables` compiles a game into lookup tables once and `engine` plays from those; `prose`
reads a game aloud. A mistake in a declaration is a ValueError when the game is made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Literal

from .builds import ACE_UP, Build, FromBase, Lift, Order, Space
from .cards import (
    RANK_NAMES,
    RANKS,
    SUIT_NAMES,
    SUITS,
    make_card,
    parse_card,
    rank_of,
    suit_of,
)
from .routes import ANYWHERE, Route
from .shuffle import start_order

__all__ = [
    "AllHome",
    "Bases",
    "Cells",
    "Collect",
    "Counter",
    "Deck",
    "Exit",
    "Filled",
    "Foundations",
    "Game",
    "Gather",
    "Goal",
    "Named",
    "Opening",
    "Redeal",
    "Spread",
    "Tableau",
    "Turn",
    "Under",
    "Variation",
]

_KINDS = "FTCRSW"
_SINGLE = "SW"
Counter = Literal["redeals", "base", "plays", "idle"]


@dataclass(frozen=True, slots=True)
class Deck:
    """The pack: how many packs, and their ranks from the lowest to the highest, as piles build."""

    packs: int = 1
    ranks: str = RANKS

    @property
    def cards(self) -> tuple[int, ...]:
        """The pack before it is shuffled: copy by copy, suits C D H S, ranks A to K."""
        return start_order([RANKS.index(rank) + 1 for rank in self.ranks], copies=self.packs)

    @property
    def words(self) -> str:
        """`1 pack of 52 cards`, or what it is stripped to."""
        packs = "1 pack" if self.packs == 1 else f"{self.packs} packs"
        if self.ranks == RANKS:
            return f"{packs} of 52 cards"
        *names, last = (RANK_NAMES[RANKS.index(rank) + 1] for rank in self.ranks)
        return (
            f"{packs}, stripped to {', '.join(names)} and {last} (in that order, lowest first); "
            f"{len(self.cards)} cards in all"
        )


class Bases(Enum):
    """Which cards begin the foundations before anything else is dealt."""

    NONE = "none"
    EACH_SUIT = "each-suit"
    FIRST_CARD = "first-card"
    FIRST_THREE = "first-three"

    @property
    def words(self) -> str:
        return _BASES_WORDS[self]


_BASES_WORDS = {
    Bases.NONE: "",
    Bases.EACH_SUIT: "At the start of the game a base card of each suit is dealt here.",
    Bases.FIRST_CARD: "At the start of the game the first card is dealt to the first pile.",
    Bases.FIRST_THREE: "At the start of the game the first 3 piles are dealt base cards of the "
    "same rank.",
}


@dataclass(frozen=True, slots=True)
class Named:
    """Bases that are these very cards, one a pile; the first copy in the shuffled pack is taken."""

    cards: tuple[str, ...]

    @property
    def words(self) -> str:
        codes = [parse_card(card) for card in self.cards]
        names = [
            f"the {RANK_NAMES[rank_of(card)]} of {SUIT_NAMES[suit_of(card)]}" for card in codes
        ]
        return f"At the start of the game {' and '.join(names)} are dealt here."


class Opening(Enum):
    """Which empty foundation a base card may begin (G4)."""

    ANY = "any"
    LEFTMOST = "leftmost"
    ONE_A_SUIT = "one-a-suit"

    @property
    def words(self) -> str:
        return _OPENING_WORDS[self]


_OPENING_WORDS = {
    Opening.ANY: "",
    Opening.LEFTMOST: "base cards are played to the first empty foundation pile",
    Opening.ONE_A_SUIT: "each suit has one foundation pile",
}


class Exit(Enum):
    """Where the top card of a foundation may go again; its bottom card always stays (G2, S1)."""

    NONE = "none"
    FOUNDATIONS = "foundations"
    TABLEAU = "tableau"

    @property
    def words(self) -> str:
        return _EXIT_WORDS[self]


_EXIT_WORDS = {
    Exit.NONE: "Cards do not leave the foundations.",
    Exit.FOUNDATIONS: "Top cards may be moved from one foundation to another; base cards stay.",
    Exit.TABLEAU: "Top cards may be moved back to the tableau; base cards stay.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundations:
    """A row of foundations with the same rules.

    `count` is for games with several rows: the first takes F1.., the next the following ones; 0
    takes all that are left. `transfers`: moves between the piles of this row only rearrange it and
    can be taken back at will, so they keep nobody from being stuck (S3).
    """

    name: str = "foundation piles"
    count: int = 0
    order: Order = ACE_UP
    bases: Bases | Named = Bases.NONE
    opening: Opening = Opening.ANY
    route: Route = ANYWHERE
    exit: Exit = Exit.NONE
    transfers: bool = False


class Under(Enum):
    """Which cards go to the bottom of the first tableau piles before the rows are dealt."""

    NOTHING = "nothing"
    LAST_BASE = "last-base"
    ACES = "aces"

    @property
    def words(self) -> str:
        return _UNDER_WORDS[self]

    @property
    def in_first_row(self) -> bool:
        """Whether the card counts as its pile's share of the first row (2.12, but not 2.15)."""
        return self is Under.LAST_BASE


_UNDER_WORDS = {
    Under.NOTHING: "",
    Under.LAST_BASE: "The remaining base card of the foundations is always dealt first to the "
    "first pile.",
    Under.ACES: "The Aces are dealt first, to the first 4 piles.",
}


class Spread(Enum):
    """How the cards of a pile lie over each other, for those who draw the table."""

    NONE = "none"
    DOWN = "down"
    RIGHT = "right"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tableau:
    """The piles that the game is played on; `key` R makes them reserves (Amazons).

    `dealt` counts the cards of each pile, those of `under` included (O1); one number is for all.
    Without a `build` nothing is laid on a card. `hidden`: only top cards are visible. `spread` is
    columns, or fans to the right, or piles squared up; all other piles are squared up anyway.
    """

    key: Literal["T", "R"] = "T"
    name: str = "tableau piles"
    dealt: int | tuple[int, ...]
    under: Under = Under.NOTHING
    build: Build | None = None
    space: Space = Space.CLOSED
    lift: Lift = Lift.TOP
    hidden: bool = False
    spread: Spread = Spread.DOWN


class Filled(Enum):
    """Whether the cells get a card each at the deal."""

    EMPTY = "empty"
    BEFORE_TABLEAU = "before-tableau"
    AFTER_TABLEAU = "after-tableau"

    @property
    def words(self) -> str:
        filled = "At the start of the game 1 card is dealt to each cell."
        return "" if self is Filled.EMPTY else filled


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Storage for one card each; only top cards of tableau piles go there."""

    filled: Filled = Filled.EMPTY


class Turn(Enum):
    """What the stock does when asked: the name of its action is how players type it."""

    TO_WASTE = "draw"
    TO_TABLEAU = "deal"

    @property
    def words(self) -> str:
        return _TURN_WORDS[self]


_TURN_WORDS = {
    Turn.TO_WASTE: "turn over 1 card at a time to the waste",
    Turn.TO_TABLEAU: "deal 1 card to each pile whose foundation is not complete",
}


class Gather(Enum):
    """How a redeal takes the cards up and lays them out again. The waste is never taken."""

    SHUFFLED = "shuffled"
    LAST_PILE_FIRST = "last-pile-first"
    RIGHT_TO_LEFT = "right-to-left"

    @property
    def words(self) -> str:
        return _GATHER_WORDS[self]


_GATHER_WORDS = {
    Gather.SHUFFLED: "are shuffled and dealt again from the first pile on",
    Gather.LAST_PILE_FIRST: "the piles are taken up, the last one on top, and without shuffling "
    "dealt again in rows from the top",
    Gather.RIGHT_TO_LEFT: "each pile, from the left, is put on its right neighbour, and the packet "
    "is turned over to make the new stock",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Redeal:
    """Taking up the table and dealing it again.

    `times`: how often. `idle_passes`: instead, refused after that many passes in a row without a
    play to a foundation (M3). A redeal into the stock (RIGHT_TO_LEFT) is part of `deal`; the
    others are an action of their own, `redeal`, that may be taken at any time (A4, H2, L2).
    """

    gather: Gather
    times: int | None = None
    idle_passes: int | None = None

    @property
    def words(self) -> str:
        if self.times is not None:
            return f"{_COUNT_WORDS.get(self.times, str(self.times))} redeals."
        return (
            "Redeals are permitted until the game is won or no moves have been made in the last "
            f"{self.idle_passes} deals."
        )


_COUNT_WORDS = {1: "One", 2: "Two", 3: "Three"}


@dataclass(frozen=True, slots=True)
class AllHome:
    """The game is won when every card is on the foundations."""

    @property
    def words(self) -> str:
        return "To move all the cards to the foundations."


@dataclass(frozen=True, slots=True)
class Collect:
    """The game is won when every card of one suit lies in the waste, out of play (2.4)."""

    suit: str

    @property
    def name(self) -> str:
        """The suit, as players say it."""
        return SUIT_NAMES[SUITS.index(self.suit)]

    def takes(self, card: int) -> bool:
        """Whether the waste takes the card."""
        return card >> 4 == SUITS.index(self.suit)

    @property
    def words(self) -> str:
        return f"To discard all the {self.name}."


Goal = AllHome | Collect


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
    deck: Deck = Deck()
    foundations: tuple[Foundations, ...] = (Foundations(),)
    tableau: Tableau
    cells: Cells | None = None
    stock: Turn | None = None
    redeal: Redeal | None = None
    aim: Goal = AllHome()
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
