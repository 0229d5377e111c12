"""What the bus is told: durable things that a stranger may know, coalesced."""

from __future__ import annotations

import msgspec

from samedeal_protocol import topics
from samedeal_protocol.terms import Sight
from support.halls import Lobby, Person, lobby, walk

MOVES = walk(30)
PROGRESS = msgspec.msgpack.Decoder(topics.Progress)
STANDINGS = msgspec.json.Decoder(topics.Standings)


async def racing(
    hall: Lobby, **terms: object
) -> tuple[Person, Person, str, list[tuple[str, bytes]]]:
    told: list[tuple[str, bytes]] = []
    ann, ben = await hall.person("Ann"), await hall.person("Ben")
    race = await hall.started(ann, ben, **terms)
    hall.world.bus.subscribe("#", lambda topic, payload: told.append((topic, payload)))
    told.clear()
    return ann, ben, race, told


async def test_many_moves_are_one_message_of_progress() -> None:
    async with lobby() as hall:
        ann, _, race, told = await racing(hall)
        for number in range(1, 11):
            await ann.play(race, number, MOVES[number - 1])
        hall.hall.world.flush()
        progress = [PROGRESS.decode(p) for t, p in told if t == topics.race_progress(race)]
        assert [each.entrants[0].moves for each in progress] == [10]
        assert progress[0].seq == len(await hall.world.log.read(race))
        hall.hall.world.flush()
        assert len([t for t, _ in told if t == topics.race_progress(race)]) == 1


async def test_progress_waits_until_it_is_durable() -> None:
    async with lobby() as hall:
        ann, _, race, told = await racing(hall)
        hall.hall.world.flush()
        told.clear()
        hall.world.log.hold()
        ann.say_now(ann.a_play(race, 1, MOVES[0]))
        hall.hall.world.flush()
        assert told == []
        hall.world.log.release()
        await hall.settle()
        assert [topic for topic, _ in told] == [topics.race_progress(race)]


async def test_standings_are_told_once_a_second_at_most_and_at_the_end() -> None:
    async with lobby() as hall:
        ann, ben, race, told = await racing(hall)
        for number in range(1, 21):
            await ann.play(race, number, MOVES[number - 1])
            await hall.pass_time(100)
            hall.hall.world.flush()
        standings = [p for t, p in told if t == topics.race_standings(race)]
        assert 2 <= len(standings) <= 3
        for person in (ann, ben):
            await person.give_up(race)
        hall.hall.world.flush()
        last = STANDINGS.decode([p for t, p in told if t == topics.race_standings(race)][-1])
        assert last.phase == "over"
        assert (topics.race_owner(race), b"") in told


async def test_an_ended_races_standings_are_emptied_in_the_end() -> None:
    async with lobby() as hall:
        ann, ben, race, told = await racing(hall)
        for person in (ann, ben):
            await person.give_up(race)
        hall.hall.world.flush()
        await hall.pass_time(600_000)
        hall.hall.world.flush()
        assert told[-1] == (topics.race_standings(race), b"")


async def test_nothing_is_told_of_what_spectators_may_not_see() -> None:
    for terms in ({"spectators": Sight.NONE}, {"delay": 30}):
        async with lobby() as hall:
            ann, _, race, told = await racing(hall, **terms)
            hall.hall.world.flush()
            told.clear()
            await ann.play(race, 1, MOVES[0])
            hall.hall.world.flush()
            assert told == []


async def test_the_owner_of_a_race_is_retained() -> None:
    async with lobby() as hall:
        ann = await hall.person()
        race = await hall.race(ann)
        told: list[bytes] = []
        hall.world.bus.subscribe(topics.race_owner(race), lambda _, payload: told.append(payload))
        assert msgspec.json.decode(told[0], type=topics.Owner).node == "local"
