"""What is much work is made one after the other, to its end, for all who wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from http import HTTPStatus

import pytest

from samedeal_server.gateway.answers import Page
from samedeal_server.gateway.press import Press


@asynccontextmanager
async def press(waiting: int = 8) -> AsyncIterator[Press]:
    async with asyncio.TaskGroup() as group:

        def spawn(errand: Coroutine[None, None, None], title: str) -> None:
            group.create_task(errand, name=title)

        yield Press(spawn, waiting=waiting)


class Slow:
    """An answer that is made when it is let; counts how often, and how many at once."""

    at_once = 0
    most = 0

    def __init__(self, fault: Exception | None = None) -> None:
        self.may = asyncio.Event()
        self.made = 0
        self.fault = fault

    async def __call__(self) -> Page:
        Slow.at_once += 1
        Slow.most = max(Slow.most, Slow.at_once)
        await self.may.wait()
        Slow.at_once -= 1
        self.made += 1
        if self.fault is not None:
            raise self.fault
        return Page(HTTPStatus.OK, b"made")


async def test_what_was_begun_is_made_though_who_asked_has_gone() -> None:
    async with press() as printing:
        slow = Slow()
        first = asyncio.create_task(printing("one", slow))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait((first,))
        second = asyncio.create_task(printing("one", slow))
        await asyncio.sleep(0)
        slow.may.set()
        assert (await second).body == b"made"
        assert slow.made == 1


async def test_only_one_is_made_at_a_time() -> None:
    Slow.most = 0
    async with press() as printing:
        slow = [Slow() for _ in range(4)]
        asked = [asyncio.create_task(printing(str(at), each)) for at, each in enumerate(slow)]
        for each in slow:
            await asyncio.sleep(0)
            each.may.set()
        assert [(await each).body for each in asked] == [b"made"] * 4
    assert Slow.most == 1


async def test_who_wants_one_too_many_is_told_to_come_back() -> None:
    async with press(waiting=1) as printing:
        slow = Slow()
        first = asyncio.create_task(printing("one", slow))
        await asyncio.sleep(0)
        refused = await printing("two", slow)
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        slow.may.set()
        assert (await first).status is HTTPStatus.OK
        assert (await printing("two", slow)).status is HTTPStatus.OK


async def test_a_fault_is_theirs_who_asked_and_the_next_is_made() -> None:
    async with press() as printing:
        faulty, sound = Slow(LookupError("no such log")), Slow()
        faulty.may.set()
        sound.may.set()
        asked = [asyncio.create_task(printing(name, faulty)) for name in ("one", "one")]
        assert (await printing("two", sound)).body == b"made"
        for each in asked:
            with pytest.raises(LookupError):
                await each
    assert faulty.made == 1
