"""The server as a process: drained by a signal, killed, and started again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from samedeal_protocol import messages
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.terms import Terms, Undo
from support.halls import GAME, SEED, until, walk
from support.processes import process
from support.voices import Refusal, Voice, greeted

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
        waits = "Draining: 1 race runs; up to 20 s. Press Ctrl-C again to end now.\n"
        await until(lambda: waits in up.said)
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
