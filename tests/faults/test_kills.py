"""`kill -9` at random instants of busy races, over and over on one folder and one port.

Races run at once, with players and spectators in both encodings. Nobody may lose what was
acknowledged, be told anything twice or not at all, or be charged for an outage.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
import pytest
from msgspec.structs import replace

from conftest import SOAK
from faults.forge import LOUD, Forge
from faults.riders import Rider, Watcher, Winner
from faults.world import Life, World
from samedeal_client import verify
from samedeal_protocol import events as log
from samedeal_protocol import messages
from samedeal_protocol.codec import JSON, MSGPACK
from samedeal_protocol.terms import Terms, Undo
from samedeal_server.adapters.log_sqlite import Stored
from samedeal_server.audit import audit
from support.races import WIN_GAME, WIN_SEED
from support.voices import Voice, greeted

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300 * SOAK)]

KILLS: Final = 100 * SOAK
KILLS_A_HEAT: Final = 20
BEAT_MS: Final = 500
"""How often the server notes that it lives."""
SLACK_MS: Final = 250
"""How late a process may note anything on a busy machine."""

BASE: Final = Terms(game="", countdown=0, limit=None, grace=3600, undo=Undo.FREE)
RACES: Final = {
    WIN_GAME: replace(BASE, game=WIN_GAME, undo=Undo.PENALTY, undo_penalty=2),
    "forty-thieves": replace(BASE, game="forty-thieves"),
    "st-helena": replace(BASE, game="st-helena", blind=True),
}


@dataclass
class Heat:
    """Two races that run at once, and everybody in them."""

    world: World
    number: int
    dice: random.Random
    riders: dict[str, list[Rider]] = field(default_factory=dict)
    terms: dict[str, Terms] = field(default_factory=dict)
    watchers: dict[str, Watcher] = field(default_factory=dict)

    async def open(self) -> None:
        """Opens the races; nobody is killed meanwhile."""
        async with greeted(self.world.address, f"Host {self.number}") as host:
            others = ("forty-thieves", "st-helena")
            for game in (WIN_GAME, others[self.number % 2]):
                terms = RACES[game]
                create = messages.Create(id=host.next_id(), terms=terms, seed=WIN_SEED)
                race = (await host.get(messages.Created, create)).race
                self.terms[race] = terms
                self.riders[race] = [
                    (Winner if game == WIN_GAME and at == 0 else Rider)(
                        self.world,
                        race,
                        f"{self.number} {at} {game}"[:20],
                        MSGPACK if at == 0 else JSON,
                        game=game,
                        seed=WIN_SEED,
                        dice=random.Random(self.dice.random()),
                    )
                    for at in range(2)
                ]
                name = f"{self.number} sees {game}"[:20]
                self.watchers[race] = Watcher(self.world, race, name, MSGPACK)

    async def run(self, kills: int) -> int:
        """Runs the races to their ends among about so many kills; returns how many there were."""
        killed = 0
        async with asyncio.timeout(240), asyncio.TaskGroup() as group:
            riding = [
                group.create_task(each.ride(), name=each.name)
                for each in (*self._all_riders(), *self.watchers.values())
            ]
            while killed < kills and not all(task.done() for task in riding):
                for rider in self._all_riders():
                    rider.is_closing = killed >= kills - 3
                await self.world.busy(self.dice.randrange(1, 160))
                await asyncio.sleep(self.dice.uniform(0, 0.008))
                await self.world.kill()
                killed += 1
                self._look_at_the_log()
                self.world.let_pass(self.dice.choice((0, 0, 1, 700, 5000, 3_000_000)))
                while self.dice.random() < 0.15:
                    await self.world.start_and_kill(self.dice.uniform(0, 0.06))
                    killed += 1
                await self.world.start()
            for rider in self._all_riders():
                rider.is_closing = True
        return killed

    def _all_riders(self) -> list[Rider]:
        return [rider for riders in self.riders.values() for rider in riders]

    def _look_at_the_log(self) -> None:
        """What was acknowledged is in the file that the killed server has left, once."""
        if self.dice.random() < 0.5:
            return  # Otherwise no server would ever be the first to open what a kill has left.
        with Stored(self.world.data) as stored:
            lines = {each.row.race: each.lines for each in stored.races()}
        for race, riders in self.riders.items():
            told = max(each.story.seq for each in (*riders, self.watchers[race]))
            assert told <= len(lines[race]), "what was told is stored"
            events = list(map(log.parse_line, lines[race]))
            for entrant, rider in seated(riders):
                look_at_acts(rider, events, entrant)

    async def check(self) -> None:
        """Looks at the races' replays when all are over."""
        async with greeted(self.world.address, f"Judge {self.number}") as judge:
            for race, riders in self.riders.items():
                lines = await replay_of(judge, race)
                report = verify(lines)
                assert report.passed, report.text()
                events = list(map(log.parse_line, lines[1:-1]))
                over = next(at for at, each in enumerate(events, 1) if isinstance(each, log.Over))
                for each in (*riders, self.watchers[race]):
                    assert each.story.is_whole
                    assert each.story.seq == over
                for entrant, rider in seated(riders):
                    assert look_at_acts(rider, events, entrant) == len(rider.acts)
                self._look_at_what_was_watched(race, riders)
                look_at_times(events)
                look_at_stoppages(events, self.world.lives)

    def _look_at_what_was_watched(self, race: str, riders: Sequence[Rider]) -> None:
        """A spectator was shown the boards that the players had; nothing of a blind race."""
        acts = {entrant: rider.acts for entrant, rider in seated(riders)}
        moved = 0
        for told in self.watchers[race].story.told.values():
            if isinstance(told, messages.Moved | messages.Undone):
                moved += 1
                assert told.digest == acts[told.entrant][told.number - 1].digest
        is_shown = not self.terms[race].blind
        assert moved == (sum(map(len, acts.values())) if is_shown else 0)


def seated(riders: Sequence[Rider]) -> list[tuple[int, Rider]]:
    """Returns the riders by entrant number, those who have not entered left out."""
    return [(rider.you, rider) for rider in riders if rider.you is not None]


def look_at_acts(rider: Rider, events: Sequence[log.Event], entrant: int) -> int:
    """Every act that was acknowledged is in the log, once, and none that was not asked for.

    Returns how many are there.
    """
    stored: list[str] = []
    for event in events:
        match event:
            case log.Played(entrant=number, move=what) if number == entrant:
                stored.append(what)
            case log.Undone(entrant=number) if number == entrant:
                stored.append("undo")
            case log.AutoFinished(entrant=number) if number == entrant:
                stored.append("finish")
            case _:
                continue
        assert event.number == len(stored)
    assert len(stored) >= len(rider.answered)
    assert stored == [act.what for act in rider.acts[: len(stored)]]
    return len(stored)


def look_at_times(events: Sequence[log.Event]) -> None:
    """A finish is timed by an undisturbed clock but for the stoppages, by plain arithmetic."""
    started = next(event.at for event in events if isinstance(event, log.Started))
    stopped = penalty = 0
    for event in events:
        match event:
            case log.Stopped(stopped_ms=ms) if event.at >= started:
                stopped += ms
            case log.Undone(entrant=1):
                penalty += 2000
            case log.Done(elapsed_ms=elapsed) if elapsed is not None:
                assert event.state is log.EntrantState.FINISHED
                assert elapsed == event.at - started - stopped + penalty
            case _:
                pass


def look_at_stoppages(events: Sequence[log.Event], lives: Sequence[Life]) -> None:
    """Every stoppage lasted from the end of a life, or a beat before, to the start of another."""
    for event in events:
        if not isinstance(event, log.Stopped):
            continue
        number = max(at for at, life in enumerate(lives) if life.forked - SLACK_MS <= event.at)
        assert event.at <= (lives[number].listened or event.at) + SLACK_MS
        since = event.at - event.stopped_ms
        ends = [life.ended for life in lives[:number] if life.ended is not None]
        assert any(end - BEAT_MS - SLACK_MS <= since <= end + SLACK_MS for end in ends), (
            f"stopped since {since}; lives ended at {ends}"
        )


async def replay_of(judge: Voice, race: str) -> list[bytes]:
    """Returns a replay file's lines, by the wire's own pages."""
    header = {"samedeal": "replay/1", "race": race, "server": ""}
    lines: list[bytes] = [msgspec.json.encode(header)]
    while True:
        request = messages.Replay(id=judge.next_id(), race=race, after=len(lines) - 1)
        page = await judge.get(messages.ReplayPage, request)
        lines += [line.encode() for line in page.lines]
        if not page.more:
            return [*lines, msgspec.json.encode({"head": page.head})]


async def test_a_hundred_kills_lose_nothing_repeat_nothing_and_cost_nobody_time(
    forge: Forge, tmp_path: Path
) -> None:
    dice = random.Random(20261129)
    world = World(forge, tmp_path, *LOUD, "--ring", "1000000", "--log-level", "warning")
    await world.start()
    kills = heats = 0
    while kills < KILLS:
        heats += 1
        heat = Heat(world, heats, dice)
        await heat.open()
        kills += await heat.run(KILLS_A_HEAT)
        await heat.check()
    world.ask_to_end()
    assert await world.ended() == 0
    assert world.errors == ""
    with Stored(tmp_path) as stored:
        assert stored.damage() == []
        races = list(stored.races())
    assert len(races) == heats * 2
    for race in races:
        assert audit(race) == []
