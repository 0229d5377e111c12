"""A tournament whose node is killed in the middle of a round goes on elsewhere to its champion."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from conftest import SOAK
from faults.forge import Forge
from faults.gates import Gate, gate
from faults.nodes import Fleet, fleet
from samedeal_client import Terms, connect, verify
from samedeal_client.bots import play_out
from samedeal_client.cups.cup import Call
from samedeal_client.cups.touring import tour
from samedeal_client.view import View
from samedeal_protocol.terms import Undo
from samedeal_protocol.tournament import events
from samedeal_protocol.tournament.formats import SingleElimination
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_protocol.tournament.views import TournamentTable
from samedeal_server.adapters.log_postgres.stored import Stored
from samedeal_server.audit import audit
from samedeal_server.hosting import view
from samedeal_server.hosting.codes import is_cup
from samedeal_server.hosting.fold import replay
from samedeal_server.settings import Address
from samedeal_server.stored import StoredRace
from support.postgres import database

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300 * SOAK)]

SIZE: Final = 4 if SOAK == 1 else 32
KILLS: Final = 1 if SOAK == 1 else 5
"""In so many rounds, from the first on, the node that runs the tournament is killed."""
MOVES: Final = 25
"""After so many a bot gives up; who has more cards home goes on."""
TERMS: Final = TournamentTerms(
    name="Unplugged",
    format=SingleElimination(),
    race=Terms(game="abandon-hope", countdown=0, limit=600, undo=Undo.FREE),
)


@dataclass
class Pen:
    """Where the players of a round stand still after their first move, until all have come."""

    size: int
    inside: set[str] = field(default_factory=set)
    full: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def hold(self, player: str) -> None:
        self.inside.add(player)
        if len(self.inside) == self.size:
            self.full.set()
        await self.opened.wait()


@asynccontextmanager
async def doors(nodes: Fleet) -> AsyncIterator[dict[str, Gate]]:
    """Yields an address for each node, behind which another may come to listen."""
    async with AsyncExitStack() as stack:
        yield {
            name: await stack.enter_async_context(gate(Address("127.0.0.1", member.port)))
            for name, member in nodes.members.items()
        }


async def play(door: Gate, code: str, name: str, pens: list[Pen]) -> TournamentTable:
    """Plays a tournament to its end over one node's door; returns the standings seen there."""
    async with (
        connect(f"ws://{door.address}", name=name, bot=True) as hall,
        hall.tournament(code) as cup,
    ):
        await cup.register()

        async def race(call: Call) -> None:
            chance = random.Random(f"{name} {call.race.race}")
            is_held = call.race.number == 1 and call.match.round <= len(pens)

            async def bot(seen: View) -> str | None:
                if seen.number == 1 and is_held:
                    await pens[call.match.round - 1].hold(name)
                legal = seen.legal()
                return chance.choice(legal) if legal and seen.number < MOVES else None

            async with hall.join(call.race.race) as run:
                await play_out(run, bot)

        await tour(cup, race)
        await cup.over()
        return await cup.standings()


async def test_a_tournament_whose_node_is_killed_in_a_round_goes_on_elsewhere_to_its_champion(
    forge: Forge, tmp_path: Path
) -> None:
    pens = [Pen(SIZE >> number) for number in range(KILLS)]
    dead: list[str] = []
    async with (
        database() as store,
        fleet(forge, tmp_path, store) as nodes,
        doors(nodes) as ways,
        connect(f"ws://{ways['a'].address}", name="Host") as hall,
    ):
        code = await hall.announce(TERMS)
        async with hall.tournament(code) as cup, asyncio.TaskGroup() as group:
            players = [
                group.create_task(play(way, code, f"Player {number}", pens))
                for number, way in zip(range(SIZE), cycle(ways.values()), strict=False)
            ]
            async for _ in cup.changes():
                if len(cup.sheet.players) == SIZE:
                    break
            await cup.start()
            for pen in pens:
                await pen.full.wait()
                for name in dead[-1:]:
                    await nodes.start(name)
                    ways[name].target = await nodes.address(name)
                owner = (await nodes.owners())[code]
                dead.append(owner)
                await nodes.kill(owner)
                ways[owner].target = await nodes.address(owner)
                pen.opened.set()
            head = await cup.over()
            published = await cup.standings()
            log = [line async for line in cup.log()]
        for race in {race.race for match in cup.sheet.matches for race in match.races}:
            report = verify(await hall.replay(race))
            assert report.passed, report.text()
        hands = await lives(store, code)
        kept = await asyncio.to_thread(stored, store)
        nodes.look_at_logs()

    assert head.phase == "over"
    assert head.champion is not None
    assert published.final
    assert all(player.result() == published for player in players)
    told = [events.parse_line(line.encode()) for line in log]
    assert view.table(replay(told)).lines == published.lines
    look_at_rounds(told)
    look_at_store(kept, {each.race for each in told if isinstance(each, events.Called)})
    look_at_hands(hands, dead, len(log))


def look_at_rounds(log: list[events.TournamentEvent]) -> None:
    """Nothing was paired, called or raced twice, and all that was called was raced."""
    paired = [m.match for each in log if isinstance(each, events.Paired) for m in each.matches]
    called = [(each.match, each.number) for each in log if isinstance(each, events.Called)]
    ended = [(each.match, each.number) for each in log if isinstance(each, events.RaceEnded)]
    decided = {each.match: each.result for each in log if isinstance(each, events.Decided)}
    assert len(set(paired)) == len(paired) == SIZE - 1
    assert len(set(called)) == len(called)
    assert sorted(ended) == sorted(called)
    assert sorted(decided) == sorted(paired)
    assert {result.ending for result in decided.values()} == {events.Ending.PLAYED}


def look_at_store(kept: list[StoredRace], called: set[str]) -> None:
    """Of all nodes together there are these races and the tournament; all are whole, and over."""
    assert [audit(each) for each in kept] == [[]] * len(kept)
    assert [each.row.race for each in kept if not each.row.is_over] == []
    assert {each.row.race for each in kept if not is_cup(each.row.race)} == called
    assert len(kept) == 1 + len(called)


def look_at_hands(hands: list[tuple[int, int, str]], dead: list[str], length: int) -> None:
    """Each event was appended once, by nodes one after the other, none of which came back."""
    assert [seq for seq, _, _ in hands] == list(range(1, length + 1))
    epochs = [epoch for _, epoch, _ in hands]
    assert epochs == sorted(epochs)
    owners = list(dict.fromkeys(life for _, _, life in hands))
    assert [life.split()[0] for life in owners[:-1]] == dead
    assert owners[-1].split()[0] != dead[-1]


async def lives(store: str, race: str) -> list[tuple[int, int, str]]:
    """Returns of every event its seq, and under which claim and by whom it was appended."""
    connection = await asyncpg.connect(store)
    try:
        rows = await connection.fetch(
            "select seq, epoch, life from public.witness where race = $1 order by number", race
        )
    finally:
        await connection.close()
    return [(row[0], row[1], row[2]) for row in rows]


def stored(store: str) -> list[StoredRace]:
    with Stored(store) as source:
        return list(source.races())
