"""Clocks that jump and loops that stall: nobody's time is touched, nobody is cut off for it.

The machine's clocks are given to the server by the test, so that an hour costs nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from faults.stage import back, started, token_of
from samedeal_protocol import events as log
from samedeal_protocol import messages
from samedeal_protocol.codec import MSGPACK
from samedeal_protocol.terms import Terms, Undo
from samedeal_server.adapters.bus_local import LocalBus
from samedeal_server.adapters.clock import SystemClock
from samedeal_server.adapters.leases_local import LocalLeases
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.app import Adapters, Node, node
from support.fakes import FixedSeeds, RecordingHooks, RecordingMeter
from support.halls import GAME, until, walk
from support.nodes import fakes, running, settings
from support.voices import Voice, greeted, voice

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOVES = walk(10)
HOUR = 3_600_000
NOON = 1_800_000_000_000
TERMS = Terms(game=GAME, countdown=0, undo=Undo.FREE, limit=600, grace=300)


@dataclass
class Machine:
    """A machine's two clocks, in milliseconds: what its wall says, and what has passed."""

    wall: int = NOON
    steady: int = 0

    def let_pass(self, ms: int) -> None:
        self.wall += ms
        self.steady += ms

    def clock(self, floor: int) -> SystemClock:
        return SystemClock(
            floor=floor,
            wall=lambda: self.wall * 1_000_000,
            steady=lambda: self.steady * 1_000_000,
        )


@asynccontextmanager
async def server(machine: Machine, data: Path, seeds: FixedSeeds) -> AsyncIterator[Node]:
    """Runs a server as the command does, on that machine's clocks."""
    stored = await SqliteLog.open(data)
    clock = machine.clock(await stored.last_alive() or 0)
    adapters = Adapters(
        log=stored,
        leases=LocalLeases(stored, "local"),
        bus=LocalBus(),
        clock=clock,
        seeds=seeds,
        meter=RecordingMeter(),
        hooks=RecordingHooks(),
    )
    try:
        async with node(settings(), adapters) as up:
            yield up
    finally:
        await stored.close()


async def events_of(data: Path, race: str) -> list[log.Event]:
    stored = await SqliteLog.open(data)
    try:
        return [log.parse_line(line) for line in await stored.read(race)]
    finally:
        await stored.close()


@pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=["forward", "back"])
async def test_an_hours_jump_of_the_wall_clock_moves_nobodys_race(
    tmp_path: Path, jump: int
) -> None:
    machine = Machine()
    async with (
        server(machine, tmp_path, FixedSeeds()) as up,
        greeted(up.address, "Ann") as ann,
        greeted(up.address, "Ben") as ben,
    ):
        race = await started(ann, ben, terms=TERMS)
        before = await ann.play(race, 1, MOVES[0])
        machine.wall += jump
        machine.let_pass(1234)
        up.hall.tick()
        up.gateway.sweep()
        after = await ann.play(race, 2, MOVES[1])
        assert after.elapsed_ms - before.elapsed_ms == 1234
        assert after.at - before.at == 1234
        assert (await ben.play(race, 1, MOVES[0])).elapsed_ms == after.elapsed_ms
        assert (await ben.join(race)).phase == "running"


@pytest.mark.parametrize("jump", [HOUR, -HOUR, 0], ids=["forward", "back", "not-at-all"])
async def test_an_hours_jump_during_a_restart_costs_and_gives_nobody_time(
    tmp_path: Path, jump: int
) -> None:
    machine = Machine()
    seeds = FixedSeeds()
    async with (
        server(machine, tmp_path, seeds) as up,
        greeted(up.address, "Ann") as ann,
        greeted(up.address, "Ben") as ben,
    ):
        race = await started(ann, ben, terms=TERMS)
        machine.let_pass(1000)
        played = await ann.play(race, 1, MOVES[0])
        machine.let_pass(500)
        await up.hall.close()  # so that nobody is away by leaving first
    machine.wall += jump
    machine.let_pass(20_000)
    async with (
        server(machine, tmp_path, seeds) as up,
        back(up.address, token_of(ann), race, after=played.seq) as ann,
    ):
        machine.let_pass(2000)
        assert await ann.play(race, 1, MOVES[0]) == played
        onward = await ann.play(race, 2, MOVES[1])
        assert onward.elapsed_ms == 1000 + 500 + 2000
        assert onward.at > played.at
        await ann.ask(messages.GiveUp(id=ann.next_id(), race=race))
    stored = await events_of(tmp_path, race)
    assert [each.at for each in stored] == sorted(each.at for each in stored)
    stoppages = [each.stopped_ms for each in stored if isinstance(each, log.Stopped)]
    assert stoppages == [max(0, 20_000 + jump)]
    ends = [each.state for each in stored if isinstance(each, log.Done)]
    assert ends == [log.EntrantState.GAVE_UP], "nobody ran out of time or patience"


# --- a loop that stalls ------------------------------------------------------------------------
#
# What clients send meanwhile waits in the kernel. When the loop goes on, timers may come first.


def say_at_once(speaker: Voice, message: messages.ClientMessage) -> None:
    """Puts a frame into the kernel's hands without giving the loop a turn."""
    payload = MSGPACK.encode.encode(message)
    assert len(payload) < 126
    speaker.connection.transport.write(bytes((0x82, 0x80 | len(payload))) + bytes(4) + payload)


@pytest.mark.parametrize("carrier", ["fast", "plain"])
async def test_a_hello_that_waited_out_a_stall_is_welcomed(carrier: str) -> None:
    world = fakes()
    async with running(world, transport=carrier) as up, voice(up.address) as ann:
        await until(lambda: up.gateway.connections == 1)
        say_at_once(ann, messages.Hello(id=1, name="Ann"))
        world.clock.advance(5000)
        up.gateway.sweep()
        await until(lambda: bool(ann.heard) or ann.closed.is_set())
        assert not ann.closed.is_set(), f"closed with {ann.close_code}"


@pytest.mark.parametrize("carrier", ["fast", "plain"])
async def test_after_a_long_stall_nobody_is_closed_as_silent(carrier: str) -> None:
    """The machine was suspended for longer than anybody may be silent."""
    world = fakes()
    async with (
        running(world, transport=carrier) as up,
        greeted(up.address, "Ann") as ann,
        greeted(up.address, "Ben") as ben,
    ):
        race = await started(ann, ben, terms=replace(TERMS, grace=None))
        world.clock.advance(70_000)
        say_at_once(ann, messages.Play(id=90, race=race, number=1, move=MOVES[0]))
        up.gateway.sweep()
        up.hall.tick()
        assert (await ann.play(race, 2, MOVES[1])).number == 2
        assert (await ben.play(race, 1, MOVES[0])).number == 1


@pytest.mark.parametrize("carrier", ["fast", "plain"])
async def test_moves_that_wait_out_a_stall_count_in_order_and_those_too_late_do_not(
    carrier: str,
) -> None:
    """Ten seconds are allowed. A stall of five ends at eleven: what comes then is too late."""
    world = fakes()
    async with AsyncExitStack() as stack:
        up = await stack.enter_async_context(running(world, transport=carrier))
        players = [
            await stack.enter_async_context(greeted(up.address, f"P{number}"))
            for number in range(4)
        ]
        race = await started(*players, terms=replace(TERMS, entrants_min=4, limit=10))
        world.clock.advance(1000)
        for player in players:
            for number in (1, 2, 3):
                say_at_once(
                    player,
                    messages.Play(id=90 + number, race=race, number=number, move=MOVES[number - 1]),
                )
        world.clock.advance(5000)
        up.gateway.sweep()
        up.hall.tick()
        for player in players:
            assert (await player.play(race, 4, MOVES[3])).elapsed_ms == 6000
        for player in players:
            say_at_once(player, messages.Play(id=95, race=race, number=5, move=MOVES[4]))
        world.clock.advance(5000)
        up.gateway.sweep()
        up.hall.tick()
        for player in players:
            over = await player.hear(messages.Over)
            assert [line.moves for line in over.standings] == [4] * 4
        events = [log.parse_line(line) for line in await world.log.read(race)]
        begun = next(each.at for each in events if isinstance(each, log.Started))
        ends = [(each.at, each.state) for each in events if isinstance(each, log.Done)]
        assert ends == [(begun + 10_000, log.EntrantState.OUT_OF_TIME)] * 4
        for entrant in range(1, 5):
            played = [
                e.number for e in events if isinstance(e, log.Played) and e.entrant == entrant
            ]
            assert played == [1, 2, 3, 4]
