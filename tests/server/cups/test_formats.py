"""Whole small tournaments of every format, run by a server to their end."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from samedeal_protocol.tournament import requests
from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Format,
    Heats,
    Ladder,
    Length,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from samedeal_server.hosting.state import Phase
from samedeal_server.hosting.tournament import is_large
from support.halls import Lobby, lobby, until
from support.stage import Stage, act, an_act, announce, follow, table, terms_of

NAMES = ("Ann", "Bob", "Cyd", "Dee", "Eve", "Fay")


@pytest.fixture
async def hall() -> AsyncIterator[Lobby]:
    async with lobby() as up:
        yield up


async def staged(hall: Lobby, format: Format, *, size: int = 4, **changes: object) -> Stage:
    """A tournament that has started."""
    people = [await hall.person(name) for name in NAMES[:size]]
    code = await announce(people[0], terms_of(format, **changes))
    stage = Stage(hall, people, code)
    await stage.register()
    await act(people[0], code, requests.StartTournament())
    return stage


async def test_single_elimination_comes_to_its_champion(hall: Lobby) -> None:
    stage = await staged(hall, SingleElimination(third_place=True))
    await stage.play()
    assert await stage.standings() == "1 Ann, 2 Bob, 3 Cyd, 4 Dee"
    champion = stage.state.champion
    assert champion is not None
    assert stage.state.players[champion].name == "Ann"


async def test_a_match_of_three_has_a_deal_for_each_race(hall: Lobby) -> None:
    stage = await staged(hall, SingleElimination(length=Length(best_of=3)), size=2)
    await stage.play()
    (match,) = stage.state.matches.values()
    assert [race.number for race in match.races] == [1, 2]
    seeds = set()
    for race in match.races:
        seeds.add((await hall.hall.find(race.code)).race.opened.seed)
    assert len(seeds) == 2


async def test_double_elimination_comes_to_its_champion(hall: Lobby) -> None:
    stage = await staged(hall, DoubleElimination())
    await stage.play()
    assert (await stage.standings()).startswith("1 Ann, 2 Bob")


async def test_round_robin_ranks_all(hall: Lobby) -> None:
    stage = await staged(hall, RoundRobin())
    await stage.play()
    assert len(stage.state.matches) == 6
    assert await stage.standings() == "1 Ann, 2 Bob, 3 Cyd, 4 Dee"


async def test_swiss_plays_its_rounds(hall: Lobby) -> None:
    stage = await staged(hall, Swiss(rounds=3), size=6)
    await stage.play()
    assert stage.state.round == 3
    assert (await stage.standings()).startswith("1 Ann")


async def test_heats_give_points_for_places(hall: Lobby) -> None:
    stage = await staged(hall, Heats(rounds=2, size=4))
    await stage.play()
    assert (await stage.standings()).startswith("1 Ann")


async def test_a_ladder_pairs_until_the_bell_and_lets_races_end(hall: Lobby) -> None:
    stage = await staged(hall, Ladder(), bell=60)
    stage.absent = set()
    while not stage.state.rung:
        await stage.step()
        await stage.pass_time(500)
    paired = len(stage.state.matches)
    await stage.play()
    assert len(stage.state.matches) == paired
    assert stage.state.phase is Phase.OVER
    assert (await stage.standings()).startswith("1 Ann")


async def test_a_large_one_is_decided_beside_the_loop(hall: Lobby) -> None:
    people = [await hall.person(f"Player {number}") for number in range(50)]
    code = await announce(people[0], terms_of(Swiss(rounds=2)))
    stage = Stage(hall, people, code)
    for person in people:
        await person.ask(an_act(person, code, requests.Register()))
    assert is_large(stage.state)
    await act(people[0], code, requests.StartTournament())
    await until(lambda: len(stage.rooms()) == 25)
    assert len((await follow(people[0], code)).matches) == 25
    assert len((await table(people[0], code)).lines) == 50
