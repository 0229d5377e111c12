"""A screen with a board on it, and what stands around that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from samedeal_client.board import aim, facts
from samedeal_client.seats import Seat
from samedeal_client.tui.aim import Aim, split
from samedeal_client.tui.boardview import BoardView
from samedeal_client.tui.commandline import CommandLine
from samedeal_client.tui.frame import Frame
from samedeal_client.tui.look import Look
from samedeal_client.tui.program import Program
from samedeal_client.view import View
from samedeal_rules import Game, Position
from samedeal_rules.prose import rules_text, title

__all__ = ["TableScreen"]

S = TypeVar("S", bound=Seat)


class TableScreen(Frame, Generic[S]):
    """A board, and the seat at it."""

    def __init__(self, program: Program, seat: S) -> None:
        super().__init__(program)
        self.seat = seat
        """Where the player sits."""
        self.game: Game = seat.game
        self.aim = Aim(self.game)
        self.board = BoardView(self.game, program.look, aim=self.aim)
        self._rail = Static(id="rail", markup=False)
        self._lanes = Static(id="lanes", markup=False)
        self._line = CommandLine()

    @property
    def view(self) -> View | None:
        """The board; None before there is one."""
        return self.seat.view

    def body(self) -> ComposeResult:
        with Horizontal(id="middle"):
            with Vertical(id="table"):
                yield self.board
                yield from self.before_board()
            yield self._rail
        yield self._lanes
        yield self._line

    def before_board(self) -> ComposeResult:
        """What stands in the place of the board before there is one."""
        yield from ()

    # --- what is shown -------------------------------------------------------------------------

    def update(self) -> None:
        """Shows everything as it is now."""
        view = self.view
        position = None if view is None else view.position
        self.aim.show(position, self.legal())
        self.board.show(position)
        self.update_frame()

    def put_on(self, look: Look) -> None:
        self.board.wear(look)
        self.update()

    def help_page(self) -> tuple[str, list[str]]:
        key = self.game.tableau.key
        moves = [
            aim(self.game),
            "Click a card, then where it goes; click it again, and it goes where it fits best.",
            "Or drag it.",
            f"Or type piles: 3f plays {key}3 home, 34 onto {key}4, 33 where it fits best.",
            "Or go by arrows and Tab; Enter picks up and puts down, + and - take more or fewer.",
        ]
        if self.game.actions:
            moves.append(f"And d is to {self.game.actions[0]}.")
        return title(self.game), [*moves, *rules_text(self.game).splitlines()[1:]]

    def standing(self) -> list[str]:
        """How things stand on the own board."""
        view = self.view
        if view is None:
            return []
        said = facts(self.game, view.position)
        return [f"{view.home}/{view.goal} home", *([said] if said else [])]

    def cards_of(self, move: str) -> Sequence[str]:
        """The cards that a move takes from its pile, as the player sees them."""
        source, target, count = split(move)
        view = self.view
        known = view is not None and source in self.game.piles
        return view.pile(source)[-count:] if view is not None and known and target else ()

    def position(self) -> Position | None:
        """The board as it lies; None before there is one."""
        view = self.view
        return None if view is None else view.position

    def legal(self) -> tuple[str, ...]:
        """The legal moves in the order in which they were given."""
        view = self.view
        if view is None or not self.seat.is_live:
            return ()
        return view.legal() if view.sent_legal is None else view.sent_legal
