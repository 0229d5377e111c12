"""Which cards may as well go home: nothing on the table could ever want them to stay.

A card is *safe* to send home if, once it is there, whatever could be won before without another
redeal can still be won. That is so if

    nothing outside the foundations could ever be built on it, wherever it lies;
    each copy of it that is not home yet finds a foundation that is just like the one it takes;
    it leaves no space that fills itself, and completes no foundation that rows heed;
    the base rank is fixed, and no card leaves a foundation again.

For then any way to win goes on without the card just as with it. The same follows from what the
player sees: which cards are outside is known from those that are home, whatever is hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from .builds import Build, Space
from .cards import CARD_BITS
from .notation import Move
from .parts import Exit, Turn
from .routes import ANYWHERE
from .spec import Game
from .tables import Mode, Tables, compile_game

__all__ = ["Safety", "safety_of"]

Piles = Sequence[Sequence[int]]
"""The stored cards of each pile, bottom first."""


class Safety:
    """What is safe in a game."""

    def __init__(self, game: Game) -> None:
        tables = compile_game(game)
        self._game: Final = game
        self._tables: Final = tables
        self._builders: Final = _builders(tables)
        self._never: Final = any(
            row.exit is not Exit.NONE or isinstance(row.order, Build) for row in game.rows
        )

    def outside(self, piles: Piles) -> list[int]:
        """How many copies of each card are not home."""
        counts = [0] * (CARD_BITS + 1)
        for at, pile in enumerate(piles):
            if not self._tables.is_home[at]:
                for card in pile:
                    counts[card & CARD_BITS] += 1
        return counts

    def is_safe(self, move: Move, piles: Piles, outside: list[int], base: int | None) -> bool:
        """Whether the card that a legal move takes home is safe there.

        `outside` is what the method of that name says of the piles, `base` the fixed base rank.
        """
        tables = self._tables
        card = piles[move.source][-1] & CARD_BITS
        if self._never or any(outside[other] for other in self._builders[card]):
            return False
        if tables.mode is Mode.BASE and base is None:
            return False
        if self._feeds_spaces(move.source, piles):
            return False
        if tables.kinds[move.target] != "F":
            return True  # a suit is collected in any order
        return self._is_served(move.target, piles, outside[card]) and not self._ends_rows(
            move.target, piles
        )

    def _feeds_spaces(self, source: int, piles: Piles) -> bool:
        """Whether the card's going changes what fills which space."""
        tables = self._tables
        stores = [at for at in (tables.stock, tables.waste) if at < len(piles)]
        if self._game.tableau.space is not Space.FILLED or not any(piles[at] for at in stores):
            return False
        return source == tables.waste or (tables.is_filled[source] and len(piles[source]) == 1)

    def _is_served(self, target: int, piles: Piles, copies: int) -> bool:
        """Whether it makes no difference which copy of the card goes to which foundation."""
        if copies == 1 and piles[target]:
            return True  # no other copy, and no other foundation waits for one
        row = self._game.rows[target]
        tops = [
            piles[at][-1] if piles[at] else 0
            for at in self._tables.foundations
            if self._game.rows[at] == row
        ]
        top = piles[target][-1] if piles[target] else 0
        return row.route == ANYWHERE and tops.count(top) >= copies

    def _ends_rows(self, target: int, piles: Piles) -> bool:
        """Whether rows from the stock would pass a pile by from then on."""
        if self._game.stock is not Turn.TO_TABLEAU or not piles[self._tables.stock]:
            return False
        return any(
            above == target and len(piles[target]) + 1 == most
            for _, above, most in self._tables.columns
        )


@cache
def safety_of(game: Game) -> Safety:
    """What is safe in the game, made when it is first asked for."""
    return Safety(game)


def _builders(tables: Tables) -> list[tuple[int, ...]]:
    """Of each card, what the tableau would ever take on it, whichever way a pile runs."""
    deck = sorted(set(tables.game.pack))
    builders: list[tuple[int, ...]] = [()] * (CARD_BITS + 1)
    for card in deck:
        builders[card] = tuple([other for other in deck if tables.on_tableau[card][other]])
    return builders
