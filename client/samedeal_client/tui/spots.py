"""A board laid out: where its piles and cards lie, which of them a cell means, and what is beside.

Pure. `layout` lays boards out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Face", "Layout", "Place", "Spot"]


class Face(NamedTuple):
    """The size of a whole card, in cells, and how much of a covered one is seen."""

    width: int
    height: int
    edge: int = 1


class Place(NamedTuple):
    """Where one card lies."""

    at: int
    """Its place in the pile from the bottom; -1 where a pile could lie and none does."""
    x: int
    y: int
    is_whole: bool
    """It is drawn at its full size, and not only its edge."""
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one pile lies. `x` and `y` are the place of its name, above its cards."""

    pile: str
    x: int
    y: int
    places: tuple[Place, ...]
    is_cut: bool
    """Some of its cards are not drawn."""
    left: int
    right: int
    bottom: int
    """Up to where, exclusively, the pointer means this pile."""

    @property
    def top(self) -> Place:
        """Where the top card lies, or would."""
        return self.places[-1]


@dataclass(frozen=True, slots=True)
class Layout:
    """A board laid out."""

    face: Face
    spots: Mapping[str, Spot]
    width: int
    height: int

    def hit(self, x: int, y: int) -> tuple[str, int] | None:
        """Returns the pile at a cell and how many of its cards lie from there to the top one.

        Generous: all that is nearer to this pile than to any other in its column counts.
        """
        for spot in self.spots.values():
            if spot.left <= x < spot.right and spot.y <= y < spot.bottom:
                return spot.pile, _lifted(spot, x, y)
        return None

    def beside(self, pile: str, dx: int, dy: int) -> str:
        """Returns the pile that lies nearest in a direction, or the same if there is none."""
        here = self.spots[pile]
        near: list[tuple[int, str]] = []
        for name, spot in self.spots.items():
            ahead, aside = spot.x - here.x, spot.y - here.y
            if dy:
                ahead, aside = aside, ahead
            ahead *= dx or dy
            if ahead > 0 and (dy or abs(aside) <= self.face.height):
                near.append((ahead * (3 if dy else 1) + abs(aside) * (1 if dy else 9), name))
        return min(near)[1] if near else pile


def _lifted(spot: Spot, x: int, y: int) -> int:
    top = spot.top
    row = [each for each in spot.places if each.y <= y < each.y + each.height]
    row = row or ([top] if y > top.y else [])
    if not row:
        return 1
    place = next((each for each in row if x < each.x + each.width), row[-1])
    return max(1, spot.top.at - place.at + 1)
