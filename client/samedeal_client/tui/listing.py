"""A screen with a list that is asked for anew, and a field for the code of what is not in it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.widgets import DataTable, Input, Static

from samedeal_client.cli.parts import race_code
from samedeal_client.client import Hall
from samedeal_client.errors import ClientError
from samedeal_client.tui.aside import aside
from samedeal_client.tui.frame import Frame
from samedeal_client.tui.program import Program

__all__ = ["Listing"]

_C = TypeVar("_C")


class Listing(Frame, Generic[_C]):
    """Whoever inherits says what is listed, and how to go to it."""

    kind: ClassVar[str]
    """What is listed, as one would say "a race's code"."""
    look_s: ClassVar[float]
    """Seconds between two looks at the list."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._cards: tuple[_C, ...] = ()
        self._drawn: tuple[Sequence[str], Sequence[Sequence[str]]] = ((), ())
        self.is_mine = False
        """Only the player's own are listed."""
        self._fault = ""
        """Why there was no list when it was last asked for."""
        self._none = Static(id="none", markup=False)
        self._table = DataTable[str](id=f"{self.kind}s", cursor_type="row")
        self._code = Input(placeholder=f"a {self.kind}'s code, then Enter", id="code")

    def body(self) -> ComposeResult:
        yield self._none
        yield self._table
        yield self._code

    # --- for those that inherit ----------------------------------------------------------------

    @abstractmethod
    async def listed(self, hall: Hall) -> Sequence[_C]:
        """Asks the server for the list, and puts it in its order. Raises `ClientError`."""

    @abstractmethod
    def drawn(self, cards: Sequence[_C]) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """The headings of the columns, and a row for each card."""

    @abstractmethod
    def code_of(self, card: _C) -> str:
        """What tells a card from all others."""

    @abstractmethod
    def nothing(self) -> str:
        """What is said where the list is empty."""

    @abstractmethod
    def go_in(self) -> None:
        """Goes to the chosen one."""

    @abstractmethod
    def go_to(self, code: str) -> None:
        """Goes to the one that has this code."""

    # --- the list ------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._table.focus()
        self.set_interval(self.look_s, self.look_again)

    def on_screen_suspend(self) -> None:
        self.unsay()

    def on_screen_resume(self) -> None:
        self.look_again()

    def on_resize(self) -> None:
        self._show(self._cards)

    def link_changed(self) -> None:
        # Only asks: to connect as soon as there is no connection would be without any pause.
        aside(self, self._list, "list", alone=True)

    def look_again(self) -> None:
        """Asks for the list anew."""
        if self.is_current:
            self.program.connect()
            aside(self, self._list, "list", alone=True)

    async def _list(self) -> None:
        hall = self.program.hall
        if hall is None or not hall.is_up:
            self._show(())
            return
        try:
            cards = await self.listed(hall)
        except ClientError as refusal:
            self._fault = f"{refusal}"
            self.say(self._fault, "warn")
            return
        self.unsay(self._fault)
        self._show(cards)

    def _show(self, cards: Sequence[_C]) -> None:
        """Shows the list; the cursor stays at what it was at."""
        if not self._table.is_mounted:
            return
        chosen, table = self.chosen, self._table
        self._cards = tuple(cards)
        drawn = self.drawn(cards)
        if drawn != self._drawn:
            self._drawn = drawn
            headings, rows = drawn
            table.clear(columns=True)
            table.add_columns(*headings)
            codes = [self.code_of(card) for card in cards]
            for code, row in zip(codes, rows, strict=True):
                table.add_row(*row, key=code)
            if chosen is not None and self.code_of(chosen) in codes:
                table.move_cursor(row=table.get_row_index(self.code_of(chosen)))
        self._none.display = not cards
        self._none.update(self.nothing())
        self.update_frame()

    @property
    def chosen(self) -> _C | None:
        """Where the cursor is."""
        at = self._table.cursor_row
        return self._cards[at] if 0 <= at < len(self._cards) else None

    def turn_mine(self) -> None:
        """Lists the player's own, or all again."""
        self.is_mine = not self.is_mine
        self.unsay()
        self.look_again()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        self.go_in()

    # --- the code ------------------------------------------------------------------------------

    def ask_code(self) -> None:
        """Goes to the field for a code."""
        self.unsay()
        self._code.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        code = race_code(event.value)
        event.input.value = ""
        self._table.focus()
        if code:
            self.go_to(code)

    async def on_key(self, event: events.Key) -> None:
        if isinstance(self.focused, Input) and event.key == "escape":
            event.stop()
            event.prevent_default()  # or every class that this one is would look at the key, too
            self._table.focus()
            return
        await super().on_key(event)
