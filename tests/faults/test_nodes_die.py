"""Nodes that are killed, frozen and restarted while races run on all of them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from conftest import SOAK
from faults.forge import Forge
from faults.nodes import Fleet, fleet
from faults.traffic import BOUND_S, busiest, traffic
from support.postgres import database

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300 * SOAK)]

KILLS: Final = 2 * SOAK
FREEZES: Final = 1 * SOAK
RACES: Final = 6


@pytest_asyncio.fixture(loop_scope="session")
async def nodes(forge: Forge, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with database() as store, fleet(forge, tmp_path, store) as whole:
        yield whole


async def test_killed_owners_races_go_on_elsewhere_and_nothing_is_lost(nodes: Fleet) -> None:
    dice = random.Random(20261130)
    async with traffic(nodes, races=RACES, seed=1, hops=0.02) as whole:
        for _ in range(KILLS):
            await asyncio.sleep(dice.uniform(0.2, 0.8))
            node = await busiest(nodes)
            fault = await nodes.kill(node)
            await whole.goes_on(fault.since)
            await nodes.start(node)
    assert whole.longest_wait(whole.players) < BOUND_S + whole.late.allowed


async def test_a_frozen_owner_is_replaced_and_when_it_wakes_it_steps_down(nodes: Fleet) -> None:
    dice = random.Random(20261201)
    async with traffic(nodes, races=RACES, seed=2) as whole:
        for _ in range(FREEZES):
            await asyncio.sleep(dice.uniform(0.2, 0.8))
            node = await busiest(nodes)
            owned = {race for race, owner in (await nodes.owners()).items() if owner == node}
            fault = nodes.freeze(node)
            elsewhere = [player for player in whole.players if player.at != node]
            async with asyncio.TaskGroup() as group:
                group.create_task(asyncio.sleep(dice.uniform(6, 8)))
                group.create_task(whole.goes_on(fault.since, players=elsewhere))
            owners = await nodes.owners()
            assert all(owners[race] != node for race in owned)
            nodes.thaw(node, fault)
            # Also for those who asked it while it slept, and were answered by nobody.
            await whole.goes_on(nodes.now())
            assert all(owners[race] != node for race in owned)
