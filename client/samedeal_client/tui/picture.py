"""Cells of text on a rectangle, each with an ink: what is drawn before anything is coloured."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final, NamedTuple

__all__ = ["FELT", "Ink", "Picture"]


class Ink(NamedTuple):
    """What a cell shows, for whoever chooses its colour."""

    kind: str = "felt"
    """felt, label, place (an empty one), back, or a suit: C, D, H, S."""
    state: str = ""
    """covered, lifted, target, movable, cursor, fresh (just moved), or nothing special."""


FELT: Final = Ink()


class Picture:
    """A rectangle of cells; what is put outside of it is left out."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._cells = [[(" ", FELT)] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, ink: Ink) -> None:
        """Writes text, each character of which takes one cell."""
        if not 0 <= y < self.height:
            return
        row = self._cells[y]
        for at, character in enumerate(text, x):
            if 0 <= at < self.width:
                row[at] = (character, ink)

    def row(self, y: int) -> Iterator[tuple[str, Ink]]:
        """Yields a row's runs of one ink."""
        for ink, run in groupby(self._cells[y], key=lambda cell: cell[1]):
            yield "".join(character for character, _ in run), ink

    def text(self) -> str:
        """Returns the characters alone, a line a row."""
        lines = ("".join(character for character, _ in row).rstrip() for row in self._cells)
        return "\n".join(lines)
