"""Heats by round and a ladder's pairs, drawn by hand; none wider than it may be."""

from __future__ import annotations

import pytest

from samedeal_client.cups.looking import picture_lines
from samedeal_client.cups.scoreboards import heat_lines, ladder_lines
from samedeal_client.telling import cells
from samedeal_protocol.tournament.formats import Heats, Ladder
from samedeal_protocol.tournament.views import (
    HeatPlace,
    Mark,
    MatchView,
    TableLine,
    TournamentSheet,
    TournamentTable,
)
from support.cups import CODE, match, player, race, sheet, terms

PLAYERS = tuple(player(n, name) for n, name in enumerate(("Ada", "Bo", "Cy", "Dee"), 1))
NOW = 1_000_000


def heats(*matches: MatchView) -> TournamentSheet:
    return sheet(players=PLAYERS, matches=matches, terms=terms(Heats(rounds=2)))


def placed(*lines: tuple[int, int | None, str]) -> tuple[HeatPlace, ...]:
    return tuple(HeatPlace(player=one, place=place, points=points) for one, place, points in lines)


FIRST = match(
    "H1.1", 1, 2, label="round 1, heat 1 of 2", ending="played",
    places=placed((2, 1, "10"), (1, 2, "8")),
)  # fmt: skip
SECOND = match(
    "H1.2", 3, 4, label="round 1, heat 2 of 2", ending="walkover", winner=4,
    places=placed((4, 1, "10"), (3, None, "0")), unplayed="Cy did not come",
)  # fmt: skip
NEXT = match(
    "H2.1", 1, 2, 3, 4, round=2, label="round 2", races=(race(1, "h-2", "running"),)
)  # fmt: skip


def test_heats_tell_by_round_who_came_in_where_and_what_it_brought() -> None:
    assert heat_lines(heats(NEXT, SECOND, FIRST), now=NOW, width=80) == [
        "round 1",
        "   heat 1 of 2 (H1.1)  points      heat 2 of 2 (H1.2)  points",
        "1  Bo                      10   1  Dee                     10",
        "2  Ada                      8   -  Cy                       0",
        "                                   Cy did not come",
        "",
        "round 2",
        "   H2.1",
        "   Ada",
        "   Bo",
        "   Cy",
        "   Dee",
        "•  race h-2 is on",
    ]


def test_heats_without_room_beside_each_other_stand_below() -> None:
    drawn = heat_lines(heats(FIRST, SECOND), now=NOW, width=40)
    assert drawn[1:6] == [
        "   heat 1 of 2 (H1.1)  points",
        "1  Bo                      10",
        "2  Ada                      8",
        "",
        "   heat 2 of 2 (H1.2)  points",
    ]


def test_one_round_of_heats_is_told_alone() -> None:
    assert heat_lines(heats(FIRST, NEXT), now=NOW, width=80, round=2)[0] == "round 2"
    assert heat_lines(heats(FIRST), now=NOW, width=80, round=2) == []


@pytest.mark.parametrize("width", [20, 40, 79, 120])
def test_no_heat_is_wider_than_it_may_be(width: int) -> None:
    long = tuple(player(n, "N" * 24, bot=True) for n in range(1, 5))
    shown = sheet(players=long, matches=(FIRST, SECOND, NEXT), terms=terms(Heats(rounds=2)))
    assert all(cells(line) <= width for line in heat_lines(shown, now=NOW, width=width))


TABLE = TournamentTable(
    tournament=CODE,
    seq=5,
    final=False,
    lines=(
        TableLine(place=1, player=2, marks=(Mark(what="points", value="2½", arithmetic=""),)),
        TableLine(place=2, player=1, marks=(Mark(what="points", value="½", arithmetic=""),)),
    ),
)


def test_a_ladder_tells_its_standing_who_is_paired_and_what_came_last() -> None:
    over = [
        match(f"A{n}", 1, 2, round=n, score="0–1", ending="played", winner=2) for n in range(1, 8)
    ]
    open = match("A10", 3, 4, round=10, label="match 10", races=(race(1, "l-10", "running"),))
    drawn = match("A9", 1, 2, round=9, score="½–½", ending="played")
    shown = sheet(players=PLAYERS, matches=(open, drawn, *over), terms=terms(Ladder()))
    assert ladder_lines(TABLE, shown, now=NOW, width=80) == [
        "   player  points",
        "1  Bo          2½",
        "2  Ada          ½",
        "",
        "paired now:",
        "  A10  Cy – Dee: race l-10 is on",
        "",
        "the latest:",
        "  A9  Ada – Bo  drawn",
        "  A7  Ada – Bo  0–1",
        "  A6  Ada – Bo  0–1",
        "  A5  Ada – Bo  0–1",
        "  A4  Ada – Bo  0–1",
    ]


@pytest.mark.parametrize("format", [Heats(rounds=2), Ladder()])
def test_before_the_start_nobody_is_paired(format: Heats | Ladder) -> None:
    empty = sheet(players=PLAYERS, terms=terms(format), phase="announced")
    assert picture_lines(empty, None, now=NOW, width=80, has_blocks=True) == [
        "Nobody is paired yet: that comes when it starts."
    ]
