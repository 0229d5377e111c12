"""Playing a whole tournament: each race once, checked in, picked, and never lost by being early."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from samedeal_client import Call, Cup, Refused, connect, tour
from samedeal_client.cups.touring import attend, enter, first_game
from samedeal_protocol.tournament import requests as r
from samedeal_protocol.tournament.terms import Choice
from samedeal_protocol.tournament.views import Pick, TournamentHead, TournamentSheet
from support.cups import CODE, CupServer, changed, match, player, race, sheet, terms
from support.scripted import StillTiming, settle

PLAYERS = (player(1, "Ada"), player(2, "Bo"))


class Tour:
    """A cup that is toured, and the races that were played."""

    def __init__(self, server: CupServer, cup: Cup, timing: StillTiming) -> None:
        self.server = server
        self.cup = cup
        self.timing = timing
        self.played: list[str] = []
        self.refusals: dict[str, list[str]] = {}
        """Codes with which joining a race is refused, one after the other."""

    async def play(self, call: Call) -> None:
        code = call.race.race
        if self.refusals.get(code):
            raise Refused(self.refusals[code].pop(0), "no")
        self.played.append(code)

    def call(self, after: int, *matches: str, state: str = "called") -> None:
        """Calls races, each of a match of its own."""
        called = tuple(match(f"M-{c}", 1, 2, races=(race(1, c, state),)) for c in matches)
        self.server.tell(changed(after, after + 1, matches=called))


@asynccontextmanager
async def touring(first: TournamentSheet) -> AsyncIterator[Tour]:
    server, timing = CupServer(first), StillTiming()
    async with (
        connect("test:1", name="Ada", dial=server.dial, timing=timing) as hall,
        hall.tournament(CODE) as cup,
    ):
        yield Tour(server, cup, timing)


async def test_every_race_is_played_once_and_in_order() -> None:
    async with touring(sheet(5, players=PLAYERS, you=1)) as made:
        going = asyncio.create_task(tour(made.cup, made.play))
        made.call(5, "r1", "r2")
        await settle()
        made.call(6, "r1", "r2", state="running")
        made.call(7, "r3")
        await settle()
        made.server.tell(changed(8, 9, "over"))
        await going
    assert made.played == ["r1", "r2", "r3"]


async def test_a_race_that_is_not_open_yet_is_tried_until_it_is() -> None:
    async with touring(sheet(5, players=PLAYERS, you=1)) as made:
        made.refusals["r1"] = ["no-such-race", "no-such-race"]
        going = asyncio.create_task(tour(made.cup, made.play))
        made.call(5, "r1")
        await settle()
        assert made.played == []
        await made.timing.advance(2)
        assert made.played == ["r1"]
        made.server.tell(changed(6, 7, "over"))
        await going


@pytest.mark.parametrize("code", ["not-open", "not-invited", "not-running"])
async def test_a_race_that_one_came_too_late_for_is_passed_over(code: str) -> None:
    async with touring(sheet(5, players=PLAYERS, you=1)) as made:
        made.refusals["r1"] = [code]
        going = asyncio.create_task(tour(made.cup, made.play))
        made.call(5, "r1", "r2")
        await settle()
        assert made.played == ["r2"]
        made.server.tell(changed(6, 7, "over"))
        await going


async def test_what_else_goes_wrong_is_raised_bare() -> None:
    async with touring(sheet(5, players=PLAYERS, you=1)) as made:
        made.refusals["r1"] = ["server-full"]
        going = asyncio.create_task(tour(made.cup, made.play))
        made.call(5, "r1")
        with pytest.raises(Refused):
            await going


@pytest.mark.parametrize("state", ["withdrawn", "disqualified", "absent"])
async def test_who_is_out_waits_for_no_race(state: str) -> None:
    async with touring(sheet(5, players=(player(1, "Ada", state),), you=1)) as made:
        await tour(made.cup, made.play)
    assert made.played == []


async def test_who_attends_is_checked_in_once_that_is_open() -> None:
    registered = (player(1, "Ada", "registered"),)
    async with touring(sheet(5, "announced", players=registered, you=1)) as made:
        going = asyncio.create_task(attend(made.cup))
        await settle()
        assert made.server.acts() == []
        made.server.tell(changed(5, 6, "check-in"))
        await settle()
        assert made.server.acts() == [r.CheckIn()]
        made.server.tell(changed(6, 7, "over", players=(player(1, "Ada", "checked-in"),)))
        await going


async def test_games_are_picked_once_a_race_and_one_after_the_other() -> None:
    first = sheet(5, players=PLAYERS, you=1, terms=terms(games=("tuxedo",), choice=Choice.PICK))
    pick = Pick(player=1, until=2_000_000)
    async with touring(first) as made:
        going = asyncio.create_task(attend(made.cup, pick=first_game))
        made.server.tell(changed(5, 6, matches=(match("F", 1, 2, pick=pick),)))
        await settle()
        made.server.tell(changed(6, 7, matches=(match("F", 1, 2, pick=pick, score="0–0"),)))
        await settle()
        over = race(1, "r1", "over")
        made.server.tell(changed(7, 8, matches=(match("F", 1, 2, pick=pick, races=(over,)),)))
        await settle()
        assert made.server.acts() == [
            r.PickGame(match="F", game="opus"),
            r.PickGame(match="F", game="tuxedo"),
        ]
        made.server.tell(changed(8, 9, "over"))
        await going


async def test_what_somebody_else_is_to_pick_is_let_be() -> None:
    async with touring(sheet(5, players=PLAYERS, you=1)) as made:
        going = asyncio.create_task(attend(made.cup, pick=first_game))
        theirs = match("F", 1, 2, pick=Pick(player=2, until=2_000_000))
        made.server.tell(changed(5, 6, matches=(theirs,)))
        made.server.tell(changed(6, 7, "over"))
        await going
        assert made.server.acts() == []


@pytest.mark.parametrize(
    ("state", "acts"),
    [
        (None, [r.Register()]),
        ("absent", [r.Register()]),
        ("withdrawn", [r.ComeBack()]),
        ("registered", []),
        ("playing", []),
    ],
)
async def test_who_enters_does_what_is_left_to_do(state: str | None, acts: list[r.AnyAct]) -> None:
    players = () if state is None else (player(1, "Ada", state),)
    you = None if state is None else 1
    first = sheet(5, players=players, you=you, head=TournamentHead(phase="announced"))
    async with touring(first) as made:
        await enter(made.cup)
        assert made.server.acts() == acts
