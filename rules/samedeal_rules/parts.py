"""What games are declared from beside builds and routes: pack, rows of piles, stock, redeal, aim.

Each part is a value that decides, reads aloud (`words`) and travels as plain data. The defaults are
the commonest solitaire, so that a declaration says only what is special.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from .builds import ACE_UP, Build, Lift, Order, Space
from .cards import RANK_NAMES, RANKS, SUIT_NAMES, SUITS, parse_card, rank_of, suit_of
from .routes import ANYWHERE, Route
from .shuffle import start_order

__all__ = [
    "ALL_HOME",
    "ONE_PACK",
    "AllHome",
    "Bases",
    "Cells",
    "Collect",
    "Deck",
    "Exit",
    "Filled",
    "Foundations",
    "Gather",
    "Goal",
    "Named",
    "Opening",
    "Redeal",
    "Spread",
    "Tableau",
    "Turn",
    "Under",
]


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


ONE_PACK = Deck()


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


ALL_HOME = AllHome()


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
