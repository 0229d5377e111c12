"""The commands daily and league, against a server whose days pass when they are told to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from urllib.request import urlopen

import pytest

from samedeal_client.client import connect
from samedeal_client.days import daily, league
from samedeal_server.app import Node
from samedeal_server.daily.days import Day
from support.days import HOUR, at_day
from support.nodes import Fakes
from support.patience import PATIENCE_S
from support.races import WIN

from .conftest import Run, Typed

ROOM = "daily-20270124"
PLAY = "\n".join(["begin", *WIN, "finish", "quit", ""])
GIVE_UP = "begin\ngiveup\nquit\n"


@pytest.fixture
def world() -> Fakes:
    return at_day()


Say = Callable[..., "asyncio.Future[list[str]]"]


@pytest.fixture
def say(run: Run, typed: Typed, node: Node) -> Say:
    """Runs the command beside the server, with lines on its standard input."""

    def command(*arguments: str, lines: str = "") -> asyncio.Future[list[str]]:
        ran = asyncio.to_thread(typed, *arguments, lines=lines)
        return asyncio.ensure_future(ran)

    return command


async def next_morning(world: Fakes, node: Node) -> None:
    world.clock.advance(Day.at(world.clock.now()).closes_at - world.clock.now())
    node.hall.tick()
    await node.hall.committer.flush()
    world.clock.advance(8 * HOUR)


async def get(node: Node, path: str) -> dict[str, object]:
    def read() -> bytes:
        with urlopen(f"http://{node.address}{path}", timeout=PATIENCE_S) as answer:
            body: bytes = answer.read()
            return body

    told = json.loads(await asyncio.to_thread(read))
    assert isinstance(told, dict)
    return told


async def test_two_days_of_two_players(say: Say, world: Fakes, node: Node) -> None:
    assert await say("daily", "--name", "Ada") == [
        "The deal of 2027-01-24: Abandon Hope. It counts for the league of 2027-W03.",
        "Until now 0 players played it. It can be played for 16 h 0 min more.",
        "You have not played it yet.",
        "Play it: samedeal daily play --name Ada",
    ]
    played = await say("daily", "play", "--name", "Ada", lines=PLAY)
    assert played[-5:] == [
        "Until now 1 player played it. It can be played for 16 h 0 min more.",
        "You: place 1, 0:00.000.",
        "Your streak: 1 day in a row.",
        "place  name  time      home   moves",
        "1      Ada   0:00.000  13/13  14",
    ]
    hidden = await say("daily", "board", "--name", "Ben")
    assert hidden[1:] == [
        "How the others did is hidden until you have played, or the day is over.",
        "Play it: samedeal daily play --name Ben",
    ]
    assert await get(node, "/api/v1/daily") == {
        "type": "daily-sheet",
        "day": "20270124",
        "week": "2027-W03",
        "game": "abandon-hope",
        "closes_in_ms": 16 * HOUR,
        "commitment": (await node.hall.records.sheet(ROOM)).commitment,
        "played": 1,
        "is_hidden": True,
    }
    board = await say("daily", "play", "--name", "Ben", lines=GIVE_UP)
    assert [" ".join(line.split()) for line in board[-2:]] == [
        "1 Ada 0:00.000 13/13 14",
        "2 Ben - 0/13 0 gave up",
    ]
    await next_morning(world, node)
    assert await say("league", "--week", "2027-w03", "--name", "Ben") == [
        "The league of 2027-W03. It is over.",
        "place  name  points  Mon  Tue  Wed  Thu  Fri  Sat  Sun",
        "1      Ada   25      -    -    -    -    -    -    25",
        "2      Ben   0       -    -    -    -    -    -    0",
    ]
    past = json.loads("\n".join(await say("daily", "--day", "2027-01-24", "--json")))
    assert (past["is_over"], past["attempt"], past["seed"]) == (True, "none", "7")
    assert [line["name"] for line in past["lines"]] == ["Ada", "Ben"]
    assert (await get(node, "/api/v1/daily/20270124"))["lines"] == [
        {"place": 1, "name": "Ada", "state": "finished", "elapsed_ms": 0, "home": 13, "moves": 14,
         "race": ROOM},
        {"place": 2, "name": "Ben", "state": "gave-up", "home": 0, "moves": 0, "race": ROOM},
    ]  # fmt: skip
    assert (await get(node, "/api/v1/league/2027-W03"))["total"] == 2
    assert await say("league", "--name", "Ada") == [
        "The league of 2027-W04. 0 of 7 days are over.",
        "Nobody has points yet: they come when a day is over.",
        "Play today's deal: samedeal daily play --name Ada",
    ]


async def test_a_second_attempt_is_refused_in_one_line(say: Say, run: Run) -> None:
    await say("daily", "play", "--name", "Ada", lines=GIVE_UP)
    code, out, err = await asyncio.to_thread(run, "daily", "play", "--name", "Ada")
    assert (code, out) == (1, "")
    assert err.startswith("samedeal: you have played today's deal, and there is one attempt: see")
    assert err.count("\n") == 1


async def test_where_nobody_can_type_no_place_is_taken(say: Say, run: Run) -> None:
    code, out, err = await asyncio.to_thread(run, "daily", "play", "--name", "Ada")
    assert (code, out) == (1, "")
    assert err.startswith("samedeal: nobody is there to play")
    assert "You have not played it yet." in await say("daily", "--name", "Ada")


async def test_who_stops_comes_back_to_their_board(say: Say) -> None:
    first = await say("daily", "play", "--name", "Ada", lines=f"begin\n{WIN[0]}\nquit\n")
    assert "You are in, and have not opened the deal yet." not in first
    shown = await say("daily", "--name", "Ada")
    assert "You are playing it, and your clock runs." in shown
    rest = "\n".join([*WIN[1:], "finish", "quit", ""])
    assert "You: place 1, 0:00.000." in await say("daily", "play", "--name", "Ada", lines=rest)


async def test_the_bots_are_shown_apart(say: Say, node: Node) -> None:
    async with connect(f"ws://{node.address}", name="Robot", bot=True) as hall:
        sheet = await daily(hall, join=True)
        assert sheet.race == f"{ROOM}-bots"
        assert sheet.race is not None
        async with hall.join(sheet.race) as run:
            await run.begin()
            await run.give_up()
        assert (await league(hall, bots=True)).total == 0
    await say("daily", "play", "--name", "Ada", lines=GIVE_UP)
    board = await say("daily", "board", "--bots", "--name", "Ada")
    assert [line.split()[:2] for line in board[1:]] == [["place", "name"], ["1", "Robot"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("daily", "--day", "tomorrow"), "write 2026-11-30, today or yesterday"),
        (("daily", "--day", "2026-02-30"), "write 2026-11-30, today or yesterday"),
        (("daily", "play", "--json"), "--json goes with show and board"),
        (("daily", "--top", "0"), "no number from 1 to 100"),
        (("daily", "win"), "there are show, play, board"),
        (("league", "--week", "49"), "write 2026-W49"),
    ],
)
def test_what_is_not_understood_is_said_in_one_line(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("daily", "play", "--day", "2027-01-23"), "2027-01-23 is over: today is 2027-01-24"),
        (("daily", "--day", "2027-01-25"), "2027-01-25 has not come: today is 2027-01-24"),
        (("league", "--week", "2027-W54"), "no week"),
    ],
)
async def test_what_the_server_refuses_is_said_in_one_line(
    run: Run, node: Node, arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = await asyncio.to_thread(run, *arguments)
    assert (code, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1


def test_without_a_server_one_is_told_how_to_start_one(run: Run) -> None:
    for command in ("daily", "league"):
        code, _, err = run(command)
        assert (code, "samedeal-server serve" in err) == (3, True)
