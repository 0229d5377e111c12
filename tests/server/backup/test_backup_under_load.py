"""A backup taken from under busy servers has all that was acknowledged before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import samedeal_client
from samedeal_client import Hall, Run, Terms
from samedeal_protocol import events as log_events
from samedeal_protocol.terms import Undo
from samedeal_server.backup import Backup
from samedeal_server.stored import StoredRace
from server.backup.stores import KINDS, Made, command
from support.processes import process


@dataclass
class Load:
    """Races in which moves are played and taken back, again and again."""

    url: str
    acknowledged: dict[tuple[str, int], int] = field(default_factory=dict)
    """How many moves the server has acknowledged, by race and entrant."""
    tokens: dict[str, dict[int, str]] = field(default_factory=dict)
    """The entrants' tokens, by race."""
    ended: set[str] = field(default_factory=set)
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def moves(self) -> int:
        return sum(self.acknowledged.values())

    async def until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self.moved.clear()
            await self.moved.wait()

    async def race(self, number: int, *, moves: int | None) -> None:
        """Plays a race of two; both give up after so many moves."""
        terms = Terms(game="streets-and-alleys", countdown=0, limit=None, undo=Undo.FREE)
        async with self.hall(f"Ann {number}") as ann, self.hall(f"Bob {number}") as bob:
            code = await ann.create(terms, seed=f"load-{number}")
            async with ann.join(code) as hers, bob.join(code) as his:
                self.tokens[code] = {hers.you: ann.token, his.you: bob.token}
                await asyncio.gather(hers.ready(), his.ready())
                await asyncio.gather(self.play(hers, moves), self.play(his, moves))
                await hers.over()
                self.ended.add(code)
                self.moved.set()

    def hall(self, name: str) -> AbstractAsyncContextManager[Hall]:
        return samedeal_client.connect(self.url, name=name)

    async def play(self, run: Run, moves: int | None) -> None:
        mine = (run.race, run.you)
        async for view in run:
            done = self.acknowledged.get(mine, 0)
            if done == moves:
                await run.give_up()
                return
            await (run.undo() if done % 2 else run.play(view.legal()[0]))
            self.acknowledged[mine] = done + 1
            self.moved.set()


def moves_in(race: StoredRace, entrant: int) -> int:
    events = [log_events.parse_line(line) for line in race.lines]
    moves = [each for each in events if isinstance(each, log_events.Played | log_events.Undone)]
    return sum(each.entrant == entrant for each in moves)


LOUD = ("--rate", "100000", "--burst", "100000", "--log-level", "warning", "--drain", "0")


@pytest.mark.parametrize(("here", "there"), [KINDS, KINDS[::-1]])
async def test_what_was_acknowledged_before_a_backup_is_in_it(
    made: Made, tmp_path: Path, here: str, there: str
) -> None:
    source, target, file = await made(here), await made(there), tmp_path / "backup.gz"
    async with process(source.data, *LOUD, *source.flags) as up:
        load = Load(f"ws://{up.address}")
        racing = [
            asyncio.create_task(load.race(number, moves=20 if number < 2 else None))
            for number in range(5)
        ]
        await load.until(lambda: len(load.ended) == 2 and load.moves > 300)
        before = dict(load.acknowledged)
        code, told, err = await command(tmp_path, "backup", "--to", str(file), *source.flags)
        assert (code, err) == (0, "")
        assert load.moves > sum(before.values())  # nobody had to wait for it
        assert not any(task.done() for task in racing[2:])
        for task in racing:
            task.cancel()
        await asyncio.gather(*racing, return_exceptions=True)
    with Backup(file) as backup:
        races = {race.row.race: race for race in backup.races()}
        assert told.startswith(f"{len(races)} races, {backup.tally.events:,} events, 10 players: ")
    for (race, entrant), moves in before.items():
        assert moves_in(races[race], entrant) >= moves
    for arguments in (("restore", "--from", str(file), *target.flags), ("check", *target.flags)):
        code, told, err = await command(tmp_path, *arguments)
        assert (code, err) == (0, ""), told
    assert told == f"5 races, {backup.tally.events:,} events: all in order\n"
    async with process(target.data, *LOUD, *target.flags) as up:
        for race, tokens in load.tokens.items():
            await finish(f"ws://{up.address}", race, tokens, is_over=race in load.ended)


async def finish(url: str, race: str, tokens: dict[int, str], *, is_over: bool) -> None:
    """The players come back, play a move each and give up; the replay is proved."""
    for token in tokens.values():
        async with samedeal_client.connect(url, token=token) as hall, hall.join(race) as run:
            if not is_over:
                view = await anext(aiter(run))
                await run.play(view.legal()[0])
                await run.give_up()
    async with samedeal_client.connect(url, token=next(iter(tokens.values()))) as hall:
        report = samedeal_client.verify(await hall.replay(race))
    assert report.passed, report.text()
