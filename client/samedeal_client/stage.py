"""A race as a watcher's screen shows it: what is seen and how late, the boards side by side.

Pure: what is known of the race goes in, lines come out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from samedeal_client.board import board, piles
from samedeal_client.lanes import Lane, gaps_of, lane_lines, lanes_of
from samedeal_client.screen import GAP, columns, width_of
from samedeal_client.telling import clock, padded, span_text, state_text
from samedeal_protocol.messages import EntrantView
from samedeal_protocol.terms import Mode, Sight, Terms
from samedeal_rules import Game, Position

__all__ = ["boards_lines", "sight_lines"]

_NARROWEST: Final = 20
"""Columns that a list of piles needs."""


def sight_lines(terms: Terms, *, phase: str, role: str, wants_boards: bool) -> list[str]:
    """Says in sentences what a watcher is not shown yet; nothing of a race that is over.

    `role` is `entrant`, `host` or `spectator`.
    """
    if phase in ("over", "cancelled"):
        return []
    said = []
    if terms.delay and role == "spectator":
        said.append(f"You see everything {span_text(terms.delay)} late, as the terms say.")
    if role == "entrant":
        said.append("You are in this race: you see what an entrant may.")
    elif terms.blind and (terms.mode is Mode.ASYNC or role == "spectator"):
        said.append("Blind: nobody who could still play is shown results; they come at the end.")
    if wants_boards and role != "entrant":
        if terms.spectators is not Sight.BOARDS:
            said.append("Of this race spectators see progress, but no boards until it is over.")
        elif terms.mode is Mode.ASYNC:
            said.append("Boards of an async race are shown when it is over.")
    return said


def _block(
    game: Game, lane: Lane, gap: str, position: Position, *, width: int | None, has_colour: bool
) -> list[str]:
    """One entrant's board below what is to be said of them; its piles listed for a given width."""
    if width is None:
        drawn = board(game, position, has_colour=has_colour)
    else:
        listed = piles(game, position, width=width, has_colour=has_colour)
        drawn = [_shortened(line, width) for line in listed]
    wide = max(map(width_of, drawn)) if width is None else width
    home = f"{lane.home}/{lane.goal} {gap}".rstrip()
    return [padded(lane.name, wide).rstrip(), f"{home}  {_end(lane)}"[:wide], "", *drawn]


def _shortened(line: str, width: int) -> str:
    """The line of a pile; where it is too long, without the cards furthest below."""
    if width_of(line) <= width:
        return line
    name, *cards = line.split()
    while cards and width_of(" ".join((name, "..", *cards))) > width:
        del cards[0]
    return " ".join((name, "..", *cards))


def _end(lane: Lane) -> str:
    if lane.elapsed_ms is not None:
        return clock(lane.elapsed_ms)
    return "away" if lane.is_away else state_text(lane.state)


def boards_lines(
    game: Game,
    entrants: Mapping[int, EntrantView],
    position_of: Callable[[int], Position | None],
    *,
    width: int,
    height: int,
    has_blocks: bool = True,
    has_colour: bool = False,
) -> list[str]:
    """Draws the boards that are seen side by side, and below them the lanes of all other entrants.

    Where there is no room for all boards as they lie on the table, their piles are listed; where
    there is none for that either, those are drawn that are furthest.
    """
    numbers = [n for n, entrant in sorted(entrants.items()) if entrant.state != "withdrawn"]
    lanes = dict(zip(numbers, lanes_of(entrants, game.goal), strict=True))
    gaps = dict(zip(numbers, gaps_of(list(lanes.values())), strict=True))
    positions = {n: seen for n in numbers if (seen := position_of(n)) is not None}
    best = sorted(positions, key=lambda n: -(lanes[n].home or 0))

    def drawn(shown: int, room: int | None) -> tuple[list[str], list[str]]:
        chosen = sorted(best[:shown])
        blocks = [
            _block(game, lanes[n], gaps[n], positions[n], width=room, has_colour=has_colour)
            for n in chosen
        ]
        others = [lanes[n] for n in numbers if n not in chosen]
        below = lane_lines(others, width=width, has_blocks=has_blocks) if others else []
        return columns(blocks, width=width), ["", *below] if below else []

    if not best:
        return lane_lines(list(lanes.values()), width=width, has_blocks=has_blocks, has_gaps=True)
    for shown in range(len(best), 0, -1):
        for room in (None, (width + GAP) // shown - GAP):
            if room is not None and room < _NARROWEST:
                continue
            above, below = drawn(shown, room)
            if len(above) + len(below) <= height and max(map(width_of, above)) <= width:
                return [*above, *below]
    above, below = drawn(1, None)
    return [*above[: max(0, height - len(below))], *below][:height]
