"""Tournaments over real sockets: picked games, the example, and a server that is killed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from samedeal_client import Hall, Terms, TournamentTerms, View, connect, run_bot, verify
from samedeal_client.testing import ServerProcess, server
from samedeal_protocol.tournament.formats import (
    Length,
    RoundRobin,
    SingleElimination,
)
from samedeal_protocol.tournament.terms import Choice
from samedeal_protocol.tournament.views import TournamentSheet, TournamentTable

ROOT = Path(__file__).parent.parent.parent
RACE = Terms(game="fortress", countdown=0, limit=60)
ONCE = Length(replays=0)

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url() -> AsyncIterator[str]:
    """One server for all tests that do not harm it."""
    async with server(arguments=("--rate", "9999", "--burst", "9999")) as address:
        yield address


def hasty(view: View) -> str | None:
    """Plays what goes home, then a little more, then gives up."""
    home = [move for move in view.legal() if "-F" in move]
    return next(iter([*home, *view.legal()]), None) if view.number < 12 else None


async def played_out(
    hall: Hall, terms: TournamentTerms, *, bots: int
) -> tuple[TournamentSheet, list[TournamentTable]]:
    """Announces it, lets bots play it to its end, and returns how it ended and what they saw."""
    code = await hall.announce(terms)
    async with hall.tournament(code) as cup, asyncio.TaskGroup() as tasks:
        playing = [
            tasks.create_task(run_bot(hall.url, hasty, tournament=code, name=f"{code[-6:]} {n}"))
            for n in range(bots)
        ]
        async for _ in cup.changes():
            if len(cup.sheet.players) == bots:
                break
        await cup.start()
        await cup.over()
        await cup.standings()
        sheet = cup.sheet
    return sheet, [bot.result() for bot in playing]


async def test_players_pick_their_games(url: str) -> None:
    terms = TournamentTerms(
        name="Picked",
        format=RoundRobin(length=Length(best_of=2, replays=0)),
        race=RACE,
        games=("beleaguered-castle",),
        choice=Choice.PICK,
    )
    async with connect(url, name="Host of picks") as hall:
        sheet, _ = await played_out(hall, terms, bots=2)
        (match,) = sheet.matches
        assert [race.game for race in match.races] == ["fortress", "beleaguered-castle"]
        report = verify(await hall.replay(match.races[1].race))
        assert report.passed, report.text()


async def test_the_example_plays_a_whole_tournament(url: str) -> None:
    async with connect(url, name="Host of examples") as hall:
        terms = TournamentTerms(name="Examples", format=RoundRobin(length=ONCE), race=RACE)
        code = await hall.announce(terms)
        async with hall.tournament(code) as cup, asyncio.TaskGroup() as tasks:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, str(ROOT / "examples" / "tournament_bot.py"), url, code),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            tasks.create_task(run_bot(url, hasty, tournament=code, name="against the example"))
            async for _ in cup.changes():
                if len(cup.sheet.players) == 2:
                    break
            await cup.start()
            out, err = await process.communicate()
        assert process.returncode == 0, err.decode()
        assert len(out.decode().splitlines()) == 2


async def test_a_tournament_survives_a_server_that_is_killed_twice(tmp_path: Path) -> None:
    process = ServerProcess(tmp_path)
    await process.start()
    try:
        async with connect(process.url, name="Hal") as hall:
            terms = TournamentTerms(
                name="Survivors", format=SingleElimination(length=ONCE), race=RACE
            )
            code = await hall.announce(terms)
            async with hall.tournament(code) as cup, asyncio.TaskGroup() as tasks:
                for n in range(4):
                    name = f"bot {n}"
                    tasks.create_task(run_bot(process.url, hasty, tournament=code, name=name))
                async for _ in cup.changes():
                    if len(cup.sheet.players) == 4:
                        break
                start = cup.sheet.seq
                starting = tasks.create_task(cup.start())
                for more in (1, 8):
                    async for _ in cup.changes():
                        if cup.sheet.seq >= start + more:
                            break
                    await process.kill()
                    await process.start()
                await starting
                head = await cup.over()
                lines = [line async for line in cup.log()]
            assert head.champion is not None
            assert len(cup.sheet.matches) == 3
            assert len(lines) == cup.sheet.seq
            races = [race.race for match in cup.sheet.matches for race in match.races]
            assert len(set(races)) == len(races)
            for race in races:
                report = verify(await hall.replay(race))
                assert report.passed, report.text()
    finally:
        await process.stop()
