"""Three nodes restarted one after the other, as an operator does it, while many races run.

With the client library, as players and bots use it: nobody does anything to come back.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from conftest import SOAK
from faults.forge import Forge
from faults.ledger import Account, accounts
from faults.nodes import Fleet, fleet
from faults.stage import TERMS
from faults.traffic import BOUND_S
from samedeal_client import Run, connect
from samedeal_client.sight import Happening, Sight
from samedeal_client.transport import Dial, Wire
from samedeal_client.websocket import dial
from samedeal_protocol import events as log
from samedeal_protocol import messages
from samedeal_protocol.codec import Codec
from support.postgres import database

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300 * SOAK)]

RACES: Final = 30 if SOAK == 1 else 200
PACE_S: Final = 0.5 if SOAK == 1 else 3.0
"""The mean pause of a player between moves."""


def by_way_of(nodes: Fleet, home: str) -> Dial:
    """Returns how a client of that node connects, as a balancer in front of all would have it."""

    async def to_somebody(url: str, codec: Codec) -> Wire:
        return await dial(f"ws://{await nodes.address(home)}", codec)

    return to_somebody


@dataclass
class Regulars:
    """Two players and a spectator of one race, each of whom begins at another node."""

    nodes: Fleet
    number: int
    dice: random.Random
    race: str = ""
    is_closing: bool = False
    played: list[list[messages.Played]] = field(default_factory=lambda: [[], []])
    heard: list[list[Happening]] = field(default_factory=list)
    doubts: list[int] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def homes(self) -> tuple[str, str, str]:
        names = tuple(self.nodes.members)
        first, second, third = (names[(self.number + at) % 3] for at in range(3))
        return first, second, third

    async def open(self) -> None:
        """Opens the race at the first one's node."""
        home = self.homes[0]
        at = by_way_of(self.nodes, home)
        async with connect("ws://nodes", name=f"Host {self.number}", dial=at) as hall:
            self.race = await hall.create(replace(TERMS, entrants_min=2), seed="bench")

    async def live(self) -> None:
        """Has the three live through the race."""
        async with asyncio.TaskGroup() as group:
            for seat in (0, 1):
                group.create_task(self._play(seat), name=f"{self.number}.{seat}")
            group.create_task(self._watch(), name=f"{self.number}.eve")

    async def _play(self, seat: int) -> None:
        at = by_way_of(self.nodes, self.homes[seat])
        name = f"{self.number}.{seat}"
        async with (
            connect("ws://nodes", name=name, dial=at, json=bool(seat)) as hall,
            hall.join(self.race) as run,
            self._all_heard(run),
        ):
            await run.ready()
            await self._moves(run, self.played[seat])
            await run.give_up()
            await run.over()

    async def _moves(self, run: Run, played: list[messages.Played]) -> None:
        async for view in run:
            await asyncio.sleep(self.dice.uniform(0, 2 * PACE_S))
            if self.is_closing:
                return
            legal = view.legal()
            if view.undoable and (not legal or self.dice.random() < 0.3):
                played.append(await run.undo())
            else:
                played.append(await run.play(self.dice.choice(legal)))
            self._news.set()

    @property
    def moves(self) -> tuple[int, ...]:
        """How many moves of each player have been answered."""
        return tuple(map(len, self.played))

    async def go_on(self, moves: tuple[int, ...]) -> None:
        """Waits until each player has made more moves than that."""
        async with asyncio.timeout(BOUND_S + 4 * PACE_S):
            while not all(now > then for now, then in zip(self.moves, moves, strict=True)):
                self._news.clear()
                await self._news.wait()

    async def _watch(self) -> None:
        at = by_way_of(self.nodes, self.homes[2])
        async with (
            connect("ws://nodes", name=f"{self.number}.eve", dial=at) as hall,
            hall.watch(self.race) as watch,
            self._all_heard(watch),
        ):
            await watch.over()

    @asynccontextmanager
    async def _all_heard(self, sight: Sight) -> AsyncIterator[None]:
        stream = sight.events()
        yield
        self.heard.append([each async for each in stream])
        self.doubts.append(sight.doubts)
        assert not sight.reason, f"{self.race} was called off: {sight.reason}"

    # --- afterwards ----------------------------------------------------------------------------

    def look(self, account: Account) -> None:
        """Every move that was acknowledged is in the log, and everybody heard everything."""
        assert any(isinstance(each, log.Over) for each in account.events), self.race
        assert not any(isinstance(each, log.Cancelled) for each in account.events), self.race
        for played in self.played:
            for each in played:
                event = account.events[each.seq - 1]
                assert isinstance(event, log.Played | log.Undone)
                assert (event.number, event.at) == (each.number, each.at)
        assert self.doubts == [0, 0, 0], self.race
        for heard in self.heard:
            for one, two in pairwise(heard):
                is_next = two.seq == one.seq + 1
                assert is_next or (isinstance(two, messages.Snapshot) and two.seq >= one.seq)


async def test_a_rolling_restart_is_a_pause_for_everybody_and_the_end_of_no_race(
    forge: Forge, tmp_path: Path
) -> None:
    dice = random.Random(20261206)
    async with database() as store, fleet(forge, tmp_path, store) as nodes:
        regulars = [Regulars(nodes, number, random.Random(number)) for number in range(RACES)]
        for each in regulars:
            await each.open()
        async with asyncio.TaskGroup() as group:
            for each in regulars:
                group.create_task(each.live(), name=f"race {each.number}")
            for each in regulars:
                await each.go_on((0, 0))
            for name in nodes.members:
                await nodes.stop(name)
                before = [each.moves for each in regulars]
                await nodes.start(name)
                for each, moves in zip(regulars, before, strict=True):
                    await each.go_on(moves)
                await asyncio.sleep(dice.uniform(0, 1))
            for each in regulars:
                each.is_closing = True
        found = await accounts(store)
        for each in regulars:
            account = found[each.race]
            account.look((), nodes.faults)
            each.look(account)
        nodes.look_at_logs()
