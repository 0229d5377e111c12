"""Races come, run, end, fail, are followed by others, and survive the server."""

from __future__ import annotations

import asyncio
import gc
import logging

import pytest

from samedeal_protocol import messages
from samedeal_protocol.events import Cancelled, Opened, parse_line
from samedeal_protocol.messages import Error, Ok
from samedeal_protocol.terms import Mode, Start, Terms, Visibility
from samedeal_rules import Table, move_text, parse_position
from samedeal_server.ports import Entry
from samedeal_server.racing.race import Race
from samedeal_server.rooms.hall import RESTING
from samedeal_server.rooms.phrases import is_phrase
from samedeal_server.rooms.places import FOLLOWED
from samedeal_server.rooms.room import BROKEN_OFF
from support.fakes import EPOCH
from support.halls import Lobby, Person, lobby, seqs, until, walk
from support.nodes import fakes

MOVES = walk(40)


async def finished(hall: Lobby, **terms: object) -> tuple[Person, Person, str]:
    ann, ben, race = await hall.two_racing(**terms)
    await ann.give_up(race)
    await ben.give_up(race)
    return ann, ben, race


def rematch(person: Person, race: str) -> messages.Rematch:
    return messages.Rematch(id=person.next_id(), race=race)


# --- opening and finding -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terms", "seed", "code"),
    [
        (Terms(game="snap"), None, "no-such-game"),
        (Terms(game="opus", entrants_min=5, entrants_max=2), None, "bad-terms"),
        (Terms(game="opus", start=Start.AT), None, "bad-terms"),
        (Terms(game="opus"), "x" * 65, "bad-seed"),
        (Terms(game="opus"), "", "bad-seed"),
    ],
)
async def test_a_race_that_cannot_be_is_refused(terms: Terms, seed: str | None, code: str) -> None:
    async with lobby() as hall:
        ann = await hall.person()
        assert await ann.refusal(messages.Create(id=9, terms=terms, seed=seed)) == code


async def test_a_race_nobody_knows_is_refused() -> None:
    async with lobby() as hall:
        ann = await hall.person()
        assert await ann.refusal(messages.Join(id=9, race="nowhere")) == "no-such-race"


async def test_unlisted_races_are_not_listed_and_ended_ones_neither() -> None:
    async with lobby() as hall:
        ann = await hall.person()
        shown = await hall.race(ann)
        await hall.race(ann, visibility=Visibility.UNLISTED)
        ended = await hall.race(ann)
        await ann.ask(messages.Cancel(id=ann.next_id(), race=ended))
        listed = await ann.get(messages.Listed, messages.List(id=ann.next_id()))
        assert [card.race for card in listed.races] == [shown]
        none = await ann.get(messages.Listed, messages.List(id=ann.next_id(), game="opus"))
        assert none.races == ()


async def test_a_players_own_races_are_listed_with_how_they_did() -> None:
    async with lobby() as hall:
        ann, _, race = await finished(hall)
        mine = await ann.get(messages.Listed, messages.Mine(id=ann.next_id()))
        (card,) = mine.races
        assert card.race == race
        assert card.standing is not None
        assert card.standing.place == 1


async def test_a_player_is_in_so_many_unfinished_races_at_most() -> None:
    async with lobby(races_per_player=2) as hall:
        ann = await hall.person()
        first = await hall.race(ann)
        await hall.race(ann)
        create = messages.Create(id=ann.next_id(), terms=Terms(game="opus"))
        assert await ann.refusal(create) == "too-many-races"
        await ann.ask(messages.Cancel(id=ann.next_id(), race=first))
        await hall.race(ann)


async def test_the_server_takes_so_many_races_at_most() -> None:
    async with lobby(max_races=1) as hall:
        ann, ben = await hall.person(), await hall.person()
        await hall.race(ann)
        create = messages.Create(id=ben.next_id(), terms=Terms(game="opus"))
        assert await ben.refusal(create) == "server-full"


async def test_races_share_no_seed() -> None:
    async with lobby(races_per_player=2000) as hall:
        ann = await hall.person()
        races = [await hall.race(ann, seed=None) for _ in range(200)]
        seeds = set()
        for race in races:
            opened = parse_line((await hall.world.log.read(race))[0])
            assert isinstance(opened, Opened)
            seeds.add(opened.seed)
        assert len(seeds) == 200


# --- rematches ---------------------------------------------------------------------------------


async def test_two_who_ask_for_a_rematch_in_the_same_tick_get_the_same_one() -> None:
    async with lobby() as hall:
        ann, ben, race = await finished(hall)
        errands = [person.say_now(rematch(person, race)) for person in (ann, ben)]
        await asyncio.gather(*[errand for errand in errands if errand is not None])
        await hall.settle()
        created = [
            each.result
            for person in (ann, ben)
            for each in person.of(Ok)
            if isinstance(each.result, messages.Created)
        ]
        assert created[-1] == created[-2]
        assert len({opened.rematch for opened in ann.of(messages.RematchOpened)}) == 1
        assert hall.world.meter.totals["races_opened"] == 2


async def test_a_rematch_that_was_called_off_keeps_nobody_from_another() -> None:
    async with lobby() as hall:
        ann, ben, race = await finished(hall)
        first = await ann.get(messages.Created, rematch(ann, race))
        await ann.ask(messages.Cancel(id=ann.next_id(), race=first.race))
        errands = [person.say_now(rematch(person, race)) for person in (ann, ben)]
        await asyncio.gather(*[errand for errand in errands if errand is not None])
        second = await ben.get(messages.Created, rematch(ben, race))
        assert second.race != first.race
        assert await ann.get(messages.Created, rematch(ann, race)) == second
        assert hall.world.meter.totals["races_opened"] == 3
        assert ben.of(messages.RematchOpened)[-1].rematch == second.race


async def test_fifty_rematches_in_a_chain_each_run() -> None:
    async with lobby() as hall:
        ann, ben, race = await finished(hall)
        for _ in range(50):
            created = await ann.get(messages.Created, rematch(ann, race))
            same = await ben.get(messages.Created, rematch(ben, race))
            assert same == created
            race = created.race
            for person in (ann, ben):
                await person.join(race)
                await person.ready(race)
            await hall.pass_time(0)
            await ann.play(race, 1, await first_move(ann))
            for person in (ann, ben):
                await person.give_up(race)
        assert hall.world.meter.totals["races_over"] == 51


async def first_move(person: Person) -> str:
    started = person.of(messages.Started)[-1]
    assert started.board is not None
    table = Table.from_position(parse_position(started.board))
    return move_text(table.game, table.legal()[0])


async def test_a_rematch_of_a_running_race_or_by_a_stranger_is_refused() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        eve = await hall.person("Eve")
        assert await ann.refusal(rematch(ann, race)) == "not-over"
        for person in (ann, ben):
            await person.give_up(race)
        assert await eve.refusal(rematch(eve, race)) == "not-entered"


async def test_a_rematch_keeps_terms_and_phrase_but_not_the_instant() -> None:
    async with lobby() as hall:
        ann = await hall.person()
        race = await hall.race(
            ann,
            phrase="sesame",
            visibility=Visibility.PHRASE,
            start=Start.AT,
            start_at=EPOCH + 10_000,
            entrants_min=1,
        )
        await ann.join(race)
        await hall.pass_time(10_000)
        await hall.pass_time(0)
        await ann.give_up(race)
        created = await ann.get(messages.Created, rematch(ann, race))
        room = hall.hall.room(created.race)
        assert room is not None
        assert (room.race.terms.start, room.race.terms.start_at) == (Start.ALL_READY, None)
        assert is_phrase("sesame", room.phrase_hash)
        assert not is_phrase("open", room.phrase_hash)


# --- async races, hosts ------------------------------------------------------------------------


async def test_an_async_race_shows_the_deal_to_whoever_begins() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.race(ann, mode=Mode.ASYNC, entrants_max=2)
        for person in (ann, ben):
            await person.join(race)
        begin = messages.Begin(id=ann.next_id(), race=race)
        snapshot = await ann.get(messages.Snapshot, begin)
        assert [view.board is not None for view in snapshot.entrants] == [True, False]
        assert seqs(ann, race) == [snapshot.seq]
        await ann.play(race, 1, MOVES[0])
        for person in (ann, ben):
            if person is ben:
                await ben.ask(messages.Begin(id=ben.next_id(), race=race))
            await person.give_up(race)
        assert len(ann.of(messages.Over)) == 1


async def test_a_host_start_waits_for_the_host() -> None:
    async with lobby() as hall:
        host = await hall.person("Host")
        race = await hall.race(host, start=Start.HOST)
        people = [await hall.person() for _ in range(3)]
        for person in people:
            await person.join(race)
            await person.ready(race)
            await hall.pass_time(5000)
        start = messages.Start(id=people[0].next_id(), race=race)
        assert await people[0].refusal(start) == "not-host"
        assert people[0].of(messages.Started) == []
        await host.ask(messages.Start(id=host.next_id(), race=race))
        await hall.pass_time(0)
        assert [len(person.of(messages.Started)) for person in people] == [1, 1, 1]


async def test_a_cancelled_race_is_told_to_whoever_comes_back() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person(), await hall.person()
        race = await hall.race(ann)
        await ben.join(race)
        last = seqs(ben, race)[-1]
        ben.leave()
        await ann.ask(messages.Cancel(id=ann.next_id(), race=race))
        newer = await hall.again(ben)
        await newer.ask(messages.Resume(id=7, race=race, after=last))
        assert len(newer.of(messages.Cancelled)) == 1


async def test_who_leaves_before_the_start_withdraws_and_is_told_no_more() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person(), await hall.person()
        race = await hall.race(ann)
        for person in (ann, ben):
            await person.join(race)
        await ben.ask(messages.Leave(id=ben.next_id(), race=race))
        heard = len(ben.frames)
        await ann.ask(messages.Chat(id=ann.next_id(), race=race, text="hi"))
        assert len(ben.frames) == heard
        assert [left.entrant for left in ann.of(messages.Left)] == [2]


async def test_a_hint_is_given_where_the_terms_allow_it() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing(hints=True)
        hinted = await ann.get(messages.Hinted, messages.Hint(id=ann.next_id(), race=race))
        assert (await ann.play(race, 1, hinted.move)).moves == (hinted.move,)
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        assert await ann.refusal(messages.Hint(id=ann.next_id(), race=race)) == "no-hints"


async def test_a_replay_is_to_be_had_when_the_race_is_over_a_page_at_a_time() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        page = messages.Replay(id=ann.next_id(), race=race)
        assert await ann.refusal(page) == "not-over"
        for person in (ann, ben):
            await person.give_up(race)
        lines: list[str] = []
        more = True
        while more:
            request = messages.Replay(id=ann.next_id(), race=race, after=len(lines))
            got = await ann.get(messages.ReplayPage, request)
            lines += got.lines
            more = got.more
        assert [line.encode() for line in lines] == await hall.world.log.read(race)


# --- time --------------------------------------------------------------------------------------


async def test_a_stall_of_five_seconds_makes_ticks_late_but_nothing_unfair() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing(limit=10)
        await hall.pass_time(9000)
        await ann.play(race, 1, MOVES[0])
        hall.world.clock.advance(5000)
        assert await ben.refusal(ben.a_play(race, 1, MOVES[0])) == "not-running"
        done = ben.of(messages.Done)
        assert [(each.entrant, each.state) for each in done] == [
            (1, "out-of-time"),
            (2, "out-of-time"),
        ]
        events = map(parse_line, await hall.world.log.read(race))
        ends = [event.at for event in events if type(event).__name__ == "Done"]
        assert ends == [EPOCH + 10_000] * 2


async def test_the_clockwork_ticks_by_itself() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person(), await hall.person()
        race = await hall.race(ann)
        for person in (ann, ben):
            await person.join(race)
        keeping = asyncio.create_task(hall.hall.keep_time())
        for person in (ann, ben):
            await person.ready(race)
        await until(lambda: bool(ann.of(messages.Started)))
        keeping.cancel()


# --- faults of ours ----------------------------------------------------------------------------


async def test_a_fault_in_one_race_ends_that_race_and_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        eve, fay = await hall.person("Eve"), await hall.person("Fay")
        other = await hall.started(eve, fay)
        broken = hall.hall.room(race)
        assert broken is not None
        table = broken.race.entrants[0].table
        assert table is not None
        # A table that has lost its piles: every look at it fails, and says cards.
        monkeypatch.setattr(table, "_piles", "AS 2S hidden")
        with caplog.at_level(logging.ERROR):
            play = ann.a_play(race, 1, MOVES[0])
            assert await ann.refusal(play) == "internal"
        await hall.settle()
        for person in (ann, ben):
            cancelled = person.of(messages.Cancelled)
            assert [each.reason for each in cancelled] == [BROKEN_OFF]
        last = parse_line((await hall.world.log.read(race))[-1])
        assert isinstance(last, Cancelled)
        assert last.reason == BROKEN_OFF
        assert (await eve.play(other, 1, MOVES[0])).number == 1
        assert "AS" not in caplog.text
        assert hall.world.meter.totals["races_aborted"] == 1
        await hall.settle()
        assert (await ann.join(race)).phase == "cancelled"


async def test_a_fault_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        room = hall.hall.room(race)
        assert room is not None
        room.race.entrants[0].table = None
        with caplog.at_level(logging.WARNING):
            await ann.refusal(ann.a_play(race, 1, MOVES[0]))
            await hall.settle()
        assert len(caplog.records) == 1


# --- freeing -----------------------------------------------------------------------------------


async def test_ended_races_go_from_memory() -> None:
    async with lobby(races_per_player=10**6) as hall:
        ann = await hall.person()

        async def one() -> None:
            race = await hall.race(ann)
            await ann.join(race)
            await ann.ask(messages.Cancel(id=ann.next_id(), race=race))
            ann.say_now(messages.Leave(id=ann.next_id(), race=race))

        for _ in range(100):
            await one()
        ann.frames.clear()
        gc.collect()
        base = sum(isinstance(each, Race) for each in gc.get_objects())
        for _ in range(900):
            await one()
            ann.frames.clear()
        gc.collect()
        assert sum(isinstance(each, Race) for each in gc.get_objects()) <= base + 1
        assert hall.hall.races <= 64
        assert hall.world.meter.totals["races"] == hall.hall.races


async def test_an_ended_race_is_read_again_when_somebody_asks() -> None:
    async with lobby() as hall:
        ann, ben, race = await finished(hall)
        for person in (ann, ben):
            await person.ask(messages.Leave(id=person.next_id(), race=race))
        room = hall.hall.room(race)
        assert room is not None
        for _ in range(70):
            other = await hall.race(ann)
            await ann.ask(messages.Cancel(id=ann.next_id(), race=other))
        assert hall.hall.room(race) is None
        results = messages.Results(id=ann.next_id(), race=race)
        sheet = await ann.get(messages.ResultsSheet, results)
        assert [line.place for line in sheet.standings] == [1, 1]


# --- the server's own life ---------------------------------------------------------------------


async def test_a_restart_carries_running_races_on_and_takes_the_outage_out() -> None:
    world = fakes()
    async with lobby(world) as hall:
        ann, _, race = await hall.two_racing()
        await hall.pass_time(1000)
        await ann.play(race, 1, MOVES[0])
        await hall.hall.beat()
    world.clock.advance(60_000)
    async with lobby(world) as hall:
        newer = await Person(hall).hello(token=ann.welcome.token if ann.welcome else None)
        snapshot = await newer.join(race)
        assert (snapshot.phase, snapshot.number, snapshot.elapsed_ms) == ("running", 1, 1000)
        events = [type(parse_line(line)).__name__ for line in await world.log.read(race)]
        assert "Stopped" in events
        assert (await newer.play(race, 2, MOVES[1])).elapsed_ms == 1000


async def test_after_a_restart_a_viewer_goes_on_without_a_gap() -> None:
    world = fakes()
    async with lobby(world) as hall:
        ann, _, race = await hall.two_racing()
        await ann.play(race, 1, MOVES[0])
        last = seqs(ann, race)[-1]
    world.clock.advance(3000)
    async with lobby(world) as hall:
        newer = await Person(hall).hello(token=ann.welcome.token if ann.welcome else None)
        resumed = await newer.ask(messages.Resume(id=5, race=race, after=last))
        assert isinstance(resumed, messages.Resumed)
        await hall.settle()
        end = len(await world.log.read(race))
        assert seqs(newer, race) == list(range(last, end + 1))
        assert len(newer.of(messages.Stoppage)) == 1


async def test_who_does_not_come_back_after_a_restart_gives_up_by_the_grace() -> None:
    world = fakes()
    async with lobby(world) as hall:
        _, _, race = await hall.two_racing(grace=30)
    async with lobby(world) as hall:
        await hall.pass_time(30_000)
        room = hall.hall.room(race)
        assert room is not None
        assert [entrant.state.value for entrant in room.race.entrants] == ["gave-up"] * 2


async def test_an_unreadable_race_does_not_keep_the_others_from_being_taken_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = fakes()
    async with lobby(world) as hall:
        _, _, race = await hall.two_racing()
        eve = await hall.person()
        other = await hall.race(eve)
    after = len(await world.log.read(race)) + 1
    await world.log.append([Entry(race, after, b'{"event":"from-the-future","at":1}')])
    async with lobby(world) as hall:
        assert hall.hall.room(race) is None
        assert hall.hall.room(other) is not None
    assert [row.race for row in await world.log.unfinished()] == [other]


async def test_a_drain_opens_nothing_new_and_ends_with_the_last_race() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        eve = await hall.person()
        waiting = await hall.race(eve)
        draining = asyncio.create_task(hall.hall.drain())
        await asyncio.sleep(0)
        create = messages.Create(id=eve.next_id(), terms=Terms(game="opus"))
        assert await eve.refusal(create) == "draining"
        join = messages.Join(id=ben.next_id(), race=waiting)
        assert await ben.refusal(join) == "draining"
        assert hall.hall.unready() is not None
        await ann.play(race, 1, MOVES[0])
        await ann.give_up(race)
        assert not draining.done()
        await ben.give_up(race)
        await draining


async def test_a_closed_hall_makes_nobody_away() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        await hall.hall.close()
        ann.leave()
        await hall.settle()
        assert b"dropped" not in (await hall.world.log.read(race))[-1]
        assert await hall.world.log.last_alive() == hall.world.clock.now()


async def test_every_request_gets_exactly_one_reply() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing(hints=True)
        kinds = [
            messages.List, messages.Mine, messages.Ping,
        ]  # fmt: skip
        of_race = [
            messages.Join, messages.Watch, messages.Resume, messages.Ready, messages.Unready,
            messages.Start, messages.Begin, messages.Hint, messages.Leave, messages.Cancel,
            messages.Rematch, messages.Results, messages.Replay, messages.GiveUp, messages.Join,
            messages.Leave,
        ]  # fmt: skip
        requests: list[messages.ClientMessage] = [kind(id=ann.next_id()) for kind in kinds]
        requests += [kind(id=ann.next_id(), race=race) for kind in of_race]
        requests.append(messages.Hello(id=ann.next_id()))
        requests.append(messages.Undo(id=ann.next_id(), race=race, number=1))
        requests.append(messages.Finish(id=ann.next_id(), race=race, number=1))
        requests.append(messages.Disqualify(id=ann.next_id(), race=race, entrant=2))
        requests.append(messages.Chat(id=ann.next_id(), race=race, text="hi"))
        for request in requests:
            await ann.reply_to(request)
        answered = [each.id for each in ann.heard if isinstance(each, Ok | Error)]
        assert len(answered) == len(set(answered))
        assert ben.is_open


async def test_watching_races_that_have_ended_fills_neither_memory_nor_the_server() -> None:
    async with lobby(max_races=5) as hall:
        ann = await hall.person("Ann")
        for _ in range(200):
            race = await hall.race(ann)
            await ann.watch(race)
            await ann.ask(messages.Cancel(id=ann.next_id(), race=race))
            await hall.pass_time(1000)
        assert hall.hall.races <= RESTING + FOLLOWED + 1
