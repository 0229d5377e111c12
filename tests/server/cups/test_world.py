"""What the world is told of tournaments: topics of the bus, and posts to hosts' URLs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from samedeal_protocol import topics
from samedeal_protocol.terms import Visibility
from samedeal_protocol.topics import Pairings, Payload, Results, Table
from samedeal_protocol.tournament import requests
from samedeal_protocol.tournament.events import parse_line
from samedeal_protocol.tournament.formats import RoundRobin, SingleElimination
from samedeal_protocol.tournament.views import HookAdded
from samedeal_server.hosting import pages
from samedeal_server.ports import Fate
from samedeal_server.settings import Address, Broker
from support.halls import Lobby, Person, lobby, until
from support.nodes import Fakes, fakes
from support.stage import Stage, act, announce, cups_of, follow, settled, terms_of

BROKER = Broker(at=Address("127.0.0.1", 1))
"""There is an audience; what it would hear is heard on the bus of the test."""
URL = "https://example.org/hook"


@pytest.fixture
def world() -> Fakes:
    return fakes()


@pytest.fixture
async def hall(world: Fakes) -> AsyncIterator[Lobby]:
    async with lobby(world, bus=BROKER) as up:
        yield up


class Ear:
    """Hears what is said in public of tournaments, and decodes it as outsiders would."""

    def __init__(self, world: Fakes) -> None:
        self.heard: list[Payload] = []
        self.emptied: list[str] = []
        for topic in (topics.TABLE, topics.PAIRINGS, topics.RESULTS):
            world.bus.subscribe(topic.pattern, self._hear)

    def _hear(self, topic: str, payload: bytes) -> None:
        if not payload:
            self.emptied.append(topic)
            return
        for kind in (topics.TABLE, topics.PAIRINGS, topics.RESULTS):
            if kind.levels(topic) is not None:
                self.heard.append(kind.decode(topic, payload))

    def tables(self) -> list[Table]:
        return [each for each in self.heard if isinstance(each, Table)]

    def pairings(self) -> list[Pairings]:
        return [each for each in self.heard if isinstance(each, Pairings)]

    def results(self) -> list[Results]:
        return [each for each in self.heard if isinstance(each, Results)]


async def registered(hall: Lobby, *, size: int = 4, **changes: object) -> Stage:
    people = [await hall.person(name) for name in ("Ann", "Bob", "Cyd", "Dee")[:size]]
    format = changes.pop("format", SingleElimination())
    code = await announce(people[0], terms_of(format, **changes))  # type: ignore[arg-type]
    stage = Stage(hall, people, code)
    await stage.register()
    return stage


async def start(stage: Stage) -> None:
    await act(host_of(stage), stage.code, requests.StartTournament())


def host_of(stage: Stage) -> Person:
    return stage.people[stage.strength[0]]


# --- the bus -----------------------------------------------------------------------------------


async def test_pairings_results_and_standings_are_told(hall: Lobby, world: Fakes) -> None:
    ear = Ear(world)
    stage = await registered(hall)
    await start(stage)
    first = ear.pairings()[0]
    assert [each.players for each in first.matches] == [(1, 4), (2, 3)]
    assert {each.name for each in first.players} == {"Ann", "Bob", "Cyd", "Dee"}
    assert all(each.races[0].race for each in first.matches)
    await stage.play()
    await stage.pass_time(2_000)
    assert {match.match for each in ear.results() for match in each.matches} == set(
        stage.state.matches
    )
    await until(lambda: ear.tables()[-1].final)
    final = ear.tables()[-1]
    lines = await world.log.read(stage.code)
    *_, end = pages.chain(stage.state, map(parse_line, lines))
    assert final.chain == end
    assert [(each.place, each.name) for each in final.places][:2] == [(1, "Ann"), (2, "Bob")]
    assert final.seq == stage.state.seq


async def test_standings_are_told_once_a_second_at_most(hall: Lobby, world: Fakes) -> None:
    ear = Ear(world)
    stage = await registered(hall, format=RoundRobin())
    await start(stage)
    before = len(ear.tables())
    for number in range(5):
        await act(host_of(stage), stage.code, requests.Halt(reason=f"tea {number}"))
        await act(host_of(stage), stage.code, requests.Continue())
    assert len(ear.tables()) == before
    await stage.pass_time(1_000)
    assert len(ear.tables()) == before + 1


async def test_standings_are_kept_for_who_comes_later_and_emptied_in_the_end(
    hall: Lobby, world: Fakes
) -> None:
    stage = await registered(hall, size=2)
    await start(stage)
    await stage.play()
    await stage.pass_time(2_000)
    ear = Ear(world)
    await until(lambda: bool(ear.tables()) and ear.tables()[-1].final)
    await stage.pass_time(600_000)
    assert ear.emptied == [topics.TABLE.at(tournament=stage.code)]


async def test_of_one_whose_standings_are_emptied_the_voice_keeps_nothing(hall: Lobby) -> None:
    stage = await registered(hall, size=2)
    await start(stage)
    await stage.play()
    await stage.pass_time(2_000)
    herald = cups_of(hall)._herald
    await until(lambda: bool(herald._fading))
    await stage.pass_time(600_000)
    assert (herald._stood_at, herald._unstood, herald._fading) == ({}, {}, {})


async def test_of_an_unlisted_one_nothing_is_told(hall: Lobby, world: Fakes) -> None:
    ear = Ear(world)
    stage = await registered(hall, size=2, visibility=Visibility.UNLISTED)
    await start(stage)
    await stage.play()
    await stage.pass_time(2_000)
    assert ear.heard == []


async def test_no_secret_is_told_before_the_end(hall: Lobby, world: Fakes) -> None:
    said: list[bytes] = []
    world.bus.subscribe(f"{topics.ROOT}/tournaments/#", lambda topic, payload: said.append(payload))
    stage = await registered(hall)
    await act(host_of(stage), stage.code, requests.AddHook(url=URL))
    await start(stage)
    while len(stage.state.matches) < 3:
        await stage.step()
    announced = stage.state.announced
    for hidden in (announced.seed, announced.salt, *stage.state.hooks, *stage.state.hooks.values()):
        assert hidden.encode() not in b"".join(said)
    assert said


# --- hooks -------------------------------------------------------------------------------------


def posted(world: Fakes) -> list[tuple[str, Any]]:
    return [(id, msgspec.json.decode(payload)) for _, id, payload in world.hooks.posted]


async def hooked(hall: Lobby) -> Stage:
    stage = await registered(hall)
    added = await act(host_of(stage), stage.code, requests.AddHook(url=URL))
    assert isinstance(added, HookAdded)
    return stage


async def test_results_are_posted_each_once(hall: Lobby, world: Fakes) -> None:
    stage = await hooked(hall)
    await start(stage)
    await stage.play()
    kinds = [letter["type"] for _, letter in posted(world)]
    assert kinds == ["tournament-started", *["match-ended"] * 3, "tournament-over"]
    ids = [id for id, _ in posted(world)]
    assert len(set(ids)) == len(ids)
    ended = [letter for _, letter in posted(world) if letter["type"] == "match-ended"]
    assert {letter["match"]["match"] for letter in ended} == set(stage.state.matches)
    over = posted(world)[-1][1]
    assert [line["name"] for line in over["standings"]][:2] == ["Ann", "Bob"]


async def test_it_is_not_closed_before_all_is_posted(hall: Lobby, world: Fakes) -> None:
    stage = await hooked(hall)
    await start(stage)
    await stage.play()
    await settled(hall)
    row = await world.log.race(stage.code)
    assert row is not None
    assert not row.is_over
    world.hooks.settle()
    await settled(hall)
    row = await world.log.race(stage.code)
    assert row is not None
    assert row.is_over


async def test_what_was_not_settled_is_posted_again_by_the_next_server(world: Fakes) -> None:
    async with lobby(world) as hall:
        stage = await hooked(hall)
        await start(stage)
        await stage.play()
    first = posted(world)
    world.hooks.posted.clear()
    async with lobby(world) as hall:
        await settled(hall)
        assert posted(world) == first
        world.hooks.settle()
        await settled(hall)
        row = await world.log.race(stage.code)
        assert row is not None
        assert row.is_over


async def test_what_happened_long_ago_is_not_posted_again(world: Fakes) -> None:
    async with lobby(world) as hall:
        stage = await hooked(hall)
        await start(stage)
        await hall.hall.beat()
    world.hooks.posted.clear()
    world.clock.advance(2 * 86_400_000)
    async with lobby(world) as hall:
        await settled(hall)
        assert posted(world) == []


async def test_a_hook_that_is_gone_is_removed(hall: Lobby, world: Fakes) -> None:
    stage = await hooked(hall)
    await start(stage)
    world.hooks.settle(Fate.GONE)
    await settled(hall)
    assert stage.state.hooks == {}
    world.hooks.posted.clear()
    await stage.play()
    assert posted(world) == []
    await settled(hall)
    row = await world.log.race(stage.code)
    assert row is not None
    assert row.is_over


async def test_what_there_is_no_room_for_is_posted_later(hall: Lobby, world: Fakes) -> None:
    stage = await hooked(hall)
    world.hooks.is_full = True
    await start(stage)
    assert posted(world) == []
    world.hooks.is_full = False
    cups_of(hall).flush()
    assert [letter["type"] for _, letter in posted(world)] == ["tournament-started"]


async def test_a_removed_hook_gets_nothing_more_and_keeps_nothing_open(
    hall: Lobby, world: Fakes
) -> None:
    stage = await hooked(hall)
    await start(stage)
    await act(host_of(stage), stage.code, requests.RemoveHook(url=URL))
    world.hooks.posted.clear()
    await stage.play()
    await settled(hall)
    assert posted(world) == []
    assert (await follow(host_of(stage), stage.code, once=True)).hooks == ()
    row = await world.log.race(stage.code)
    assert row is not None
    assert row.is_over
