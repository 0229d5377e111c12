"""A tournament as a watcher's screen shows it: how it stands, a picture, lanes, what was told last.

Pure: what is known goes in, lines come out. The picture is as long as it likes; the part of it that
there is room for can be moved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from samedeal_client.lanes import Lane, lane_lines
from samedeal_client.telling import padded
from samedeal_protocol.tournament.views import TournamentSheet

__all__ = ["HELP", "Window", "lanes_below", "screen_lines", "watched_races"]

HELP: Final = "b bracket  m matches  s standings  p players  arrows scroll  q leave"
_LATEST: Final = 3
_PICTURE: Final = 3
"""Lines that the picture has at least."""


def watched_races(sheet: TournamentSheet, *, most: int) -> list[tuple[str, str]]:
    """Returns codes and titles of the races that run, at most so many, the latest rounds first."""
    running = [
        (race.race, f"{match.match} {match.label}, {race.game}")
        for match in sorted(sheet.matches, key=lambda each: -each.round)
        for race in match.races
        if race.state == "running"
    ]
    return running[:most]


def lanes_below(
    races: Sequence[tuple[str, str]],
    lanes: Mapping[str, Sequence[Lane]],
    *,
    width: int,
    room: int,
    has_blocks: bool,
) -> list[str]:
    """Draws the lanes of as many races as there is room for, each below its title."""
    lines: list[str] = []
    for race, title in races:
        drawn = lane_lines(lanes[race], width=width, has_blocks=has_blocks) if race in lanes else []
        if not drawn or len(lines) + len(drawn) + 1 > room:
            continue
        lines += [title, *drawn]
    return lines


class Window:
    """Which part of a long picture is seen: where something happens, until it is moved."""

    def __init__(self) -> None:
        self._is_moved = False
        self._first = 0
        self._height = 1
        self._most = 0

    def move(self, key: str) -> None:
        """Moves it by a key: up, down, space, home, end."""
        steps = {
            "up": -1,
            "down": 1,
            "space": self._height,
            "home": -self._first,
            "end": self._most,
        }
        if key in steps:
            self._is_moved = True
            self._first = max(0, min(self._first + steps[key], self._most))

    def of(self, picture: Sequence[str], height: int) -> list[str]:
        """Returns the lines that are seen, and says how many are not."""
        if len(picture) <= height:
            return [*picture, *[""] * (height - len(picture))]
        room = self._height = height - 1
        self._most = len(picture) - room
        if not self._is_moved:
            alive = (at for at, line in enumerate(picture) if "•" in line or "*" in line)
            self._first = next(alive, 0) - height // 3
        self._first = max(0, min(self._first, self._most))
        hidden = f"... {self._first} lines above, {self._most - self._first} below"
        return [*picture[self._first : self._first + room], hidden]


def screen_lines(
    head: Sequence[str],
    picture: Sequence[str],
    lanes: Sequence[str],
    latest: Sequence[str],
    window: Window,
    *,
    width: int,
    height: int,
) -> list[str]:
    """Puts it together for a screen of that size; lanes are left out where it is too low."""
    latest = list(latest)[-_LATEST:]
    foot = ["", *latest, *[""] * (_LATEST - len(latest)), HELP]
    room = height - len(head) - 1 - len(foot)
    beside = ["", *lanes] if lanes and room - len(lanes) - 1 >= _PICTURE else []
    seen = window.of(picture, max(_PICTURE, room - len(beside)))
    return [padded(line, width).rstrip() for line in [*head, "", *seen, *beside, *foot]]
