"""Races that live on one node, for players, spectators and hosts on others."""

from __future__ import annotations

import asyncio

import pytest

from samedeal_protocol import messages, topics
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.events import Stopped, parse_line
from samedeal_rules import deal, find
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.hall import RESTING
from support.cluster import Cluster, cluster
from support.halls import GAME, SEED, Lobby, Person, lobby, seqs, until, walk

MOVES = walk(60)


async def two(whole: Cluster) -> tuple[Person, Person, str]:
    """Ann on the race's node and Ben on another, racing."""
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


async def test_players_on_two_nodes_race_on_one_deal() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        deals = [person.of(messages.Started)[0].board for person in (ann, ben)]
        assert deals[0] == deals[1] == deal(find(GAME), SEED).view().text()
        for number, move in enumerate(MOVES[:20], 1):
            ours = await ann.play(race, number, move)
            theirs = await ben.play(race, number, move)
            assert (ours.digest, ours.home) == (theirs.digest, theirs.home)
        await whole.settle()
        lines = await whole.log.read(race)
        for person in (ann, ben):
            told = seqs(person, race)
            assert told == list(range(told[0], len(lines) + 1))
        assert whole.nodes["b"].hall.rooms[race].is_owned is False


async def test_a_refusal_from_afar_says_what_the_owner_said() -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        reply = await ben.reply_to(ben.a_play(race, 1, "F1-T1"))
        assert isinstance(reply, messages.Error)
        assert (reply.code, bool(reply.reason)) == ("illegal-move", True)
        assert await ben.refusal(ben.a_play(race, 5, MOVES[0])) == "bad-number"
        assert (await ben.play(race, 1, MOVES[0])).number == 1


async def test_a_move_sent_again_from_afar_counts_once() -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        first = await ben.play(race, 1, MOVES[0])
        assert await ben.play(race, 1, MOVES[0]) == first
        await ben.play(race, 2, MOVES[1])
        assert await ben.play(race, 1, MOVES[0]) == first
        lines = await whole.log.read(race)
        assert sum(b'"played"' in line for line in lines) == 2


async def test_orders_and_answers_may_be_lost_and_repeated() -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        bus = whole.worlds["b"].bus
        for number, move in enumerate(MOVES[:6], 1):
            bus.is_cut = number % 2 == 0
            errand = ben.say_now(ben.a_play(race, number, move))
            assert errand is not None
            asked = asyncio.ensure_future(errand)
            await asyncio.sleep(0.01)
            bus.is_cut = False
            await asked
        await whole.settle()
        played = [each.result for each in ben.of(messages.Ok)[-6:]]
        assert [each.number for each in played if isinstance(each, messages.Played)] == [
            1, 2, 3, 4, 5, 6,
        ]  # fmt: skip
        assert seqs(ben, race)[-1] == len(await whole.log.read(race))


async def test_lines_that_the_bus_lost_are_read_from_the_log() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        bus = whole.worlds["b"].bus
        bus.is_cut = True
        for number, move in enumerate(MOVES[:5], 1):
            await ann.play(race, number, move)
        await whole.settle()
        bus.is_cut = False
        await ann.play(race, 6, MOVES[5])
        await whole.settle()
        told = seqs(ben, race)
        assert told == list(range(told[0], len(await whole.log.read(race)) + 1))


async def test_spectators_on_another_node_are_told_everything_once() -> None:
    async with cluster("a", "b", "c") as whole:
        ann, _, race = await two(whole)
        eve = await whole.nodes["c"].person("Eve")
        await eve.watch(race)
        for number, move in enumerate(MOVES[:10], 1):
            await ann.play(race, number, move)
        await whole.settle()
        told = seqs(eve, race)
        assert told == list(range(told[0], len(await whole.log.read(race)) + 1))


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


async def test_the_newest_connection_wins_whichever_node_it_came_to() -> None:
    async with cluster("a", "b") as whole:
        ann, _, race = await two(whole)
        again = await whole.nodes["b"].again(ann)
        await again.join(race)
        await whole.settle()
        assert ann.closed_with is CloseCode.REPLACED
        ann.leave()
        await whole.settle()
        assert (await again.play(race, 1, MOVES[0])).number == 1
        third = await whole.nodes["a"].again(ann)
        await third.join(race)
        for _ in range(20):
            await whole.settle()
        assert again.closed_with is CloseCode.REPLACED
        entrants = (await third.watch(race)).entrants
        assert [entrant.away for entrant in entrants] == [False, False]


async def test_a_connection_lost_on_another_node_is_heard_of() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        ben.leave()
        await whole.settle()
        assert [each.entrant for each in ann.of(messages.Away)] == [2]
        again = await whole.nodes["b"].again(ben)
        await again.join(race)
        await whole.settle()
        assert [each.entrant for each in ann.of(messages.Back)] == [2]


async def test_players_of_a_dead_node_are_away() -> None:
    async with cluster("a", "b") as whole:
        ann, _, _ = await two(whole)
        del whole.nodes["b"]
        whole.worlds["b"].leases.dies()
        await whole.beat()
        assert [each.entrant for each in ann.of(messages.Away)] == [2]


async def test_one_server_alone_is_no_cluster() -> None:
    async with lobby() as alone:
        assert not alone.hall.is_shared
        ann = await alone.person("Ann")
        race = await alone.race(ann)
        assert alone.hall.rooms[race].is_owned


# --- nodes that are cut off --------------------------------------------------------------------


def later(node: Lobby, seconds: float) -> None:
    """Has a node's lease and bus seem to have been gone for so long."""
    tenure = node.hall.federation.tenure
    now = tenure._seconds() + seconds
    tenure._seconds = lambda: now


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
        assert (await again.hall.sheet(race)).phase == "over"


async def test_a_former_owner_that_speaks_up_late_is_corrected() -> None:
    async with cluster("a", "b") as whole:
        _, _, race = await two(whole)
        whole.cut_off("a")
        await whole.beat()
        stale = topics.Owner(race=race, node="a", epoch=1)
        whole.bus.publish(topics.race_owner(race), topics.to_json(stale), retain=True)
        await whole.settle()
        retained: list[bytes] = []
        whole.bus.subscribe(topics.race_owner(race), lambda _, said: retained.append(said))
        owner = topics.OWNER.decode(topics.race_owner(race), retained[0])
        assert (owner.node, owner.epoch) == ("b", 2)
        assert whole.nodes["b"].world.meter.totals["bus_stale"] == 1


# --- what three processes under kill -9 have shown ---------------------------------------------


async def test_whoever_was_told_more_on_another_node_is_told_no_less_here() -> None:
    async with cluster("a", "b") as whole:
        ann, _, race = await two(whole)
        eve = await whole.nodes["a"].person("Eve")
        await eve.watch(race)
        whole.worlds["b"].bus.is_cut = True
        await ann.play(race, 1, MOVES[0])
        told = seqs(eve, race)[-1]
        assert whole.nodes["b"].hall.rooms[race].race.seq < told
        again = await whole.nodes["b"].again(eve)
        resume = messages.Resume(id=again.next_id(), race=race, after=told)
        assert (await again.get(messages.Resumed, resume)).seq == told


@pytest.mark.parametrize("after", [None, 10**9], ids=["all", "beyond"])
async def test_who_asks_anew_for_the_whole_race_is_not_replaced_by_themselves(
    after: int | None,
) -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        resume = messages.Resume(id=ben.next_id(), race=race, after=after)
        assert (await ben.get(messages.Snapshot, resume)).seq == len(await whole.log.read(race))
        await whole.settle()
        assert ben.closed_with is None
        assert (await ben.play(race, 1, MOVES[0])).number == 1


@pytest.mark.parametrize("is_meant", [True, False], ids=["this life", "an earlier life"])
async def test_a_node_is_told_of_its_own_places_not_of_those_in_an_earlier_life(
    *, is_meant: bool
) -> None:
    """A node that starts anew numbers its places from 1 again."""
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        there = whole.nodes["b"]
        (place,) = [each for each in there.hall.rooms[race].viewers() if each.is_holder]
        life = whole.worlds["b"].leases.incarnation if is_meant else "0123456789abcdef"
        whole.nodes["a"].hall.federation.orders.say_replaced(("b", life), place.seat, race)
        await whole.settle()
        assert (ben.closed_with is CloseCode.REPLACED) is is_meant


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


async def test_an_answer_whose_event_has_come_is_not_said_twice() -> None:
    """The owner's word is lost, and then the race."""
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        there = whole.nodes["b"]
        eve = await there.person("Eve")
        await eve.watch(race)
        whole.worlds["b"].bus.loses = lambda topic: "/reply/" in topic
        play = ben.a_play(race, 1, MOVES[0])
        errand = ben.say_now(play)
        assert errand is not None
        asked = asyncio.ensure_future(errand)
        await until(lambda: any(each.id == play.id for each in ben.of(messages.Ok)))
        there.hall.lose({race})
        await asked
        await whole.settle()
        replies = ben.of(messages.Ok) + ben.of(messages.Error)
        assert [each.id for each in replies].count(play.id) == 1
        assert len(eve.of(messages.Moved)) == 1


async def test_nobody_takes_a_place_in_a_room_that_was_lost_meanwhile() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        there = whole.nodes["b"]
        again = await there.again(ben)
        whole.worlds["b"].bus.loses = lambda topic: "/log" in topic
        ben.leave()
        await whole.settle()
        errand = again.say_now(messages.Join(id=again.next_id(), race=race))
        assert errand is not None
        joining = asyncio.ensure_future(errand)
        back = b'"returned"'
        await until(lambda: any(back in each.line for group in whole.log.appends for each in group))
        there.hall.lose({race})
        await joining
        assert [each.code for each in again.of(messages.Error)] == ["store-unavailable"]
        whole.worlds["b"].bus.loses = lambda topic: False
        await whole.settle()
        await again.join(race)
        await ann.play(race, 1, MOVES[0])
        told = seqs(again, race)
        assert told == list(range(told[0], len(await whole.log.read(race)) + 1))


async def test_players_of_a_node_that_was_taken_for_dead_are_back_when_it_wakes() -> None:
    async with cluster("a", "b") as whole:
        ann, _, _ = await two(whole)
        asleep = whole.nodes["b"]
        whole.worlds["b"].leases.dies()
        await whole.nodes["a"].hall.federation.tenure.look()
        await whole.settle()
        assert [each.entrant for each in ann.of(messages.Away)] == [2]
        later(asleep, 3)
        await asleep.hall.federation.tenure.renew()
        await until(lambda: [each.entrant for each in ann.of(messages.Back)] == [2])


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
                async with asyncio.timeout(5):
                    await third.hall.federation.tenure.renew()
                nodes = await third.world.leases.nodes()
                assert [each.alive_at for each in nodes] == [whole.clock.now()]
            whole.log.may_read.set()


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
            whole.bus.publish(topics.race_owner(each), b"", retain=True)
        await looking
        assert federation.cards() == []


async def test_everybody_who_goes_is_heard_of_however_many_races_come_to_rest() -> None:
    races = RESTING + 6
    async with cluster("a", "b", races_per_player=1000) as whole:
        opener = await whole.nodes["a"].person("Opener")
        ben = await whole.nodes["b"].person("Ben")
        codes = [await whole.nodes["a"].race(opener) for _ in range(races)]
        for code in codes:
            await ben.join(code)
        bus = whole.worlds["b"].bus
        bus.is_cut = True
        ben.leave()
        await asyncio.sleep(0.1)
        bus.is_cut = False
        rooms = whole.nodes["a"].hall.rooms
        await until(lambda: all(rooms[code].race.entrants[0].away for code in codes))
        await whole.settle()
        assert len(whole.nodes["b"].hall.rooms) <= RESTING


# --- no more and no less than is meant ---------------------------------------------------------


async def test_an_order_keeps_its_id_however_long_the_owner_takes() -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        said: list[bytes] = []
        topic = topics.node_command("a", "b")
        whole.bus.subscribe(topic, lambda _, order: said.append(order))
        whole.log.hold()
        chat = messages.Chat(id=ben.next_id(), race=race, text="once")
        errand = ben.say_now(chat)
        assert errand is not None
        asked = asyncio.ensure_future(errand)
        await asyncio.sleep(1.6)  # longer than an owner is asked at a time
        whole.log.release()
        await asked
        await whole.settle()
        lines = [line for line in await whole.log.read(race) if b'"once"' in line]
        assert len(lines) == 1
        assert len({topics.COMMAND.decode(topic, each).id for each in said}) == 1


async def test_whoever_gave_up_joining_is_not_there() -> None:
    async with cluster("a", "b") as whole:
        ann = await whole.nodes["a"].person("Ann")
        ben = await whole.nodes["b"].person("Ben")
        race = await whole.nodes["a"].race(ann)
        await whole.nodes["b"].hall.find(race)
        bus = whole.worlds["b"].bus
        join = messages.Join(id=ben.next_id(), race=race)
        errand = ben.say_now(join)
        assert errand is not None
        asked = asyncio.ensure_future(errand)
        await asyncio.sleep(0)
        bus.is_cut = True  # the answer is lost
        await whole.settle()
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        bus.is_cut = False
        owner = whole.nodes["a"].hall.rooms[race]
        await until(lambda: [each.away for each in owner.race.entrants] == [True])


async def test_two_who_ask_for_a_rematch_on_two_nodes_get_the_same_one() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        await ann.give_up(race)
        await ben.give_up(race)
        await whole.settle()
        asked = [messages.Rematch(id=each.next_id(), race=race) for each in (ann, ben)]
        errands = [ann.say_now(asked[0]), ben.say_now(asked[1])]
        await asyncio.gather(*(errand for errand in errands if errand is not None))
        await whole.settle()
        codes = set()
        for person, message in zip((ann, ben), asked, strict=True):
            (reply,) = [each for each in person.of(messages.Ok) if each.id == message.id]
            assert isinstance(reply.result, messages.Created)
            codes.add(reply.result.race)
        assert len(codes) == 1
        for node in whole.nodes.values():
            node.hall.world.flush()
        await whole.settle()
        for node in whole.nodes.values():
            assert {card.race for card in node.hall.listed()} <= codes


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
        whole.bus.subscribe(topics.race_owner(race), lambda _, said: retained.append(said))
        assert retained == []


async def test_a_player_is_in_so_many_races_whichever_nodes_they_live_on() -> None:
    async with cluster("a", "b", races_per_player=3) as whole:
        hosts = [await whole.nodes["a"].person() for _ in range(4)]
        races = [await whole.nodes["a"].race(host) for host in hosts]
        ben = await whole.nodes["b"].person("Ben")
        for race in races[:3]:
            await ben.join(race)
        join = messages.Join(id=ben.next_id(), race=races[3])
        assert await ben.refusal(join) == "too-many-races"
        await ben.join(races[0])


async def test_refused_joins_from_afar_leave_nothing_behind() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        eve = await whole.nodes["b"].person("Eve")
        for _ in range(20):
            join = messages.Join(id=eve.next_id(), race=race)
            assert await eve.refusal(join) == "not-open"
        seats = whole.nodes["a"].hall.federation.orders._seats
        assert len(seats._peers) == 1
        await ann.give_up(race)
        await ben.give_up(race)
        await whole.beat()
        assert len(seats._peers) == 0


async def test_a_place_stays_the_same_when_its_race_was_read_again() -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        owner = whole.nodes["a"].hall
        whole.log.hold()
        owner.lose({race})
        await owner.federation.look()  # while the race is not in memory
        whole.log.release()
        for _ in range(10):
            await whole.settle()
        room = whole.nodes["b"].hall.rooms[race]
        assert isinstance(room, Follower)
        room.moved("a", room.epoch)  # says again who is here
        for _ in range(10):
            await whole.settle()
        assert ben.closed_with is None
        assert (await ben.play(race, 1, MOVES[0])).number == 1
        ben.leave()
        await until(lambda: owner.rooms[race].race.entrants[1].away)


async def test_what_an_older_connection_asked_replaces_no_newer_one_however_late_it_comes() -> None:
    async with cluster("a", "b") as whole:
        ann = await whole.nodes["b"].person("Ann")
        race = await whole.nodes["a"].race(await whole.nodes["a"].person("Host"))
        await whole.nodes["b"].hall.find(race)
        bus = whole.worlds["b"].bus
        bus.is_cut = True
        errand = ann.say_now(messages.Join(id=ann.next_id(), race=race))
        assert errand is not None
        late = asyncio.ensure_future(errand)
        await asyncio.sleep(0.01)
        whole.clock.advance(1000)
        again = await whole.nodes["a"].again(ann)
        await again.join(race)
        bus.is_cut = False
        await late
        for _ in range(5):
            await whole.settle()
        assert again.closed_with is None
        assert ann.closed_with is CloseCode.REPLACED
        ann.leave()
        await whole.settle()
        assert [each.away for each in (await again.watch(race)).entrants] == [False]


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
