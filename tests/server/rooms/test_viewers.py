"""Who is there, who is told what, and whose connection it is."""

from __future__ import annotations

import pytest

from samedeal_protocol import messages
from samedeal_protocol.codec import MSGPACK
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.messages import Ok
from samedeal_protocol.terms import Mode, Sight, Terms, Visibility
from samedeal_server.ports import LogUnavailable
from samedeal_server.rooms.caller import LOOKUPS
from support.halls import Lobby, Person, lobby, seqs, walk
from support.nodes import fakes

MOVES = walk(60)


async def resume(
    person: Person, race: str, after: int | None
) -> messages.Snapshot | messages.Resumed:
    result = await person.ask(messages.Resume(id=person.next_id(), race=race, after=after))
    assert isinstance(result, messages.Snapshot | messages.Resumed)
    return result


async def away(hall: Lobby, race: str) -> list[int]:
    room = hall.hall.room(race)
    assert room is not None
    return [entrant.number for entrant in room.race.entrants if entrant.away]


# --- the newest connection wins ----------------------------------------------------------------


async def test_the_newest_connection_wins_and_the_older_is_closed_as_replaced() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        newer = await hall.again(ann)
        await newer.join(race)
        assert ann.closed_with is CloseCode.REPLACED
        assert newer.is_open


async def test_the_late_teardown_of_a_replaced_connection_touches_nothing() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        older = ann
        newer = await hall.again(ann)
        await newer.join(race)
        await hall.pass_time(60_000)
        older.caller.gone()
        await hall.settle()
        assert await away(hall, race) == []
        assert ben.of(messages.Away) == []
        assert (await newer.play(race, 1, MOVES[0])).number == 1


async def test_a_resume_while_the_old_socket_looks_open_makes_nobody_away() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        newer = await hall.again(ann)
        await resume(newer, race, seqs(ann, race)[-1])
        assert ann.closed_with is CloseCode.REPLACED
        await hall.settle()
        assert (ben.of(messages.Away), ben.of(messages.Back)) == ([], [])


async def test_two_devices_do_not_evict_each_other_by_themselves() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        devices = [ann, await hall.again(ann), await hall.again(ann)]
        for device in devices[1:]:
            await device.join(race)
        assert [device.closed_with for device in devices] == [
            CloseCode.REPLACED,
            CloseCode.REPLACED,
            None,
        ]
        assert CloseCode.REPLACED.retry.value == "never"


async def test_a_lost_connection_makes_its_entrant_away_and_a_new_one_back() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        ann.leave()
        await hall.settle()
        assert [each.entrant for each in ben.of(messages.Away)] == [1]
        newer = await hall.again(ann)
        await newer.join(race)
        assert [each.entrant for each in ben.of(messages.Back)] == [1]


async def test_twenty_reconnects_leave_one_presence() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        for _ in range(20):
            ann.leave()
            ann = await hall.again(ann)
            await ann.join(race)
        room = hall.hall.room(race)
        assert room is not None
        assert len(list(room.viewers())) == 2
        assert [each.number for each in room.race.entrants] == [1, 2]
        told = seqs(ben, race)
        assert told == list(range(told[0], room.race.seq + 1))


async def test_a_watching_connection_that_ends_makes_nobody_away() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        second = await hall.again(ann)
        await second.watch(race)
        second.leave()
        await hall.settle()
        assert ben.of(messages.Away) == []


async def test_a_ghost_does_not_satisfy_ready() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person(), await hall.person()
        race = await hall.race(ann, countdown=5)
        for person in (ann, ben):
            await person.join(race)
        await ann.ready(race)
        ann.leave()
        await ben.ready(race)
        await hall.pass_time(5000)
        assert ben.of(messages.Started) == []


# --- coming back -------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [0, 1, 5, 20])
async def test_who_comes_back_is_told_just_what_was_missed(made: int) -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        last = seqs(ann, race)[-1]
        ann.leave()
        for number in range(1, made + 1):
            await ben.play(race, number, MOVES[number - 1])
        newer = await hall.again(ann)
        resumed = await resume(newer, race, last)
        assert isinstance(resumed, messages.Resumed)
        await hall.settle()
        await ben.play(race, made + 1, MOVES[made])
        end = len(await hall.world.log.read(race))
        assert seqs(newer, race) == list(range(last, end + 1))
        assert len(newer.of(messages.Progressed)) == made + 1


async def test_moves_made_during_the_looking_up_come_after_what_was_missed() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        last = seqs(ann, race)[-1]
        ann.leave()
        await ben.play(race, 1, MOVES[0])
        newer = await hall.again(ann)
        errand = newer.say_now(messages.Resume(id=50, race=race, after=last))
        assert errand is not None
        ben.say_now(ben.a_play(race, 2, MOVES[1]))
        await errand
        await hall.settle()
        end = len(await hall.world.log.read(race))
        assert seqs(newer, race) == list(range(last, end + 1))


async def test_who_missed_too_much_gets_a_snapshot() -> None:
    async with lobby(ring=10) as hall:
        ann, ben, race = await hall.two_racing()
        last = seqs(ann, race)[-1]
        ann.leave()
        for number in range(1, 13):
            await ben.play(race, number, MOVES[number - 1])
        snapshot = await resume(await hall.again(ann), race, last)
        assert isinstance(snapshot, messages.Snapshot)
        assert snapshot.seq >= last + 12


@pytest.mark.parametrize("index", [0, 3, 11])
async def test_a_reload_at_any_move_shows_the_same_board_clock_and_undo(index: int) -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        await hall.pass_time(1500)
        digest, undoable = "", False
        for number in range(1, index + 1):
            played = await ann.play(race, number, MOVES[number - 1])
            digest, undoable = played.digest, played.undoable
        newer = await hall.again(ann)
        snapshot = await newer.join(race)
        own = snapshot.entrants[0]
        if index:
            assert (own.digest, snapshot.undoable) == (digest, undoable)
        assert (snapshot.number, snapshot.elapsed_ms, own.moves) == (index, 1500, index)


# --- who sees what -----------------------------------------------------------------------------


async def test_an_entrants_second_connection_sees_no_more_than_the_entrant() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing(spectators=Sight.BOARDS)
        second = await hall.again(ann)
        snapshot = await second.watch(race)
        assert [view.board is not None for view in snapshot.entrants] == [True, False]
        await ben.play(race, 1, MOVES[0])
        assert (second.of(messages.Moved), len(second.of(messages.Progressed))) == ([], 1)


async def test_who_watched_from_behind_and_then_enters_is_no_longer_shown_boards() -> None:
    async with lobby() as hall:
        ann = await hall.person("Ann")
        race = await hall.race(ann, mode=Mode.ASYNC, delay=10)
        eve = await hall.person("Eve")
        watching = await hall.again(eve)
        await watching.watch(race)
        await ann.join(race)
        await eve.join(race)
        await ann.ask(messages.Begin(id=ann.next_id(), race=race))
        await ann.play(race, 1, MOVES[0])
        await hall.pass_time(60_000)
        assert watching.of(messages.Moved) == []


async def test_rivals_who_race_are_never_sent_each_others_boards() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        for number in range(1, 21):
            await ben.play(race, number, MOVES[number - 1])
        told = [MSGPACK.read_server(frame) for frame in ann.frames]
        assert not any(isinstance(each, messages.Moved | messages.Undone) for each in told)


async def test_a_race_without_spectators_is_shown_when_it_is_over() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing(spectators=Sight.NONE)
        eve = await hall.person("Eve")
        watch = messages.Watch(id=eve.next_id(), race=race)
        assert await eve.refusal(watch) == "no-spectators"
        results = messages.Results(id=eve.next_id(), race=race)
        assert (await eve.get(messages.ResultsSheet, results)).standings == ()
        for person in (ann, ben):
            await person.give_up(race)
        assert (await eve.watch(race)).phase == "over"


async def test_spectators_are_as_far_behind_as_the_terms_say() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing(delay=30)
        await ann.play(race, 1, MOVES[0])
        await hall.pass_time(20_000)
        eve = await hall.person("Eve")
        snapshot = await eve.watch(race)
        assert (snapshot.phase, [view.board for view in snapshot.entrants]) == ("open", [])
        await ann.play(race, 2, MOVES[1])
        await hall.pass_time(10_000)
        assert [moved.number for moved in eve.of(messages.Moved)] == [1]
        await hall.pass_time(20_000)
        assert [moved.number for moved in eve.of(messages.Moved)] == [1, 2]
        told = seqs(eve, race)
        assert told == list(range(told[0], len(await hall.world.log.read(race)) + 1))


async def test_a_player_who_is_done_gets_a_snapshot_with_what_they_may_see_now() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        await ann.give_up(race)
        shown = ann.of(messages.Snapshot)[-1]
        assert all(view.board is not None for view in shown.entrants)
        await ben.play(race, 1, MOVES[0])
        assert [moved.number for moved in ann.of(messages.Moved)] == [1]


async def test_one_message_is_encoded_once_for_all_who_share_it() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        crowd = [await hall.person() for _ in range(10)]
        for person in crowd:
            await person.watch(race)
        await ann.play(race, 1, MOVES[0])
        assert len({id(person.frames[-1]) for person in crowd}) == 1


async def test_everybody_gets_the_same_deal_at_the_same_instant() -> None:
    async with lobby() as hall:
        people = [await hall.person() for _ in range(8)]
        await hall.started(*people)
        started = {person.of(messages.Started)[0] for person in people}
        assert len(started) == 1


# --- spectators who do not read ----------------------------------------------------------------


async def test_a_spectator_who_does_not_read_gets_one_snapshot_in_place_of_what_was_missed() -> (
    None
):
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        eve = await hall.person("Eve")
        await eve.watch(race)
        before = len(eve.frames)
        eve.is_clogged = True
        for number in range(1, 31):
            await ann.play(race, number, MOVES[number - 1])
        assert len(eve.frames) == before
        eve.is_clogged = False
        eve.caller.drained()
        await hall.settle()
        await ann.play(race, 31, MOVES[30])
        news = eve.heard[before:]
        assert [type(each) for each in news] == [messages.Snapshot, messages.Moved]
        assert isinstance(news[0], messages.Snapshot)
        assert news[0].seq + 1 == len(await hall.world.log.read(race))


async def test_a_racing_entrant_is_spared_nothing() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        ben.is_clogged = True
        for number in range(1, 6):
            await ann.play(race, number, MOVES[number - 1])
        assert len(ben.of(messages.Progressed)) == 5


# --- pass phrases ------------------------------------------------------------------------------


async def test_a_pass_phrase_lets_in_and_its_absence_does_not() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.race(ann, phrase="open sesame", visibility=Visibility.PHRASE)
        join = messages.Join(id=ben.next_id(), race=race, phrase="open")
        assert await ben.refusal(join) == "wrong-phrase"
        assert await ben.refusal(messages.Watch(id=ben.next_id(), race=race)) == "wrong-phrase"
        assert (await ben.join(race, "open sesame")).you == 1
        assert (await ben.join(race)).you == 1


async def test_pass_phrases_cannot_be_tried_quickly() -> None:
    async with lobby() as hall:
        ann, eve = await hall.person("Ann"), await hall.person("Eve")
        race = await hall.race(ann, phrase="open sesame", visibility=Visibility.PHRASE)
        codes = [
            await eve.refusal(messages.Join(id=eve.next_id(), race=race, phrase=f"try {number}"))
            for number in range(8)
        ]
        assert codes[0] == "wrong-phrase"
        assert codes[-1] == "rate-limited"


async def test_a_new_connection_gives_no_new_guesses_at_a_pass_phrase() -> None:
    async with lobby() as hall:
        ann, eve = await hall.person("Ann"), await hall.person("Eve")
        race = await hall.race(ann, phrase="open sesame", visibility=Visibility.PHRASE)
        codes: list[str] = []
        for number in range(6):
            eve = await hall.again(eve)
            join = messages.Join(id=eve.next_id(), race=race, phrase=f"try {number}")
            codes.append(await eve.refusal(join))
        assert codes == ["wrong-phrase"] * 5 + ["rate-limited"]
        # Others have guesses of their own.
        ben = await hall.person("Ben")
        join = messages.Join(id=ben.next_id(), race=race, phrase="try 6")
        assert await ben.refusal(join) == "wrong-phrase"


async def test_a_phrase_and_its_visibility_go_together() -> None:
    async with lobby() as hall:
        ann = await hall.person("Ann")
        terms = Terms(game="opus", visibility=Visibility.PHRASE)
        assert await ann.refusal(messages.Create(id=2, terms=terms)) == "bad-terms"
        plain = Terms(game="opus")
        assert await ann.refusal(messages.Create(id=3, terms=plain, phrase="x")) == "bad-terms"


# --- talk --------------------------------------------------------------------------------------


async def test_chat_is_told_to_all_without_what_nobody_can_see() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.race(ann)
        for person in (ann, ben):
            await person.join(race)
        await ann.ask(messages.Chat(id=ann.next_id(), race=race, text="hi\u202e\x07 there"))
        assert [said.text for said in ben.of(messages.Said)] == ["hi there"]


async def test_chat_is_slowed_down() -> None:
    async with lobby() as hall:
        ann = await hall.person("Ann")
        race = await hall.race(ann)
        await ann.join(race)
        replies = [
            await ann.reply_to(messages.Chat(id=ann.next_id(), race=race, text="hi"))
            for _ in range(8)
        ]
        assert [isinstance(reply, Ok) for reply in replies] == [True] * 5 + [False] * 3


async def test_a_stranger_cannot_talk_in_a_race() -> None:
    async with lobby() as hall:
        ann, eve = await hall.person("Ann"), await hall.person("Eve")
        race = await hall.race(ann)
        chat = messages.Chat(id=eve.next_id(), race=race, text="hi")
        assert await eve.refusal(chat) == "not-entered"


# --- comings and goings at the wrong moment ----------------------------------------------------


async def test_a_watcher_who_is_refused_as_an_entrant_goes_on_watching() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.race(ann, entrants_min=1, entrants_max=1)
        await ben.watch(race)
        await ann.join(race)
        join = messages.Join(id=ben.next_id(), race=race)
        assert await ben.refusal(join) == "race-full"
        await ann.ask(messages.Chat(id=ann.next_id(), race=race, text="hi"))
        assert [said.text for said in ben.of(messages.Said)] == ["hi"]


async def test_a_watcher_who_enters_is_told_no_seq_twice() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.race(ann)
        await ben.watch(race)
        await ben.join(race)
        await ann.join(race)
        last = len(await hall.world.log.read(race))
        told = seqs(ben, race)
        assert told == list(range(told[0], last + 1))
        assert [entered.name for entered in ben.of(messages.Entered)] == ["Ann"]


async def test_who_is_gone_before_the_race_was_found_is_not_seated() -> None:
    world = fakes()
    async with lobby(world) as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.started(ann, ben)
        for person in (ann, ben):
            await person.give_up(race)
    async with lobby(world) as hall:
        again = await Person(hall).hello(token=ann.welcome.token if ann.welcome else None)
        errand = again.say_now(messages.Join(id=9, race=race))
        assert errand is not None
        again.leave()
        await errand
        room = hall.hall.room(race)
        assert room is not None
        assert not room.is_watched


async def test_a_spectator_from_behind_misses_nothing_that_happens_while_the_log_is_read() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing(delay=10)
        eve = await hall.person("Eve")
        errand = eve.say_now(messages.Watch(id=9, race=race))
        assert errand is not None
        for number in range(1, 4):
            ann.say_now(ann.a_play(race, number, MOVES[number - 1]))
        await errand
        await hall.settle()
        await hall.pass_time(10_000)
        told = seqs(eve, race)
        assert told == list(range(told[0], len(await hall.world.log.read(race)) + 1))
        assert [moved.number for moved in eve.of(messages.Moved)] == [1, 2, 3]


async def test_results_tell_nobody_more_than_the_delay_lets_them_watch() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing(delay=30)
        await ann.play(race, 1, MOVES[0])
        eve = await hall.person("Eve")
        await eve.watch(race)
        results = messages.Results(id=eve.next_id(), race=race)
        assert (await eve.get(messages.ResultsSheet, results)).standings == ()
        assert (await hall.hall.records.sheet(race)).standings == ()
        results = messages.Results(id=ben.next_id(), race=race)
        assert len((await ben.get(messages.ResultsSheet, results)).standings) == 2


@pytest.mark.parametrize("terms", [{"delay": 30}, {"spectators": Sight.NONE}])
async def test_who_withdraws_by_another_connection_watches_no_more_than_a_spectator(
    terms: dict[str, object],
) -> None:
    async with lobby() as hall:
        eve = await hall.person("Eve")
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.race(ann, **terms)
        await eve.join(race)
        other = await hall.again(eve)
        await other.ask(messages.Leave(id=other.next_id(), race=race))
        assert len(eve.of(messages.Left)) == 1
        for person in (ann, ben):
            await person.join(race)
        for person in (ann, ben):
            await person.ready(race)
        await hall.pass_time(10_000)
        await ann.play(race, 1, MOVES[0])
        assert eve.of(messages.Started) == []
        assert eve.of(messages.Moved) == []
        assert len(seqs(eve, race)) <= 3


async def test_a_storm_of_resumes_is_answered_by_snapshots_in_the_end() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        for number in range(1, 6):
            await ann.play(race, number, MOVES[number - 1])
        kinds = [type(await resume(ann, race, 2)) for _ in range(LOOKUPS + 10)]
        assert kinds == [messages.Resumed] * LOOKUPS + [messages.Snapshot] * 10


async def test_old_numbers_are_looked_up_only_so_often() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        first = await ann.play(race, 1, MOVES[0])
        await ann.play(race, 2, MOVES[1])
        for _ in range(LOOKUPS):
            assert await ann.play(race, 1, MOVES[0]) == first
        assert await ann.refusal(ann.a_play(race, 1, MOVES[0])) == "rate-limited"
        await hall.pass_time(2_000)
        assert await ann.play(race, 1, MOVES[0]) == first


async def test_a_catching_up_that_fails_leaves_nobody_deaf(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        for number in range(1, 6):
            await ann.play(race, number, MOVES[number - 1])

        async def unreadable(race: str, *, after: int = 0) -> list[bytes]:
            raise LogUnavailable("the disk is gone")

        newer = await hall.again(ann)
        with monkeypatch.context() as broken:
            broken.setattr(hall.world.log, "read", unreadable)
            asked = messages.Resume(id=newer.next_id(), race=race, after=2)
            assert await newer.refusal(asked) == "store-unavailable"
        assert await away(hall, race) == [1]
        room = hall.hall.room(race)
        assert room is not None
        assert [viewer.peer for viewer in room.viewers()] == [ben]
        assert isinstance(await resume(newer, race, 2), messages.Resumed)
        assert await away(hall, race) == []


async def test_a_storm_of_watchers_from_behind_folds_the_race_only_so_often() -> None:
    async with lobby() as hall:
        _, _, race = await hall.two_racing(delay=30)
        eve = await hall.person("Eve")
        for _ in range(LOOKUPS):
            await eve.watch(race)
            await eve.ask(messages.Leave(id=eve.next_id(), race=race))
        assert await eve.refusal(messages.Watch(id=eve.next_id(), race=race)) == "rate-limited"
