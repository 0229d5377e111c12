"""The ledger of a node follows the store, and all nodes come to the same numbers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager

import pytest

from samedeal_protocol.events import Event, to_line
from samedeal_protocol.terms import Terms
from samedeal_server.boards.keeper import Keeper, annulled_by
from samedeal_server.ports import Entry, LogUnavailable, Ruling
from samedeal_server.racing.commands import Finish, GiveUp, Play
from samedeal_server.ratings.book import Book
from support.memory import MemoryLog
from support.races import OPENED, WIN, WIN_GAME, WIN_SEED, Track


def won(code: str, *, after_s: int = 0, winner: str = "ann", loser: str = "bob") -> list[bytes]:
    """A rated race that begins so long after the others, and takes ten seconds."""
    track = Track(Terms(game=WIN_GAME, countdown=0, rated=True), seed=WIN_SEED)
    track.wait(after_s * 1000)
    track.start(winner, loser)
    for number, move in enumerate(WIN, 1):
        track.do(Play(winner, number, move), after=1000)
    track.do(Finish(winner, len(WIN) + 1), after=1000)
    track.do(GiveUp(loser), after=1000)
    return [_named(event, code) for event in track.log]


def _named(event: Event, code: str) -> bytes:
    return to_line(event).replace(b'"race-1"', b'"%s"' % code.encode())


async def ends(log: MemoryLog, code: str, lines: list[bytes]) -> None:
    """Stores a race that has ended."""
    first, *rest = [Entry(code, seq, line) for seq, line in enumerate(lines, 1)]
    await log.open_race(first, opened_at=OPENED, is_listed=True, phrase_hash=None)
    await log.append(rest, over=[code])


class ReadLog(MemoryLog):
    """A log that says when a race's lines are asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = asyncio.Event()

    async def read(self, race: str, *, after: int = 0, limit: int | None = None) -> list[bytes]:
        self.is_asked.set()
        return await super().read(race, after=after)


@asynccontextmanager
async def keeping(log: MemoryLog, *, page: int = 100, at_once: int = 20) -> AsyncIterator[Keeper]:
    async with asyncio.TaskGroup() as group:
        tasks: list[asyncio.Task[None]] = []

        def spawn(work: Coroutine[None, None, None], title: str) -> None:
            tasks.append(group.create_task(work, name=title))

        keeper = Keeper(log, spawn, page=page, at_once=at_once)
        try:
            yield keeper
        finally:
            for task in tasks:
                task.cancel()


def book(keeper: Keeper) -> Book:
    assert keeper.ledger is not None
    return keeper.ledger.book


async def test_nodes_agree_in_whatever_order_they_hear_of_races() -> None:
    log = MemoryLog()
    late = won("late", winner="bob", loser="ann")
    early = won("early", after_s=1)
    async with keeping(log) as follower, keeping(log) as newcomer:
        # Of two nodes, the one whose race ended first is the slower to store it.
        await ends(log, "early", early)
        await follower.look()
        await ends(log, "late", late)
        await follower.look()
        await newcomer.look()
        assert follower.ledger is not None
        assert [race.race for race in follower.ledger.races] == ["late", "early"]
        assert book(follower) == book(newcomer)
    backwards = MemoryLog()
    await ends(backwards, "late", late)
    await ends(backwards, "early", early)
    async with keeping(backwards) as other:
        await other.look()
        assert book(other) == book(follower)


@pytest.mark.parametrize("at_once", [0, 100])
async def test_many_races_at_once_are_counted_as_one_by_one(at_once: int) -> None:
    log = MemoryLog()
    async with (
        keeping(log, page=2, at_once=at_once) as follower,
        keeping(log, page=2, at_once=at_once) as newcomer,
    ):
        for number in range(5):
            await ends(log, f"r{number}", won(f"r{number}", after_s=number))
            await follower.look()
        await newcomer.look()
        assert book(follower) == book(newcomer)
        assert newcomer.ledger is not None
        assert len(newcomer.ledger.races) == 5


async def test_what_is_no_race_is_passed_over_for_good() -> None:
    log = MemoryLog()
    await ends(log, "cup-1", [b'{"event":"announced"}', b'{"event":"over"}'])
    await ends(log, "r1", won("r1"))
    async with keeping(log) as keeper:
        await keeper.look()
        assert keeper.ledger is not None
        assert [race.race for race in keeper.ledger.races] == ["r1"]
    assert all(each.summary is not None for each in await log.ended(limit=9))


async def test_who_asks_during_a_look_waits_for_one_that_begins_after() -> None:
    log = ReadLog()
    await ends(log, "r1", won("r1"))
    async with keeping(log) as keeper:
        log.may_read.clear()
        first = asyncio.create_task(keeper.look())
        await log.is_asked.wait()
        await ends(log, "r2", won("r2", after_s=1))
        second = asyncio.create_task(keeper.look())
        await asyncio.sleep(0)  # it has asked
        assert (first.done(), second.done(), keeper.ledger) == (False, False, None)
        log.may_read.set()
        await second
        assert first.done()
        assert keeper.ledger is not None
        assert [race.race for race in keeper.ledger.races] == ["r1", "r2"]


async def test_who_goes_away_stops_nothing() -> None:
    log = ReadLog()
    await ends(log, "r1", won("r1"))
    async with keeping(log) as keeper:
        log.may_read.clear()
        asking = asyncio.create_task(keeper.look())
        await log.is_asked.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        log.may_read.set()
        await keeper.look()
        assert keeper.ledger is not None
        assert "r1" in keeper.ledger


async def test_a_store_that_is_away_loses_nothing() -> None:
    log = MemoryLog()
    async with keeping(log) as keeper:
        await ends(log, "r1", won("r1"))
        log.fail_next(LogUnavailable("the disk is full"))
        with pytest.raises(LogUnavailable):
            await keeper.look()
        await keeper.follow()
        assert keeper.ledger is not None
        assert "r1" in keeper.ledger
        log.fail_next(LogUnavailable("the disk is full"))
        await ends_later(log, "r2", won("r2", after_s=1))
        await keeper.follow()  # as a duty it says nothing of it
        await keeper.follow()
        assert "r2" in keeper.ledger


async def ends_later(log: MemoryLog, code: str, lines: list[bytes]) -> None:
    """Stores a race though the next write was to fail; that is the one after it."""
    faults, log._faults = log._faults, []
    await ends(log, code, lines)
    log._faults = faults


async def test_a_race_that_was_annulled_before_it_is_known_counts_nowhere() -> None:
    log = MemoryLog()
    async with keeping(log) as keeper:
        await ends(log, "r1", won("r1"))
        await keeper.look()
        before = book(keeper)
        await log.rule(ruling("r2"))
        await keeper.look()
        await ends(log, "r2", won("r2", after_s=1))
        await keeper.look()
        assert book(keeper) == before
        assert keeper.ledger is not None
        assert keeper.ledger.race("r2") is None
        assert "r2" in keeper.ledger


def ruling(race: str, *, is_annulled: bool = True) -> Ruling:
    return Ruling(at=1, race=race, is_annulled=is_annulled, reason="x", differences=b"[]")


def test_the_last_ruling_about_a_race_counts() -> None:
    rulings = [ruling("a"), ruling("b"), ruling("a", is_annulled=False), ruling("c")]
    assert annulled_by(rulings) == {"b", "c"}
    assert annulled_by([*rulings, ruling("a")]) == {"a", "b", "c"}
