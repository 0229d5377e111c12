"""The same feel as a run, offline: a table, undo, legal moves, a view, and no server."""

from __future__ import annotations

from samedeal_rules.engine import Outcome, deal
from samedeal_rules.games import find
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

    def undo(self) -> Move:
        """Takes the last play back; raises NothingToUndo."""
        move = self._table.undo()
        self._number += 1
        return move

    def finish(self) -> tuple[str, ...]:
        """Plays every card home if that wins; returns the moves (none: it does not)."""
        moves = self._table.finishing()
        for move in moves:
            self._table.play(move)
        self._number += bool(moves)
        return tuple(move_text(self.game, move) for move in moves)
