"""All that can be asked of a race, asked from another node than its own."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from samedeal_protocol import messages, topics
from samedeal_protocol.events import Played, parse_line
from samedeal_protocol.terms import Mode, Sight, Start, Undo, Visibility
from samedeal_server.racing import commands
from samedeal_server.rooms.outcomes import Order
from support.cluster import Cluster, cluster, two
from support.halls import Person, seqs, walk

MOVES = walk(40)


async def afar(whole: Cluster, *names: str, **terms: object) -> tuple[list[Person], str]:
    """A race that lives on a, whose players and host are all on b; they have entered it."""
    opener = await whole.nodes["a"].person("Opener")
    people = [await whole.nodes["b"].person(name) for name in names]
    race = await whole.nodes["a"].race(opener, **terms)
    for person in people:
        await person.join(race)
    return people, race


async def test_undo_finish_and_giving_up_from_afar() -> None:
    async with cluster("a", "b") as whole:
        (ann, ben), race = await afar(whole, "Ann", "Ben", entrants_min=2, undo=Undo.FREE)
        for person in (ann, ben):
            await person.ready(race)
        await whole.settle()
        first = await ann.play(race, 1, MOVES[0])
        undo = messages.Undo(id=ann.next_id(), race=race, number=2)
        undone = await ann.get(messages.Played, undo)
        assert undone.number == 2
        assert undone.digest != first.digest
        finish = messages.Finish(id=ann.next_id(), race=race, number=3)
        assert await ann.refusal(finish) == "not-finishable"
        await ann.give_up(race)
        await ben.give_up(race)
        await whole.settle()
        for person in (ann, ben):
            assert [each.standings[0].place for each in person.of(messages.Over)] == [1]
            told = seqs(person, race)
            assert told == list(range(told[0], len(await whole.log.read(race)) + 1))


async def test_safe_cards_are_sent_home_from_afar() -> None:
    async with cluster("a", "b") as whole:
        (ann, ben), race = await afar(whole, "Ann", "Ben", entrants_min=2, game="abandon-hope")
        for person in (ann, ben):
            await person.ready(race)
        await whole.settle()
        send = messages.SendHome(id=ann.next_id(), race=race, number=1)
        sent = await ann.get(messages.Played, send)
        assert sent.home == len(sent.moves) > 0
        await whole.settle()
        assert [each.home for each in ben.of(messages.Progressed)] == [sent.home]


async def test_the_deal_of_an_async_race_is_opened_from_afar() -> None:
    async with cluster("a", "b") as whole:
        (ann, ben), race = await afar(whole, "Ann", "Ben", mode=Mode.ASYNC, start=Start.ALL_READY)
        snapshot = await ann.get(messages.Snapshot, messages.Begin(id=ann.next_id(), race=race))
        assert snapshot.entrants[0].board is not None
        assert snapshot.entrants[1].board is None
        assert (await ann.play(race, 1, MOVES[0])).number == 1
        await whole.settle()
        assert [each.board for each in ben.of(messages.Began)] == [None]


async def test_talk_and_leaving_and_results_from_afar() -> None:
    async with cluster("a", "b") as whole:
        (ann, ben), race = await afar(whole, "Ann", "Ben", entrants_min=2)
        await ann.ask(messages.Chat(id=ann.next_id(), race=race, text="hello"))
        await whole.settle()
        assert [each.text for each in ben.of(messages.Said)] == ["hello"]
        await ben.ask(messages.Leave(id=ben.next_id(), race=race))
        await whole.settle()
        assert [each.entrant for each in ann.of(messages.Left)] == [2]
        sheet = await ann.get(messages.ResultsSheet, messages.Results(id=ann.next_id(), race=race))
        assert sheet.phase == "open"
        cancel = messages.Cancel(id=ann.next_id(), race=race)
        assert await ann.refusal(cancel) == "not-host"


async def test_a_race_is_replayed_and_followed_by_another_from_afar() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        await ann.give_up(race)
        await ben.give_up(race)
        await whole.settle()
        replay = messages.Replay(id=ben.next_id(), race=race)
        page = await ben.get(messages.ReplayPage, replay)
        assert [line.encode() for line in page.lines] == await whole.log.read(race)
        rematch = messages.Rematch(id=ben.next_id(), race=race)
        created = await ben.get(messages.Created, rematch)
        await whole.settle()
        again = messages.Rematch(id=ann.next_id(), race=race)
        assert (await ann.get(messages.Created, again)).race == created.race
        assert [each.rematch for each in ann.of(messages.RematchOpened)] == [created.race]


async def test_who_comes_back_to_another_node_is_told_what_they_missed() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        after = seqs(ben, race)[-1]
        ben.leave()
        for number, move in enumerate(MOVES[:5], 1):
            await ann.play(race, number, move)
        again = await whole.nodes["b"].again(ben)
        resume = messages.Resume(id=again.next_id(), race=race, after=after)
        resumed = await again.get(messages.Resumed, resume)
        assert resumed.after == after
        await whole.settle()
        told = seqs(again, race)
        assert told == list(range(after, len(await whole.log.read(race)) + 1))


async def test_spectators_on_another_node_are_kept_as_far_behind() -> None:
    async with cluster("a", "b", "c") as whole:
        ann = await whole.nodes["a"].person("Ann")
        eve = await whole.nodes["c"].person("Eve")
        race = await whole.nodes["a"].race(ann, entrants_min=1, delay=30, spectators=Sight.BOARDS)
        await ann.join(race)
        await ann.ready(race)
        await whole.settle()
        await eve.watch(race)
        await ann.play(race, 1, MOVES[0])
        await whole.settle()
        whole.clock.advance(29_000)
        whole.nodes["c"].hall.tick()
        assert eve.of(messages.Moved) == []
        whole.clock.advance(1_000)
        whole.nodes["c"].hall.tick()
        assert [each.moves for each in eve.of(messages.Moved)] == [(MOVES[0],)]


async def test_a_pass_phrase_is_asked_on_every_node() -> None:
    async with cluster("a", "b") as whole:
        ann = await whole.nodes["a"].person("Ann")
        ben = await whole.nodes["b"].person("Ben")
        race = await whole.nodes["a"].race(ann, visibility=Visibility.PHRASE, phrase="sesame")
        join = messages.Join(id=ben.next_id(), race=race, phrase="simsalabim")
        assert await ben.refusal(join) == "wrong-phrase"
        await ben.join(race, phrase="sesame")


async def test_names_are_one_players_on_all_nodes() -> None:
    async with cluster("a", "b") as whole:
        ann = await whole.nodes["a"].person("Ann")
        other = Person(whole.nodes["b"])
        hello = messages.Hello(id=other.next_id(), name="Ann")
        assert await other.refusal(hello) == "name-taken"
        same = await whole.nodes["b"].again(ann)
        assert same.player == ann.player


async def test_a_move_counts_from_when_the_players_own_node_received_it() -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        bus = whole.worlds["b"].bus
        bus.is_cut = True
        received = whole.clock.now()
        errand = ben.say_now(ben.a_play(race, 1, MOVES[0]))
        assert errand is not None
        asked = asyncio.ensure_future(errand)
        await asyncio.sleep(0.01)
        whole.clock.advance(1000)
        bus.is_cut = False
        await asked
        event = parse_line((await whole.log.read(race))[-1])
        assert isinstance(event, Played)
        assert event.at == received


async def test_nobody_sees_less_on_another_node_than_they_saw_before() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        whole.worlds["b"].bus.is_cut = True
        for number, move in enumerate(MOVES[:3], 1):
            await ann.play(race, number, move)
        seen = seqs(ann, race)[-1]
        eve = await whole.nodes["b"].person("Eve")
        assert (await eve.watch(race)).seq == seen
        again = await whole.nodes["b"].again(ann)
        resume = messages.Resume(id=again.next_id(), race=race, after=seen)
        assert (await again.get(messages.Resumed, resume)).seq == seen
        assert seqs(ben, race)[-1] == seen


async def test_a_page_and_ones_own_list_tell_no_less_than_another_node_has_told() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        eve = await whole.nodes["a"].person("Eve")
        await eve.watch(race)
        whole.worlds["b"].bus.is_cut = True
        hall = whole.nodes["b"].hall
        for number, move in enumerate(MOVES[:3], 1):
            await ann.play(race, number, move)
        assert hall.rooms[race].race.seq < seqs(eve, race)[-1]
        sheet = await hall.records.sheet(race)
        asked = messages.Results(id=eve.next_id(), race=race)
        assert sheet == await eve.get(messages.ResultsSheet, asked)
        assert max(line.moves for line in sheet.standings) == 3
        await ann.give_up(race)
        await whole.nodes["a"].pass_time(3_600_000)
        (card,) = (await ben.get(messages.Listed, messages.Mine(id=ben.next_id()))).races
        assert (card.race, card.phase) == (race, "over")


async def test_who_goes_while_their_race_is_read_again_is_away() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        hall = whole.nodes["b"].hall
        hall.lose({race})
        ben.leave()
        for _ in range(10):
            await whole.settle()
        assert not hall.rooms[race].is_owned
        assert [each.entrant for each in ann.of(messages.Away)] == [2]


# --- what comes over the bus -------------------------------------------------------------------


def lines(race: str, **fields: object) -> bytes:
    said: dict[str, object] = {
        "race": race, "node": "a", "epoch": 1, "first": 9, "lines": (b'{"type":"said"}',), **fields,
    }  # fmt: skip
    return topics.LOG.encode(topics.LogLines(**said))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("payload", "counted"),
    [
        (b"\xc1 garbage", "bus_forged"),
        (lines("race-1", node="c"), "bus_forged"),
        (lines("race-2"), "bus_forged"),
        (lines("race-1", epoch=0), "bus_stale"),
        (lines("race-1", first=99), "bus_gaps"),
    ],
    ids=["garbage", "wrong-node", "wrong-race", "stale-epoch", "from-nowhere"],
)
async def test_forged_lines_are_refused_and_counted(payload: bytes, counted: str) -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        before = seqs(ben, race)
        whole.bus.publish(topics.LOG.at(race=race, node="a"), payload)
        await whole.settle()
        assert seqs(ben, race) == before
        assert whole.nodes["b"].world.meter.totals[counted] == 1
        await ann.play(race, 1, MOVES[0])
        await whole.settle()
        assert seqs(ben, race) == [*before, before[-1] + 1]


@pytest.mark.parametrize("epoch", [1, 7], ids=["the-same-epoch", "a-later-epoch"])
async def test_who_says_that_they_own_a_race_is_believed_only_if_the_store_says_so(
    epoch: int,
) -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        forged = topics.Owner(race=race, node="c", epoch=epoch)
        whole.bus.publish(topics.OWNER.at(race=race), topics.OWNER.encode(forged), retain=True)
        await whole.settle()
        assert whole.nodes["a"].hall.rooms[race].is_owned
        assert (await ben.play(race, 1, MOVES[0])).number == 1


async def test_lines_that_no_race_can_have_are_none_of_its_log() -> None:
    async with cluster("a", "b") as whole:
        _, ben, race = await two(whole)
        seq = len(await whole.log.read(race))
        whole.bus.publish(topics.LOG.at(race=race, node="a"), lines(race, first=seq + 1))
        for _ in range(10):
            await whole.settle()
        assert (await ben.play(race, 1, MOVES[0])).number == 1
        assert len(await whole.log.read(race)) == seq + 1


@pytest.mark.parametrize("body", [b"", b"\x80", msgspec.msgpack.encode({"at": "now"})])
async def test_an_order_that_is_none_is_counted_and_not_answered(body: bytes) -> None:
    async with cluster("a", "b") as whole:
        _, _, race = await two(whole)
        answers: list[bytes] = []
        whole.bus.subscribe(topics.REPLY.at(to="c", node="a"), lambda _, said: answers.append(said))
        order = topics.Command(
            id=1, race=race, node="c", incarnation="c-1", kind="Play", body=body,
            expires_at=whole.clock.now() + 1000,
        )  # fmt: skip
        topic = topics.COMMAND.at(to="a", node="c")
        whole.bus.publish(topic, topics.COMMAND.encode(order))
        whole.bus.publish(topic, b"garbage")
        whole.bus.publish(topics.COMMAND.at(to="a", node="b"), topics.COMMAND.encode(order))
        await whole.settle()
        assert answers == []
        assert whole.nodes["a"].world.meter.totals["bus_forged"] == 3


@pytest.mark.parametrize(
    "asked",
    [
        commands.Play("somebody", 0, "T1-T2"),
        commands.Play("somebody", -1, "T1-T2"),
        commands.Undo("somebody", -5),
        commands.Disqualify("somebody", 0, "because"),
        commands.Chat("somebody", "Somebody", False, "x" * 100_000),
    ],
    ids=repr,
)
async def test_an_order_that_no_connection_could_have_sent_is_forged(
    asked: commands.Command,
) -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        if hasattr(asked, "player"):
            asked = msgspec.structs.replace(asked, player=ben.player)
        order = Order(
            at=whole.clock.now(), seat=0,
            command=msgspec.Raw(msgspec.msgpack.encode(asked)),
        )  # fmt: skip
        body = msgspec.msgpack.encode(order)
        await sent(whole, race, kind=type(asked).__name__, body=body)
        assert whole.nodes["a"].world.meter.totals["bus_forged"] == 1
        assert (await ann.play(race, 1, MOVES[0])).number == 1


async def test_an_order_that_is_nested_too_deep_is_forged() -> None:
    async with cluster("a", "b") as whole:
        ann, _, race = await two(whole)
        await sent(whole, race, kind="Play", body=b"\x81\xa1x" + b"\x91" * 5000 + b"\x01")
        assert whole.nodes["a"].world.meter.totals["bus_forged"] == 1
        assert (await ann.play(race, 1, MOVES[0])).number == 1


async def sent(whole: Cluster, race: str, *, kind: str, body: bytes) -> None:
    """Has node a be told an order by node b."""
    expires_at = whole.clock.now() + 1000
    command = topics.Command(
        id=9, race=race, node="b", incarnation="b-1", kind=kind, body=body, expires_at=expires_at
    )
    whole.bus.publish(topics.COMMAND.at(to="a", node="b"), topics.COMMAND.encode(command))
    await whole.settle()


async def test_however_many_forgeries_ask_the_store_but_now_and_then() -> None:
    async with cluster("a", "b") as whole:
        ann, ben, race = await two(whole)
        leases = whole.worlds["b"].leases
        asked = 0
        look_up = leases.owner

        async def owner(code: str) -> tuple[str, int] | None:
            nonlocal asked
            asked += 1
            return await look_up(code)

        leases.owner = owner  # type: ignore[method-assign, assignment]
        for number in range(500):
            whole.bus.publish(topics.LOG.at(race=race, node="a"), lines(race, epoch=10 + number))
        await whole.settle()
        assert asked == 1
        await ann.play(race, 1, MOVES[0])
        assert (await ben.play(race, 1, MOVES[0])).number == 1
