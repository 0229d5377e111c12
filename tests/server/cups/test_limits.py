"""How many tournaments one player may host."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from samedeal_protocol.tournament import requests
from samedeal_protocol.tournament.formats import SingleElimination
from samedeal_server.hosting.commands import Person as Someone
from samedeal_server.racing.race import Refused
from support.halls import Lobby, Person, lobby
from support.nodes import fakes
from support.stage import announce, cups_of, terms_of


@pytest.fixture
async def hall() -> AsyncIterator[Lobby]:
    async with lobby(fakes()) as up:
        yield up


async def test_nobody_hosts_too_many_at_once(hall: Lobby) -> None:
    host = await hall.person("Ann")
    for _ in range(10):
        await announce(host, terms_of(SingleElimination()))
    hall.world.clock.advance(600_000)
    for _ in range(10):
        await announce(host, terms_of(SingleElimination()))
    hall.world.clock.advance(600_000)
    message = requests.AnnounceTournament(id=host.next_id(), terms=terms_of(SingleElimination()))
    assert await host.refusal(message) == "too-many-tournaments"


async def announce_all(hall: Lobby, host: Person, count: int) -> list[str | BaseException]:
    """One player announces so many tournaments at a time, over as many connections."""
    assert host.welcome is not None
    who = Someone(host.player, host.welcome.name)
    terms = terms_of(SingleElimination())
    each = (cups_of(hall).announcer.announce(who, terms, phrase=None) for _ in range(count))
    return await asyncio.gather(*each, return_exceptions=True)


async def test_nobody_hosts_too_many_by_announcing_them_at_a_time(hall: Lobby) -> None:
    outcomes = await announce_all(hall, await hall.person("Ann"), 25)
    assert [isinstance(each, Refused) for each in outcomes] == [False] * 20 + [True] * 5


async def test_the_hosted_count_however_many_somebody_plays_in(hall: Lobby) -> None:
    ann = await hall.person("Ann")
    await announce_all(hall, ann, 20)
    for name in ("Bob", "Cyd", "Dee", "Eve", "Fay"):
        for code in await announce_all(hall, await hall.person(name), 20):
            assert isinstance(code, str)
            # As if they had registered.
            await hall.world.log.enter(ann.player, code)
    (outcome,) = await announce_all(hall, ann, 1)
    assert isinstance(outcome, Refused)
    assert outcome.code.code == "too-many-tournaments"
