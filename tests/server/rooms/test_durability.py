"""Nothing is told before it is durable, and what fails to be stored has not happened."""

from __future__ import annotations

import asyncio

import pytest

from samedeal_protocol import messages
from samedeal_protocol.messages import Error, Ok
from samedeal_server.ports import LogConflict, LogUnavailable
from support.halls import lobby, seqs, until, walk

MOVES = walk(40)


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_a_move_is_told_to_nobody_before_it_is_stored() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        before = len(ann.frames), len(ben.frames)
        hall.world.log.hold()
        ann.say_now(ann.a_play(race, 1, MOVES[0]))
        await turns()
        assert (len(ann.frames), len(ben.frames)) == before
        hall.world.log.release()
        await hall.settle()
        assert (len(ann.frames), len(ben.frames)) == (before[0] + 1, before[1] + 1)


async def test_a_refusal_waits_for_the_moves_before_it() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        before = len(ann.frames)
        hall.world.log.hold()
        ann.say_now(ann.a_play(race, 1, MOVES[0]))
        await turns()
        ann.say_now(ann.a_play(race, 2, "T1-T1"))
        await turns()
        assert len(ann.frames) == before
        hall.world.log.release()
        await hall.settle()
        assert [type(each) for each in ann.heard[before:]] == [Ok, Error]


async def test_another_races_refusal_waits_for_nothing() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        eve, fay = await hall.person("Eve"), await hall.person("Fay")
        other = await hall.started(eve, fay)
        hall.world.log.hold()
        ann.say_now(ann.a_play(race, 1, MOVES[0]))
        await turns()
        before = len(eve.frames)
        eve.say_now(eve.a_play(other, 1, "T1-T1"))
        assert len(eve.frames) == before + 1
        hall.world.log.release()


async def test_a_snapshot_for_a_newcomer_waits_for_what_it_shows() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        eve = await hall.person("Eve")
        hall.world.log.hold()
        ann.say_now(ann.a_play(race, 1, MOVES[0]))
        await turns()
        before = len(eve.frames)
        eve.say_now(messages.Watch(id=9, race=race))
        await turns()
        assert len(eve.frames) == before
        hall.world.log.release()


async def test_moves_that_wait_share_one_append() -> None:
    async with lobby() as hall:
        people = [await hall.person(f"P{number}") for number in range(20)]
        races = [
            await hall.started(one, two) for one, two in zip(people[::2], people[1::2], strict=True)
        ]
        hall.world.log.hold()
        before = len(hall.world.log.appends)
        people[0].say_now(people[0].a_play(races[0], 1, MOVES[0]))
        await turns()
        for index, person in enumerate(people[2:], 2):
            person.say_now(person.a_play(races[index // 2], 1, MOVES[0]))
        hall.world.log.release()
        await hall.settle()
        assert [len(group) for group in hall.world.log.appends[before:]] == [1, 18]


@pytest.mark.parametrize("is_stored", [False, True], ids=["not-stored", "stored-all-the-same"])
@pytest.mark.parametrize("fault", [LogUnavailable("disk"), LogConflict("other")], ids=repr)
async def test_a_move_whose_append_fails_is_retried_exactly_once(
    fault: Exception, is_stored: bool
) -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        hall.world.log.fail_next(fault, stored=is_stored)
        play = ann.a_play(race, 1, MOVES[0])
        assert await ann.refusal(play) == "store-unavailable"
        for _ in range(10):
            await turns()
            await hall.settle()
        played = await ann.play(race, 1, MOVES[0])
        assert played.number == 1
        again = await ann.play(race, 1, MOVES[0])
        assert again == played
        lines = await hall.world.log.read(race)
        assert sum(b'"played"' in line for line in lines) == 1
        assert seqs(ann, race) == list(range(seqs(ann, race)[0], len(lines) + 1))
        assert seqs(ben, race)[-1] == len(lines)


async def test_viewers_get_a_fresh_snapshot_when_a_race_was_read_again() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        hall.world.log.fail_next(LogUnavailable("disk"))
        await ann.refusal(ann.a_play(race, 1, MOVES[0]))
        await turns()
        await hall.settle()
        assert len(ben.of(messages.Snapshot)) == 1


async def test_a_race_that_failed_to_append_takes_no_other_race_with_it() -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        eve, fay = await hall.person("Eve"), await hall.person("Fay")
        other = await hall.started(eve, fay)
        hall.world.log.fail_next(LogUnavailable("disk"))
        await ann.refusal(ann.a_play(race, 1, MOVES[0]))
        assert (await eve.play(other, 1, MOVES[0])).number == 1
        assert eve.of(messages.Snapshot) == []


async def test_what_gathered_behind_a_failed_append_fails_too() -> None:
    async with lobby() as hall:
        ann, ben, race = await hall.two_racing()
        hall.world.log.hold()
        hall.world.log.fail_next(LogUnavailable("disk"))
        ann.say_now(ann.a_play(race, 1, MOVES[0]))
        await turns()
        second = ben.a_play(race, 1, MOVES[0])
        ben.say_now(second)
        hall.world.log.release()
        await turns()
        await hall.settle()
        assert [each.code for each in ben.of(Error)] == ["store-unavailable"]
        lines = await hall.world.log.read(race)
        assert not any(b'"played"' in line for line in lines)


async def test_when_too_much_waits_for_the_disk_requests_are_refused() -> None:
    async with lobby(pending_limit=3) as hall:
        ann, ben, race = await hall.two_racing()
        hall.world.log.hold()
        for number in range(1, 6):
            ann.say_now(ann.a_play(race, number, MOVES[number - 1]))
            if number == 1:
                await turns()
        errand = ben.say_now(ben.a_play(race, 1, MOVES[0]))
        assert errand is None
        refused = ben.of(Error)[-1]
        assert (refused.code, refused.retry) == ("store-unavailable", "after")
        hall.world.log.release()


async def test_while_a_lost_race_cannot_be_read_requests_are_told_to_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with lobby() as hall:
        ann, _, race = await hall.two_racing()
        log = hall.world.log
        real = log.read
        fails = True

        async def read(race: str, *, after: int = 0) -> list[bytes]:
            if fails:
                raise LogUnavailable("disk")
            return await real(race, after=after)

        monkeypatch.setattr(log, "read", read)
        hall.world.log.fail_next(LogUnavailable("disk"))
        await ann.refusal(ann.a_play(race, 1, MOVES[0]))
        await turns()
        assert await ann.refusal(ann.a_play(race, 1, MOVES[0])) == "store-unavailable"
        assert hall.hall.unready() is not None
        fails = False
        await until(lambda: hall.hall.room(race) is not None)
        await hall.hall.beat()
        assert hall.hall.unready() is None
        assert (await ann.play(race, 1, MOVES[0])).number == 1
