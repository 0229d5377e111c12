"""The server as a process: drained by a signal, and killed at any instant without losing a move."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from samedeal_protocol import messages
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.events import Played, Stopped, parse_line
from samedeal_protocol.terms import Terms, Undo
from samedeal_server.adapters.log_sqlite import SqliteLog
from support.halls import GAME, SEED, walk
from support.nursery import nursery
from support.processes import process
from support.voices import Refusal, Voice, greeted, voice

SOAK = int(os.environ.get("SAMEDEAL_SOAK", "1"))
KILLS = 25
"""Kills a case; there are four cases."""
LOUD = ("--rate", "100000", "--burst", "100000", "--log-level", "warning")
TERMS = Terms(game=GAME, countdown=0, undo=Undo.FREE, limit=None, grace=3600)


async def opened(host: Voice) -> str:
    create = messages.Create(id=host.next_id(), terms=TERMS, seed=SEED)
    return (await host.get(messages.Created, create)).race


async def started(*players: Voice) -> str:
    """Opens a race among the players and waits until it runs."""
    race = await opened(players[0])
    for player in players:
        await player.join(race)
    for player in players:
        await player.ready(race)
    for player in players:
        await player.hear(messages.Started)
    return race


class Regular:
    """Somebody who comes back whatever happens, and keeps what they were told."""

    def __init__(self, moves: list[str]) -> None:
        self.moves = moves
        self.token: str | None = None
        self.told: list[int] = []
        """The seqs that were told, whichever server told them."""
        self.promised: list[str] = []
        """The moves that were acknowledged."""

    async def come(self, speaker: Voice) -> None:
        welcome = await speaker.hello(token=self.token)
        self.token = self.token or welcome.token

    async def resume(self, speaker: Voice, race: str) -> None:
        after = self.told[-1]
        resumed = await speaker.get(
            messages.Resumed, messages.Resume(id=speaker.next_id(), race=race, after=after)
        )
        assert resumed.after == after

    async def play_on(self, speaker: Voice, race: str) -> None:
        """Plays until the connection is gone."""
        while True:
            number = len(self.promised) + 1
            play = messages.Play(
                id=speaker.next_id(), race=race, number=number, move=self.moves[number - 1]
            )
            try:
                reply = await (await speaker.say(play))
            except (asyncio.CancelledError, ConnectionClosed):
                return
            assert isinstance(reply, messages.Ok), reply
            assert isinstance(reply.result, messages.Played)
            self.promised.append(reply.result.moves[0])

    def remember(self, speaker: Voice, race: str) -> None:
        """Adds the seqs that this connection was told; a repeated answer stands for nothing new."""
        seqs: list[int] = []
        for message in map(speaker.codec.read_server, speaker.frames):
            match message:
                case messages.Ok(result=messages.Snapshot(seq=seq)) if not self.told:
                    seqs.append(seq)
                case messages.Ok(result=messages.Played(seq=seq)):
                    if seq > (seqs or self.told)[-1]:
                        seqs.append(seq)
                case messages.Ok() | messages.Error() | messages.Notice():
                    pass
                case event:
                    assert event.race == race
                    seqs.append(event.seq)
        self.told += seqs


@pytest.mark.parametrize("case", range(4))
async def test_kills_at_random_instants_lose_no_acknowledged_move_and_no_seq(
    tmp_path: Path, case: int
) -> None:
    dice = random.Random(case)
    moves = walk(4000)
    ann, ben, eve = people = Regular(moves), Regular(moves), Regular(moves)
    race = ""
    async with nursery() as servers:
        for kill in range(KILLS * SOAK):
            pid, address = await servers.server(tmp_path, *LOUD)
            async with voice(address) as one, voice(address) as two, voice(address) as three:
                speakers = (one, two, three)
                for person, speaker in zip(people, speakers, strict=True):
                    await person.come(speaker)
                if kill == 0:
                    race = await opened(one)
                    for speaker in (one, two):
                        await speaker.join(race)
                    await three.watch(race)
                    for speaker in (one, two):
                        await speaker.ready(race)
                    for speaker in (one, two):
                        await speaker.hear(messages.Started)
                else:
                    for person, speaker in zip(people, speakers, strict=True):
                        await person.resume(speaker, race)
                playing = [
                    asyncio.create_task(person.play_on(speaker, race))
                    for person, speaker in ((ann, one), (ben, two))
                ]
                await asyncio.sleep(dice.uniform(0.0, 0.1))
                os.kill(pid, signal.SIGKILL)
                for speaker in speakers:
                    await speaker.end()
                await asyncio.gather(*playing)
                for person, speaker in zip(people, speakers, strict=True):
                    person.remember(speaker, race)
    log = await SqliteLog.open(tmp_path)
    events = [parse_line(line) for line in await log.read(race)]
    await log.close()
    for person in people:
        assert person.told == list(range(person.told[0], person.told[0] + len(person.told)))
        assert person.told[-1] <= len(events)
    for entrant, person in enumerate((ann, ben), 1):
        stored = [e for e in events if isinstance(e, Played) and e.entrant == entrant]
        assert [each.number for each in stored] == list(range(1, len(stored) + 1))
        assert [each.move for each in stored][: len(person.promised)] == person.promised
        assert len(stored) <= len(person.promised) + 1
    assert sum(isinstance(event, Stopped) for event in events) == KILLS * SOAK - 1
    assert len(eve.told) > KILLS


async def test_after_a_kill_the_race_goes_on_where_it_was(tmp_path: Path) -> None:
    moves = walk(10)
    async with (
        process(tmp_path, *LOUD) as up,
        greeted(up.address, "Ann") as ann,
        greeted(up.address, "Ben") as ben,
    ):
        race = await started(ann, ben)
        played = await ann.play(race, 1, moves[0])
        tokens = [each.welcome.token for each in (ann, ben) if each.welcome is not None]
        await asyncio.sleep(0.6)
        up.kill()
        await up.ended()
    await asyncio.sleep(0.5)
    async with (
        process(tmp_path, *LOUD) as up,
        greeted(up.address, token=tokens[0]) as ann,
        greeted(up.address, token=tokens[1]) as ben,
    ):
        resume = messages.Resume(id=ann.next_id(), race=race, after=played.seq)
        await ann.get(messages.Resumed, resume)
        stoppage = await ann.hear(messages.Stoppage)
        assert stoppage.stopped_ms >= 500
        snapshot = await ben.join(race)
        again = await ann.play(race, 1, moves[0])
        assert again == played
        onward = await ann.play(race, 2, moves[1])
        assert snapshot.elapsed_ms is not None
        # Two processes were started meanwhile; none of that is on the clock.
        assert onward.elapsed_ms - played.elapsed_ms < 2500


async def test_sigterm_drains_tells_everybody_and_closes_as_restarting(tmp_path: Path) -> None:
    moves = walk(5)
    async with (
        process(tmp_path, *LOUD, "--drain", "20") as up,
        greeted(up.address, "Ann") as ann,
        greeted(up.address, "Ben") as ben,
    ):
        race = await started(ann, ben)
        up.ask_to_end()
        notice = await ann.hear(messages.Notice)
        assert (notice.code, notice.in_ms) == ("draining", 20_000)
        with pytest.raises(Refusal, match="draining"):
            await ann.ask(messages.Create(id=ann.next_id(), terms=TERMS))
        await ann.play(race, 1, moves[0])
        for player in (ann, ben):
            await player.ask(messages.GiveUp(id=player.next_id(), race=race))
        assert await ann.end() == CloseCode.RESTARTING.number
        assert await ben.end() == CloseCode.RESTARTING.number
        assert await up.ended() == 0


async def test_when_the_drain_is_over_running_races_wait_for_the_next_server(
    tmp_path: Path,
) -> None:
    moves = walk(5)
    async with (
        process(tmp_path, *LOUD, "--drain", "0.2") as up,
        greeted(up.address, "Ann") as ann,
        greeted(up.address, "Ben") as ben,
    ):
        race = await started(ann, ben)
        await ann.play(race, 1, moves[0])
        token = ann.welcome.token if ann.welcome is not None else None
        up.ask_to_end()
        assert await ann.end() == CloseCode.RESTARTING.number
        assert await up.ended() == 0
    async with process(tmp_path, *LOUD) as up, greeted(up.address, token=token) as ann:
        assert (await ann.join(race)).phase == "running"
        assert (await ann.play(race, 2, moves[1])).number == 2


async def test_a_second_signal_ends_the_drain_at_once(tmp_path: Path) -> None:
    async with (
        process(tmp_path, *LOUD, "--drain", "600") as up,
        greeted(up.address, "Ann") as ann,
        greeted(up.address, "Ben") as ben,
    ):
        await started(ann, ben)
        up.ask_to_end()
        await ann.hear(messages.Notice)
        up.ask_to_end()
        assert await ann.end() == CloseCode.RESTARTING.number
        assert await up.ended() == 0
