"""What stands in the place of a board: the lobby, the countdown, the result."""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.widgets import Digits, Static

from samedeal_client.sight import Sight
from samedeal_client.tui.coloured import coloured
from samedeal_client.tui.lines import Line, clean, result_lines
from samedeal_client.tui.waiting import lobby_lines

__all__ = ["Before", "before_lines"]


def before_lines(sight: Sight, goal: int, *, link: str) -> list[Line]:
    """What is to be seen of a race whose board is not shown. Pure."""
    if sight.phase == "cancelled":
        return [Line(f"The race was called off: {clean(sight.reason)}", "warn")]
    if not sight.is_over:
        return list(lobby_lines(sight, code=sight.race, link=link))
    seed = [] if sight.seed is None else [Line(""), Line(f"seed {sight.seed}", "dim")]
    again = [Line(""), Line("There is a rematch: N enters it.", "own")]
    return [
        *result_lines(sight.standings, goal, you=sight.you_are),
        *seed,
        *(again if sight.rematch_race else []),
    ]


class Before(VerticalScroll):
    """The lines, and above them the last seconds before the start, large."""

    def __init__(self, goal: int, *, link: str) -> None:
        self._count = Digits(id="count")
        self._lines = Static(markup=False)
        super().__init__(self._count, self._lines, id="before")
        self._goal = goal
        self._link = link

    def show(self, sight: Sight) -> None:
        """Shows the race as it is now."""
        starts = sight.starts_in_ms
        counts = starts is not None and sight.phase == "countdown"
        self._count.display = counts
        if counts and starts is not None:
            self._count.update(str(-(-starts // 1000)))
        self._lines.update(coloured(before_lines(sight, self._goal, link=self._link)))
