"""The world outside that the settings name: a store with its leases and its clock, and a bus."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from samedeal_protocol import topics
from samedeal_server.adapters.bus_local import LocalBus
from samedeal_server.adapters.clock import SystemClock
from samedeal_server.adapters.leases_local import LocalLeases
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.ports import Bus, Clock, Leases, Log, Meter
from samedeal_server.settings import Settings

__all__ = ["ahead_ns", "bus_of", "store_of"]

LOOKS_AT_CLOCK: Final = 7


@asynccontextmanager
async def store_of(settings: Settings) -> AsyncIterator[tuple[Log, Leases, Clock]]:
    """Yields the store that the settings name, and a clock that goes with it.

    The clock of servers that share a store is the store's: it is read once, at the start.
    """
    if settings.store == "sqlite":
        log = await SqliteLog.open(settings.data)
        try:
            clock = SystemClock(floor=await log.last_alive() or 0)
            yield log, LocalLeases(log, settings.node), clock
        finally:
            await log.close()
        return
    # Who needs no database need not load what speaks to one.
    from samedeal_server.adapters.log_postgres import PostgresLeases, PostgresLog

    shared = await PostgresLog.open(settings.store, node=settings.node)
    try:
        offset = await ahead_ns(shared.store_now)
        clock = SystemClock(
            floor=await shared.last_alive() or 0, wall=lambda: time.time_ns() + offset
        )
        yield shared, PostgresLeases(shared), clock
    finally:
        await shared.close()


async def ahead_ns(store_now: Callable[[], Awaitable[int]]) -> int:
    """Returns by how many ns the store's clock is ahead of ours, from the quickest of some looks.

    `store_now` returns milliseconds of UTC.
    """
    looks: list[tuple[int, int]] = []
    for _ in range(LOOKS_AT_CLOCK):
        before = time.time_ns()
        theirs = await store_now() * 1_000_000
        after = time.time_ns()
        looks.append((after - before, theirs - (before + after) // 2))
    return min(looks)[1]


@asynccontextmanager
async def bus_of(
    settings: Settings, clock: Clock, meter: Meter, *, incarnation: str
) -> AsyncIterator[Bus]:
    """Yields the bus that the settings name; it need not have been reached yet."""
    if isinstance(settings.bus, str):
        yield LocalBus()
        return
    # Who needs no broker need not load what speaks to one.
    from samedeal_server.adapters.bus_mqtt import opened

    name = settings.node
    gone = topics.NodeStatus(node=name, status="gone", at=clock.now(), incarnation=incarnation)
    async with opened(
        settings.bus,
        node=name,
        incarnation=incarnation,
        meter=meter,
        will=(topics.STATUS.at(node=name), topics.STATUS.encode(gone)),
    ) as bus:
        yield bus
