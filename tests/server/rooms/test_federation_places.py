"""Who is at a race of another node: places taken, left, lost and taken by a newer connection."""

from __future__ import annotations

import asyncio

import pytest

from samedeal_protocol import messages
from samedeal_protocol.errors import CloseCode
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.hall import RESTING
from support.cluster import cluster, later, two
from support.halls import seqs, until, walk

MOVES = walk(9)


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


async def test_players_of_a_dead_node_are_away() -> None:
    async with cluster("a", "b") as whole:
        ann, _, _ = await two(whole)
        del whole.nodes["b"]
        whole.worlds["b"].leases.dies()
        await whole.beat()
        assert [each.entrant for each in ann.of(messages.Away)] == [2]


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
