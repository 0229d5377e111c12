"""The lobby as every node shows it, whoever's the races are and whenever they end."""

from __future__ import annotations

import asyncio

import pytest

from samedeal_protocol import messages, topics
from samedeal_server.rooms.hall import RESTING
from support.cluster import cluster, two


async def test_the_lobby_is_one_on_all_nodes() -> None:
    async with cluster("a", "b") as whole:
        ann = await whole.nodes["a"].person("Ann")
        ben = await whole.nodes["b"].person("Ben")
        race = await whole.nodes["a"].race(ann)
        await whole.settle()
        listed = await ben.get(messages.Listed, messages.List(id=ben.next_id()))
        assert [card.race for card in listed.races] == [race]
        assert listed.races[0].entrants == ()
        await ann.join(race)
        whole.nodes["a"].hall.world.flush()
        await whole.settle()
        listed = await ben.get(messages.Listed, messages.List(id=ben.next_id()))
        assert listed.races[0].entrants == ("Ann",)
        await ben.watch(race)
        listed = await ben.get(messages.Listed, messages.List(id=ben.next_id()))
        assert [card.race for card in listed.races] == [race]


@pytest.mark.parametrize("turns", range(12))
async def test_a_race_that_ends_while_the_lobby_is_looked_through_is_just_gone(turns: int) -> None:
    async with cluster("a", "b") as whole:
        ann, _, race = await two(whole)
        races = race, await whole.nodes["a"].race(ann)
        await whole.settle()
        federation = whole.nodes["b"].hall.federation
        assert {card.race for card in federation.cards()} == set(races)
        looking = asyncio.ensure_future(federation.look())
        for _ in range(turns):
            await asyncio.sleep(0)
        for each in races:
            whole.bus.publish(topics.OWNER.at(race=each), b"", retain=True)
        await looking
        assert federation.cards() == []


async def test_the_end_of_every_race_leaves_the_lobby_however_many_end_at_once() -> None:
    async with cluster("a", "b", races_per_player=1000) as whole:
        host = await whole.nodes["a"].person("Host")
        races = [await whole.nodes["a"].race(host) for _ in range(RESTING + 20)]
        await whole.settle()
        assert len(whole.nodes["b"].hall.listed()) == RESTING + 20
        for race in races:
            await host.ask(messages.Cancel(id=host.next_id(), race=race))
        whole.nodes["a"].hall.world.flush()
        await whole.settle()
        assert whole.nodes["b"].hall.listed() == ()


async def test_races_that_ended_with_their_node_leave_the_lobby() -> None:
    async with cluster("a", "b") as whole:
        host = await whole.nodes["a"].person("Host")
        race = await whole.nodes["a"].race(host)
        await whole.settle()
        dead = whole.nodes.pop("a")
        whole.worlds["a"].bus.is_cut = True
        host.say_now(messages.Cancel(id=host.next_id(), race=race))
        await dead.hall.committer.flush()
        whole.worlds["a"].leases.dies()
        assert [card.race for card in whole.nodes["b"].hall.listed()] == [race]
        await whole.beat()
        assert whole.nodes["b"].hall.listed() == ()
        retained: list[bytes] = []
        whole.bus.subscribe(topics.OWNER.at(race=race), lambda _, said: retained.append(said))
        assert retained == []
