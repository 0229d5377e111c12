"""Where each pile and card of a game lies on a screen of some size.

Pure. The game's own drawn table says which pile lies beside and below which. A fanned pile shows
every card that its player may see: one card a line, its top card last and whole. What is too long
lies several cards a line, and at worst only its top cards are drawn and the others counted.

Rows stay where they are while piles shrink below what they were dealt, so that nothing jumps under
the pointer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from samedeal_client.tui.spots import Face, Layout, Place, Spot
from samedeal_rules import Game, Position

__all__ = ["FACES", "arrange", "has_room_beside", "is_fanned", "least_size"]


FACES: Final = (
    *(Face(7, 5, edge=2), Face(6, 4, edge=2)),
    *(Face(7, 5), Face(6, 4), Face(5, 3), Face(4, 1), Face(3, 1)),
)
"""From the largest; the last two are for screens on which nothing else fits."""
_MARGIN: Final = 2
"""Cells beside a card, for the marks."""
_GROWTH: Final = 4
"""Lines that a large face must leave free where piles grow."""
_FLOWED: Final = 4
"""The width of a card where several lie on a line, which reads like one."""
_WIDEST_GAP: Final = 4


def is_fanned(game: Game, pile: str) -> bool:
    """Whether more than the top card of such a pile is seen."""
    return pile[0] in "TR" and not game.tableau.hidden


class _Fan(NamedTuple):
    """How a pile's covered cards are drawn above its top card."""

    per_line: int
    drawn: int
    edge: int = 1

    def lines(self) -> int:
        return -(-self.drawn // self.per_line) * self.edge


def arrange(
    game: Game,
    position: Position,
    width: int,
    height: int,
    *,
    large: bool = True,
    mirror: bool = False,
) -> Layout:
    """Lays a board out for a rectangle of that size."""
    largest = _face(game, width, height, large=large)
    for face in FACES[FACES.index(largest) : -1]:
        layout = _arranged(game, position, width, height, face, mirror=mirror)
        if not any(spot.is_cut for spot in layout.spots.values()):
            return layout
    return _arranged(game, position, width, height, FACES[-1], mirror=mirror)


def _arranged(
    game: Game, position: Position, width: int, height: int, face: Face, *, mirror: bool
) -> Layout:
    """Lays a board out with cards of that size, so many of a pile on a line that all fits."""
    grid = _mirrored(game) if mirror else game.grid
    cards = {name: len(pile) for name, pile in zip(game.piles, position.piles, strict=True)}
    slot = _slot(max(map(len, grid)), width, face)
    most = max(1, (slot - 1) // _FLOWED)
    lengths = [count for name, count in cards.items() if is_fanned(game, name)]

    def fitted(cap: int) -> tuple[dict[str, _Fan], list[int]]:
        fans = {
            name: _fan(count, face, cap=cap, most=most) if is_fanned(game, name) else _Fan(1, 0)
            for name, count in cards.items()
        }
        return fans, _rows(game, grid, fans, face, cap=cap)

    caps = range(face.edge * max([1, *lengths, *_dealt(game).values()]))
    # How high a board is grows with the cap: the largest that fits is found by halving.
    cap = bisect_right(caps, height, key=lambda cap: fitted(cap)[1][-1]) - 1
    fans, rows = fitted(max(0, cap))
    return _laid(game, grid, fans, rows, cards, face, slot, width=width, height=height)


def _mirrored(game: Game) -> tuple[tuple[str | None, ...], ...]:
    """The table's rows from right to left; piles of one kind still count from left to right."""
    columns = max(map(len, game.grid))
    rows = []
    for row in game.grid:
        turned = [*[None] * (columns - len(row)), *reversed(row)]
        kinds = {name[0] for name in row if name is not None}
        left = {kind: [name for name in row if name and name[0] == kind] for kind in kinds}
        rows.append(tuple(None if name is None else left[name[0]].pop(0) for name in turned))
    return tuple(rows)


@lru_cache(64)
def _face(game: Game, width: int, height: int, *, large: bool) -> Face:
    """The largest card with which the deal fits, and a little more; one for the whole game."""
    columns = max(map(len, game.grid))
    dealt = _dealt(game)
    for face in FACES:
        if face.height > 1 and not large:
            continue
        margin = _MARGIN if face.height > 1 else 1
        if columns * (face.width + margin) > width:
            continue
        fans = {name: _Fan(1, max(0, dealt.get(name, 0) - 1), face.edge) for name in game.piles}
        is_small = face.height == 1
        if (
            is_small
            or _rows(game, game.grid, fans, face, cap=99)[-1] + _growth(game) * face.edge <= height
        ):
            return face
    return FACES[-1]


def has_room_beside(game: Game, width: int, height: int, beside: int, *, large: bool) -> bool:
    """Whether so many columns beside a board do not make small cards of whole ones."""
    is_whole = _face(game, width - beside, height, large=large).height > 1
    return is_whole or _face(game, width, height, large=large).height == 1


def _growth(game: Game) -> int:
    grows = game.tableau.build is not None or "deal" in game.actions
    return _GROWTH if grows and not game.tableau.hidden else 0


@lru_cache(64)
def _dealt(game: Game) -> dict[str, int]:
    """How many cards each fanned pile was dealt."""
    names = [name for name in game.piles if name[0] == game.tableau.key]
    counts = dict(zip(names, game.dealt, strict=True))
    return {name: count for name, count in counts.items() if is_fanned(game, name)}


def _slot(columns: int, width: int, face: Face) -> int:
    """How many cells a column of the table takes."""
    return max(face.width + 1, min(width // columns, face.width + _MARGIN + _WIDEST_GAP))


def _fan(count: int, face: Face, *, cap: int, most: int) -> _Fan:
    """The fan of a pile whose covered cards may take `cap` lines."""
    covered = max(0, count - 1)
    for per_line, edge in ((1, face.edge), *((each, 1) for each in range(1, most + 1))):
        fan = _Fan(per_line, covered, edge)
        if fan.lines() <= cap:
            return fan
    return _Fan(most, cap * most)


def _rows(
    game: Game,
    grid: Sequence[Sequence[str | None]],
    fans: Mapping[str, _Fan],
    face: Face,
    *,
    cap: int,
) -> list[int]:
    """On which line each row of the table begins, and at last how many lines there are.

    A pile reaches down past the free places below it.
    """
    dealt = _dealt(game)
    tops: list[int] = []
    bottoms: dict[int, int] = {}
    lowest = 0
    for row in grid:
        above = [bottoms.get(column, 0) for column, name in enumerate(row) if name is not None]
        free = tops[-1] + 1 + face.height if tops else 0
        top = max(free, *above) if above else free
        tops.append(top)
        for column, name in enumerate(row):
            if name is None:
                continue
            reserved = max(0, dealt.get(name, 0) - 1) * face.edge
            usual = min(cap, reserved) if fans[name].edge == face.edge else 0
            lines = max(fans[name].lines(), usual)
            bottoms[column] = top + 1 + lines + face.height
            lowest = max(lowest, bottoms[column])
    return [*tops, lowest]


def _laid(
    game: Game,
    grid: Sequence[Sequence[str | None]],
    fans: Mapping[str, _Fan],
    rows: Sequence[int],
    cards: Mapping[str, int],
    face: Face,
    slot: int,
    *,
    width: int,
    height: int,
) -> Layout:
    columns = max(map(len, grid))
    first = max(0, (width - slot * columns) // 2)
    indent = min(_MARGIN, (slot - face.width) // 2)
    spots = {}
    for at, row in enumerate(grid):
        for column, name in enumerate(row):
            if name is None:
                continue
            left, y = first + column * slot, rows[at]
            right = left + slot
            x = left + indent
            below = [r for r in range(at + 1, len(grid)) if _has(grid, r, column)]
            spots[name] = Spot(
                pile=name,
                x=x,
                y=y,
                places=_places(cards[name], fans[name], face, x, y + 1, right=right),
                is_cut=is_fanned(game, name) and fans[name].drawn < cards[name] - 1,
                left=left,
                right=right,
                bottom=rows[below[0]] if below else height,
            )
    return Layout(face, {name: spots[name] for name in game.piles}, width, rows[-1])


def _has(grid: Sequence[Sequence[str | None]], row: int, column: int) -> bool:
    return column < len(grid[row]) and grid[row][column] is not None


def _places(count: int, fan: _Fan, face: Face, x: int, y: int, *, right: int) -> tuple[Place, ...]:
    """Where the cards of a pile lie that are drawn, bottom first; none beyond `right`."""
    places = []
    flowed_x = min(x, right - fan.per_line * _FLOWED)
    for nth in range(fan.drawn):
        line, beside = divmod(nth, fan.per_line)
        is_alone = fan.per_line == 1
        places.append(
            Place(
                at=count - 1 - fan.drawn + nth,
                x=x if is_alone else flowed_x + beside * _FLOWED,
                y=y + line * fan.edge,
                is_whole=False,
                width=face.width if is_alone else _FLOWED,
                height=fan.edge,
            )
        )
    top_y = y + fan.lines()
    top = Place(count - 1, x, top_y, is_whole=True, width=face.width, height=face.height)
    return (*places, top)


@lru_cache(64)
def least_size(game: Game) -> tuple[int, int]:
    """The columns and lines with which a board can still be read."""
    columns = max(map(len, game.grid))
    fans = {name: _Fan(1, 2 if is_fanned(game, name) else 0) for name in game.piles}
    return columns * (FACES[-1].width + 1), _rows(game, game.grid, fans, FACES[-1], cap=2)[-1]
