"""The house over real sockets: a server's own bots, in a process beside it."""

from __future__ import annotations

import asyncio
import statistics
import sys
from pathlib import Path

import msgspec
import pytest

from samedeal_client import Refused, Run, Terms, connect
from samedeal_client.bots import BOTS
from samedeal_client.house import KINDS, House, pace
from samedeal_protocol.house import Order, Report
from samedeal_protocol.messages import HouseBot, Standing
from samedeal_protocol.terms import Mode, Visibility
from support.nodes import Fakes, fakes, running
from support.patience import PATIENCE_S
from support.processes import process
from support.serving import environment

QUICK_MS = 20
TERMS = Terms(game="opus", countdown=0)
DONE = ("finished", "gave-up", "stuck")


@pytest.fixture
def world() -> Fakes:
    return fakes()


async def rival_in(run: Run, *states: str) -> str:
    """Waits until the only rival is in one of these states; returns their name."""
    async for _ in run.changes():
        for number, entrant in run.entrants.items():
            if number != run.you and entrant.state in states:
                return entrant.name
    raise AssertionError("the race was left")


async def raced(run: Run) -> dict[str, Standing]:
    """Starts, lets the rival play to an end of its own, and gives up."""
    await rival_in(run, "ready")
    await run.ready()
    await rival_in(run, *DONE)
    await run.give_up()
    return {each.name: each for each in await run.over()}


async def test_a_person_races_a_bot_of_the_house_and_its_rematch_too(tmp_path: Path) -> None:
    alone = ("--connections-per-address", "1", "--log-level", "warning")
    async with (
        asyncio.timeout(60),
        process(tmp_path, *alone) as up,
        connect(f"ws://{up.address}", name="Ada") as hall,
    ):
        race = await hall.create(TERMS)
        async with hall.join(race) as run:
            await run.invite_bot("greedy", pace_ms=QUICK_MS)
            first = await raced(run)
            race = await run.rematch()
        async with hall.join(race) as run:
            second = await raced(run)
        assert first.keys() == second.keys() == {"Ada", "House Greedy 1"}
        for bot in (first["House Greedy 1"], second["House Greedy 1"]):
            assert bot.bot
            assert bot.state in DONE
        assert not up.errors


async def test_the_house_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    async with process(tmp_path, "--log-level", "warning") as up:
        async with (
            connect(f"ws://{up.address}", name="Ada") as hall,
            hall.join(await hall.create(TERMS)) as run,
        ):
            await run.invite_bot("patient")
            await rival_in(run, "ready")
        up.kill()
        loop = asyncio.get_running_loop()
        killed = loop.time()
    # The block ends when nobody holds the server's standard error any more, the house included.
    assert loop.time() - killed < 15


async def test_the_house_ends_with_its_input_whatever_its_bots_do(world: Fakes) -> None:
    async with (
        asyncio.timeout(PATIENCE_S),
        running(world) as node,
        connect(f"ws://{node.address}", name="Ada") as hall,
    ):
        race = await hall.create(TERMS)
        house = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "samedeal_client.house", f"ws://{node.address}"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environment(Path.cwd()),
        )
        assert house.stdin is not None
        assert house.stdout is not None
        async with hall.join(race) as run:
            house.stdin.write(
                msgspec.json.encode(
                    Order(seat=1, race=race, bot="patient", door=node.hall.players.door)
                )
                + b"\n"
            )
            await rival_in(run, "ready")
            house.stdin.close()
            assert await house.wait() == 0


async def test_whoever_is_free_sits_down_next(world: Fakes) -> None:
    reports: list[Report] = []
    async with (
        asyncio.timeout(PATIENCE_S),
        running(world) as node,
        connect(f"ws://{node.address}", name="Ada") as hall,
    ):
        house = House(f"ws://{node.address}", reports.append)
        for seat in (1, 2):
            race = await hall.create(Terms(game="opus", mode=Mode.ASYNC, entrants_min=1))
            await house.sit(
                Order(seat=seat, race=race, bot="greedy", pace_ms=1, door=node.hall.players.door)
            )
            [line] = (await hall.results(race)).standings
            assert (line.name, line.state in DONE) == ("House Greedy 1", True)
    assert [each.left for each in reports if each.left is not None] == ["done", "done"]
    assert len({each.player for each in reports if each.player is not None}) == 1


async def test_a_bot_hurries_when_no_person_races_any_more(world: Fakes) -> None:
    slow_ms = 1000
    async with (
        asyncio.timeout(PATIENCE_S),
        running(world) as node,
        connect(f"ws://{node.address}", name="Ada") as hall,
        asyncio.TaskGroup() as group,
    ):
        race = await hall.create(TERMS)
        house = House(f"ws://{node.address}", lambda _: None)
        order = Order(seat=1, race=race, bot="random", pace_ms=slow_ms, door=node.hall.players.door)
        async with hall.join(race) as run:
            seated = group.create_task(house.sit(order))
            await rival_in(run, "ready")
            await run.ready()
            await rival_in(run, "racing")
            loop = asyncio.get_running_loop()
            await run.give_up()
            left = loop.time()
            [bot] = [each for each in await run.over() if each.bot]
            assert bot.moves > 10
            # Of its pauses no more than the one that it was in.
            assert loop.time() - left < bot.moves * slow_ms / 1000 / 4
        seated.cancel()


@pytest.mark.parametrize("mode", Mode)
async def test_a_bot_that_is_told_to_go_ends_its_race(mode: Mode, world: Fakes) -> None:
    reports: list[Report] = []
    async with (
        asyncio.timeout(PATIENCE_S),
        running(world) as node,
        connect(f"ws://{node.address}", name="Ada") as hall,
        asyncio.TaskGroup() as group,
    ):
        house = House(f"ws://{node.address}", reports.append)
        race = await hall.create(Terms(game="opus", mode=mode, entrants_min=1))
        async with hall.join(race) as run:
            order = Order(
                seat=3, race=race, bot="greedy", pace_ms=60_000, door=node.hall.players.door
            )
            group.create_task(house.sit(order))
            await rival_in(run, "ready" if mode is Mode.LIVE else "racing")
            house.call_off(3)
            await rival_in(run, "withdrawn" if mode is Mode.LIVE else "gave-up")
    assert reports[-1] == Report(seat=3, left="done")


async def test_names_of_before_a_restart_are_passed_over(world: Fakes) -> None:
    reports: list[Report] = []
    async with (
        asyncio.timeout(PATIENCE_S),
        running(world) as node,
        connect(
            f"ws://{node.address}", name="House Greedy 1", token=node.hall.players.door
        ) as hall,
    ):
        race = await hall.create(Terms(game="opus", mode=Mode.ASYNC, entrants_min=1))
        order = Order(seat=1, race=race, bot="greedy", pace_ms=1, door=node.hall.players.door)
        await House(f"ws://{node.address}", reports.append).sit(order)
        [line] = (await hall.results(race)).standings
        assert line.name.startswith("House Greedy ")
        assert line.bot


async def test_a_bot_that_is_not_let_in_says_why_and_frees_its_seat(world: Fakes) -> None:
    reports: list[Report] = []
    async with (
        running(world) as node,
        connect(f"ws://{node.address}", name="Ada") as hall,
    ):
        terms = Terms(game="opus", visibility=Visibility.PHRASE)
        race = await hall.create(terms, phrase="open sesame")
        await House(f"ws://{node.address}", reports.append).sit(
            Order(seat=7, race=race, bot="random", door=node.hall.players.door)
        )
    assert reports[-1] == Report(seat=7, left="wrong-phrase")


async def test_a_server_without_a_house_refuses_the_library_with_its_code(world: Fakes) -> None:
    async with (
        running(world) as node,
        connect(f"ws://{node.address}", name="Ada") as hall,
        hall.join(await hall.create(TERMS)) as run,
    ):
        with pytest.raises(Refused) as refusal:
            await run.invite_bot()
        assert (refusal.value.code, hall.limits.house_bots) == ("no-house-bots", 0)


def test_every_bot_that_can_be_asked_for_is_at_hand() -> None:
    assert {each.value for each in HouseBot} == BOTS.keys() == KINDS.keys()


def test_a_bot_keeps_its_pace_in_the_mean_and_never_the_same_beat() -> None:
    every = pace(900, seed="a race/House Greedy 1")
    waits = [every() for _ in range(2000)]
    assert statistics.mean(waits) == pytest.approx(0.9, rel=0.05)
    assert len(set(waits)) == len(waits)
    assert min(waits) > 0.1
