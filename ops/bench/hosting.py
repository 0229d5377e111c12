"""Races a minute that one server runs of a tournament of bots, who share the machine with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Final

from samedeal_client import Terms, connect, run_bot
from samedeal_client.cups.cup import Cup
from samedeal_client.testing import server
from samedeal_protocol.terms import Undo
from samedeal_protocol.tournament.formats import Swiss
from samedeal_protocol.tournament.terms import TournamentTerms

__all__ = ["report"]

_OPEN: Final = (
    *("--rate", "99999", "--burst", "99999"),
    *("--connections-per-address", "9999", "--races-per-player", "9999"),
)
_RACE: Final = Terms(game="abandon-hope", countdown=0, limit=120, undo=Undo.FREE)
_ROUNDS: Final = 3


def report(players: int, *, repeats: int) -> None:
    """Prints the median of so many Swiss tournaments of `random` bots."""
    minutes, races, moves = zip(
        *(asyncio.run(_tournament(players)) for _ in range(repeats)), strict=True
    )
    print(f"\nSwiss, {_ROUNDS} rounds, {players} bots; medians of {repeats} tournaments")
    rates = [count / each for count, each in zip(races, minutes, strict=True)]
    print(
        f"{median(rates):.0f} races a minute ({median(races):.0f} races of about "
        f"{sum(moves) / sum(races):.0f} moves, in {median(minutes) * 60:.0f} s)"
    )


async def _tournament(players: int) -> tuple[float, int, int]:
    """Plays a tournament; returns its minutes, races, and moves, counted from its start."""
    terms = TournamentTerms(name="bench", format=Swiss(rounds=_ROUNDS), race=_RACE)
    async with server(arguments=_OPEN) as url, connect(url, name="Host") as hall:
        code = await hall.announce(terms)
        async with hall.tournament(code) as cup, asyncio.TaskGroup() as bots:
            for number in range(players):
                playing = run_bot(
                    url, "random", tournament=code, name=f"bot {number}", seed=str(number)
                )
                bots.create_task(playing, name=f"bot {number}")
            await _until(cup, lambda: len(cup.sheet.players) == players)
            begun = perf_counter()
            await cup.start()
            await cup.over()
            minutes = (perf_counter() - begun) / 60
        races = [race.race for match in cup.sheet.matches for race in match.races]
        sheets = [await hall.results(race) for race in races]
        return minutes, len(races), sum(e.moves for s in sheets for e in s.standings)


async def _until(cup: Cup, is_so: Callable[[], bool]) -> None:
    async for _ in cup.changes():
        if is_so():
            return
