"""The last lines of a screen: what can be done, by which key. They can be clicked at as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from samedeal_client.telling import cells
from samedeal_client.tui.deeds import Deed, Entry, bars

__all__ = ["KeyBar"]


class KeyBar(Widget):
    """Keys and what they do, as many as there is room for."""

    DEFAULT_CSS = "KeyBar { dock: bottom; }"

    @dataclass
    class Chosen(Message):
        """Something was clicked at."""

        deed: Deed

    def __init__(self, lines: int = 1) -> None:
        super().__init__()
        self._lines = lines
        self.styles.height = lines
        self._deeds: Sequence[Deed] = ()
        self._shortcuts = True
        self._is_mono = False

    def show(self, deeds: Sequence[Deed], *, shortcuts: bool, is_mono: bool) -> None:
        """Shows what can be done now."""
        before = self._seen()
        self._deeds, self._shortcuts, self._is_mono = deeds, shortcuts, is_mono
        if self._seen() != before:
            self.refresh()

    def _seen(self) -> object:
        return self._is_mono, [[(key, label) for key, label, _ in line] for line in self._shown()]

    def _shown(self) -> list[list[Entry]]:
        return bars(self._deeds, self.size.width, self._lines, shortcuts=self._shortcuts)

    def render_line(self, y: int) -> Strip:
        key_style = Style(bold=True) if self._is_mono else Style(bold=True, color="#ffd54a")
        style = self.rich_style
        segments = []
        for key, label, _ in self._shown()[y]:
            segments.append(Segment(key, style + key_style))
            segments.append(Segment(f" {label}  ", style))
        return Strip(segments).adjust_cell_length(self.size.width, style)

    def on_click(self, event: events.Click) -> None:
        at = 0
        for key, label, deed in self._shown()[event.y]:
            at += cells(key) + 1 + cells(label)
            if event.x < at:
                self.post_message(self.Chosen(deed))
                return
            at += 2
