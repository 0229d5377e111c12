"""Nodes that cannot reach the broker or the database, and brokers and databases that go away."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from conftest import SOAK
from faults.forge import Forge
from faults.nodes import MUTE_MS, Fleet, fleet
from faults.traffic import BOUND_S, busiest, traffic
from support.postgres import Cluster, database, own_cluster

WAYS = (False, True) if SOAK > 1 else (False,)
"""Whether what is cut breaks, or hangs; the latter takes longer to show nothing else."""

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300 * SOAK)]

RACES: Final = 6
WINDOW_S: Final = 3.0
"""How long players' waits are measured, without the broker and with it."""


@pytest.fixture(scope="module")
def postgres() -> Iterator[Cluster]:
    with own_cluster() as cluster:
        yield cluster


@pytest_asyncio.fixture(loop_scope="session")
async def nodes(forge: Forge, tmp_path: Path, postgres: Cluster) -> AsyncIterator[Fleet]:
    async with database(postgres) as store, fleet(forge, tmp_path, store) as whole:
        yield whole


@pytest.mark.parametrize("hangs", WAYS, ids=["breaks", "hangs"][: len(WAYS)])
async def test_a_node_that_the_broker_is_cut_from_loses_and_repeats_nothing(
    nodes: Fleet, *, hangs: bool
) -> None:
    dice = random.Random(20261202)
    async with traffic(nodes, races=RACES, seed=3) as whole:
        for _ in range(SOAK):
            await asyncio.sleep(dice.uniform(0.2, 0.8))
            node = await busiest(nodes)
            fault = nodes.part_from_broker(node, hangs=hangs)
            await asyncio.sleep(5)
            nodes.mend(fault)
            elsewhere = [player for player in whole.players if player.at != node]
            await whole.goes_on(fault.since, players=elsewhere)
            await whole.goes_on(nodes.now())


@pytest.mark.parametrize("hangs", WAYS, ids=["breaks", "hangs"][: len(WAYS)])
async def test_a_node_that_the_database_is_cut_from_loses_its_races_and_no_move(
    nodes: Fleet, *, hangs: bool
) -> None:
    dice = random.Random(20261203)
    async with traffic(nodes, races=RACES, seed=4) as whole:
        for _ in range(SOAK):
            await asyncio.sleep(dice.uniform(0.2, 0.8))
            node = await busiest(nodes)
            fault = nodes.part_from_database(node, hangs=hangs)
            elsewhere = [player for player in whole.players if player.at != node]
            async with asyncio.TaskGroup() as group:
                group.create_task(asyncio.sleep(6))
                group.create_task(whole.goes_on(fault.since, players=elsewhere))
            nodes.mend(fault)
            await whole.goes_on(nodes.now())


async def test_players_at_their_races_node_do_not_feel_that_the_broker_is_gone(
    nodes: Fleet,
) -> None:
    """Those at other nodes go on when it is back; spectators miss nothing."""
    async with traffic(nodes, races=RACES, seed=5, hops=0, pace=0.25) as whole:
        for stop in (nodes.broker.kill, nodes.broker.stop) * SOAK:
            local = whole.local_players(await nodes.owners())
            before = nodes.now()
            await asyncio.sleep(WINDOW_S)
            fault = nodes.note("broker down", grace_ms=MUTE_MS)
            stop()
            await asyncio.sleep(WINDOW_S)
            until = nodes.now()
            with_it = whole.latencies(local, before, fault.since)
            without = whole.latencies(local, fault.since, until)
            assert len(without) > len(with_it) / 2
            assert p99(without) < max(100, 5 * p99(with_it))
            nodes.broker.start()
            await whole.goes_on(nodes.now())


async def test_a_database_that_crashes_and_is_back_costs_no_acknowledged_move(
    nodes: Fleet, postgres: Cluster
) -> None:
    dice = random.Random(20261205)
    async with traffic(nodes, races=RACES, seed=6) as whole:
        for _ in range(2 * SOAK):
            await asyncio.sleep(dice.uniform(0.5, 1.5))
            nodes.note("database down", grace_ms=BOUND_S * 1000)
            await asyncio.to_thread(postgres.crash)
            await asyncio.sleep(dice.uniform(0, 1))
            await postgres.start()
            await whole.goes_on(nodes.now())


def p99(latencies: list[float]) -> float:
    """Returns the 99th hundredth of sorted milliseconds."""
    return latencies[len(latencies) * 99 // 100]
