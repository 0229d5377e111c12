"""Tables are read back by an independent reader, and say the same."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from samedeal_protocol.tournament.sheets import (
    MATCHES,
    as_csv,
    match_rows,
    player_rows,
    standing_rows,
)
from samedeal_protocol.tournament.views import HeatPlace, Mark, TableLine, TournamentTable
from support.cups import CODE, match, player, race, sheet

PLAYERS = (player(1, 'Ada "the fast", Queen'), player(2, "=1+1"), player(3, "Zoë\nX", bot=True))
NASTY = st.text(alphabet="\",;\r\n\t =+-@'aé", max_size=8)


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_standings_carry_every_mark_with_its_arithmetic() -> None:
    marks = (Mark(what="points", value="2½", arithmetic="1 + 1 + ½"),)
    lines = (TableLine(place=1, player=1, marks=marks), TableLine(place=2, player=3))
    table = TournamentTable(tournament=CODE, seq=1, final=True, lines=lines)
    rows = read(as_csv(standing_rows(table, sheet(players=PLAYERS))))
    assert rows == [
        {"place": "1", "player": "1", "name": 'Ada "the fast", Queen', "bot": "False",
         "points": "2.5", "points: arithmetic": "1 + 1 + ½"},
        {"place": "2", "player": "3", "name": "Zoë\nX", "bot": "True",
         "points": "", "points: arithmetic": ""},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "exported"),
    [
        ("2½", "2.5"),
        ("½", "0.5"),
        ("3¼", "3.25"),
        ("3 1/3", "3.333333"),
        ("2/3", "0.666667"),
        ("4", "4"),
        ("0:02.500", "0:02.500"),
        ("won 1/2", "won 1/2"),
    ],
)
def test_points_are_numbers_to_a_spreadsheet(said: str, exported: str) -> None:
    marks = (Mark(what="points", value=said, arithmetic=""),)
    lines = (TableLine(place=1, player=1, marks=marks),)
    table = TournamentTable(tournament=CODE, seq=1, final=True, lines=lines)
    (row,) = read(as_csv(standing_rows(table, sheet(players=PLAYERS))))
    assert row["points"] == exported


def test_matches_name_players_races_and_rulings() -> None:
    played = match("F", 1, 3, score="2–1", ending="played", winner=3, overridden="agreed",
                   races=(race(1, "r-1"), race(2, "r-2")))  # fmt: skip
    (row,) = read(as_csv(match_rows(sheet(players=PLAYERS, matches=(played,)))))
    assert row["players"] == 'Ada "the fast", Queen; Zoë\nX'
    assert (row["winner"], row["overridden"]) == ("Zoë\nX", "agreed")
    assert (row["races"], row["games"]) == ("r-1 r-2", "opus opus")


def test_matches_say_why_nobody_played_and_who_came_where_in_a_heat() -> None:
    places = (HeatPlace(player=3, place=1, points="7½"), HeatPlace(player=1))
    heat = replace(match("R1.1", 1, 3), ending="played", places=places)
    walkover = replace(match("F", 1, 3), ending="walkover", unplayed="Ada did not come")
    one, other = read(as_csv(match_rows(sheet(players=PLAYERS, matches=(heat, walkover)))))
    assert one["places"] == '1 Zoë\nX 7.5; unplaced Ada "the fast", Queen 0'
    assert (one["unplayed"], other["unplayed"]) == ("", "Ada did not come")


@pytest.mark.parametrize("name", ["x;=1+1", "x; @SUM(1)", ";-1", "=1;+1", "x;;=1"])
def test_a_name_is_no_formula_where_semicolons_divide_either(name: str) -> None:
    (_, row) = as_csv(player_rows(sheet(players=(replace(PLAYERS[0], name=name),)))).splitlines()
    cells = [cell.strip('" ') for cell in re.split("[,;]", row)]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    (cell,) = (cell for cell in next(csv.reader([row])) if ";" in cell)
    assert cell.replace("'", "") == name


def test_a_name_is_no_formula() -> None:
    rows = player_rows(sheet(players=PLAYERS))
    assert rows[1]["name"] == "=1+1"
    assert read(as_csv(rows))[1]["name"] == "'=1+1"


def shielded(text: str) -> str:
    said = ""
    for at, character in enumerate(text):
        begins = at == 0 or text[:at].rstrip(" ").endswith(";")
        said += f"'{character}" if begins and character in "=+-@\t\r" else character
    return said


@given(st.lists(st.tuples(NASTY, NASTY), max_size=5))
def test_every_text_is_read_back_as_it_was(texts: list[tuple[str, str]]) -> None:
    rows = [{"a": one, "b": other} for one, other in texts]
    assert read(as_csv(rows)) == [
        {key: shielded(text) for key, text in row.items()} for row in rows
    ]


def test_nothing_is_an_empty_table() -> None:
    assert read(as_csv(match_rows(sheet()))) == []


def test_the_columns_of_matches_are_those_of_their_rows() -> None:
    (row,) = match_rows(sheet(players=PLAYERS, matches=(match("F", 1, 3),)))
    assert tuple(row) == MATCHES
