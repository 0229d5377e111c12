"""What a player may see. No other path leads from a table to anybody who is not its server.

The order of a stock is hidden always, and every tableau card below the top where the game says so.
Wastes, reserves, cells and foundations are open; so is the number of cards in every pile (G14).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .cards import HIDDEN
from .notation import Position
from .spec import Game

__all__ = ["hide", "hide_pile", "view_of"]


def hide(game: Game, piles: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """The piles with HIDDEN in place of every card that a player may not see."""
    return [hide_pile(game, at, pile) for at, pile in enumerate(piles)]


def hide_pile(game: Game, at: int, pile: Sequence[int]) -> Sequence[int]:
    """The cards of the pile with that index as `hide` has them."""
    if at in game.named("S"):
        return [HIDDEN] * len(pile)
    if pile and game.tableau.hidden and at in game.named(game.tableau.key):
        return [HIDDEN] * (len(pile) - 1) + [pile[-1]]
    return pile


def view_of(position: Position) -> Position:
    """The position as its player sees it."""
    seen = hide(position.game, position.piles)
    return replace(position, piles=tuple(map(tuple, seen)))
