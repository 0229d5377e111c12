"""Races that live on one node, for players, spectators and hosts on others."""

from __future__ import annotations

import asyncio

from samedeal_protocol import messages, topics
from samedeal_rules import deal, find
from support.cluster import cluster, two
from support.halls import GAME, SEED, lobby, seqs, until, walk

MOVES = walk(60)


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


async def test_an_order_keeps_its_id_however_long_the_owner_takes() -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        said: list[bytes] = []
        topic = topics.COMMAND.at(to="a", node="b")
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


async def test_one_server_alone_is_no_cluster() -> None:
    async with lobby() as alone:
        assert not alone.hall.is_shared
        ann = await alone.person("Ann")
        race = await alone.race(ann)
        assert alone.hall.rooms[race].is_owned
