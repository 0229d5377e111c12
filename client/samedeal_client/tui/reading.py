"""A screen with lines to read that scroll, and that a server is asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from samedeal_client.client import Hall
from samedeal_client.tui.aside import aside
from samedeal_client.tui.frame import Frame
from samedeal_client.tui.lines import clean, fitted
from samedeal_client.tui.program import Program

__all__ = ["Reading"]


class Reading(Frame):
    """Whoever inherits says by `read` what is to be read."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._text = Static(markup=False)
        self._pane = VerticalScroll(self._text, id="reading")
        self._lines: Sequence[str] = ()

    def body(self) -> ComposeResult:
        yield self._pane

    def on_mount(self) -> None:
        self._pane.focus()

    def read(self, told: Callable[[Hall], Awaitable[Sequence[str]]]) -> None:
        """Asks the server for lines, and shows them; a refusal is said and changes nothing."""

        async def ask() -> None:
            hall = self.program.hall
            if hall is None:
                self.say("There is no connection to a server.", "warn")
            else:
                self.show_lines(await told(hall))

        async def asked() -> None:
            await self.refusable(ask)
            self.update_frame()

        aside(self, asked, "read", alone=True)

    def show_lines(self, lines: Sequence[str]) -> None:
        """Shows lines from their beginning."""
        self._lines = [clean(line) for line in lines]
        self.say("")
        self._fit()
        self._pane.scroll_home(animate=False)

    def _fit(self) -> None:
        self._text.update(Text("\n".join(fitted(self._lines, max(20, self.size.width - 4)))))

    def on_resize(self) -> None:
        self._fit()
        self.update_frame()
