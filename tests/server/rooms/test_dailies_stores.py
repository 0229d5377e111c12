"""The daily deal over the stores that servers really have: a file, and a database of two nodes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from samedeal_protocol.daily import Attempt
from samedeal_protocol.events import Opened, parse_line
from samedeal_server.adapters.bus_local import LocalBus
from samedeal_server.adapters.leases_local import LocalLeases
from samedeal_server.adapters.log_postgres import PostgresLeases, PostgresLog
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.ports import Leases, Log
from support.days import FIRST, HOUR, begin, daily, next_day, win
from support.fakes import FakeClock, FixedSeeds, RecordingHooks, RecordingMeter
from support.halls import Lobby, lobby
from support.postgres import database
from support.races import WinningSeeds

ROOM = f"daily-{FIRST}"


@dataclass(frozen=True)
class World:
    """A real store, and all else as in other tests of halls."""

    log: Log
    leases: Leases
    clock: FakeClock
    bus: LocalBus
    seeds: FixedSeeds
    meter: RecordingMeter
    hooks: RecordingHooks


def world(log: Log, leases: Leases, clock: FakeClock, bus: LocalBus, seeds: FixedSeeds) -> World:
    return World(log, leases, clock, bus, seeds, RecordingMeter(), RecordingHooks())


@asynccontextmanager
async def on_a_file(data: Path, clock: FakeClock, seeds: FixedSeeds) -> AsyncIterator[Lobby]:
    log = await SqliteLog.open(data)
    try:
        there = world(log, LocalLeases(log, "local"), clock, LocalBus(), seeds)
        async with lobby(there) as hall:  # type: ignore[arg-type]  # any log will do
            yield hall
            await hall.hall.close()
    finally:
        await log.close()


async def test_days_on_a_file_are_the_same_after_a_restart(tmp_path: Path) -> None:
    clock = FakeClock(FIRST.opens_at + 8 * HOUR)
    seeds = WinningSeeds()  # no secret is drawn twice, over restarts neither
    async with on_a_file(tmp_path, clock, seeds) as hall:
        ada = await hall.person("Ada")
        await win(ada, after_ms=3000)
        before = await daily(ada)
    async with on_a_file(tmp_path, clock, seeds) as hall:
        again = await hall.again(ada)
        assert await daily(again) == before
        await next_day(hall)
        sheet = await daily(again, FIRST)
        assert (sheet.is_over, sheet.streak, sheet.lines) == (True, 1, before.lines)


@asynccontextmanager
async def on_a_database(*names: str) -> AsyncIterator[list[Lobby]]:
    """Nodes that share a database and a bus."""
    clock, bus, seeds = FakeClock(FIRST.opens_at + 8 * HOUR), LocalBus(), FixedSeeds()
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(database())
        halls: list[Lobby] = []
        for name in names:
            log = await PostgresLog.open(url, node=name)
            stack.push_async_callback(log.close)
            there = world(log, PostgresLeases(log), clock, bus, seeds)
            halls.append(await stack.enter_async_context(lobby(there)))  # type: ignore[arg-type]
        yield halls


async def test_two_nodes_on_a_database_have_one_deal_and_one_board() -> None:
    async with on_a_database("a", "b") as halls:
        people = [
            await halls[at % 2].person(name) for at, name in enumerate(("Ada", "Ben", "Cid", "Dot"))
        ]
        sheets = await asyncio.gather(*(daily(person, join=True) for person in people))
        assert {sheet.race for sheet in sheets} == {ROOM}
        assert len({sheet.commitment for sheet in sheets}) == 1
        first = parse_line((await halls[0].world.log.read(ROOM))[0])
        assert isinstance(first, Opened)
        assert first.commitment == sheets[0].commitment
        for person in people:
            race = await begin(person)
            await person.give_up(race)
        boards = [await daily(person) for person in people]
        assert {sheet.attempt for sheet in boards} == {Attempt.PLAYED}
        assert len({sheet.lines for sheet in boards}) == 1
        assert boards[0].played == 4
