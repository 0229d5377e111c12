"""Several halls on one log and one bus, in one event loop: nodes without processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from samedeal_protocol import messages
from samedeal_server.adapters.bus_local import LocalBus
from samedeal_server.ports import HouseBots
from support.fakes import FakeClock, FixedSeeds, RecordingHooks, RecordingMeter
from support.halls import Lobby, Person, lobby
from support.memory import MemoryLeases, MemoryLog, SharedLog
from support.quiet import TURNS, is_quiet

__all__ = ["Cluster", "SharedWorld", "cluster", "later", "two"]


class CutBus(LocalBus):
    """One node's end of a bus; while `is_cut` nothing goes out or comes in.

    What comes in is lost besides if `loses` says so of its topic.
    """

    def __init__(self, whole: LocalBus) -> None:
        super().__init__()
        self.is_cut = False
        self.loses: Callable[[str], bool] = lambda topic: False
        self._whole = whole
        whole.subscribe("#", self._on_message)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        if not self.is_cut:
            self._whole.publish(topic, payload, retain=retain)

    def _on_message(self, topic: str, payload: bytes) -> None:
        if not self.is_cut and not self.loses(topic):
            super().publish(topic, payload)

    @property
    def is_connected(self) -> bool:
        return not self.is_cut


@dataclass(frozen=True, slots=True)
class SharedWorld:
    """What one node of several sees of the world."""

    log: SharedLog
    clock: FakeClock
    seeds: FixedSeeds
    meter: RecordingMeter
    bus: CutBus
    leases: MemoryLeases
    hooks: RecordingHooks


class Cluster:
    """The nodes, by name."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.clock = FakeClock()
        self.bus = LocalBus()
        self.seeds = FixedSeeds()
        self.nodes: dict[str, Lobby] = {}
        self.worlds: dict[str, SharedWorld] = {}

    def world(self, name: str) -> SharedWorld:
        """Makes what a node of this name sees of the world."""
        world = self.worlds[name] = SharedWorld(
            SharedLog(self.log, name),
            self.clock,
            self.seeds,
            RecordingMeter(),
            CutBus(self.bus),
            MemoryLeases(self.log, name, self.clock),
            RecordingHooks(),
        )
        return world

    def cut_off(self, name: str) -> Lobby:
        """Has the others do without a node, whose lease is over; it knows nothing of it."""
        self.worlds[name].bus.is_cut = True
        self.worlds[name].leases.dies()
        return self.nodes.pop(name)

    async def settle(self) -> None:
        """Waits until everything has been stored, told, followed and answered."""
        quiet = turns = 0
        while quiet < TURNS and turns < 60:
            await asyncio.sleep(0)
            was_quiet = is_quiet()
            for node in self.nodes.values():
                await node.hall.committer.flush()
                node.hall.federation.feeds.flush()
                node.hall.annex.flush()
            quiet = quiet + 1 if was_quiet and is_quiet() else 0
            turns += 1

    async def beat(self) -> None:
        """Lets every node do what it does every now and then."""
        for node in self.nodes.values():
            await node.hall.federation.tenure.renew()
            await node.hall.federation.look()
            await node.hall.federation.feeds.poll()
            await node.hall.annex.look()
        await self.settle()


@asynccontextmanager
async def cluster(
    *names: str, house: HouseBots | None = None, **changes: object
) -> AsyncIterator[Cluster]:
    """Runs a hall for each name."""
    whole = Cluster()
    async with AsyncExitStack() as stack:
        for name in names:
            world = whole.world(name)
            node = await stack.enter_async_context(lobby(world, house=house, **changes))
            node.others = whole.settle
            whole.nodes[name] = node
        yield whole


async def two(whole: Cluster) -> tuple[Person, Person, str]:
    """Ann on the race's node `a` and Ben on `b`, racing."""
    here, there = whole.nodes["a"], whole.nodes["b"]
    ann, ben = await here.person("Ann"), await there.person("Ben")
    race = await here.race(ann, entrants_min=2)
    await ann.join(race)
    await ben.join(race)
    await ann.ready(race)
    await ben.ready(race)
    await whole.settle()
    here.hall.tick()
    await whole.settle()
    assert len(ben.of(messages.Started)) == 1
    return ann, ben, race


def later(node: Lobby, seconds: float) -> None:
    """Has a node's lease and bus seem to have been gone for so long."""
    tenure = node.hall.federation.tenure
    now = tenure._seconds() + seconds
    tenure._seconds = lambda: now
