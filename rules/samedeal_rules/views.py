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

__all__ = ["hide", "view_of"]


def hide(game: Game, piles: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """The piles with HIDDEN in place of every card that a player may not see."""
    seen = list(piles)
    for at in game.named("S"):
        seen[at] = [HIDDEN] * len(seen[at])
    if game.tableau.hidden:
        for at in game.named(game.tableau.key):
            if cards := len(piles[at]):
                seen[at] = [HIDDEN] * (cards - 1) + [piles[at][-1]]
    return seen


def view_of(position: Position) -> Position:
    """The position as its player sees it."""
    seen = hide(position.game, position.piles)
    return replace(position, piles=tuple(map(tuple, seen)))
