"""Those who read a race's views and events: each in order, none kept waiting for another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from client.runs import placed, racing
from samedeal_client import FellBehind, View
from samedeal_client.following import UNREAD_MAX
from samedeal_protocol.messages import Done, Over, Played, Readied, Skip, Snapshot, Started
from support.scripted import settle


async def test_the_newest_view_is_yielded_and_stale_ones_are_skipped() -> None:
    async with racing() as place:
        numbers = []
        async for view in place.run:
            numbers.append(view.number)
            if view.number >= 6:
                break
            await place.run.play("draw")
            await place.run.play("draw")
        assert numbers == [0, 2, 4, 6]


async def test_the_views_end_when_the_entrant_is_done() -> None:
    async with racing() as place:
        seen: list[View] = []
        async for view in place.run:
            seen.append(view)
            await place.run.give_up()
        assert len(seen) == 1
        assert place.run.state == "gave-up"


async def test_views_begin_with_the_start() -> None:
    async with placed() as place, asyncio.TaskGroup() as group:
        views = aiter(place.run)
        waiting = group.create_task(_next(views))
        await settle()
        assert not waiting.done()
        await place.run.ready()
        assert (await waiting).number == 0


async def _next(views: AsyncIterator[View]) -> View:
    return await anext(views)


async def test_events_are_each_yielded_once_and_in_order() -> None:
    async with placed() as place:
        events = place.run.events()
        await place.run.ready()
        await place.run.play("draw")
        await place.run.give_up()
        seen = [event async for event in events]
        assert [event.seq for event in seen] == list(range(3, 3 + len(seen)))
        wanted = [Readied, Started, Played, Done, Over]
        assert [type(event) for event in seen if type(event) in wanted] == wanted


async def test_two_readers_see_the_same() -> None:
    async with placed() as place:
        readers = place.run.events(), place.run.events()
        await place.run.ready()
        await place.run.give_up()
        one, other = [[event async for event in reader] for reader in readers]
        assert one == other


async def test_a_reader_that_does_not_read_is_told_that_it_fell_behind() -> None:
    async with placed() as place:
        events = place.run.events()
        seq = place.server.track.race.seq
        for missed in range(1, UNREAD_MAX + 2):
            place.run.told(Skip(race=place.run.race, seq=seq + missed, at=1))
        with pytest.raises(FellBehind, match="left unread"):
            async for _ in events:
                pass
        assert place.run.phase == "open"


async def test_changes_skip_what_was_missed() -> None:
    async with racing() as place:
        changes = place.run.changes()
        await anext(changes)
        for _ in range(5):
            await place.run.play("draw")
        await anext(changes)
        assert place.run.view is not None
        assert place.run.view.number == 5


async def test_leaving_ends_readers_quietly() -> None:
    async with racing() as place:
        events = place.run.events()
    assert [event async for event in events] == []


async def test_doubt_is_a_snapshot_among_the_events() -> None:
    async with racing() as place:
        events = place.run.events()
        place.server.spoils.add(place.server.track.race.seq + 1)
        await place.run.play("draw")
        await place.run.give_up()
        kinds = [type(event) async for event in events]
        assert kinds.count(Snapshot) >= 1
        assert kinds[0] is Played
