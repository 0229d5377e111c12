"""Moves by number: done once, answered always, told to everybody in order."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from samedeal_protocol import messages
from samedeal_protocol.messages import Error, Ok
from samedeal_protocol.terms import Undo
from support.halls import lobby, seqs, walk

MOVES = walk(60)


async def test_one_play_a_thousand_times_over_several_sockets_has_one_effect() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        await ann.play(race, 1, MOVES[0])
        sockets = [ann, *[await hall.again(ann) for _ in range(3)]]
        requests = [
            (socket, socket.a_play(race, 2, MOVES[1])) for _ in range(250) for socket in sockets
        ]
        for socket, play in requests:
            errand = socket.say_now(play)
            assert errand is None
        await hall.settle()
        answers = {
            each.id: each.result
            for socket in sockets
            for each in socket.of(Ok)
            if isinstance(each.result, messages.Played) and each.result.number == 2
        }
        assert len(set(answers.values())) == 1
        assert sum(isinstance(each, messages.Progressed) for each in ben.heard) == 2
        lines = await hall.world.log.read(race)
        assert sum(b'"played"' in line for line in lines) == 2
        for socket, play in requests:
            replies = [e for e in socket.heard if isinstance(e, Ok | Error) and e.id == play.id]
            assert len(replies) == 1


async def test_an_older_number_gets_its_old_answer_from_the_log() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        first = [await ann.play(race, number, MOVES[number - 1]) for number in range(1, 11)]
        again = [await ann.play(race, number, MOVES[number - 1]) for number in range(1, 11)]
        assert again == first


async def test_a_number_used_for_another_move_is_refused() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        await ann.play(race, 1, MOVES[0])
        assert await ann.refusal(ann.a_play(race, 1, "T7-T1")) == "number-reused"
        assert await ann.refusal(ann.a_play(race, 3, MOVES[1])) == "bad-number"


async def test_the_reply_stands_in_for_the_event_on_the_connection_that_asked_only() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        other = await hall.again(ann)
        await other.watch(race)
        await ann.play(race, 1, MOVES[0])
        assert ann.of(messages.Moved) == []
        assert [moved.number for moved in other.of(messages.Moved)] == [1]


async def test_illegal_and_legal_moves_interleaved_leave_no_gap_and_no_repeat() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        for number, move in enumerate(MOVES[:20], 1):
            assert await ann.refusal(ann.a_play(race, number, "T1-T1")) == "illegal-move"
            await ann.play(race, number, move)
            ben.say_now(ben.a_play(race, 1, "F1-F2"))
        await hall.settle()
        last = len(await hall.world.log.read(race))
        for person in (ann, ben):
            told = seqs(person, race)
            assert told == list(range(told[0], last + 1))


async def test_undo_redo_undo_with_retries_ends_where_it_should() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing(undo=Undo.FREE)
        start = (await ann.join(race)).entrants[0].digest
        number = 0
        for _ in range(3):
            number += 1
            for _ in range(3):
                await ann.play(race, number, MOVES[0])
            number += 1
            for _ in range(3):
                undo = messages.Undo(id=ann.next_id(), race=race, number=number)
                undone = await ann.get(messages.Played, undo)
                assert undone.digest == start
        assert (await ann.join(race)).number == number


@given(choices=st.lists(st.integers(0, 5), min_size=1, max_size=25))
async def test_every_viewer_is_told_every_seq_once_whatever_happens(choices: list[int]) -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        viewers = [ann, ben]
        number = 0
        for choice in choices:
            match choice:
                case 0 | 1:
                    number += 1
                    ann = viewers[0]
                    ann.say_now(ann.a_play(race, number, MOVES[number - 1]))
                case 2:
                    viewers.append(await hall.person())
                    viewers[-1].say_now(messages.Watch(id=99, race=race))
                case 3:
                    viewers[1].leave()
                    viewers[1] = await hall.again(viewers[1])
                    viewers[1].say_now(messages.Join(id=99, race=race))
                case 4:
                    viewers[0].say_now(
                        messages.Chat(id=viewers[0].next_id(), race=race, text="hello")
                    )
                case _:
                    await hall.settle()
        await hall.settle()
        last = len(await hall.world.log.read(race))
        for person in viewers:
            told = seqs(person, race)
            assert told == list(range(told[0], last + 1))


async def test_a_join_storm_during_a_burst_of_moves_gives_everybody_one_stream() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        crowd = [await hall.person() for _ in range(30)]
        for number, person in enumerate(crowd, 1):
            ann.say_now(ann.a_play(race, number, MOVES[number - 1]))
            person.say_now(messages.Watch(id=99, race=race))
            ben.say_now(ben.a_play(race, number, MOVES[number - 1]))
            if number % 7 == 0:
                await asyncio.sleep(0)
        await hall.settle()
        last = len(await hall.world.log.read(race))
        for person in (ann, ben, *crowd):
            told = seqs(person, race)
            assert told == list(range(told[0], last + 1))
