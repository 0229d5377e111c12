"""Nodes that die, sleep or are cut off: others take their races over, and nobody loses a move."""

from __future__ import annotations

import asyncio

import pytest

from samedeal_protocol import messages, topics
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.events import Stopped, parse_line
from support.cluster import cluster, later, two
from support.halls import lobby, seqs, walk
from support.patience import PATIENCE_S

MOVES = walk(9)


async def test_a_dead_nodes_races_go_on_with_another() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        for number, move in enumerate(MOVES[:4], 1):
            await ben.play(race, number, move)
        whole.cut_off("a")
        whole.clock.advance(4000)
        await whole.beat()
        assert whole.nodes["b"].hall.rooms[race].is_owned
        assert (await ben.play(race, 5, MOVES[4])).number == 5
        stoppage = ben.of(messages.Stoppage)
        snapshots = ben.of(messages.Snapshot)
        assert stoppage or snapshots
        # Ann comes to the other node, and finds her board as it was.
        again = await whole.nodes["b"].again(ann)
        assert (await again.join(race)).number == 0


async def test_a_woken_owner_is_refused_and_follows() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        await ann.play(race, 1, MOVES[0])
        asleep = whole.cut_off("a")
        await whole.beat()
        await ben.play(race, 1, MOVES[0])
        # It wakes up, and does not know that it slept.
        whole.worlds["a"].bus.is_cut = False
        whole.nodes["a"] = asleep
        assert await ann.refusal(ann.a_play(race, 2, MOVES[1])) == "store-unavailable"
        await whole.beat()
        for _ in range(20):
            await asyncio.sleep(0.01)
            await whole.beat()
        assert not asleep.hall.rooms[race].is_owned
        assert (await ann.play(race, 2, MOVES[1])).number == 2
        numbers = [line for line in await whole.log.read(race) if b'"played"' in line]
        assert len(numbers) == 3


async def test_a_node_cut_from_the_store_sends_its_players_elsewhere() -> None:
    async with cluster("a", "b") as whole:
        ann, _, race = await two(whole)
        cut = whole.nodes.pop("a")
        whole.worlds["a"].leases.is_cut = True
        whole.worlds["a"].leases.dies()
        later(cut, 6)
        await cut.hall.federation.tenure.renew()
        assert ann.closed_with is CloseCode.RESTARTING
        assert cut.hall.unready() == "the log cannot be written"
        await whole.beat()
        again = await whole.nodes["b"].again(ann)
        await again.join(race)
        assert (await again.play(race, 1, MOVES[0])).number == 1


async def test_a_node_cut_from_the_bus_gives_up_races_that_others_play_and_keeps_its_own() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        eve = await whole.nodes["a"].person("Eve")
        own = await whole.nodes["a"].race(eve, entrants_min=1)
        await eve.join(own)
        await eve.ready(own)
        await whole.settle()
        cut = whole.nodes["a"]
        whole.worlds["a"].bus.is_cut = True
        await cut.hall.federation.tenure.look()
        later(cut, 2)
        await cut.hall.federation.tenure.look()
        for _ in range(20):
            await asyncio.sleep(0.01)
            await whole.nodes["b"].hall.federation.tenure.renew()
        assert whole.nodes["b"].hall.rooms[race].is_owned
        assert cut.hall.rooms[own].is_owned
        assert cut.hall.unready() == "the other nodes cannot be reached"
        for _ in range(20):
            await asyncio.sleep(0.02)
            await cut.hall.federation.tenure.look()
        assert ann.closed_with is CloseCode.RESTARTING
        assert eve.closed_with is None
        assert (await eve.play(own, 1, MOVES[0])).number == 1
        assert (await ben.play(race, 1, MOVES[0])).number == 1


async def test_nobody_gives_anything_up_while_the_broker_is_gone_for_all() -> None:
    async with cluster("a", "b") as whole:
        ann, _, race = await two(whole)
        for name, node in whole.nodes.items():
            whole.worlds[name].bus.is_cut = True
            await node.hall.federation.tenure.renew()
        for _ in range(3):
            for node in whole.nodes.values():
                later(node, 2)
                await node.hall.federation.tenure.renew()
                await node.hall.federation.tenure.look()
        assert whole.nodes["a"].hall.rooms[race].is_owned
        assert (await ann.play(race, 1, MOVES[0])).number == 1


async def test_a_race_asked_for_while_it_is_taken_up_has_one_room() -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        await ben.play(race, 1, MOVES[0])
        async with lobby(whole.world("c")) as third:
            third.others = whole.settle
            for name in ("a", "b"):
                whole.worlds[name].bus.is_cut = True
                whole.worlds[name].leases.dies()
            whole.nodes = {"c": third}
            claims = await third.world.leases.claim_orphans(limit=9)
            rooms = await asyncio.gather(
                *(third.hall.take_up(claim) for claim in claims),
                *(third.hall.find(race) for _ in range(5)),
            )
            assert {id(room) for room in rooms if room is not None} == {id(third.hall.rooms[race])}
            again = await third.again(ben)
            await again.join(race)
            assert (await again.play(race, 2, MOVES[1])).number == 2


async def test_a_server_alone_finds_its_old_races_while_it_drains() -> None:
    async with lobby() as alone:
        ann = await alone.person("Ann")
        race = await alone.race(ann, entrants_min=1)
        await ann.join(race)
        await ann.ready(race)
        await alone.settle()
        await ann.give_up(race)
        world = alone.world
    async with lobby(world) as again:
        again.hall.is_draining = True
        assert (await again.hall.records.sheet(race)).phase == "over"


async def test_a_former_owner_that_speaks_up_late_is_corrected() -> None:
    async with cluster("a", "b") as whole:
        _, _, race = await two(whole)
        whole.cut_off("a")
        await whole.beat()
        stale = topics.Owner(race=race, node="a", epoch=1)
        whole.bus.publish(topics.OWNER.at(race=race), topics.OWNER.encode(stale), retain=True)
        await whole.settle()
        retained: list[bytes] = []
        whole.bus.subscribe(topics.OWNER.at(race=race), lambda _, said: retained.append(said))
        owner = topics.OWNER.decode(topics.OWNER.at(race=race), retained[0])
        assert (owner.node, owner.epoch) == ("b", 2)
        assert whole.nodes["b"].world.meter.totals["bus_stale"] == 1


@pytest.mark.parametrize("turns", range(12))
async def test_a_race_that_is_claimed_while_it_is_read_again_has_one_room(turns: int) -> None:
    """And the outage, which the first of two claims alone tells of, is on nobody's clock."""
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        await ann.play(race, 1, MOVES[0])
        heir = whole.nodes["b"]
        del whole.nodes["a"]
        whole.worlds["a"].bus.is_cut = True
        await whole.worlds["a"].leases.leave()
        whole.clock.advance(4000)
        renewing = asyncio.ensure_future(heir.hall.federation.tenure.renew())
        for _ in range(turns):
            await asyncio.sleep(0)
        heir.hall.lose({race})
        await renewing
        await whole.settle()
        assert (await ben.play(race, 1, MOVES[0])).number == 1
        again = await heir.again(ann)
        await again.join(race)
        await again.play(race, 2, MOVES[1])
        lines = await whole.log.read(race)
        told = seqs(ben, race)
        assert told == list(range(told[0], len(lines) + 1))
        stopped = [e.stopped_ms for e in map(parse_line, lines) if isinstance(e, Stopped)]
        assert stopped == [4000]


async def test_a_claimed_race_that_cannot_be_read_is_taken_up_when_it_can() -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        async with lobby(whole.world("c")) as third:
            third.others = whole.settle
            for name in ("a", "b"):
                whole.worlds[name].leases.dies()
            whole.nodes = {"c": third}
            third.world.log.is_unreadable = True
            await third.hall.federation.tenure.renew()
            await whole.settle()
            assert race not in third.hall.rooms
            third.world.log.is_unreadable = False
            await third.hall.federation.tenure.renew()
            await whole.settle()
            assert third.hall.rooms[race].is_owned
            again = await third.again(ben)
            await again.join(race)
            assert (await again.play(race, 1, MOVES[0])).number == 1


async def test_the_lease_does_not_wait_for_races_that_are_taken_up() -> None:
    async with cluster("a", "b") as whole:
        await two(whole)
        async with lobby(whole.world("c")) as third:
            for name in ("a", "b"):
                whole.worlds[name].leases.dies()
            whole.nodes = {"c": third}
            whole.log.may_read.clear()
            for alive_at in (4000, 5000):
                whole.clock.advance(alive_at)
                async with asyncio.timeout(PATIENCE_S):
                    await third.hall.federation.tenure.renew()
                nodes = await third.world.leases.nodes()
                assert [each.alive_at for each in nodes] == [whole.clock.now()]
            whole.log.may_read.set()


async def test_a_node_whose_name_was_taken_sends_its_players_away_and_says_so() -> None:
    async with cluster("a", "b") as whole:
        ann, _, race = await two(whole)
        tenure = whole.nodes["a"].hall.federation.tenure
        assert not tenure.superseded.is_set()
        whole.worlds["a"].leases.is_superseded = True
        await tenure.renew()
        assert tenure.superseded.is_set()
        assert ann.closed_with is CloseCode.RESTARTING
        assert race not in whole.nodes["a"].hall.rooms


async def test_whoever_asks_for_a_race_that_waits_to_be_taken_up_pays_for_no_outage() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        del ann
        async with lobby(whole.world("c")) as third:
            third.others = whole.settle
            await third.hall.federation.tenure.join()
            for name in ("a", "b"):
                whole.worlds[name].bus.is_cut = True
                whole.worlds[name].leases.dies()
            whole.nodes = {"c": third}
            gone = whole.clock.now()
            tenure = third.hall.federation.tenure
            tenure._claims = await third.world.leases.claim_orphans(limit=9)
            whole.clock.advance(5000)
            again = await third.again(ben)
            await again.join(race)
            (stopped,) = [
                each
                for each in map(parse_line, await whole.log.read(race))
                if isinstance(each, Stopped)
            ]
            assert stopped.at - stopped.stopped_ms == gone
            assert tenure._claims == []
