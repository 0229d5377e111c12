"""What the bus is told: durable things that a stranger may know, coalesced."""

from __future__ import annotations

import msgspec
import pytest

from samedeal_protocol import messages, topics
from samedeal_protocol.codec import MSGPACK
from samedeal_protocol.terms import Sight, Visibility
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
        progress = [PROGRESS.decode(p) for t, p in told if t == topics.PROGRESS.at(race=race)]
        assert [each.entrants[0].moves for each in progress] == [10]
        assert progress[0].seq == len(await hall.world.log.read(race))
        hall.hall.world.flush()
        assert len([t for t, _ in told if t == topics.PROGRESS.at(race=race)]) == 1


async def test_progress_that_nobody_hears_is_not_put_into_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with lobby() as hall:
        ann, _, race, _ = await racing(hall)
        published: list[str] = []
        publish = hall.world.bus.publish

        def noting(topic: str, payload: bytes, *, retain: bool = False) -> None:
            published.append(topic)
            publish(topic, payload, retain=retain)

        monkeypatch.setattr(hall.world.bus, "publish", noting)
        for number, is_heard in enumerate((True, False), 1):
            monkeypatch.setattr(hall.world.bus, "hears", lambda _, says=is_heard: says)
            await ann.play(race, number, MOVES[number - 1])
            hall.hall.world.flush()
            assert (topics.PROGRESS.at(race=race) in published) is is_heard
            published.clear()


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
        assert [topic for topic, _ in told] == [topics.PROGRESS.at(race=race)]


async def test_standings_are_told_once_a_second_at_most_and_at_the_end() -> None:
    async with lobby() as hall:
        ann, ben, race, told = await racing(hall)
        for number in range(1, 21):
            await ann.play(race, number, MOVES[number - 1])
            await hall.pass_time(100)
            hall.hall.world.flush()
        standings = [p for t, p in told if t == topics.STANDINGS.at(race=race)]
        assert 2 <= len(standings) <= 3
        for person in (ann, ben):
            await person.give_up(race)
        hall.hall.world.flush()
        last = STANDINGS.decode([p for t, p in told if t == topics.STANDINGS.at(race=race)][-1])
        assert last.phase == "over"
        assert (topics.OWNER.at(race=race), b"") in told


async def test_an_ended_races_standings_are_emptied_in_the_end() -> None:
    async with lobby() as hall:
        ann, ben, race, told = await racing(hall)
        for person in (ann, ben):
            await person.give_up(race)
        hall.hall.world.flush()
        await hall.pass_time(600_000)
        hall.hall.world.flush()
        assert told[-1] == (topics.STANDINGS.at(race=race), b"")


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
        hall.world.bus.subscribe(
            topics.OWNER.at(race=race), lambda _, payload: told.append(payload)
        )
        assert msgspec.json.decode(told[0], type=topics.Owner).node == "local"


# --- the world as a spectator ------------------------------------------------------------------

BUSY = "a broker somewhere"
WATCH = msgspec.msgpack.Decoder(topics.Watch)


def seen_of(told: list[tuple[str, bytes]], race: str) -> list[messages.ServerMessage]:
    """Returns what the world was shown of a race; every message says up to where."""
    frames: list[messages.ServerMessage] = []
    for topic, payload in told:
        if topic == topics.WATCH.at(race=race):
            watch = WATCH.decode(payload)
            shown = [MSGPACK.read_server(frame) for frame in watch.frames]
            assert getattr(shown[-1], "seq", None) == watch.seq
            frames += shown
    return frames


async def test_the_world_is_shown_what_a_spectator_is_shown() -> None:
    async with lobby(bus=BUSY) as hall:
        told: list[tuple[str, bytes]] = []
        hall.world.bus.subscribe("#", lambda topic, payload: told.append((topic, payload)))
        ann, ben, eve = [await hall.person(name) for name in ("Ann", "Ben", "Eve")]
        race = await hall.race(ann, entrants_min=2)
        await eve.watch(race)
        for person in (ann, ben):
            await person.join(race)
        for person in (ann, ben):
            await person.ready(race)
        await hall.settle()
        for number in range(1, 6):
            await ann.play(race, number, MOVES[number - 1])
        await ann.give_up(race)
        await ben.give_up(race)
        hall.hall.world.flush()
        first, *events = seen_of(told, race)
        assert isinstance(first, messages.Snapshot)
        theirs = [each for each in eve.heard if not isinstance(each, messages.Ok)]
        assert events == theirs
        assert isinstance(events[-1], messages.Over)


async def test_the_world_sees_a_delayed_race_as_late_as_spectators_do() -> None:
    async with lobby(bus=BUSY) as hall:
        ann, _, race, told = await racing(hall, delay=30)
        await ann.play(race, 1, MOVES[0])
        await hall.pass_time(29_000)
        hall.hall.world.flush()
        assert [each for each in seen_of(told, race) if isinstance(each, messages.Moved)] == []
        await hall.pass_time(1_000)
        hall.hall.world.flush()
        assert [each.moves for each in seen_of(told, race) if isinstance(each, messages.Moved)] == [
            (MOVES[0],)
        ]


@pytest.mark.parametrize(
    "terms",
    [
        {"spectators": Sight.NONE},
        {"visibility": Visibility.UNLISTED},
        {"visibility": Visibility.PHRASE, "phrase": "open sesame"},
    ],
    ids=["no-spectators", "unlisted", "phrase"],
)
async def test_the_world_is_told_nothing_of_a_race_that_not_everybody_may_find(
    terms: dict[str, object],
) -> None:
    async with lobby(bus=BUSY) as hall:
        told: list[tuple[str, bytes]] = []
        hall.world.bus.subscribe("#", lambda topic, payload: told.append((topic, payload)))
        ann = await hall.person("Ann")
        race = await hall.race(ann, entrants_min=1, **terms)
        await ann.join(race)
        await ann.ready(race)
        await hall.settle()
        await ann.play(race, 1, MOVES[0])
        hall.hall.world.flush()
        await hall.settle()
        public = {
            topics.WATCH.at(race=race),
            topics.PROGRESS.at(race=race),
            topics.STANDINGS.at(race=race),
        }
        assert [topic for topic, _ in told if topic in public] == []


async def test_a_race_that_only_the_world_watched_goes_from_memory() -> None:
    async with lobby(bus=BUSY) as hall:
        ann, ben, race, _ = await racing(hall)
        await ann.give_up(race)
        await ben.give_up(race)
        for person in (ann, ben):
            person.leave()
        assert hall.hall.rooms[race].is_watched
        hall.hall.world.flush()
        assert not hall.hall.rooms[race].is_watched
        hall.hall.census()
        assert hall.world.meter.totals["spectators"] == 0
