"""The commands leaderboard and rating, against a server on which races were run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from samedeal_client.boards import board_lines, sheet_lines
from samedeal_protocol import messages
from samedeal_protocol.boards import (
    PlayerSheet,
    RatingBoard,
    RatingChange,
    RatingLine,
    Rival,
    StreakBoard,
    TimeBoard,
    TimeLine,
)
from samedeal_protocol.terms import Terms
from samedeal_server.app import Node
from support.nodes import Fakes, fakes
from support.races import WIN, WIN_GAME, WinningSeeds
from support.voices import Voice, greeted

from .conftest import Run

AT = 1_800_000_000_000  # 2027-01-15


@pytest.fixture
def world() -> Fakes:
    return replace(fakes(), seeds=WinningSeeds())


async def race(node: Node, world: Fakes, winner: Voice, other: Voice) -> str:
    """Runs a rated race that the first wins in nine seconds and the other gives up."""
    terms = Terms(game=WIN_GAME, countdown=0, rated=True)
    create = messages.Create(id=winner.next_id(), terms=terms)
    code = (await winner.get(messages.Created, create)).race
    for each in (winner, other):
        await each.join(code)
        await each.ready(code)
    node.hall.tick()
    await winner.hear(messages.Started)
    for number, move in enumerate(WIN, 1):
        world.clock.advance(1000)
        await winner.play(code, number, move)
    world.clock.advance(1000)
    finish = messages.Finish(id=winner.next_id(), race=code, number=len(WIN) + 1)
    await winner.ask(finish)
    await other.ask(messages.GiveUp(id=other.next_id(), race=code))
    return code


Say = Callable[..., "asyncio.Future[tuple[int, str, str]]"]


@pytest.fixture
def say(run: Run, node: Node) -> Say:
    """Runs the command beside the server."""
    return lambda *words: asyncio.ensure_future(asyncio.to_thread(run, *words))


async def printed(say: Say, *words: str) -> list[str]:
    code, out, err = await say(*words)
    assert (code, err) == (0, "")
    return out.splitlines()


async def test_boards_and_sheets_of_a_race(say: Say, node: Node, world: Fakes) -> None:
    async with greeted(node.address, "Ada") as ada, greeted(node.address, "Grace") as grace:
        code = await race(node, world, ada, grace)
    assert await printed(say, "leaderboard") == [
        "Ratings of people in all games (samedeal-1)",
        "place  player  points  sure to  races  last",
        "?      Ada     1579    ±242     1      2027-01-15",
        "?      Grace   1421    ±242     1      2027-01-15",
        "? provisional: not enough is known, so it has no place yet",
    ]
    assert (await printed(say, "leaderboard", "--game", WIN_GAME, "--from", "2"))[2:4] == [
        "?      Grace   1421    ±242     1      2027-01-15",
        "2 to 2 of 2",
    ]
    assert await printed(say, "leaderboard", "fastest", "--game", WIN_GAME) == [
        "The fastest people in abandon-hope",
        "place  player  time      day         race    look",
        f"1      Ada     0:09.000  2027-01-15  {code}  1st",
    ]
    by_deal = await printed(say, "leaderboard", "fastest", "--deal", code.upper())
    assert by_deal[0] == f"The fastest people on the deal of {code} (abandon-hope)"
    assert (await printed(say, "leaderboard", "streaks"))[1:] == [
        "place  player  days  longest  last",
        "1      Ada     1     1        2027-01-15",
    ]
    assert await printed(say, "leaderboard", "--bots") == [
        "Ratings of bots in all games (samedeal-1)",
        "Nobody stands on it yet: points come from rated races.",
    ]
    assert await printed(say, "leaderboard", "--game", "opus", "--name", "Eve") == [
        "Ratings of people in opus (samedeal-1)",
        "Nobody stands on it yet: points come from rated races.",
        "Be the first: samedeal race new opus --rated --join --name Eve",
    ]
    assert await printed(say, "rating", "ada", "--game", WIN_GAME) == [
        "Ada in abandon-hope, by samedeal-1",
        "rating        points  sure to  place  races  last",
        "abandon-hope  1579?   ±242     -      1      2027-01-15",
        "",
        "best time     time      day         race    look",
        f"abandon-hope  0:09.000  2027-01-15  {code}  1st",
        "",
        "days in a row with a finish: 1 day now, 1 at most",
        "",
        f"2027-01-15 {code}, abandon-hope: place 1 of 2, 1500.00 +79.06 = 1579.06, ±250 -> ±242",
        "  before Grace  expected 0.50  +79.06",
    ]


async def test_json_has_every_number_in_full(say: Say, node: Node, world: Fakes) -> None:
    async with greeted(node.address, "Ada") as ada, greeted(node.address, "Grace") as grace:
        code = await race(node, world, ada, grace)
    board: Any = json.loads((await say("leaderboard", "--json"))[1])
    assert [(line["name"], line["mu"], line["place"]) for line in board["lines"]] == [
        ("Ada", 1579.056942, None),
        ("Grace", 1420.943058, None),
    ]
    sheet: Any = json.loads((await say("rating", "Grace", "--json"))[1])
    assert [each["gain"] for each in sheet["changes"]] == [-79.056942] * 2
    assert sheet["changes"][0]["race"] == code
    assert sheet["bests"] == []


async def test_who_is_new_is_told_so(say: Say) -> None:
    said = await printed(say, "rating", "--name", "Eve")
    assert said == ["Eve, by samedeal-1", "Not rated: no rated race has been counted yet."]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("leaderboard", "fastest"), 2, "--game or --deal"),
        (("leaderboard", "--deal", "x"), 2, "fastest --deal"),
        (("leaderboard", "streaks", "--game", "opus"), 2, "leave --game out"),
        (("leaderboard", "--game", "opsu"), 1, "opus"),
        (("leaderboard", "--top", "0"), 2, "1 to 100"),
        (("leaderboard", "--from", "x"), 2, "1 to 1000000"),
        (("leaderboard", "fastst"), 2, "did you mean fastest?"),
        (("leaderboard", "fastest", "--deal", "no-such-race"), 1, "no race has this code"),
        (("rating", "Nobody"), 1, "nobody is called so"),
        (("rating", "--game", "klondyke"), 1, "samedeal games"),
    ],
)
async def test_what_is_not_there_is_said_in_one_line(
    say: Say, words: tuple[str, ...], code: int, said: str
) -> None:
    ended, out, err = await say(*words)
    assert (ended, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1


# --- texts -------------------------------------------------------------------------------------


def test_ratings_stand_with_their_places_and_names_of_any_width() -> None:
    lines = (
        RatingLine(
            place=1, name="李小龍", points=1700, mu=1700.2, sigma=88.6, races=41, last_at=AT
        ),
        RatingLine(place=1, name="Bo", points=1700, mu=1699.9, sigma=100, races=9, last_at=AT),
    )
    page = RatingBoard(at=AT, model="samedeal-1", game="opus", total=9, offset=3, lines=lines)
    assert board_lines(page) == [
        "Ratings of people in opus (samedeal-1)",
        "place  player  points  sure to  races  last",
        "1      李小龍  1700    ±89      41     2027-01-15",
        "1      Bo      1700    ±100     9      2027-01-15",
        "4 to 5 of 9",
    ]


@pytest.mark.parametrize(
    ("attempt", "look"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (21, "21st")],
)
def test_it_is_said_whose_how_manieth_look_at_a_deal_it_was(attempt: int, look: str) -> None:
    line = TimeLine(place=1, name="Ada", elapsed_ms=3_723_004, at=AT, attempt=attempt)
    page = TimeBoard(at=AT, game="opus", bots=True, total=1, lines=(line,))
    assert board_lines(page)[0] == "The fastest bots in opus"
    assert board_lines(page)[2].split() == [
        "1",
        "Ada",
        "1:02:03.004",
        "2027-01-15",
        "private",
        look,
    ]


def test_a_page_behind_the_last_line_says_so() -> None:
    page = StreakBoard(at=AT, total=3, offset=20, lines=())
    assert board_lines(page)[1:] == ["It has no more lines."]


def test_the_points_of_all_rivals_are_told() -> None:
    rivals = (
        Rival(name="Bob", actual=0.0, expected=0.592911, points=-10.640910),
        Rival(name="Cat", actual=1.0, expected=0.574915, points=10.501634),
        Rival(name="Dan", actual=0.5, expected=0.5, points=0.0),
    )
    change = RatingChange(
        at=AT,
        place=2,
        before=1620,
        after=1619.860724,
        gain=-0.139276,
        sigma_before=90,
        sigma_after=89.370626,
        rivals=rivals,
    )
    sheet = PlayerSheet(at=AT, model="samedeal-1", name="Ann", bot=True, changes=(change,))
    assert sheet_lines(sheet) == [
        "Ann (bot), by samedeal-1",
        "Not rated: no rated race has been counted yet.",
        "",
        "2027-01-15 a private race, all games: place 2 of 4, 1620.00 -0.14 = 1619.86, ±90 -> ±89",
        "  behind Bob      expected 0.59  -10.64",
        "  before Cat      expected 0.57  +10.50",
        "  level with Dan  expected 0.50  +0.00",
    ]
