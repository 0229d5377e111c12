"""Standings and matches as rows for other programs: CSV with a heading, or values for JSON.

The same from a server's pages and from `samedeal tournament export`. Points are decimal, `2.5`
where people read `2½`. A text that a spreadsheet would take for a formula gets a `'` in front of
it, in CSV only; so does what stands behind a `;` in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from samedeal_protocol.tournament.views import HeatPlace, TournamentSheet, TournamentTable

__all__ = ["MATCHES", "STANDINGS", "Row", "as_csv", "match_rows", "player_rows", "standing_rows"]

_PARTS: Final = {"¼": Fraction(1, 4), "½": Fraction(1, 2), "¾": Fraction(3, 4)}
_QUOTED: Final = re.compile('[",;\r\n]')
"""What would end a cell. Half the world's spreadsheets take `;` for a comma, some take both."""
_FORMULA: Final = re.compile(r"(^|; *)(?=[=+\-@\t\r])")
"""Where a formula would begin, also of what stands behind a `;`."""
_MIXED: Final = re.compile(r"([0-9]*)([¼½¾])|(?:([0-9]+) )?([0-9]+/[1-9][0-9]*)")

Row: TypeAlias = Mapping[str, str | int | bool | None]

STANDINGS: Final = ("place", "player", "name", "bot")
"""The columns of standings before those of what counted."""
MATCHES: Final = (
    "match", "round", "label", "players", "score", "ending", "winner", "overridden", "races",
    "games", "unplayed", "places",
)  # fmt: skip


def standing_rows(table: TournamentTable, sheet: TournamentSheet) -> list[Row]:
    """One row a player: place, who, each mark and its arithmetic."""
    players = {each.player: each for each in sheet.players}
    rows: list[Row] = []
    for line in table.lines:
        player = players.get(line.player)
        row: dict[str, str | int | bool | None] = {
            "place": line.place,
            "player": line.player,
            "name": "" if player is None else player.name,
            "bot": False if player is None else player.bot,
        }
        for mark in line.marks:
            row[mark.what] = _decimal(mark.value)
            row[f"{mark.what}: arithmetic"] = mark.arithmetic
        rows.append(row)
    return rows


def _decimal(value: str) -> str:
    """`2.5` for `2½`, `3.333333` for `3 1/3`; what is no such number stays as it is."""
    found = _MIXED.fullmatch(value)
    if found is None:
        return value
    part = Fraction(found[4]) if found[4] else _PARTS[found[2]]
    return f"{float(int(found[1] or found[3] or 0) + part):.6f}".rstrip("0")


def match_rows(sheet: TournamentSheet) -> list[Row]:
    """One row a match, in the order in which they were paired."""
    names = {each.player: each.name for each in sheet.players}
    return [
        {
            "match": match.match,
            "round": match.round,
            "label": match.label,
            "players": "; ".join(names.get(each, f"#{each}") for each in match.players),
            "score": match.score,
            "ending": match.ending,
            "winner": None if match.winner is None else names.get(match.winner),
            "overridden": match.overridden,
            "races": " ".join(race.race for race in match.races),
            "games": " ".join(race.game for race in match.races),
            "unplayed": match.unplayed,
            "places": "; ".join(_placed(each, names) for each in match.places),
        }
        for match in sheet.matches
    ]


def _placed(heat: HeatPlace, names: Mapping[int, str]) -> str:
    """`1 Ada 10`: the place, who, and the points that it brought."""
    place = "unplaced" if heat.place is None else str(heat.place)
    return f"{place} {names.get(heat.player, f'#{heat.player}')} {_decimal(heat.points)}"


def player_rows(sheet: TournamentSheet) -> list[Row]:
    """One row for everybody who has registered."""
    return [
        {
            "player": each.player,
            "name": each.name,
            "bot": each.bot,
            "state": each.state,
            "seed": each.seed,
        }
        for each in sheet.players
    ]


def as_csv(rows: Sequence[Row], *, always: Sequence[str] = ()) -> str:
    """Returns the rows below a heading, as RFC 4180 has them; nothing of no rows and headings.

    The columns of `always` come first, and are there without rows as well.
    """
    headings = list(dict.fromkeys((*always, *(key for row in rows for key in row))))
    heading: Row = {key: key for key in headings}
    return "".join(
        ",".join(_cell(row.get(key)) for key in headings) + "\r\n"
        for row in ((heading, *rows) if headings else ())
    )


def _cell(value: str | int | bool | None) -> str:
    text = "" if value is None else str(value)
    if isinstance(value, str):
        text = _FORMULA.sub(r"\1'", text)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
