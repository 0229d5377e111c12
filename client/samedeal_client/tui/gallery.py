"""Boards side by side, each below the name of who plays at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from samedeal_client.lanes import gaps_of, lanes_of
from samedeal_client.telling import clock, state_text
from samedeal_client.tui.boardview import BoardView
from samedeal_client.tui.layout import least_size
from samedeal_client.tui.lines import clean, spread
from samedeal_client.tui.look import Look
from samedeal_protocol.messages import EntrantView
from samedeal_rules import Game, Position

__all__ = ["Gallery", "arranged"]

_MOST: Final = 9


def arranged(game: Game, count: int, width: int, height: int) -> tuple[int, int]:
    """How many columns and rows of boards there are to be: as many boards as there are, or as
    there is room for, and these as large as can be."""
    least_width, least_height = least_size(game)
    columns = max(1, (width + 1) // (least_width + 1))
    rows = max(1, height // (least_height + 1))
    shown = max(1, min(count, _MOST, columns * rows))
    fitting = [
        (c, -(-shown // c)) for c in range(1, min(columns, shown) + 1) if -(-shown // c) <= rows
    ]
    # A board is best about twice as wide as it is high in cells.
    return min(fitting, key=lambda each: abs(width / each[0] / 2.4 - height / each[1]))


class _Seen(Vertical):
    """One board and its caption."""

    def __init__(self, game: Game, look: Look) -> None:
        super().__init__(classes="seen")
        self.board = BoardView(game, look)
        self.board.can_focus = False
        self.caption = Static(classes="caption", markup=False)

    def compose(self) -> ComposeResult:
        yield self.caption
        yield self.board


class Gallery(Widget):
    """The boards of a race, those that are furthest where there is no room for all."""

    def __init__(self, game: Game, look: Look) -> None:
        super().__init__()
        self._game = game
        self._look = look
        self._seen: list[_Seen] = []

    async def show(
        self,
        entrants: Mapping[int, EntrantView],
        board_of: Callable[[int], Position | None],
        *,
        only: int | None = None,
    ) -> None:
        """Shows the boards that are seen, or the one that is asked for."""
        numbers = [n for n, entrant in sorted(entrants.items()) if entrant.state != "withdrawn"]
        lanes = dict(zip(numbers, lanes_of(entrants, self._game.goal), strict=True))
        gaps = dict(zip(numbers, gaps_of(list(lanes.values())), strict=True))
        boards = {n: seen for n in numbers if (seen := board_of(n)) is not None}
        wanted = [n for n in boards if only in (None, n)]
        size = self.size
        columns, rows = arranged(self._game, len(wanted), size.width or 80, size.height or 20)
        best = sorted(wanted, key=lambda n: -(lanes[n].home or 0))[: columns * rows]
        shown = sorted(best)
        await self._hang(len(shown), columns)
        for number, hung in zip(shown, self._seen, strict=True):
            lane = lanes[number]
            end = state_text(lane.state) if lane.elapsed_ms is None else clock(lane.elapsed_ms)
            home = f"{lane.home}/{lane.goal} {gaps[number]}".rstrip()
            right = f"{home}  {'away' if lane.is_away else end}"
            width = max(20, size.width // columns - 2)
            caption = spread(f"{number} {clean(lane.name)}", right, width)
            hung.caption.update(Text(caption, "bold"))
            hung.board.show(boards[number])

    def wear(self, look: Look) -> None:
        """Takes on another look."""
        self._look = look
        for seen in self._seen:
            seen.board.wear(look)

    async def _hang(self, count: int, columns: int) -> None:
        self.styles.grid_size_columns = columns
        while len(self._seen) > count:
            await self._seen.pop().remove()
        while len(self._seen) < count:
            seen = _Seen(self._game, self._look)
            self._seen.append(seen)
            await self.mount(seen)
