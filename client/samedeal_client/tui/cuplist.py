"""The tournaments there are, and the ways to one of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.widgets import DataTable, Input, Static

from samedeal_client.cli.parts import race_code
from samedeal_client.cups.tables import card_lines
from samedeal_client.errors import ClientError
from samedeal_client.tui.aside import aside
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.frame import Frame
from samedeal_client.tui.lines import clean
from samedeal_client.tui.program import Program
from samedeal_protocol.tournament.views import TournamentCard

__all__ = ["CupListScreen"]

_LOOK_S: Final = 5.0
"""Seconds between two looks at the list."""


class CupListScreen(Frame):
    """Where one finds a tournament."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._cards: tuple[TournamentCard, ...] = ()
        self._drawn: Sequence[str] = ()
        self._is_mine = False
        self._has_over = False
        self._none = Static(id="none", markup=False)
        self._table = DataTable[str](id="cups", cursor_type="row")
        self._code = Input(placeholder="a tournament's code, then Enter", id="code")

    def body(self) -> ComposeResult:
        yield self._none
        yield self._table
        yield self._code

    def on_mount(self) -> None:
        self._table.focus()
        self.set_interval(_LOOK_S, self.look_again)

    def on_screen_resume(self) -> None:
        self.look_again()

    def on_resize(self) -> None:
        self._show(self._cards)

    def link_changed(self) -> None:
        self.look_again()

    # --- the list ------------------------------------------------------------------------------

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
            self._show(await hall.tournaments(mine=self._is_mine, over=self._has_over))
        except ClientError as refusal:
            self.say(f"{refusal}", "warn")

    def _show(self, cards: Sequence[TournamentCard]) -> None:
        """Shows the list; the cursor stays at the tournament where it was."""
        if not self._table.is_mounted:
            return
        chosen, table = self._chosen, self._table
        width = max(20, self.size.width - 4)
        drawn = [clean(line) for line in card_lines(cards, now=_now(), width=width)]
        self._cards = tuple(cards)
        if drawn != self._drawn:
            self._drawn = drawn
            table.clear(columns=True)
            table.add_column(drawn[0])
            for card, line in zip(cards, drawn[1:], strict=True):
                table.add_row(line, key=card.tournament)
            if chosen is not None and chosen.tournament in [each.tournament for each in cards]:
                table.move_cursor(row=table.get_row_index(chosen.tournament))
        self._none.display = not cards
        self._none.update(self._nothing())
        self.update_frame()

    def _nothing(self) -> str:
        if self.program.hall is None:
            return "  No server: it is looked for."
        if self._is_mine:
            return "  You are in no tournament."
        new = "samedeal tournament new --format swiss --game forty-thieves"
        return f"  There is no tournament. Announce one: {new}"

    @property
    def _chosen(self) -> TournamentCard | None:
        at = self._table.cursor_row
        return self._cards[at] if 0 <= at < len(self._cards) else None

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        self._open()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        code = race_code(event.value)
        event.input.value = ""
        self._table.focus()
        if code:
            self.program.visit(code)

    async def on_key(self, event: events.Key) -> None:
        if isinstance(self.focused, Input) and event.key == "escape":
            event.stop()
            self._table.focus()
            return
        await super().on_key(event)

    # --- what can be done ----------------------------------------------------------------------

    def head(self) -> tuple[str, str]:
        title = "your tournaments" if self._is_mine else "tournaments"
        return f"samedeal   {title}", "also those that are over" if self._has_over else ""

    def deeds(self) -> list[Deed]:
        deeds: list[Deed] = []
        if self._chosen is not None:
            deeds.append(Deed(("enter",), "go in", self._open, "go to the chosen tournament"))
        mine = "all" if self._is_mine else "mine"
        over = "not over" if self._has_over else "over, too"
        return [
            *deeds,
            Deed(("c", "f5"), "code", self._focus_code, "go to a tournament by its code"),
            Deed(("m", "f6"), mine, self._turn_mine, "those that you play or help to run"),
            Deed(("v", "f7"), over, self._turn_over, "also those that are over, or not"),
            Deed(("q", "f10", "escape"), "leave", self.leave, "back to the lobby", is_vital=True),
        ]

    def help_page(self) -> tuple[str, list[str]]:
        return "Tournaments", [
            "Go to one to see how it stands, to register, and to be brought into your races.",
            "To announce one: samedeal tournament new, or the browser.",
        ]

    def _open(self) -> None:
        if self._chosen is not None:
            self.program.visit(self._chosen.tournament)

    def _focus_code(self) -> None:
        self._code.focus()

    def _turn_mine(self) -> None:
        self._is_mine = not self._is_mine
        self.look_again()

    def _turn_over(self) -> None:
        self._has_over = not self._has_over
        self.look_again()


def _now() -> int:
    return time.time_ns() // 1_000_000
