"""Crowds: those who come in the middle of a burst of moves, and those who never read."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from conftest import SOAK
from faults.deaf import deaf
from faults.forge import LOUD, Forge
from faults.riders import Rider, Watcher
from faults.stage import TERMS, back, started, token_of
from faults.world import World
from samedeal_protocol import messages
from samedeal_protocol.codec import JSON, MSGPACK
from samedeal_protocol.errors import CloseCode
from samedeal_server.app import Node
from support.halls import SEED, until, walk
from support.nodes import fakes, running
from support.voices import greeted

pytestmark = pytest.mark.asyncio(loop_scope="session")

WATCHERS: Final = 50 * SOAK
GAME: Final = "forty-thieves"


def watching(node: Node, race: str) -> int:
    """Returns how many connections are told of the race."""
    room = node.hall.room(race)
    return 0 if room is None else len(list(room.viewers()))


async def riders(world: World, dice: random.Random, count: int = 2) -> list[Rider]:
    """Opens a race and returns those who are to enter it."""
    async with greeted(world.address, "Host") as host:
        terms = replace(TERMS, game=GAME, entrants_min=count)
        create = messages.Create(id=host.next_id(), terms=terms, seed=SEED)
        race = (await host.get(messages.Created, create)).race
    return [
        Rider(
            world,
            race,
            f"Rider {at}",
            JSON if at else MSGPACK,
            game=GAME,
            seed=SEED,
            dice=random.Random(dice.random()),
        )
        for at in range(count)
    ]


@pytest.mark.parametrize("transport", ["fast", "plain"])
async def test_who_joins_amid_a_burst_of_moves_is_told_every_seq_once(
    forge: Forge, tmp_path: Path, transport: str
) -> None:
    """Some lose their link in the same burst, come back, and are told what they missed."""
    dice = random.Random(f"storm {transport}")
    wide = ("--ring", "100000", "--connections-per-address", "10000", "--transport", transport)
    world = World(forge, tmp_path, *LOUD, *wide)
    await world.start()
    players = await riders(world, dice)
    watchers = [
        Watcher(world, players[0].story.race, f"Eve {at}", JSON if at % 2 else MSGPACK)
        for at in range(WATCHERS)
    ]
    async with asyncio.timeout(60 * SOAK), asyncio.TaskGroup() as group:
        for player in players:
            group.create_task(player.ride(), name=player.name)
        for at, watcher in enumerate(watchers):
            await world.busy(dice.randrange(1, 30))
            group.create_task(watcher.ride(), name=watcher.name)
            fallen = watchers[dice.randrange(at + 1)].connection
            if fallen is not None and dice.random() < 0.3:
                fallen.transport.abort()
        await world.busy(500)
        for player in players:
            player.is_closing = True
    over = players[0].story.seq
    for viewer in (*players, *watchers):
        assert viewer.story.is_whole
        assert viewer.story.seq == over
    assert any(each.connections > 1 for each in watchers)
    await world.kill()


async def test_a_crowd_that_never_reads_costs_no_memory_no_player_and_no_shutdown(
    forge: Forge, tmp_path: Path
) -> None:
    dice = random.Random("deaf")
    small = ("--send-buffer", "4096", "--outbox-high", "8192", "--outbox-limit", "65536")
    patient = ("--slow-timeout", "3600", "--close-timeout", "0.5", "--drain", "0")
    world = World(forge, tmp_path, *LOUD, *small, *patient)
    await world.start()
    players = await riders(world, dice)
    race = players[0].story.race
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:
        for player in players:
            group.create_task(player.ride(), name=player.name)
        await world.busy(50)
        crowd = [await stack.enter_async_context(deaf(world.address)) for _ in range(40)]
        for each in crowd:
            await each.say(messages.Hello(id=1))
            await each.say(messages.Watch(id=2, race=race))
        await world.busy(800)
        before = world.resident()
        answered = sum(len(player.answered) for player in players)
        await world.busy(2400)
        grown = world.resident() - before
        assert sum(len(player.answered) for player in players) - answered > 800
        # What they leave unread would come to some 40 x 1000 x 500 bytes.
        assert grown < 5_000_000
        assert all(player.connections == 1 for player in players)
        began = time.monotonic()
        world.ask_to_end()
        assert await world.ended() == 0
        assert time.monotonic() - began < 10
        for player in players:
            player.story.is_over = True
        world.is_up.set()


@pytest.mark.parametrize("transport", ["fast", "plain"])
@pytest.mark.parametrize("is_entrant", [False, True], ids=["spectator", "entrant"])
async def test_who_leaves_frames_unread_is_closed_with_a_code_and_can_resume(
    transport: str, is_entrant: bool
) -> None:
    world = fakes()
    moves = walk(400)
    small = {"send_buffer": 4096, "outbox_high": 8192, "outbox_limit": 16_384}
    async with (
        running(world, transport=transport, close_timeout=60, **small) as node,
        greeted(node.address, "Ben") as ben,
        greeted(node.address, "Ann") as ann,
    ):
        race = await started(ann, ben)
        async with deaf(node.address) as victim:
            await victim.say(messages.Hello(id=1, token=token_of(ann) if is_entrant else None))
            await victim.say(
                messages.Join(id=2, race=race) if is_entrant else messages.Watch(id=2, race=race)
            )
            await until(lambda: node.gateway.connections == (2 if is_entrant else 3))
            await until(lambda: watching(node, race) == (2 if is_entrant else 3))
            for number, move in enumerate(moves, 1):
                await ben.play(race, number, move)
            world.clock.advance(10_000)
            node.gateway.sweep()
            assert world.meter.totals["slow_readers_closed"] == 1
            heard = await victim.read_to_the_close()
            assert victim.close_code == CloseCode.SLOW_READER.number
        assert (await ben.play(race, len(moves) + 1, walk(401)[-1])).number == len(moves) + 1
        seqs = [
            each.seq for each in heard if isinstance(each, messages.Moved | messages.Progressed)
        ]
        assert seqs
        assert seqs == sorted(set(seqs))
        if is_entrant:
            async with back(node.address, token_of(ann), race, after=seqs[-1]) as again:
                assert (await again.play(race, 1, moves[0])).number == 1
