"""A board that is played at: in a race, or alone. Desks and screens know no difference."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from samedeal_client.ahead import FINISH, HOME, UNDO, Ahead
from samedeal_client.bots import greedy_bot
from samedeal_client.errors import ClientError
from samedeal_client.local import LocalGame
from samedeal_client.run import Run
from samedeal_client.twice import doubt
from samedeal_client.view import View
from samedeal_protocol.messages import Played
from samedeal_protocol.terms import Undo
from samedeal_rules import Game, Move, RulesError, find, move_text

__all__ = ["REFUSALS", "PracticeSeat", "RaceSeat", "Seat", "Told"]

REFUSALS: Final = (ClientError, RulesError)
"""What a seat raises when it refuses; the exception's text is a sentence for the player."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a play, an undo or a finish came to."""

    moves: Sequence[str]
    turned: Sequence[tuple[str, str]]
    home: int
    is_undo: bool = False


class Seat(Protocol):
    """One player's place at one board."""

    @property
    def game(self) -> Game:
        """What is played."""
        ...

    @property
    def view(self) -> View | None:
        """The board; None before there is one."""
        ...

    @property
    def is_live(self) -> bool:
        """Whether something can be played now."""
        ...

    def may(self, word: str) -> bool:
        """Whether `undo`, `hint`, `finish`, `home` or `giveup` makes sense here."""
        ...

    def doubt(self, move: str) -> str | None:
        """What is asked before a move that nothing would bring back, if it is one."""
        ...

    def foresees(self, deed: str) -> bool:
        """Whether `view` shows the board after a move, or an `undo`, before it is known that it
        counts."""
        ...

    # What is foreseen of these is in `view` at once; wait for what is so.

    def play(self, move: str) -> Awaitable[Told]:
        """Plays a move."""
        ...

    def undo(self) -> Awaitable[Told]:
        """Takes the last play back."""
        ...

    def finish(self) -> Awaitable[Told]:
        """Plays every card home, if that wins."""
        ...

    def send_home(self) -> Awaitable[Told]:
        """Plays home what is safe there."""
        ...

    async def hint(self, skip: int) -> str:
        """Names a move worth trying, leaving the best `skip` out."""
        ...

    async def give_up(self) -> None:
        """Ends the own game."""
        ...


class RaceSeat:
    """An entrant's board in a race."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._ahead = Ahead(run)
        self.game: Final = find(run.terms.game)

    @property
    def view(self) -> View | None:
        return self._ahead.view

    @property
    def is_live(self) -> bool:
        return self._run.view is not None and not self._run.is_done

    def may(self, word: str) -> bool:
        terms = self._run.terms
        is_allowed = {"undo": terms.undo is not Undo.NONE, "hint": terms.hints}
        return self.is_live and is_allowed.get(word, True)

    def doubt(self, move: str) -> str | None:
        view = self.view
        return None if view is None else doubt(move, view.position, self._run.terms.undo)

    def foresees(self, deed: str) -> bool:
        return self._ahead.foresees(deed)

    # All this is meant for the board that what is under way leads to: it counts if that does.

    def play(self, move: str) -> Awaitable[Told]:
        return self._done(move)

    def undo(self) -> Awaitable[Told]:
        return self._done(UNDO)

    def finish(self) -> Awaitable[Told]:
        return self._done(FINISH)

    def send_home(self) -> Awaitable[Told]:
        return self._done(HOME)

    def _done(self, deed: str) -> Awaitable[Told]:
        return _told(self._ahead.do(deed), is_undo=deed == UNDO)

    async def hint(self, skip: int) -> str:
        return await self._run.hint(skip)

    async def give_up(self) -> None:
        await self._run.give_up()


async def _told(answer: Awaitable[Played], *, is_undo: bool) -> Told:
    played = await answer
    turned = () if is_undo else [(each.pile, each.card) for each in played.turned]
    return Told(played.moves, turned, played.home, is_undo=is_undo)


class PracticeSeat:
    """A deal played alone and offline, with undo and hints for free."""

    def __init__(self, game: Game, seed: str) -> None:
        self.game: Final = game
        self.seed: Final = seed
        self._local = LocalGame(game, seed)
        self._adviser = greedy_bot(seed)
        self._view = self._look()

    @property
    def view(self) -> View:
        return self._view

    def _look(self) -> View:
        """The board with its legal moves, which the table knows sooner than a view does."""
        return replace(self._local.view, sent_legal=self._local.legal())

    @property
    def is_live(self) -> bool:
        return self.view.status != "won"

    def may(self, word: str) -> bool:
        return self.is_live and word != "giveup"

    def doubt(self, move: str) -> str | None:
        return None

    def foresees(self, deed: str) -> bool:
        return False  # what is so is known as soon

    async def play(self, move: str) -> Told:
        outcome = self._local.play(move)
        self._view = self._look()
        return Told((move_text(self.game, outcome.move),), outcome.turned, self.view.home)

    async def undo(self) -> Told:
        moves = self._local.undo()
        self._view = self._look()
        return Told(moves, (), self.view.home, is_undo=True)

    async def finish(self) -> Told:
        moves = self._local.finish()
        self._view = self._look()
        if not moves:
            raise RulesError("the cards cannot all go home from here")
        return Told(moves, (), self.view.home)

    async def send_home(self) -> Told:
        moves = self._local.send_home()
        self._view = self._look()
        if not moves:
            raise RulesError("no card is safe to send home from here")
        return Told(moves, (), self.view.home)

    async def hint(self, skip: int) -> str:
        match self._adviser(self.view):
            case str(advice):
                best = advice
            case Move() as advice:
                best = move_text(self.game, advice)
            case _:
                raise RulesError("nothing here is worth trying: undo, or another deal")
        ranked = [best, *(move for move in self.view.legal() if move != best)]
        return ranked[skip % len(ranked)]

    async def give_up(self) -> None:
        raise RulesError("there is nothing to give up in practice")
