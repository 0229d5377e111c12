"""The whole screen of a terminal for a while, and blocks of text set side by side on it.

What stood on the terminal before comes back when the screen is left. Nothing is drawn that has not
changed, and nothing that does not fit.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

from samedeal_client.telling import cells, padded
from samedeal_client.terminal import Terminal

__all__ = ["GAP", "Screen", "columns", "forget_typed", "has_keys", "pressed", "width_of"]

_ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[2J"
_LEAVE: Final = "\x1b[?25h\x1b[?1049l"
_COLOUR: Final = re.compile(r"\x1b\[[0-9]*m")
GAP: Final = 3
"""Columns between two blocks."""
_KEYS: Final = {
    "\x1b[C": "right", "\x1bOC": "right", "\x1b[D": "left", "\x1bOD": "left",
    "\x1b[A": "up", "\x1bOA": "up", "\x1b[B": "down", "\x1bOB": "down",
    "\x1b[H": "home", "\x1bOH": "home", "\x1b[1~": "home",
    "\x1b[F": "end", "\x1bOF": "end", "\x1b[4~": "end",
}  # fmt: skip
_KEY: Final = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?|.", re.DOTALL)


def width_of(line: str) -> int:
    """How many columns a line takes, its colours left out."""
    return cells(_COLOUR.sub("", line))


def _fitted(line: str, width: int) -> str:
    """The line, cut off where the screen ends."""
    if width_of(line) <= width:
        return line
    kept, room = "", width
    for part in re.split(r"(\x1b\[[0-9]*m)", line):
        if _COLOUR.fullmatch(part):
            kept += part
        else:
            kept += padded(part, min(room, cells(part)))
            room -= min(room, cells(part))
    return kept


def columns(blocks: Sequence[Sequence[str]], *, width: int) -> list[str]:
    """Sets blocks of lines side by side, in as many rows as they need at that width."""
    lines: list[str] = []
    rest = list(blocks)
    while rest:
        row = [rest.pop(0)]
        room = width - max(map(width_of, row[0]))
        while rest and (needs := max(map(width_of, rest[0])) + GAP) <= room:
            room -= needs
            row.append(rest.pop(0))
        lines += ["", *_side_by_side(row)] if lines else _side_by_side(row)
    return lines


def _side_by_side(row: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(width_of, block)) for block in row]
    lines = []
    for at in range(max(map(len, row))):
        parts = [block[at] if at < len(block) else "" for block in row]
        lines.append(
            (" " * GAP)
            .join(
                part + " " * (width - width_of(part))
                for part, width in zip(parts, widths, strict=True)
            )
            .rstrip()
        )
    return lines


class Screen:
    """A terminal that is redrawn as a whole."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._shown: tuple[tuple[int, int], list[str]] | None = None

    def __enter__(self) -> Screen:
        self._terminal.write(_ENTER)
        return self

    def __exit__(self, *exc: object) -> None:
        self._terminal.write(_LEAVE)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        size = shutil.get_terminal_size()
        return size.columns, size.lines

    def draw(self, lines: Sequence[str]) -> None:
        """Shows these lines and nothing else."""
        width, height = self.size
        wanted = [_fitted(self._terminal.visible(line), width) for line in lines[:height]]
        if self._shown == ((width, height), wanted):
            return
        self._shown = ((width, height), wanted)
        body = "\r\n".join(f"{line}\x1b[K" for line in wanted)
        self._terminal.write(f"\x1b[H{body}\x1b[J")


def forget_typed() -> None:
    """Throws away what was typed at a terminal and has not been read."""
    if has_keys() and sys.stdin.isatty():
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def has_keys() -> bool:
    """Returns whether single keys can be read here: they cannot without termios."""
    return find_spec("termios") is not None


@contextmanager
def pressed() -> Iterator[asyncio.Queue[str]]:
    """Yields the keys that are pressed, while they are not echoed: `right`, `end`, `space`, `q`.

    Standard input must be a terminal, and `has_keys` true.
    """
    import termios
    import tty

    keys: asyncio.Queue[str] = asyncio.Queue()
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    loop = asyncio.get_running_loop()

    def read() -> None:
        typed = os.read(descriptor, 1024).decode("utf-8", "replace")
        for key in map(str, _KEY.findall(typed)):
            keys.put_nowait("space" if key == " " else _KEYS.get(key, key))
        if not typed:
            loop.remove_reader(descriptor)
            keys.put_nowait("q")

    tty.setcbreak(descriptor)
    loop.add_reader(descriptor, read)
    try:
        yield keys
    finally:
        loop.remove_reader(descriptor)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
