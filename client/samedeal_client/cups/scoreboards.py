"""What takes the place of a bracket where there is none: heats by round, and a ladder's pairs.

Pure: what is known goes in, aligned lines come out, none wider than asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from samedeal_client.telling import aligned, cells, padded
from samedeal_protocol.tournament.views import (
    MatchView,
    PlayerView,
    TournamentSheet,
    TournamentTable,
)

from .matches import awaited_text, in_order, match_text
from .tables import standings_lines
from .telling import called

__all__ = ["heat_lines", "ladder_lines"]

_BESIDE: Final = 3
"""Columns between two heats."""
_LATEST: Final = 5
"""How many of a ladder's matches that are over are told."""


def heat_lines(
    sheet: TournamentSheet, *, now: int, width: int, round: int | None = None
) -> list[str]:
    """The heats of a round, or of all, as many side by side as there is room for: who came in
    where, and what it brought. `•` marks a heat that is being raced."""
    players = {each.player: each for each in sheet.players}
    lines: list[str] = []
    for number, heats in groupby(in_order(sheet.matches), key=lambda each: each.round):
        if round in (None, number):
            blocks = [_heat(each, players, now) for each in heats]
            lines += [*([""] if lines else []), f"round {number}", *_beside(blocks, width)]
    return lines


def _heat(heat: MatchView, players: Mapping[int, PlayerView], now: int) -> list[str]:
    _, _, of_many = heat.label.partition(", ")
    title = f"{of_many} ({heat.match})" if of_many else heat.match
    places = {each.player: each for each in heat.places}
    rows = [("", title, "points" if places else "")]
    for player in places or heat.players:
        own = places.get(player)
        place = " " if own is None else "-" if own.place is None else str(own.place)
        rows.append((place, called(players, player), "" if own is None else own.points))
    lines = aligned(rows, right=(0, 2))
    if heat.ending is None:
        is_on = any(race.state == "running" for race in heat.races)
        return [*lines, f"{'•' if is_on else ' '}  {awaited_text(heat, players, now)}".rstrip()]
    said = [heat.unplayed, f"ruled: {heat.overridden}" if heat.overridden else ""]
    return [*lines, *(f"   {each}" for each in said if each)]


def _beside(blocks: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yields blocks of lines side by side, row by row."""
    wide = min(width, max(cells(line) for block in blocks for line in block))
    count = max(1, (width + _BESIDE) // (wide + _BESIDE))
    for first in range(0, len(blocks), count):
        row = blocks[first : first + count]
        if first:
            yield ""
        for at in range(max(map(len, row))):
            texts = [padded(block[at] if at < len(block) else "", wide) for block in row]
            yield (" " * _BESIDE).join(texts).rstrip()


def ladder_lines(
    table: TournamentTable | None, sheet: TournamentSheet, *, now: int, width: int
) -> list[str]:
    """The standing of a ladder so far, who races whom now, and how the last matches ended."""
    players = {each.player: each for each in sheet.players}
    matches = in_order(sheet.matches)
    open = [match_text(each, players, now) for each in matches if each.ending is None]
    ended = [match_text(each, players, now) for each in matches if each.ending is not None]
    parts = (
        ("", [] if table is None else standings_lines(table, sheet, width=width)),
        ("paired now:", [f"  {text}" for text in open]),
        ("the latest:", [f"  {text}" for text in ended[: -_LATEST - 1 : -1]]),
    )
    lines: list[str] = []
    for title, told in parts:
        if told:
            lines += [*([""] if lines else []), *([title] if title else []), *told]
    return lines
