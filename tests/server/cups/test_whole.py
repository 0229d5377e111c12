"""Whole tournaments of every format, with bots over real sockets, from announcement to champion.

The log that everybody may read afterwards is folded anew by the pure core of tournaments: it must
give the standings that the server published, and every race must stand up to being checked. What is
left in the server's file is whole, and every screen of it fits a terminal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import SOAK
from samedeal_client import Terms, connect, run_bot, verify
from samedeal_client.cups.bracket import bracket_lines
from samedeal_client.cups.cup import Cup
from samedeal_client.cups.tables import cross_lines, round_lines, standings_lines
from samedeal_protocol.events import chained
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
from samedeal_protocol.tournament.views import TournamentSheet, TournamentTable
from samedeal_server.adapters.log_sqlite import Stored
from samedeal_server.audit import audit
from samedeal_server.hosting import view
from samedeal_server.hosting.codes import is_cup
from samedeal_server.hosting.fold import replay
from support.processes import process

pytestmark = [pytest.mark.timeout(300 * SOAK)]

OPEN = (
    *("--rate", "9999", "--burst", "9999"),
    *("--connections-per-address", "9999", "--races-per-player", "9999"),
)
RACE = Terms(game="abandon-hope", countdown=0, limit=120, undo=Undo.FREE)
FORMATS: dict[str, tuple[Format, int, int | None, int]] = {
    "single elimination": (SingleElimination(third_place=True), 4, 4, 256),
    "single elimination with byes": (SingleElimination(), 5, 7, 33),
    "double elimination": (DoubleElimination(reset=False), 4, 6, 64),
    "round robin": (RoundRobin(), 4, 6, 16),
    "swiss": (Swiss(rounds=3), 6, 9, 256),
    "swiss with byes": (Swiss(rounds=2), 5, 6, 33),
    "heats": (Heats(rounds=2, size=3), 5, 4, 64),
    "ladder": (Ladder(), 4, None, 32),
}
"""Formats; for how many, and their matches, byes among them, in a usual run; and for how many when
tests are to be hard."""


@pytest.mark.parametrize("name", FORMATS)
async def test_a_tournament_of_bots_comes_to_standings_that_anybody_can_recompute(
    name: str, tmp_path: Path
) -> None:
    format, few, count, many = FORMATS[name]
    size = few if SOAK == 1 else many
    bell = 3600 if isinstance(format, Ladder) else None
    terms = TournamentTerms(name=name, format=format, race=RACE, bell=bell)
    async with (
        process(tmp_path, *OPEN) as up,
        connect(f"ws://{up.address}", name="Host") as hall,
    ):
        code = await hall.announce(terms)
        async with hall.tournament(code) as cup, asyncio.TaskGroup() as bots:
            tables = [
                bots.create_task(
                    run_bot(
                        f"ws://{up.address}",
                        "random",
                        tournament=code,
                        name=f"bot {n}",
                        seed=str(n),
                    )
                )
                for n in range(size)
            ]
            await until(cup, lambda: len(cup.sheet.players) == size)
            await cup.start()
            if isinstance(format, Ladder):
                await until(cup, lambda: ended(cup) >= size)
                await cup.ring()
            await cup.over()
            published = await cup.standings()
            log = [line async for line in cup.log()]
            sheet = cup.sheet
        races = [race.race for match in sheet.matches for race in match.races]
        for race in races[:: max(1, len(races) // 20)]:
            report = verify(await hall.replay(race))
            assert report.passed, report.text()
    assert sheet.head.phase == "over"
    assert published.final
    assert all(table.result() == published for table in tables)
    assert published.chain == chained(line.encode() for line in log).hex()
    again = view.table(replay([parse_line(line.encode()) for line in log]))
    assert again.lines == published.lines
    assert {line.player for line in again.lines} == set(range(1, size + 1))
    assert SOAK > 1 or count is None or len(sheet.matches) == count
    assert len(races) == len(set(races)) >= size // 2
    look_at_screens(sheet, published)
    look_at_file(tmp_path, races=len(races))
    assert not [line for line in up.errors if " ERROR " in line]


def look_at_screens(sheet: TournamentSheet, table: TournamentTable) -> None:
    has_bracket = isinstance(sheet.terms.format, SingleElimination | DoubleElimination)
    for lines in (
        bracket_lines(sheet, width=80) if has_bracket else [],
        cross_lines(sheet, width=80),
        round_lines(sheet, now=sheet.at),
        standings_lines(table, sheet, width=80, why=True),
    ):
        assert all(len(line) <= 80 for line in lines)


def look_at_file(data: Path, *, races: int) -> None:
    """No race is open, every chain and every pairing holds, and there is nothing besides."""
    with Stored(data) as stored:
        found = list(stored.races())
    assert [audit(each) for each in found] == [[]] * len(found)
    assert [each.row.race for each in found if not each.row.is_over] == []
    assert sum(is_cup(each.row.race) for each in found) == 1
    assert len(found) == 1 + races


def ended(cup: Cup) -> int:
    return sum(match.ending is not None for match in cup.sheet.matches)


async def until(cup: Cup, is_so: Callable[[], bool]) -> None:
    async for _ in cup.changes():
        if is_so():
            return
