"""What a watcher is shown: boards side by side where there is room, and what is kept from them."""

from __future__ import annotations

import pytest

from samedeal_client.lanes import gaps_of, lane_lines, lanes_of
from samedeal_client.lobby import Lobby, Row
from samedeal_client.screen import columns, width_of
from samedeal_client.stage import boards_lines, sight_lines
from samedeal_protocol.messages import EntrantView, RaceCard
from samedeal_protocol.terms import Mode, Sight, Terms, Visibility
from samedeal_rules import GAMES, Game, Position, deal

NAMES = ("Ada", "Bea", "Cat", "Dot", "Eve")


def entrants(count: int) -> dict[int, EntrantView]:
    return {
        n: EntrantView(entrant=n, name=NAMES[n - 1], state="racing", home=10 - n, moves=n)
        for n in range(1, count + 1)
    }


def boards(game: Game, count: int, *, width: int = 80, height: int = 20) -> list[str]:
    position: Position = deal(game, "1").view()
    return boards_lines(
        game, entrants(count), lambda n: position, width=width, height=height, has_blocks=False
    )


# --- boards --------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_boards_fit_the_screen_and_nobody_is_left_out(game: Game, count: int) -> None:
    drawn = boards(game, count)
    assert len(drawn) <= 20
    assert max(map(width_of, drawn)) <= 80
    assert all(any(name in line for line in drawn) for name in NAMES[:count])


def test_two_boards_of_a_small_game_stand_side_by_side() -> None:
    heads = [line for line in boards(next(g for g in GAMES if g.key == "opus"), 2) if "Ada" in line]
    assert [line.split() for line in heads] == [["Ada", "Bea"]]


def test_where_one_board_has_room_it_is_the_leaders() -> None:
    drawn = boards(next(g for g in GAMES if g.key == "forty-thieves"), 3, width=60, height=14)
    assert drawn[0] == "Ada"
    assert [line.split()[0] for line in drawn[-2:]] == ["Bea", "Cat"]


def test_a_list_of_piles_is_shortened_from_below() -> None:
    drawn = boards(next(g for g in GAMES if g.key == "eight-on"), 3, height=16)
    assert max(map(width_of, drawn)) <= 80
    assert [line.split() for line in drawn if "Ada" in line] == [["Ada", "Bea", "Cat"]]


def test_a_board_without_room_is_cut_off_and_the_lanes_stay() -> None:
    drawn = boards(next(g for g in GAMES if g.key == "binary-star"), 3, width=40, height=10)
    assert len(drawn) == 10
    assert [line.split()[0] for line in drawn[-2:]] == ["Bea", "Cat"]


def test_without_boards_there_are_lanes_with_gaps() -> None:
    game = GAMES[0]
    drawn = boards_lines(game, entrants(2), lambda n: None, width=80, height=20, has_blocks=False)
    assert len(drawn) == 2
    assert " -1 " in drawn[1]


def test_columns_go_on_below_when_the_width_is_used_up() -> None:
    assert columns([["aaaa", "a"], ["bbbb"], ["cc"]], width=11) == [
        "aaaa   bbbb",
        "a",
        "",
        "cc",
    ]


def test_colours_take_no_room() -> None:
    red = "\x1b[31mQD\x1b[0m"
    assert columns([[red], ["KS"]], width=7) == [f"{red}   KS"]


# --- lanes ---------------------------------------------------------------------------------------


def test_a_gap_is_to_whoever_has_most_cards_home() -> None:
    lanes = lanes_of(entrants(3), 52)
    assert gaps_of(lanes) == ["", "-1", "-2"]
    assert [line.split()[-4] for line in lane_lines(lanes, has_gaps=True)[1:]] == ["-1", "-2"]


def test_who_is_hidden_has_no_gap() -> None:
    hidden = EntrantView(entrant=9, name="Ivy", state="hidden")
    assert gaps_of(lanes_of({**entrants(1), 9: hidden}, 52)) == ["", ""]


# --- what is kept from a watcher -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("terms", "role", "boards", "said"),
    [
        (Terms(game="opus"), "spectator", True, []),
        (
            Terms(game="opus", delay=30),
            "spectator",
            False,
            ["You see everything 30 s late, as the terms say."],
        ),
        (Terms(game="opus", delay=30), "host", False, []),
        (
            Terms(game="opus", delay=30),
            "entrant",
            False,
            ["You are in this race: you see what an entrant may."],
        ),
        (
            Terms(game="opus", spectators=Sight.PROGRESS),
            "spectator",
            True,
            ["Of this race spectators see progress, but no boards until it is over."],
        ),
        (
            Terms(game="opus", mode=Mode.ASYNC, blind=True),
            "spectator",
            False,
            ["Blind: nobody who could still play is shown results; they come at the end."],
        ),
    ],
)
def test_a_watcher_is_told_what_is_kept_from_them(
    terms: Terms, role: str, boards: bool, said: list[str]
) -> None:
    assert sight_lines(terms, phase="running", role=role, wants_boards=boards) == said
    assert sight_lines(terms, phase="over", role=role, wants_boards=boards) == []


# --- the lobby -----------------------------------------------------------------------------------


def card(race: str, phase: str, **terms: object) -> RaceCard:
    fields: dict[str, object] = {"game": "opus", **terms}
    return RaceCard(
        race=race,
        phase=phase,
        terms=Terms(**fields),  # type: ignore[arg-type]
        host="Ada",
        entrants=("Ada",),
        opened_at=0,
        commitment="",
    )


def test_races_that_run_come_first_and_only_they_are_worth_watching() -> None:
    lobby = Lobby()
    cards = [
        card("a", "open"),
        card("b", "running"),
        card("c", "running", spectators=Sight.NONE),
        card("d", "running", visibility=Visibility.PHRASE),
    ]
    lobby.listed(cards, now=0, keep_ms=1000)
    assert [row.race for row in lobby.rows()] == ["b", "c", "d", "a"]
    assert lobby.worth_watching() == ["b"]
    lobby.unwatchable("b")
    assert lobby.worth_watching() == []


def test_a_race_that_ended_stays_for_a_while_with_its_winner() -> None:
    lobby = Lobby()
    lobby.listed([card("b", "running")], now=0, keep_ms=1000)
    won = Row("b", "opus", "over", 2, 8, leader="Ada", home=52, goal=52, elapsed_ms=83_456)
    lobby.ended("b", won, now=100)
    lobby.listed([], now=1000, keep_ms=1000)
    assert [row.sentence() for row in lobby.rows()] == [
        "b  over  opus, 2 entrants, won by Ada 52/52, in 1:23.456"
    ]
    lobby.listed([], now=1101, keep_ms=1000)
    assert lobby.rows() == []


def test_a_row_is_told_again_only_when_more_than_the_clock_has_changed() -> None:
    lobby = Lobby()
    row = Row("b", "opus", "running", 2, 8, leader="Ada", home=5, goal=52, elapsed_ms=1000)
    later = Row("b", "opus", "running", 2, 8, leader="Ada", home=5, goal=52, elapsed_ms=2000)
    ahead = Row("b", "opus", "running", 2, 8, leader="Ada", home=6, goal=52, elapsed_ms=3000)
    assert lobby.changed([row]) == [row]
    assert lobby.changed([later]) == []
    assert lobby.changed([ahead]) == [ahead]


def test_the_table_is_no_larger_than_the_screen_and_says_what_it_leaves_out() -> None:
    rows = [
        Row(f"r{n:04}", "forty-thieves", "running", 2, 8, "x" * 40, 5, 104, 9000, delay=30)
        for n in range(40)
    ]
    drawn = Lobby().table(rows, width=80, height=22)
    assert len(drawn) <= 22
    assert max(map(width_of, drawn)) <= 80
    assert drawn[-1] == "and 22 more"
    assert "0:09 -30s" in drawn[3]


def test_an_empty_lobby_says_how_to_open_a_race() -> None:
    assert Lobby().table([], width=80, height=22) == ["No race. Open one: samedeal race new GAME"]
