"""What stands beside a board where there is room: how far everybody is, and what was said."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

from samedeal_client.sight import Sight
from samedeal_client.tui.layout import has_room_beside
from samedeal_client.tui.lines import Line, rail, wrapped
from samedeal_rules import Game

__all__ = ["Beside"]

_WIDTH: Final = 34
"""Columns, as the style sheet has them."""
_TEXT: Final = _WIDTH - 3
"""Columns without the border and the margins."""
_LEAST: Final = 100
"""Columns of a screen from which on there may be room."""
_AROUND: Final = 3
"""Lines above and below the board: the head, what is said, the keys."""
_SAID: Final = 200
"""How many of the last sentences are kept."""


class Beside:
    """The lines. Pure but for what it was told."""

    def __init__(self, game: Game, said: Iterable[Line]) -> None:
        self._game = game
        self._told: deque[Line] = deque(said, maxlen=_SAID)

    def tell(self, line: Line) -> None:
        """Takes in a sentence."""
        self._told.append(line)

    def fits(self, width: int, height: int, *, large: bool) -> bool:
        """Whether there is room on a screen, and cards need not be small for it."""
        if width < _LEAST:
            return False
        return has_room_beside(self._game, width, height - _AROUND, _WIDTH, large=large)

    def lines(self, sight: Sight, height: int, *, has_blocks: bool) -> list[Line]:
        """Everybody's lane once the race is on, and as much of the last sentences as fits."""
        lanes = []
        if sight.phase not in ("open", "countdown"):
            lanes = rail(
                sight.entrants,
                self._game.goal,
                you=sight.you_are,
                width=_TEXT,
                has_blocks=has_blocks,
            )
        room = max(0, height - _AROUND - 1 - len(lanes) - 1)
        told = [
            Line(part, line.kind) for line in self._told for part in wrapped([line.text], _TEXT)
        ]
        return [*lanes, Line(""), *told[len(told) - min(room, len(told)) :]]
