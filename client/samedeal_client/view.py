"""One board as its player may see it at one moment: what a bot and a screen are given.

A view never changes. It holds what the server sent, hidden cards as `--`, and answers questions
about it with the rules core, without asking anybody.
"""

from __future__ import annotations

from dataclasses import dataclass

from samedeal_rules.engine import Table
from samedeal_rules.notation import Position
from samedeal_rules.spec import Game

__all__ = ["View"]


@dataclass(frozen=True, slots=True)
class View:
    """A player's board after their move `number`."""

    position: Position
    number: int = 0
    """The last number that the board has seen; the next play gets one more."""
    status: str = "playing"
    """playing, won, stuck."""
    undoable: bool = False
    sent_legal: tuple[str, ...] | None = None
    """The legal moves, if the server was asked to send them."""

    @property
    def game(self) -> Game:
        """The game's description."""
        raise NotImplementedError

    @property
    def home(self) -> int:
        """How many cards are on the foundations."""
        raise NotImplementedError

    @property
    def goal(self) -> int:
        """How many cards must be home to win."""
        raise NotImplementedError

    @property
    def digest(self) -> str:
        """16 hex digits that tell this view from any other."""
        raise NotImplementedError

    def legal(self) -> tuple[str, ...]:
        """Returns every legal move as text, sorted."""
        raise NotImplementedError

    def pile(self, name: str) -> tuple[str, ...]:
        """Returns a pile's cards as texts, bottom first (the stock: next card first)."""
        raise NotImplementedError

    def text(self) -> str:
        """Returns the position in the rules core's notation, one line a pile."""
        raise NotImplementedError

    def table(self) -> Table:
        """Returns a table to try moves on.

        Hidden cards are stood in for by unseen cards in a fixed order, so nothing that a play
        reveals there (`table.revealed`) means anything.
        """
        raise NotImplementedError
