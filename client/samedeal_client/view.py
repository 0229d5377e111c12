"""One board as its player may see it at one moment: what a bot and a screen are given.

A view never changes. It holds what the server sent, hidden cards as `--`, and answers questions
about it with the rules core, without asking anybody.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from samedeal_rules.cards import HIDDEN, card_text
from samedeal_rules.engine import Status, Table
from samedeal_rules.notation import Position, move_text
from samedeal_rules.spec import Game

__all__ = ["View", "status_of"]


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
        return self.position.game

    @property
    def home(self) -> int:
        """How many cards are home: on the foundations, or in a waste that collects a suit."""
        return sum(len(self.position.piles[at]) for at in self.game.home)

    @property
    def goal(self) -> int:
        """How many cards must be home to win."""
        return self.game.goal

    @property
    def digest(self) -> str:
        """16 hex digits that tell this view from any other."""
        return self.position.digest()

    def legal(self) -> tuple[str, ...]:
        """Returns every legal move as text, sorted."""
        if self.sent_legal is not None:
            return tuple(sorted(self.sent_legal))
        if self.status == Status.WON.value:
            return ()
        return tuple(sorted(move_text(self.game, move) for move in self.table().legal()))

    def pile(self, name: str) -> tuple[str, ...]:
        """Returns a pile's cards as texts, bottom first (the stock: next card first).

        Raises ValueError for a pile that is not on this table.
        """
        return tuple(card_text(card) for card in self.position.piles[self.game.piles.index(name)])

    def text(self) -> str:
        """Returns the position in the rules core's notation, one line a pile."""
        return self.position.text()

    def table(self) -> Table:
        """Returns a table to try moves on.

        Hidden cards are stood in for by unseen cards in a fixed order. What is legal does not
        depend on them, but nothing that a play reveals there (`table.revealed`) means anything.
        """
        return Table.from_position(_stood_in(self.position))


def status_of(position: Position) -> str:
    """Returns playing, won or stuck, for a view whose status nobody told."""
    return Table.from_position(_stood_in(position)).status.value


def _stood_in(position: Position) -> Position:
    """Returns the position with unseen cards, lowest code first, in place of hidden ones."""
    if not position.hides:
        return position
    unseen = Counter(position.game.pack)
    for pile in position.piles:
        unseen.subtract(pile)
    del unseen[HIDDEN]
    cards = iter(sorted(unseen.elements()))
    piles = tuple(
        tuple(next(cards) if card == HIDDEN else card for card in pile) for pile in position.piles
    )
    return replace(position, piles=piles)
