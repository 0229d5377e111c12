"""Tournaments as tables, drawn by hand; none wider than it may be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_client.cups.tables import (
    card_lines,
    cross_lines,
    player_lines,
    round_lines,
    standings_lines,
)
from samedeal_client.telling import aligned, cells
from samedeal_protocol.tournament.formats import RoundRobin
from samedeal_protocol.tournament.views import (
    Mark,
    TableLine,
    TournamentCard,
    TournamentHead,
    TournamentTable,
)
from support.cups import CODE, match, player, race, sheet, terms

NAMES = ("Ada", "Bo", "Cy", "Dee")
FOUR = tuple(player(n, name) for n, name in enumerate(NAMES, 1))
MINUTE = 60_000


def mark(what: str, value: str, arithmetic: str = "") -> Mark:
    return Mark(what=what, value=value, arithmetic=arithmetic or value)


TABLE = TournamentTable(
    tournament=CODE,
    seq=5,
    final=True,
    lines=(
        TableLine(
            place=1, player=2, marks=(mark("points", "2½", "1 + 1 + ½"), mark("buchholz", "4"))
        ),
        TableLine(place=2, player=1, marks=(mark("points", "2"), mark("buchholz", "4½", "2½ + 2"))),
        TableLine(place=2, player=3, marks=(mark("points", "2"), mark("buchholz", "4½"))),
        TableLine(place=4, player=4, marks=(mark("points", "0"),)),
    ),
)


def test_standings_share_places_and_explain_short_headings() -> None:
    assert standings_lines(TABLE, sheet(players=FOUR), width=80) == [
        "   player  points  Buch",
        "1  Bo          2½     4",
        "2  Ada          2    4½",
        "2  Cy           2    4½",
        "4  Dee          0",
        "(Buch = buchholz)",
    ]


def test_standings_tell_their_arithmetic_when_asked_why() -> None:
    drawn = standings_lines(TABLE, sheet(players=FOUR), width=80, why=True)
    assert drawn[1:4] == [
        "1  Bo          2½     4",
        "      points    1 + 1 + ½",
        "      buchholz  4",
    ]
    assert drawn[6] == "      buchholz  2½ + 2"


def test_there_are_no_standings_before_the_start() -> None:
    empty = TournamentTable(tournament=CODE, seq=1, final=False, lines=())
    assert standings_lines(empty, sheet(), width=80) == ["There are no standings yet."]


def test_who_has_played_whom_is_told_by_signs() -> None:
    matches = (
        match("R1.1", 1, 4, score="1–0", ending="played", winner=1),
        match("R1.2", 2, 3, score="½–½", ending="played"),
        match("R2.1", 3, 1, ending="walkover", winner=3),
        match("R2.2", 4, 2, races=(race(1, "r", "running"),)),
        match("R3.1", 1, 2),
        match("R3.2", 3, 4, ending="double forfeit"),
    )
    shown = sheet(players=FOUR, matches=matches, terms=terms(RoundRobin()))
    assert cross_lines(shown, width=80) == [
        "   player  1  2  3  4",
        "1  Ada     ×  ·  -  1",
        "2  Bo      ·  ×  ½  *",
        "3  Cy      +  ½  ×  -",
        "4  Dee     0  *  -  ×",
    ]


def test_longer_matches_and_second_rounds_are_told_whole() -> None:
    matches = (
        match("R1.1", 1, 2, best_of=3, score="2–1", ending="played", winner=1),
        match("R2.1", 2, 1, best_of=3, score="2–0", ending="played", winner=2),
    )
    drawn = cross_lines(sheet(players=FOUR[:2], matches=matches), width=80)
    assert drawn[1:] == ["1  Ada           ×  2:1 0:2", "2  Bo      1:2 2:0        ×"]


def test_a_table_that_has_no_room_says_so() -> None:
    many = tuple(player(n, f"N{n}") for n in range(1, 40))
    assert cross_lines(sheet(players=many), width=80) == [
        # 4 for the numbers, 9 x 3 and 30 x 4 for the columns, 8 for names
        "The table of 39 players needs 159 columns."
    ]


def test_open_matches_say_what_they_wait_for() -> None:
    now = 1_000_000
    matches = (
        match("R1.1", 1, 2, races=(race(1, "r-1", ready_by=now + 4 * MINUTE),)),
        match("R1.2", 3, 4, races=(race(1, "r-2", "running"),), best_of=3, score="1–0"),
        match("R1.3", 3, 4, ending="walkover", winner=4),
    )
    assert round_lines(sheet(players=FOUR, matches=matches), now=now) == [
        "round 1:",
        "  R1.1  Ada – Bo: race r-1, to be ready within 4 min",
        "  R1.2  Cy – Dee  1–0: race r-2 is on",
    ]
    assert round_lines(sheet(players=FOUR, matches=matches), now=now, round=1)[-1] == (
        "  R1.3  Cy – Dee  walkover for Dee"
    )


def test_those_who_registered_stand_by_seed_and_then_as_they_came() -> None:
    players = (
        player(1, "Ada", "waiting", seed=None),
        player(2, "Bo", seed=2),
        player(3, "Cy", "withdrawn", seed=1, bot=True),
    )
    assert player_lines(sheet(players=players), width=80) == [
        "#3 Cy (bot) (seed 1)  withdrawn",
        "#2 Bo (seed 2)",
        "#1 Ada  waiting",
    ]


def test_tournaments_are_listed_with_how_they_stand() -> None:
    card = TournamentCard(
        tournament=CODE,
        name="Friday cup",
        host="Hal",
        format="swiss",
        games=("opus",),
        head=TournamentHead(phase="announced"),
        players=7,
        cap=16,
        starts=1_000_000 + 125 * MINUTE,
    )
    assert card_lines([card], now=1_000_000, width=80) == [
        "code           name        format  phase      players  starts",
        "brave-heron-7  Friday cup  Swiss   announced     7/16  in 2 h 5 min",
    ]


def cards() -> list[TournamentCard]:
    common: dict[str, Any] = {"host": "Hal", "games": ("opus",), "players": 7}
    return [
        TournamentCard(
            tournament=CODE,
            name="The Grand Prix of the Northern Harbour Club",
            format="single-elimination",
            head=TournamentHead(phase="over"),
            cap=16,
            champion="Ada",
            **common,
        ),
        TournamentCard(
            tournament="cup-2",
            name="Friday",
            format="double-elimination",
            head=TournamentHead(phase="announced"),
            cap=512,
            starts=1_000_000 + 125 * MINUTE,
            **common,
        ),
    ]


@pytest.mark.parametrize(
    ("width", "headings"),
    [
        (None, "code name format phase players starts"),
        (121, "code name format phase players starts"),
        (120, "code name format phase players starts"),
        (100, "code name phase players starts"),
        (89, "code name phase starts"),
        (75, "code name phase"),
        (40, "code name phase"),
    ],
)
def test_what_matters_least_gives_way_before_names(width: int | None, headings: str) -> None:
    drawn = card_lines(cards(), now=1_000_000, width=width)
    assert drawn[0].split() == headings.split()
    assert all(cells(line) <= (width or 200) for line in drawn)
    is_whole = "The Grand Prix of the Northern Harbour Club  " in drawn[1]
    assert is_whole == (width is None or width > 40)
    assert "over: Ada won" in drawn[1] or width == 40


def test_matches_of_a_round_stand_in_order() -> None:
    matches = (
        match("L1.1", 7, 8, round=2, label="losers' round 1"),
        match("W2.10", 1, 2, round=2, label="winners' round 2"),
        match("L1.2", 5, 6, round=2, label="losers' round 1"),
        match("W2.2", 3, 4, round=2, label="winners' round 2"),
    )
    drawn = round_lines(sheet(matches=matches), now=0, round=2)
    assert [line.split()[0] for line in drawn] == [
        "winners'", "W2.2", "W2.10", "losers'", "L1.1", "L1.2",
    ]  # fmt: skip
    byes = (match("R1.bye", 5, ending="bye", winner=5), match("R1.10", 3, 4), match("R1.9", 1, 2))
    drawn = round_lines(sheet(matches=byes), now=0, round=1)
    assert [line.split()[0] for line in drawn[1:]] == ["R1.9", "R1.10", "R1.bye"]


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        ({"score": "½–½", "ending": "played"}, "drawn"),
        ({"score": "1–1", "ending": "played", "best_of": 2}, "drawn 1–1"),
        ({"score": "1½–½", "ending": "played", "winner": 1, "best_of": 2}, "1½–½"),
        (
            {"score": "½–½, cards home 40–38", "ending": "played", "winner": 1},
            "drawn, Ada wins by cards home 40–38",
        ),
        (
            {"ending": "walkover", "winner": 1, "unplayed": "Bo did not come"},
            "Bo did not come: walkover for Ada",
        ),
        ({"ending": "walkover", "winner": 1, "overridden": "ill"}, "walkover for Ada (ruled: ill)"),
        (
            {"ending": "double forfeit", "unplayed": "Ada and Bo did not come"},
            "Ada and Bo did not come: nobody wins",
        ),
        (
            {"ending": "double forfeit", "overridden": "both cheated"},
            "nobody wins (ruled: both cheated)",
        ),
    ],
)
def test_how_a_match_ended_is_said(ended: dict[str, Any], said: str) -> None:
    drawn = round_lines(sheet(players=FOUR, matches=(match("R1.1", 1, 2, **ended),)), now=0)
    assert drawn[1] == f"  R1.1  Ada – Bo  {said}"


def test_races_that_were_drawn_are_told_while_a_match_goes_on() -> None:
    races = (race(1, "r-1", "over"), race(2, "r-2", "over"), race(3, "r-3", "running"))
    short = match("R1.1", 1, 2, score="0–0", races=races)
    long = match("R1.2", 3, 4, score="1–0", races=races, best_of=3)
    assert round_lines(sheet(players=FOUR, matches=(short, long)), now=0)[1:] == [
        "  R1.1  Ada – Bo  2 drawn: race r-3 is on",
        "  R1.2  Cy – Dee  1–0, 1 drawn: race r-3 is on",
    ]


texts = st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=30)


@given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=6), st.integers(30, 100))
def test_no_table_is_wider_than_it_may_be(rows: list[tuple[str, str, str]], width: int) -> None:
    assert all(cells(line) <= width for line in aligned(rows, width=width, right=(2,), elastic=1))


@pytest.mark.parametrize("count", [1, 8, 9, 64, 512])
def test_a_long_list_is_set_in_columns_and_forgets_nobody(count: int) -> None:
    players = tuple(player(n, f"N{n}") for n in range(1, count + 1))
    drawn = player_lines(sheet(players=players), width=80)
    words = " ".join(drawn).split()
    assert [word for word in words if word.startswith("N")] == sorted(
        (word for word in words if word.startswith("N")), key=words.index
    )
    assert {word for word in words if word.startswith("N")} == {each.name for each in players}
    assert all(cells(line) <= 80 for line in drawn)
