"""The own board as what is under way will most likely leave it.

What the player can know is shown at once; what a move turns up stays hidden until the server has
told it, and an undo brings back the board that was seen before. Only the server decides: each of
its answers replaces a guess, and a refusal all of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from samedeal_protocol.messages import Played
from samedeal_protocol.terms import Terms, Undo
from samedeal_rules.cards import HIDDEN
from samedeal_rules.errors import RulesError
from samedeal_rules.notation import Move, Position, move_text, parse_move

from .errors import ClientError
from .mirror import carried_out
from .view import View

__all__ = ["FINISH", "HOME", "UNDO", "Ahead", "Board", "foreseen"]

UNDO: Final = "undo"
FINISH: Final = "finish"
HOME: Final = "home"
"""What is done to a board by a word; all else is done by a move."""
_MOST: Final = 32
"""How much may be under way and shown; what is more waits to be shown."""


def foreseen(view: View, move: str, policy: Undo = Undo.FREE) -> View | None:
    """Returns the board after a move as far as its player can know it.

    None for a move that is not legal, and for one of which only the server can say what it does: a
    redeal. Moves of cards that are not known yet are not among the legal ones. `policy` says
    whether the move can be taken back.
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
        position,
        view.number + 1,
        undoable=not table.won and _may_undo(policy, is_reveal=table.revealed),
        sent_legal=tuple(sorted(move_text(game, each) for each in legal)),
    )


def _may_undo(policy: Undo, *, is_reveal: bool) -> bool:
    return policy is not Undo.NONE and not (policy is Undo.NOT_PAST_A_REVEAL and is_reveal)


def _is_known(position: Position, move: Move) -> bool:
    """Whether the player sees what a move moves, and what it moves it onto."""
    if move.cards == 0:
        return True
    moved = position.piles[move.source][-move.cards :]
    return HIDDEN not in (*moved, *position.piles[move.target][-1:])


@dataclass(frozen=True, slots=True)
class _Line:
    """A board, and those before it that undo leads back to, the last one last."""

    view: View
    past: tuple[View, ...]

    def after(self, deed: str, policy: Undo) -> _Line | None:
        """Returns what a move or an undo leads to; None where that cannot be known."""
        if deed == UNDO:
            if not self.view.undoable or not self.past or _is_guess(self.past[-1]):
                return None
            return _Line(replace(self.past[-1], number=self.view.number + 1), self.past[:-1])
        view = foreseen(self.view, deed, policy)
        return None if view is None else _Line(view, (*self.past, self.view))


def _is_guess(view: View) -> bool:
    """Whether a card had turned up there, and was not told yet."""
    piles = zip(view.game.piles, view.position.piles, strict=True)
    return any(name != "S" and pile[-1:] == (HIDDEN,) for name, pile in piles)


class Board(Protocol):
    """An entrant's place in a race, as far as this needs it: a `Run`."""

    @property
    def view(self) -> View | None: ...

    @property
    def terms(self) -> Terms: ...

    async def play(self, move: str, *, follows: bool = False) -> Played: ...

    async def undo(self, *, follows: bool = False) -> Played: ...

    async def finish(self, *, follows: bool = False) -> Played: ...

    async def send_home(self, *, follows: bool = False) -> Played: ...


class Ahead:
    """What one entrant has under way."""

    def __init__(self, run: Board) -> None:
        self._run = run
        self._past: tuple[View, ...] = ()
        """Before the board that has seen `_number`."""
        self._number = 0
        self._deeds: dict[int, tuple[str, View]] = {}
        """By number, each with the board that it was meant for, until all are answered."""
        self._asked: asyncio.Event | None = None
        """Set when the last thing that is to be done is asked for."""
        self._unanswered = 0
        self._is_refused = False
        """What is under way came after what was refused: nothing is shown ahead of it."""
        self._shown: tuple[View, int, _Line, bool] | None = None

    @property
    def view(self) -> View | None:
        """The board, with what is under way done to it."""
        told = self._run.view
        return None if told is None else self._line(told)[0].view

    def foresees(self, deed: str) -> bool:
        """Whether the board after it can be shown before it is answered."""
        told = self._run.view
        if told is None or self._is_refused or self._unanswered >= _MOST:
            return False
        line, is_whole = self._line(told)
        return is_whole and line.after(deed, self._run.terms.undo) is not None

    def do(self, deed: str) -> Awaitable[Played]:
        """Shows the board as it will leave it, if that can be known; wait for what is so.

        Things are asked in the order of these calls, whichever is waited for first. Waiting raises
        `ClientError`; then all is taken back.
        """
        view = self.view
        if view is not None and not self._is_refused:
            self._deeds[max([view.number, *self._deeds]) + 1] = deed, view
        self._unanswered += 1
        before, self._asked = self._asked, asyncio.Event()
        return self._sent(deed, before, self._asked)

    async def _sent(self, deed: str, before: asyncio.Event | None, asked: asyncio.Event) -> Played:
        try:
            if before is not None:
                await before.wait()
            asked.set()
            return await self._ask(deed)
        except ClientError:
            self._is_refused = True
            self._settle()
            raise
        finally:
            asked.set()
            self._unanswered -= 1
            if not self._unanswered:
                self._is_refused = False
                self._settle()

    async def _ask(self, deed: str) -> Played:
        match deed:
            case "undo":
                return await self._run.undo(follows=True)
            case "finish":
                return await self._run.finish(follows=True)
            case "home":
                return await self._run.send_home(follows=True)
            case move:
                return await self._run.play(move, follows=True)

    def _line(self, told: View) -> tuple[_Line, bool]:
        """The board after what is under way, and whether all of that is foreseen."""
        known = self._shown
        if known is None or known[0] is not told or known[1] != len(self._deeds):
            line, is_whole = _Line(told, self._past_at(told.number)), True
            for number, (deed, _) in self._deeds.items():
                after = line.after(deed, self._run.terms.undo) if number > told.number else line
                if after is None:
                    is_whole = False
                    break
                line = after
            known = self._shown = told, len(self._deeds), line, is_whole
        return known[2], known[3]

    def _past_at(self, number: int) -> tuple[View, ...]:
        """The boards that undo leads back to after that number; none where others played."""
        if number > max([self._number, *self._deeds]):
            return ()
        past = self._past
        for done, (deed, before) in self._deeds.items():
            if done <= number:
                past = past[:-1] if deed == UNDO else (*past, before)
        return past

    def _settle(self) -> None:
        """Keeps what has been done, and forgets what was under way."""
        told = self._run.view
        if told is not None:
            self._past, self._number = self._past_at(told.number), told.number
        self._deeds.clear()
        self._shown = None
