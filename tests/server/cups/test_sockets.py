"""A whole tournament over real sockets and a PostgreSQL of its own; over a file, `test_whole`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from samedeal_client import connect
from samedeal_client.bots import Bot, run_bot
from samedeal_client.view import View
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament.formats import Format, SingleElimination
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_protocol.tournament.views import TournamentTable
from samedeal_server.adapters.log_postgres import PostgresLog
from support.postgres import database
from support.processes import process

NAMES = ("Ann", "Bob", "Cyd", "Dee", "Eve", "Fay")
LOUD = ("--rate", "100000", "--burst", "100000", "--log-level", "warning", "--drain", "0")


def terms(format: Format) -> TournamentTerms:
    race = Terms(game="binary-star", countdown=0, limit=60)
    return TournamentTerms(name="Friday", format=format, race=race)


def bringing_home(cards: int) -> Bot:
    """Plays so many cards home, if it can, and gives up."""

    def bot(view: View) -> str | None:
        moves = [str(move) for move in view.legal() if "-F" in str(move)]
        return moves[0] if moves and view.number < cards else None

    return bot


async def play(address: str, format: Format, size: int) -> TournamentTable:
    """Has a tournament announced, played by bots and ended; returns its standings."""
    async with connect(address, name="Zoe") as hall:
        code = await hall.announce(terms(format))
        async with hall.tournament(code) as cup, asyncio.TaskGroup() as bots:
            tables = [
                bots.create_task(
                    run_bot(address, bringing_home(size - rank), tournament=code, name=name)
                )
                for rank, name in enumerate(NAMES[:size])
            ]
            async for _ in cup.changes():
                if len(cup.sheet.players) == size:
                    break
            await cup.start()
    final = tables[0].result()
    assert all(each.result() == final for each in tables)
    return final


async def test_a_tournament_is_played_over_a_database(tmp_path: Path) -> None:
    async with database() as url, process(tmp_path, *LOUD, "--store", url, "--node", "a") as up:
        table = await play(f"ws://{up.address}", SingleElimination(), 4)
        assert table.final
        assert [line.place for line in table.lines] == [1, 2, 3, 3]
        assert up.errors == []
        log = await PostgresLog.open(url, node="looking")
        try:
            assert len(await log.cups(over=True, limit=9)) == 1
            assert await log.unfinished() == []
        finally:
            await log.close()
