"""A server dies at every write of whole tournaments, and everything comes to the same.

It dies when the write has taken effect and before anybody knows. So each state that a log can be in
is one that a server starts from, and what was done of it already is done no second time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from samedeal_protocol.events import Opened
from samedeal_protocol.events import parse_line as parse_race
from samedeal_protocol.tournament import events, requests
from samedeal_protocol.tournament.events import Called, Paired, TournamentEvent, parse_line
from samedeal_protocol.tournament.formats import (
    Format,
    Heats,
    Ladder,
    Length,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from samedeal_server.adapters.bus_local import LocalBus
from samedeal_server.hosting.codes import is_cup
from samedeal_server.hosting.tournament import replay
from samedeal_server.ports import Entry
from samedeal_server.racing.race import replay as replay_race
from support.fakes import FakeClock, FixedSeeds, RecordingMeter
from support.halls import Lobby, Person, lobby
from support.memory import MemoryLog
from support.nodes import Fakes
from support.stage import Stage, act, announce, settled, terms_of

NAMES = ("Ann", "Bob", "Cyd", "Dee", "Eve")
OUTAGE_MS = 2_000


class DyingLog(MemoryLog):
    """A log whose server dies with a write: it takes effect, and nothing more is ever heard."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0
        self.dies_at = 0
        """With which write; 0 for never."""
        self.died = asyncio.Event()

    async def append(self, entries: Sequence[Entry], *, over: Sequence[str] = ()) -> None:
        await self._alive_yet()
        await super().append(entries, over=over)
        await self._wrote()

    async def open_race(
        self, entry: Entry, *, opened_at: int, is_listed: bool, phrase_hash: bytes | None
    ) -> None:
        await self._alive_yet()
        await super().open_race(
            entry, opened_at=opened_at, is_listed=is_listed, phrase_hash=phrase_hash
        )
        await self._wrote()

    async def enter(self, player: str, race: str) -> None:
        await self._alive_yet()
        await super().enter(player, race)

    def revive(self) -> None:
        self.dies_at = 0
        self.died.clear()

    async def _alive_yet(self) -> None:
        if self.died.is_set():
            await asyncio.Event().wait()

    async def _wrote(self) -> None:
        self.writes += 1
        if self.writes == self.dies_at:
            self.died.set()
        await self._alive_yet()


@dataclass
class Course:
    """A tournament, and what it takes to play it on whichever server there is."""

    world: Fakes
    log: DyingLog
    format: Format
    size: int
    changes: dict[str, object]
    tokens: list[str] | None = None

    @staticmethod
    def of(format: Format, size: int, **changes: object) -> Course:
        log = DyingLog()
        world = Fakes(log, FakeClock(), FixedSeeds(), RecordingMeter(), LocalBus())
        return Course(world, log, format, size, changes)

    async def run(self, *, dies_at: int) -> None:
        """Plays to the end, with a death on the way."""
        self.log.dies_at = dies_at
        async with self._server() as hall:
            if await self._outlives(hall):
                return
        self.log.revive()
        await self.log.alive(self.world.clock.now())
        self.world.clock.advance(OUTAGE_MS)
        async with self._server() as hall:
            await self._play(hall)

    @asynccontextmanager
    async def _server(self) -> AsyncIterator[Lobby]:
        async with lobby(self.world) as hall:
            yield hall

    async def _outlives(self, hall: Lobby) -> bool:
        """Says whether the server lived until the end."""
        playing = asyncio.ensure_future(self._play(hall))
        dying = asyncio.ensure_future(self.log.died.wait())
        await asyncio.wait({playing, dying}, return_when=asyncio.FIRST_COMPLETED)
        dying.cancel()
        if playing.done():
            await playing
            return True
        playing.cancel()
        await asyncio.wait({playing})
        return False

    async def _play(self, hall: Lobby) -> None:
        people = await self._people(hall)
        code = next((row.race for row in await self.log.cups(over=False, limit=9)), None)
        if code is None:
            done = await self.log.cups(over=True, limit=9)
            code = (
                done[0].race
                if done
                else await announce(people[0], terms_of(self.format, **self.changes))
            )
        stage = Stage(hall, people, code)
        await hall.hall.annex.sheet(code)
        await settled(hall)
        if not stage.state.is_final and stage.state.phase.value == "announced":
            for person in people:
                await act(person, code, requests.Register())
            await act(people[0], code, requests.StartTournament())
        if isinstance(self.format, Ladder):
            while len(stage.state.matches) < 2:
                await stage.step()
            if not stage.state.is_final:
                await act(people[0], code, requests.RingBell())
        await stage.play()
        for _ in range(5):
            await settled(hall)

    async def _people(self, hall: Lobby) -> list[Person]:
        if self.tokens is None:
            people = [await hall.person(name) for name in NAMES[: self.size]]
            self.tokens = [each.welcome.token or "" for each in people if each.welcome]
            return people
        return [await Person(hall).hello(token=token) for token in self.tokens]

    # --- what it has come to -------------------------------------------------------------------

    async def events(self) -> list[TournamentEvent]:
        """The whole log of the tournament, which must be closed, and the only one."""
        (row,) = await self.log.cups(over=True, limit=9)
        assert await self.log.cups(over=False, limit=9) == []
        return [parse_line(line) for line in await self.log.read(row.race)]

    async def outcome(self) -> tuple[object, ...]:
        """Who played whom, how it ended, and where everybody stood: instants are left out."""
        log = await self.events()
        state = replay(log)
        pairings = [
            (match.match, match.players)
            for each in log
            if isinstance(each, Paired)
            for match in each.matches
        ]
        results = [(each.match, each.result) for each in log if isinstance(each, events.Decided)]
        races = [
            (each.match, each.number, each.race, each.game, each.salt)
            for each in log
            if isinstance(each, Called)
        ]
        return pairings, sorted(results, key=str), races, state.champion, state.reason

    async def check_races(self) -> None:
        """Every race that was called was run once, and there is no other."""
        log = await self.events()
        announced = log[0]
        assert isinstance(announced, events.Announced)
        called = {each.race for each in log if isinstance(each, Called)}
        ended = [(each.match, each.number) for each in log if isinstance(each, events.RaceEnded)]
        assert len(set(ended)) == len(ended) == len(called)
        opened = {code for code in self.log._races if not is_cup(code)}
        assert opened == called
        for code in opened:
            raced = replay_race(map(parse_race, await self.log.read(code)))
            assert raced.is_final
            row = await self.log.race(code)
            assert row is not None
            assert row.is_over
            first = parse_race((await self.log.read(code))[0])
            assert isinstance(first, Opened)
            assert first.tournament == announced.tournament


FORMATS: dict[str, tuple[Format, int, dict[str, object]]] = {
    "single elimination": (SingleElimination(), 4, {}),
    "a match of three races": (SingleElimination(length=Length(best_of=3)), 2, {}),
    "swiss with a bye": (Swiss(rounds=2), 3, {}),
    "round robin": (RoundRobin(), 3, {}),
    "heats": (Heats(rounds=2, size=3), 3, {}),
    "ladder": (Ladder(), 2, {"bell": 3_600}),
}


@pytest.mark.parametrize("name", FORMATS)
async def test_a_death_at_any_write_changes_nothing(name: str) -> None:
    format, size, changes = FORMATS[name]
    undisturbed = Course.of(format, size, **changes)
    await undisturbed.run(dies_at=0)
    await undisturbed.check_races()
    wanted = await undisturbed.outcome()
    for write in range(1, undisturbed.log.writes + 1):
        course = Course.of(format, size, **changes)
        await course.run(dies_at=write)
        assert await course.outcome() == wanted, write
        await course.check_races()
