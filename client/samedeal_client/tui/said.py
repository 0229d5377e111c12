"""What a console says, gathered for a page."""

from __future__ import annotations

from collections.abc import Iterable

from samedeal_client.tui.lines import clean

__all__ = ["Said"]


class Said:
    """A `cups.console.Sayer` whose lines are kept."""

    def __init__(self, width: int, *, has_blocks: bool) -> None:
        self.width = width
        self.has_blocks = has_blocks
        self.lines: list[str] = []

    def say(self, line: str = "") -> None:
        self.lines.append(clean(line))

    def say_all(self, lines: Iterable[str]) -> None:
        self.lines += map(clean, lines)
