"""What may lie on what: how piles are built, what foundations count, what spaces take.

Every value here has three faces: it *decides* (`step`, `after`, `takes`), it *reads aloud*
(`words`) and it *travels* as plain data. A rule that these cannot say becomes a new value here with
the same three faces and its own test; never a function in a game's file.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .cards import RANK_NAMES, RANKS, is_red, rank_of, suit_of

__all__ = [
    "ACE_UP",
    "FROM_DEALT_BASE",
    "FROM_FIRST_PLAY",
    "KING_DOWN",
    "Build",
    "FromBase",
    "InOrder",
    "Lift",
    "Order",
    "Place",
    "Space",
    "Steps",
    "Suits",
]


class Steps(Enum):
    """Which neighbour in rank may be laid on a card."""

    DOWN = "down"
    UP = "up"
    EITHER = "up or down"

    @property
    def words(self) -> str:
        return self.value


class Suits(Enum):
    """How the suits of a card and of the one below it are related."""

    SAME = "in suit"
    ALTERNATE_COLOR = "by alternate color"
    ANY = "regardless of suit"

    @property
    def words(self) -> str:
        return self.value

    def agree(self, card: int, on: int) -> bool:
        """Whether the suits allow `card` on `on`."""
        match self:
            case Suits.SAME:
                return suit_of(card) == suit_of(on)
            case Suits.ALTERNATE_COLOR:
                return is_red(card) != is_red(on)
            case Suits.ANY:
                return True


@dataclass(frozen=True, slots=True)
class Build:
    """One card on another: a neighbour in rank, in the deck's own order of ranks (B1, G7).

    `wrap` makes the deck's last rank and its first neighbours (the first counts as one up).
    `one_way`: a pile keeps the direction of its first step until one card is left (B2).
    `apart`: ranks that build nowhere and on which nothing builds.
    """

    steps: Steps
    suits: Suits
    wrap: bool = False
    one_way: bool = False
    apart: str = ""

    def step(self, ranks: str, card: int, on: int) -> int:
        """1 if `card` may go on `on` as a step up, -1 as a step down, 0 if it may not."""
        if not self.suits.agree(card, on):
            return 0
        upper, lower = RANKS[rank_of(card) - 1], RANKS[rank_of(on) - 1]
        if upper in self.apart or lower in self.apart:
            return 0
        distance = ranks.index(upper) - ranks.index(lower)
        if self.wrap and abs(distance) == len(ranks) - 1:
            distance = -1 if distance > 0 else 1
        if distance == 1 and self.steps is not Steps.DOWN:
            return 1
        if distance == -1 and self.steps is not Steps.UP:
            return -1
        return 0

    @property
    def words(self) -> str:
        """`build down in suit, wrapping from Ace to King as necessary`."""
        words = f"build {self.steps.words} {self.suits.words}"
        if self.wrap and self.steps is Steps.EITHER:
            words += ", with Ace and King considered consecutive"
        elif self.wrap:
            words += ", wrapping from Ace to King as necessary"
        if self.apart:
            words += f"; no building with {_plurals(self.apart)}"
        if self.one_way:
            words += "; building in both directions in the same pile is not allowed"
        return words


@dataclass(frozen=True, slots=True)
class Place:
    """What a foundation counts: a rank, and whether it is the rank's second time in the order."""

    rank: int
    again: bool = False


@dataclass(frozen=True, slots=True)
class InOrder:
    """A foundation that counts through fixed ranks in one suit; a rank may come twice (2.2)."""

    ranks: str
    way: str

    @property
    def length(self) -> int:
        """Cards on a complete foundation."""
        return len(self.ranks)

    def starts(self, rank: int, base: int | None) -> bool:
        """Whether a card of that rank begins an empty foundation. `base` plays no part here."""
        return rank == self._place(0).rank

    def after(self, top: Place) -> Place | None:
        """What goes on that top card, or None if the foundation is complete."""
        for at in range(len(self.ranks) - 1):
            if self._place(at) == top:
                return self._place(at + 1)
        return None

    def _place(self, at: int) -> Place:
        letter = self.ranks[at]
        return Place(RANKS.index(letter) + 1, letter in self.ranks[:at])

    @property
    def words(self) -> str:
        """`build up in suit from Ace to King`."""
        return f"build {self.way}"


@dataclass(frozen=True, slots=True)
class FromBase:
    """A foundation that counts up in suit from a base rank, King to Ace, until it has 13 cards.

    `by_play`: the base rank is fixed by the first card that a player moves there (C4), else by the
    deal (P3).
    """

    by_play: bool = False

    @property
    def length(self) -> int:
        """Cards on a complete foundation."""
        return len(RANKS)

    def starts(self, rank: int, base: int | None) -> bool:
        """Whether a card of that rank begins an empty foundation while `base` is the base rank."""
        return rank == base or (base is None and self.by_play)

    def after(self, top: Place) -> Place | None:
        """What goes on that top card. With one pack a complete foundation never meets it."""
        return Place(top.rank % len(RANKS) + 1)

    @property
    def words(self) -> str:
        """`build up in suit from the rank of the first card moved to a foundation, ...`."""
        first = "moved to a foundation" if self.by_play else "dealt to the first pile"
        return (
            f"build up in suit from the rank of the first card {first}, "
            "wrapping from King to Ace as necessary, until each pile contains 13 cards"
        )


Order = InOrder | FromBase | Build
"""What a foundation accepts: a count in suit, or (Binary Star's stars) any build."""

ACE_UP = InOrder(RANKS, "up in suit from Ace to King")
KING_DOWN = InOrder(RANKS[::-1], "down in suit from King to Ace")
FROM_DEALT_BASE = FromBase()
FROM_FIRST_PLAY = FromBase(by_play=True)


class Space(Enum):
    """What an empty tableau pile takes."""

    CLOSED = "closed"
    ANY = "any"
    KING = "king"
    BELOW_BASE = "below-base"
    FILLED = "filled"

    def takes(self, rank: int, base: int | None) -> bool:
        """Whether a player may put a card of that rank into a space."""
        match self:
            case Space.ANY:
                return True
            case Space.KING:
                return rank == RANKS.index("K") + 1
            case Space.BELOW_BASE:
                return base is not None and rank % len(RANKS) + 1 == base
            case Space.CLOSED | Space.FILLED:
                return False

    @property
    def words(self) -> str:
        return _SPACE_WORDS[self]


_SPACE_WORDS = {
    Space.CLOSED: "Spaces are not filled.",
    Space.ANY: "Spaces may be filled by any available card.",
    Space.KING: "Spaces can be filled only by Kings.",
    Space.BELOW_BASE: "Spaces can be filled only by cards one rank below the base card of the "
    "foundations (or Kings if foundations start with Aces).",
    Space.FILLED: "Empty piles are filled automatically from the stock (or the waste if the stock "
    "is empty).",
}


class Lift(Enum):
    """How many cards move together. A group is a run: every card builds on the one below it."""

    TOP = "top"
    RUNS = "runs"
    RUNS_TO_SPACES = "runs-to-spaces"

    @property
    def words(self) -> str:
        return _LIFT_WORDS[self]


_LIFT_WORDS = {
    Lift.TOP: "Only the top card of each pile is available for play.",
    Lift.RUNS: "Move groups of cards if they are in sequence down in suit.",
    Lift.RUNS_TO_SPACES: "The top card of each pile is available for play; a group of cards in "
    "sequence moves only into a space that takes its first card.",
}


def _plurals(letters: str) -> str:
    return " and ".join(f"{RANK_NAMES[RANKS.index(letter) + 1]}s" for letter in letters)
