"""The same feel as a run, offline: a table, undo, legal moves, a view, and no server."""

from __future__ import annotations

from samedeal_rules.engine import Outcome
from samedeal_rules.notation import Move
from samedeal_rules.spec import Game

from .view import View

__all__ = ["LocalGame"]


class LocalGame:
    """One game played alone. `game` is a description or a key; undo is free."""

    def __init__(self, game: Game | str, seed: str) -> None:
        raise NotImplementedError

    game: Game
    seed: str

    @property
    def view(self) -> View:
        """The board as a player may see it."""
        raise NotImplementedError

    def legal(self) -> tuple[str, ...]:
        """Returns every legal move as text, sorted."""
        raise NotImplementedError

    def play(self, move: str | Move) -> Outcome:
        """Plays; raises `samedeal_rules` `IllegalMove` or `BadNotation`."""
        raise NotImplementedError

    def undo(self) -> Move:
        """Takes the last play back; raises `NothingToUndo`."""
        raise NotImplementedError

    def finish(self) -> tuple[str, ...]:
        """Plays every card home if that wins; returns the moves (none: it does not)."""
        raise NotImplementedError
