"""The own board as the moves that are under way will most likely leave it.

What the player can know is shown at once; what a move turns up stays hidden until the server has
told it. Only the server decides: each of its answers replaces a guess, and a refusal all of them.
"""

from __future__ import annotations

from typing import Final

from samedeal_protocol.messages import Played
from samedeal_rules.cards import HIDDEN
from samedeal_rules.errors import RulesError
from samedeal_rules.notation import Move, Position, move_text, parse_move

from .errors import ClientError
from .mirror import carried_out
from .run import Run
from .view import View

__all__ = ["Ahead", "foreseen"]

_MOST: Final = 32
"""How many moves may be under way and shown; what is more waits to be shown."""


def foreseen(view: View, move: str) -> View | None:
    """Returns the board after a move as far as its player can know it.

    None for a move that is not legal, and for one of which only the server can say what it does: a
    redeal. Moves of cards that are not known yet are not among the legal ones.
    """
    if move not in view.legal():
        return None
    game, table = view.game, view.table()
    try:
        table.play(parse_move(game, move))
        done = table.last()
        if done.whole:
            return None
        position = carried_out(view.position, done.steps, covered=done.covered)
    except (RulesError, IndexError):
        return None  # `legal` was told by somebody who knows other rules
    legal = () if table.won else (each for each in table.legal() if _is_known(position, each))
    return View(
        position, view.number + 1, sent_legal=tuple(sorted(move_text(game, each) for each in legal))
    )


def _is_known(position: Position, move: Move) -> bool:
    """Whether the player sees what a move moves, and what it moves it onto."""
    if move.cards == 0:
        return True
    moved = position.piles[move.source][-move.cards :]
    return HIDDEN not in (*moved, *position.piles[move.target][-1:])


class Ahead:
    """The moves of one entrant that are under way."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._moves: dict[int, str] = {}
        """By number; those that the board has seen are passed over, until all are answered."""
        self._unanswered = 0
        self._is_refused = False
        """What is under way came after a move that was refused: nothing is shown ahead of it."""
        self._shown: tuple[View, tuple[str, ...], View] | None = None

    @property
    def view(self) -> View | None:
        """The board, with what is under way done to it."""
        view = self._run.view
        if view is None or not self._moves:
            return view
        moves = tuple(move for number, move in self._moves.items() if number > view.number)
        if self._shown is None or self._shown[0] is not view or self._shown[1] != moves:
            self._shown = view, moves, _after(view, moves)
        return self._shown[2]

    def foresees(self, move: str) -> bool:
        """Whether the board after the move can be shown before the move is answered."""
        return self._foreseen(move) is not None

    def add(self, move: str) -> None:
        """Shows the board as the move will leave it, if that can be known; `sent` follows."""
        after = self._foreseen(move)
        if after is not None:
            self._moves[after.number] = move
        self._unanswered += 1

    async def sent(self, move: str) -> Played:
        """Has a move played that was added. Raises `ClientError`; then all are taken back."""
        try:
            return await self._run.play(move, follows=True)
        except ClientError:
            self._is_refused = True
            self._moves.clear()
            raise
        finally:
            self._unanswered -= 1
            if not self._unanswered:
                self._is_refused = False
                self._moves.clear()

    def _foreseen(self, move: str) -> View | None:
        view = self.view
        if view is None or self._is_refused or self._unanswered >= _MOST:
            return None
        return foreseen(view, move)


def _after(view: View, moves: tuple[str, ...]) -> View:
    for move in moves:
        after = foreseen(view, move)
        if after is None:
            break
        view = after
    return view
