"""The same feel as a run, offline: a table, undo, legal moves, a view, and no server."""

from __future__ import annotations

from samedeal_rules.engine import Outcome, deal
from samedeal_rules.games import find
from samedeal_rules.homeward import finishing, sending_home
from samedeal_rules.notation import Move, move_text, parse_move
from samedeal_rules.spec import Game

from .view import View

__all__ = ["LocalGame"]


class LocalGame:
    """One game played alone. `game` is a description or a key; undo is free.

    Raises `samedeal_rules` UnknownGame or BadSeed.
    """

    def __init__(self, game: Game | str, seed: str) -> None:
        self.game = find(game) if isinstance(game, str) else game
        self.seed = seed
        self._table = deal(self.game, seed)
        self._number = 0

    @property
    def view(self) -> View:
        """The board as a player may see it."""
        return View(
            self._table.view(),
            self._number,
            self._table.status.value,
            undoable=self._table.depth > 0 and not self._table.won,
        )

    def legal(self) -> tuple[str, ...]:
        """Returns every legal move as text, sorted."""
        return tuple(sorted(move_text(self.game, move) for move in self._table.legal()))

    def play(self, move: str | Move) -> Outcome:
        """Plays; raises `samedeal_rules` IllegalMove or BadNotation."""
        self._table.play(parse_move(self.game, move) if isinstance(move, str) else move)
        self._number += 1
        return self._table.last()

    def undo(self) -> tuple[str, ...]:
        """Takes the last play back, or all that went home together, as a race's undo does.

        Returns the moves in the order in which they had been played. Raises NothingToUndo.
        """
        moves = self._table.take_back()
        self._number += 1
        return tuple(move_text(self.game, move) for move in moves)

    def finish(self) -> tuple[str, ...]:
        """Plays every card home if that wins; returns the moves (none: it does not)."""
        return self._play_together(finishing(self._table))

    def send_home(self) -> tuple[str, ...]:
        """Plays home what is safe there; returns the moves (none: nothing is)."""
        return self._play_together(sending_home(self._table))

    def _play_together(self, moves: list[Move]) -> tuple[str, ...]:
        if moves:
            self._table.play_together(moves)
            self._number += 1
        return tuple(move_text(self.game, move) for move in moves)
