"""Whole tournaments of every format, with bots over real sockets, from announcement to champion.

The log that everybody may read afterwards is folded anew by the pure core of tournaments: it must
give the standings that the server published, and every race must stand up to being checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from conftest import SOAK
from samedeal_client import Terms, connect, run_bot, verify
from samedeal_client.cups.cup import Cup
from samedeal_client.testing import server
from samedeal_protocol.terms import Undo
from samedeal_protocol.tournament.events import parse_line
from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Format,
    Heats,
    Ladder,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_server.hosting import view
from samedeal_server.hosting.fold import replay

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120 * SOAK)]

RACE = Terms(game="abandon-hope", countdown=0, limit=120, undo=Undo.FREE)
FORMATS: dict[str, tuple[Format, int, int]] = {
    "single elimination": (SingleElimination(third_place=True), 5, 256),
    "double elimination": (DoubleElimination(), 4, 64),
    "round robin": (RoundRobin(), 4, 16),
    "swiss": (Swiss(rounds=3), 5, 256),
    "heats": (Heats(rounds=2, size=3), 5, 64),
    "ladder": (Ladder(), 4, 32),
}
"""Formats, and for how many: in a usual run, and when tests are to be hard."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url() -> AsyncIterator[str]:
    """One server for all of them, that takes as many from one address as come."""
    many = ("--connections-per-address", "9999", "--races-per-player", "9999")
    async with server(arguments=("--rate", "9999", "--burst", "9999", *many)) as address:
        yield address


@pytest.mark.parametrize("name", FORMATS)
async def test_a_tournament_of_bots_comes_to_standings_that_anybody_can_recompute(
    url: str, name: str
) -> None:
    format, few, many = FORMATS[name]
    size = few if SOAK == 1 else many
    bell = 3600 if isinstance(format, Ladder) else None
    terms = TournamentTerms(name=name, format=format, race=RACE, bell=bell)
    async with connect(url, name=f"Host of {name}"[:24]) as hall:
        code = await hall.announce(terms)
        async with hall.tournament(code) as cup, asyncio.TaskGroup() as bots:
            for number in range(size):
                playing = run_bot(
                    url, "random", tournament=code, name=f"{number} {name}"[:24], seed=str(number)
                )
                bots.create_task(playing, name=f"bot {number}")
            await until(cup, lambda: len(cup.sheet.players) == size)
            await cup.start()
            if isinstance(format, Ladder):
                await until(cup, lambda: ended(cup) >= size)
                await cup.ring()
            await cup.over()
            published = await cup.standings()
            log = [line async for line in cup.log()]
            races = [race.race for match in cup.sheet.matches for race in match.races]
        for race in races[:: max(1, len(races) // 20)]:
            report = verify(await hall.replay(race))
            assert report.passed, report.text()
    events = [parse_line(line.encode()) for line in log]
    again = view.table(replay(events))
    assert published.final
    assert again.lines == published.lines
    assert {line.player for line in again.lines} == set(range(1, size + 1))
    assert len(races) == len(set(races)) >= size // 2


def ended(cup: Cup) -> int:
    return sum(match.ending is not None for match in cup.sheet.matches)


async def until(cup: Cup, is_so: Callable[[], bool]) -> None:
    async for _ in cup.changes():
        if is_so():
            return
