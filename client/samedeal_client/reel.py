"""A replay that is stepped through and played: where it stands, and what the next key does to it.

Pure: keys and seconds in, pictures out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

from samedeal_client.retelling import Step
from samedeal_client.stage import boards_lines
from samedeal_client.telling import clock, padded
from samedeal_rules import Game

__all__ = ["Reel"]

_LONGEST_WAIT: Final = 3.0
"""Seconds: a longer pause of the players is cut short."""
_SPEEDS: Final = (0.25, 64.0)
_SAID: Final = 2
"""Lines for what happened, at least."""
_HELP: Final = "left right step  space play  f finish  home end  + - speed  {who}q quit"


class Reel:
    """The steps of a race, one of which is shown."""

    def __init__(
        self, race: str, game: Game, steps: Sequence[Step], *, speed: float, only: int | None = None
    ) -> None:
        """`speed` is how many times faster than the race it plays, `only` the one entrant shown."""
        self._race = race
        self._game = game
        self._steps = steps
        self._at = 0
        self._speed = speed
        self._only = only
        self.is_playing = False

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return self._steps[self._at]

    @property
    def at(self) -> int:
        """The number of the step that is shown, from 0 on."""
        return self._at

    @property
    def total(self) -> int:
        """How many steps there are."""
        return len(self._steps)

    @property
    def pace(self) -> str:
        """`2x`, or that nothing plays."""
        return f"{self._speed:g}x" if self.is_playing else "paused"

    @property
    def only(self) -> int | None:
        """The one entrant that is shown."""
        return self._only

    def jump(self, at: int) -> None:
        """Goes to the step of that number, or as near as there is one."""
        self._pause(min(max(at, 0), self.total - 1))

    def press(self, key: str) -> bool:
        """Does what a key asks for; returns whether to go on."""
        match key:
            case "q" | "Q" | "\x1b":
                return False
            case "right" | "l" | "n" | "j" | "down":
                self._pause(self._next())
            case "left" | "h" | "b" | "k" | "up":
                self._pause(self._before())
            case "home" | "g" | "0":
                self._pause(0)
            case "end" | "G":
                self._pause(len(self._steps) - 1)
            case "f":
                self._pause(self._finish())
            case "space" | "p":
                if self._next() == self._at:
                    self._at = 0
                self.is_playing = not self.is_playing
            case "+" | "=":
                self._speed = min(_SPEEDS[1], self._speed * 2)
            case "-":
                self._speed = max(_SPEEDS[0], self._speed / 2)
            case "a":
                self._only = None
            case digit if digit.isdigit() and int(digit) in self._steps[-1].entrants:
                self._only = int(digit)
            case _:
                pass
        return True

    def wait_s(self) -> float | None:
        """Returns the seconds until the next step is due; None while nothing plays."""
        following = self._next()
        if not self.is_playing or following == self._at:
            self.is_playing = False
            return None
        now, then = self.step.at_ms, self._steps[following].at_ms
        if now is None or then is None:
            return 0.0
        return min(_LONGEST_WAIT, max(0, then - now) / 1000 / self._speed)

    def advance(self) -> None:
        """Goes on to the next step."""
        self._at = self._next()

    def picture(self, *, width: int, height: int, has_blocks: bool, has_colour: bool) -> list[str]:
        """Draws the step for a screen of that size."""
        step = self.step
        when = "before the start" if step.at_ms is None else clock(step.at_ms)
        head = f"[{when}]  {self._race}  {self._game.name}"
        count = f"{self._at + 1}/{self.total}  {self.pace}"
        shown = {
            number: entrant
            for number, entrant in step.entrants.items()
            if self._only in (None, number)
        }
        said = [part for line in step.lines for part in _broken(line, width)][: height // 3]
        boards = boards_lines(
            self._game,
            shown,
            step.boards.get,
            width=width,
            height=height - max(_SAID, len(said)) - 5,
            has_blocks=has_blocks,
            has_colour=has_colour,
        )
        room = height - 2 - len(said) - 3
        who = "" if len(step.entrants) < 2 else "1-9 a who  "
        body = [*boards, *[""] * room][:room]
        return [
            padded(head, width - len(count) - 2) + "  " + count,
            "",
            *body,
            "",
            *said,
            "",
            _HELP.format(who=who)[:width],
        ]

    def _pause(self, at: int) -> None:
        self.is_playing = False
        self._at = at

    def _is_shown(self, at: int) -> bool:
        return self._only is None or self._steps[at].entrant in (None, self._only)

    def _next(self) -> int:
        after = range(self._at + 1, len(self._steps))
        return next((at for at in after if self._is_shown(at)), self._at)

    def _before(self) -> int:
        before = range(self._at - 1, -1, -1)
        return next((at for at in before if self._is_shown(at)), self._at)

    def _finish(self) -> int:
        """The next step with which somebody's race ends; the last step behind the last of them."""
        after = range(self._at + 1, len(self._steps))
        ends = (at for at in after if self._steps[at].is_end and self._is_shown(at))
        return next(ends, len(self._steps) - 1)


def _broken(line: str, width: int) -> list[str]:
    return [line] if len(line) <= width else textwrap.wrap(line, width, subsequent_indent="  ")
