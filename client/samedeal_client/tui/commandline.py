"""A line to type in, which comes when it is asked for and goes when it has been typed."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

__all__ = ["CommandLine"]


class CommandLine(Input):
    """The line. What had the keys before gets them back."""

    @dataclass
    class Typed(Message):
        """A line was typed, or nothing."""

        line: str

    def __init__(self) -> None:
        super().__init__(id="line")
        self.display = False
        self._prefix = ""
        self._before: Widget | None = None

    def ask(self, hint: str, *, prefix: str = "") -> None:
        """Comes for one line, which will begin with the prefix."""
        self._prefix = prefix
        self._before = self.screen.focused
        self.placeholder = hint
        self.display = True
        self.focus()

    def close(self) -> None:
        """Goes, with whatever was typed."""
        self.value = ""
        self.display = False
        if self._before is not None:
            self._before.focus()

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            self.close()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        line = self._prefix + event.value if event.value.strip() else ""
        self.close()
        self.post_message(self.Typed(line))
