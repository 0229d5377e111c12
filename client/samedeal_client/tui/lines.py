"""What stands around a board: how far everybody is, who waits for what, and the result.

Pure: what is known of a race goes in, lines come out. A line has a kind, for whoever colours it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from samedeal_client.lanes import Lane, gaps_of, lanes_of
from samedeal_client.telling import cells, clock, ordinal, padded, standings_table, state_text
from samedeal_protocol.messages import EntrantView, Standing

__all__ = [
    "Line",
    "clean",
    "fitted",
    "lane_line",
    "place_text",
    "podium",
    "rail",
    "result_lines",
    "spread",
    "wrapped",
]

_LANES_SHOWN: Final = 8
_STEP_WIDTH: Final = 18


class Line(NamedTuple):
    """A line of text; `kind` is head, own, bar, dim, warn, or nothing special."""

    text: str
    kind: str = ""


def spread(left: str, right: str, width: int) -> str:
    """Two texts at both ends of a line; the left one gives way."""
    room = max(0, width - cells(right) - 1)
    return f"{padded(left, room)} {right}"


def wrapped(lines: Iterable[str], width: int) -> list[str]:
    """The lines, broken between words; what follows a break is indented as a list is."""
    broken = []
    for line in lines:
        indent = " " * (
            len(line) - len(line.lstrip()) + (2 if line.lstrip().startswith("-") else 0)
        )
        broken += textwrap.wrap(line, max(10, width), subsequent_indent=indent) or [""]
    return broken


def fitted(lines: Iterable[str], width: int) -> list[str]:
    """The same of lines among which there are tables: their rows are cut, sentences are broken."""
    return [
        part
        for line in lines
        for part in (
            [padded(line, width).rstrip()] if "  " in line.strip() else wrapped([line], width)
        )
    ]


def clean(text: str) -> str:
    """Text of others without what could take hold of a terminal."""
    return "".join(character for character in text if character.isprintable())


# --- how far everybody is -----------------------------------------------------------------------


def _ordered(
    entrants: Mapping[int, EntrantView], goal: int, you: int | None
) -> list[tuple[int, Lane, str]]:
    """Number, lane and gap of everybody: oneself first, then who is furthest."""
    numbers = [n for n, entrant in sorted(entrants.items()) if entrant.state != "withdrawn"]
    lanes = lanes_of(entrants, goal)
    listed = list(zip(numbers, lanes, gaps_of(lanes), strict=True))
    return sorted(listed, key=lambda each: (each[0] != you, _rank(each[1]), each[0]))


def _rank(lane: Lane) -> tuple[int, int, int]:
    is_finished = lane.elapsed_ms is not None
    return (not is_finished, lane.elapsed_ms or 0, -(lane.home or 0))


def place_text(entrants: Mapping[int, EntrantView], goal: int, you: int) -> str:
    """`2nd of 3, -4`: the own place at the moment, and how many cards behind the leader."""
    seen = [each for each in _ordered(entrants, goal, None) if each[1].home is not None]
    own = next((each for each in seen if each[0] == you), None)
    if own is None or len(seen) < 2:
        return ""
    place = 1 + sum(_rank(lane) < _rank(own[1]) for _, lane, _ in seen)
    gap = f", {own[2]}" if own[2] and own[1].elapsed_ms is None else ""
    return f"{ordinal(place)} of {len(seen)}{gap}"


def rail(
    entrants: Mapping[int, EntrantView],
    goal: int,
    *,
    you: int | None,
    width: int,
    has_blocks: bool,
) -> list[Line]:
    """Two lines an entrant: name, cards home and gap; below it the bar, or what became of them."""
    lines = []
    ordered = _ordered(entrants, goal, you)
    full, free = ("█", "░") if has_blocks else ("#", ".")
    for number, lane, gap in ordered[:_LANES_SHOWN]:
        home = "?" if lane.home is None else f"{lane.home}/{goal}"
        name = f"{clean(lane.name)} (you)" if number == you else clean(lane.name)
        lines.append(Line(spread(name, f"{gap} {home}".strip(), width), "own" * (number == you)))
        done = 0 if lane.home is None else lane.home * width // goal
        end = _end(lane)
        room = width - (cells(end) + 1 if end else 0)
        bar = (full * done + free * (width - done))[:room]
        lines.append(Line(f"{bar} {end}".rstrip(), "bar"))
    if len(ordered) > _LANES_SHOWN:
        lines.append(Line(f"and {len(ordered) - _LANES_SHOWN} more", "dim"))
    return lines or [Line("nobody has entered yet", "dim")]


def _end(lane: Lane) -> str:
    """What is to be said of a lane besides its bar."""
    if lane.elapsed_ms is not None:
        return clock(lane.elapsed_ms)
    if lane.is_away:
        return "away"
    return "" if lane.state == "racing" else state_text(lane.state).partition(" until")[0]


def lane_line(
    entrants: Mapping[int, EntrantView], goal: int, *, you: int | None, width: int
) -> str:
    """Everybody on one line: `You 12   Ada 16   Bea 9 away`, as many as there is room for."""
    said = ""
    ordered = _ordered(entrants, goal, you)
    for at, (number, lane, gap) in enumerate(ordered):
        name = "You" if number == you else clean(lane.name)
        home = "?" if lane.home is None else str(lane.home)
        end = _end(lane)
        part = " ".join(each for each in (name, home, f"({gap})" if gap else "", end) if each)
        more = f"   +{len(ordered) - at}"
        longer = f"{said}   {part}" if said else part
        if cells(longer) + (cells(more) if at + 1 < len(ordered) else 0) > width:
            return padded(said + more, width).rstrip()
        said = longer
    return said


# --- the result ---------------------------------------------------------------------------------


def podium(standings: Sequence[Standing]) -> list[str]:
    """The first three on their steps; nobody stands there who has not finished."""
    steps: dict[int, list[Standing]] = {1: [], 2: [], 3: []}
    for line in standings:
        if line.elapsed_ms is not None and line.place in steps:
            steps[line.place].append(line)
    if not steps[1]:
        return []
    columns = [_step(place, steps[place]) for place in (2, 1, 3)]
    height = max(map(len, columns))
    level = [[""] * (height - len(column)) + column for column in columns]
    rows = zip(*level, strict=True)
    return ["".join(part.center(_STEP_WIDTH) for part in row).rstrip() for row in rows]


def _step(place: int, who: Sequence[Standing]) -> list[str]:
    if not who:
        return []
    names = [padded(clean(each.name), min(_STEP_WIDTH - 2, cells(each.name))) for each in who[:2]]
    if len(who) > 2:
        names.append(f"and {len(who) - 2} more")
    wide = _STEP_WIDTH - 4
    block = ["+" + "-" * (wide - 2) + "+", f"|{str(place).center(wide - 2)}|"]
    block += ["|" + " " * (wide - 2) + "|"] * (3 - place)
    return [*names, clock(who[0].elapsed_ms), *block]


def result_lines(standings: Sequence[Standing], goal: int, *, you: int | None) -> list[Line]:
    """The podium and the ranking."""
    table = [clean(line) for line in standings_table(standings, goal)]
    own = {line.entrant == you: at for at, line in enumerate(standings)}.get(True)
    lines = [Line(line) for line in podium(standings)]
    return [
        *lines,
        Line(""),
        *(Line(line, "own" * (at == own)) for at, line in enumerate(table)),
    ]
