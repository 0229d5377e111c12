"""A race as lanes: one line an entrant, its bar as long as its cards home.

`lanes_of` and `lane_lines` are pure. `LaneScreen` redraws in place on a terminal; through a pipe it
says one line for every change instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from samedeal_client.telling import cells, clock, padded, state_text
from samedeal_client.terminal import Terminal
from samedeal_protocol.messages import EntrantView
from samedeal_protocol.requests import NAME_CHARACTERS

__all__ = ["Lane", "LaneScreen", "gaps_of", "lane_lines", "lanes_of"]

_LOBBY = ("entered", "ready")
_UP = "\x1b[{lines}A"
_CLEAR_LINE = "\x1b[2K"


@dataclass(frozen=True, slots=True)
class Lane:
    """How one entrant is doing. None where the viewer may not know."""

    name: str
    home: int | None
    goal: int
    moves: int | None
    state: str
    elapsed_ms: int | None = None
    """Of a finisher: the time that counts."""
    is_away: bool = False


def lanes_of(entrants: Mapping[int, EntrantView], goal: int) -> list[Lane]:
    """The lanes of a race, by entrant number; who withdrew has none."""
    return [
        Lane(
            name=f"{entrant.name} (bot)" if entrant.bot else entrant.name,
            home=0 if entrant.state in _LOBBY else entrant.home,
            goal=goal,
            moves=entrant.moves,
            state=entrant.state,
            is_away=entrant.away,
            elapsed_ms=entrant.elapsed_ms if entrant.state == "finished" else None,
        )
        for _, entrant in sorted(entrants.items())
        if entrant.state != "withdrawn"
    ]


def lane_lines(
    lanes: Sequence[Lane], *, width: int = 80, has_blocks: bool = True, has_gaps: bool = False
) -> list[str]:
    """Draws the lanes, aligned, none wider than `width`; with how far each is behind the leader."""
    if not lanes:
        return ["nobody has entered yet"]
    name_width = min(max(cells(lane.name) for lane in lanes), NAME_CHARACTERS)
    gaps = gaps_of(lanes) if has_gaps else [""] * len(lanes)
    gap_width = max(map(len, gaps))
    tails = [
        _tail(lane, f"{gap:>{gap_width}} " if gap_width else "")
        for lane, gap in zip(lanes, gaps, strict=True)
    ]
    tail_width = max(len(tail) for tail in tails)
    bar = max(10, width - name_width - tail_width - 5)
    full, free = ("█", "░") if has_blocks else ("#", ".")
    lines = []
    for lane, tail in zip(lanes, tails, strict=True):
        done = 0 if lane.home is None else min(bar, lane.home * bar // lane.goal)
        name = padded(lane.name, name_width)
        line = f"{name}  {full * done}{free * (bar - done)}  {tail}"
        lines.append(padded(line, width).rstrip())
    return lines


def gaps_of(lanes: Sequence[Lane]) -> list[str]:
    """How many cards each lane is behind the leader, `-12`; empty for who leads or is not seen."""
    leader = max((lane.home for lane in lanes if lane.home is not None), default=0)
    return [
        "" if lane.home is None or lane.home == leader else f"-{leader - lane.home}"
        for lane in lanes
    ]


def _tail(lane: Lane, gap: str) -> str:
    home = "?" if lane.home is None else str(lane.home)
    moves = (
        "" if lane.moves is None else f"{lane.moves:5} {'move ' if lane.moves == 1 else 'moves'}"
    )
    end = clock(lane.elapsed_ms) if lane.elapsed_ms is not None else _state(lane)
    return f"{home:>{len(str(lane.goal))}}/{lane.goal} {gap}{moves}  {end}"


def _state(lane: Lane) -> str:
    """The state as a watcher reads it, who is never done."""
    said = "hidden" if lane.state == "hidden" else state_text(lane.state)
    return f"{said}, away" if lane.is_away else said


def _short(lane: Lane) -> str:
    """`12/104 home, racing`."""
    home = "" if lane.home is None else f"{lane.home}/{lane.goal} home, "
    if lane.elapsed_ms is not None:
        return f"{home}{state_text(lane.state)} in {clock(lane.elapsed_ms)}"
    return home + _state(lane)


class LaneScreen:
    """The lanes as they change."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._drawn = 0
        self._said: dict[str, str] = {}

    @property
    def is_live(self) -> bool:
        """Whether the lanes are redrawn in place."""
        return self._terminal.is_live

    def update(
        self, lanes: Sequence[Lane], elapsed_ms: int | None, *, clockless: str = "lobby"
    ) -> None:
        """Shows how things stand `elapsed_ms` into the race; `clockless` where there is no clock
        of the race's: before its start, or because each entrant has one."""
        if self._terminal.is_live:
            self._redraw(lanes, clockless if elapsed_ms is None else clock(elapsed_ms)[:-4])
        else:
            when = clockless if elapsed_ms is None else clock(elapsed_ms)
            self._terminal.say_all(self._changes(lanes, when))

    def say(self, line: str) -> None:
        """Says a line above the lanes."""
        if self._terminal.is_live and self._drawn:
            self._terminal.write(f"{_UP.format(lines=self._drawn)}\r\x1b[J")
            self._drawn = 0
        self._terminal.say(line)

    def _redraw(self, lanes: Sequence[Lane], when: str) -> None:
        terminal = self._terminal
        lines = [
            f"[{when}]",
            *lane_lines(
                lanes,
                width=terminal.width - 1,
                has_blocks=terminal.has_blocks,
                has_gaps=True,
            ),
        ]
        up = _UP.format(lines=self._drawn) if self._drawn else ""
        extra = max(0, self._drawn - len(lines))
        drawn = "".join(f"{_CLEAR_LINE}{_plain(line)}\n" for line in [*lines, *[""] * extra])
        terminal.write(f"{up}\r{drawn}" if up else drawn)
        self._drawn = len(lines) + extra

    def _changes(self, lanes: Sequence[Lane], when: str) -> Iterable[str]:
        for lane in lanes:
            now = _short(lane)
            if self._said.get(lane.name) != now:
                self._said[lane.name] = now
                yield f"{when}  {lane.name}  {now}"


def _plain(line: str) -> str:
    return "".join(c for c in line if c.isprintable())
