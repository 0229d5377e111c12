"""SIGTERM in the middle of a race, again and again: told, drained, closed, and back by themselves.

With the client library, as players and bots use it.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from faults.forge import LOUD, Forge
from faults.stage import TERMS
from faults.world import World
from samedeal_client import Hall, Link, Refused, Run, connect, verify
from samedeal_protocol import events as log
from samedeal_protocol.messages import Notice, Over, Snapshot, Stoppage
from support.halls import SEED, walk

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOVES: Final = walk(90)
DEPLOYS: Final = 3
OUTAGE: Final = 60_000


class Pacer:
    """A player who makes so many moves as they are let; each resolves once, whatever happens."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.numbers: list[int] = []
        self._may = asyncio.Semaphore(0)
        self._let = 0

    async def play(self) -> None:
        for move in MOVES:
            await self._may.acquire()
            self.numbers.append((await self.run.play(move)).number)

    def let(self, moves: int) -> None:
        """Lets the player make moves up to so many in all."""
        while self._let < moves:
            self._let += 1
            self._may.release()

    async def has(self, moves: int) -> None:
        """Waits until so many have been answered."""
        async for _ in self.run.changes():
            if self.run.view is not None and self.run.view.number >= moves:
                return


async def status_of(world: World, path: str) -> int:
    """Returns the HTTP status of a page."""
    reader, writer = await asyncio.open_connection(world.address.host, world.address.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return int(answer.split()[1])


async def deploy(world: World, hall: Hall, told: asyncio.Event, players: list[Pacer]) -> None:
    """Restarts the server as an operator would: before, in and after the drain moves are made."""

    async def go_on(moves: int) -> None:
        for player in players:
            player.let(moves)
        for player in players:
            await player.has(moves)

    for done in range(0, len(MOVES), len(MOVES) // DEPLOYS):
        await go_on(done + 10)
        told.clear()
        world.ask_to_end()
        await told.wait()
        assert await status_of(world, "/readyz") == 503
        with pytest.raises(Refused) as refused:
            await hall.create(TERMS)
        assert refused.value.code == "draining"
        await go_on(done + 20)
        world.ask_to_end()  # a second signal ends the drain
        assert await world.ended() == 0
        for player in players:
            player.let(done + 30)
        world.let_pass(OUTAGE)
        await world.start()
        await go_on(done + 30)


async def test_a_race_goes_through_three_deploys_and_its_players_notice_a_pause(
    forge: Forge, tmp_path: Path
) -> None:
    calm = ("--log-level", "warning", "--close-timeout", "1")
    world = World(forge, tmp_path, *LOUD, *calm, "--drain", "50")
    await world.start()
    url = f"ws://{world.address}"
    notices: list[Notice] = []
    told = asyncio.Event()
    links: list[Link] = []

    def noticed(notice: Notice) -> None:
        notices.append(notice)
        told.set()

    async with (
        connect(url, name="Ann", on_notice=noticed, on_link=links.append) as one,
        connect(url, name="Ben", json=True) as two,
        connect(url, name="Eve") as three,
    ):
        race = await one.create(replace(TERMS, entrants_min=2), seed=SEED)
        async with one.join(race) as ann, two.join(race) as ben, three.watch(race) as eve:
            streams = [each.events() for each in (ann, ben, eve)]
            begun = time.monotonic()
            await ann.ready()
            await ben.ready()
            await anext(aiter(ann))
            await anext(aiter(ben))
            players = [Pacer(run) for run in (ann, ben)]
            async with asyncio.timeout(60), asyncio.TaskGroup() as group:
                for player in players:
                    group.create_task(player.play())
                await deploy(world, one, told, players)
            for player in players:
                assert player.numbers == list(range(1, len(MOVES) + 1))
            elapsed = ann.elapsed_ms
            assert elapsed is not None
            assert elapsed <= (time.monotonic() - begun) * 1000 + 1000, "no outage is charged"
            for run in (ann, ben):
                await run.give_up()
            await ann.over()
            for stream in streams:
                heard = [each async for each in stream if not isinstance(each, Snapshot)]
                seqs = [each.seq for each in heard]
                assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
                stoppages = [each.stopped_ms for each in heard if isinstance(each, Stoppage)]
                assert len(stoppages) == DEPLOYS
                assert all(OUTAGE <= each < OUTAGE + 10_000 for each in stoppages)
                assert isinstance(heard[-1], Over)
            assert [each.doubts for each in (ann, ben, eve)] == [0, 0, 0]
        assert [(each.code, each.in_ms) for each in notices] == [("draining", 50_000)] * DEPLOYS
        assert sum(not link.is_up and "restarts" in link.sentence for link in links) == DEPLOYS
        report = verify(await one.replay(race))
        assert report.passed, report.text()
        lines = (await one.replay(race)).splitlines()[1:-1]
        events = [log.parse_line(line) for line in lines]
        assert sum(isinstance(each, log.Played) for each in events) == 2 * len(MOVES)
    world.ask_to_end()
    assert await world.ended() == 0
    assert world.errors == ""
