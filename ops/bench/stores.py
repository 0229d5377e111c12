"""What it costs to make an event durable, store by store, through the server's own committer.

Each writer has a race of its own and appends the next event when the last one is durable; what
waits together is one group. The stores lie on the disk of the temporary folder (TMPDIR).
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from time import perf_counter, process_time

from samedeal_server.adapters.log_postgres import PostgresLog
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.adapters.metrics import PrometheusMeter
from samedeal_server.ports import Entry, Log
from samedeal_server.rooms.committer import Committer

# The tests know how to start a PostgreSQL of their own.
sys.path.append(str(Path(__file__).parents[2] / "tests"))

from support.postgres import database, find_binaries, own_cluster

__all__ = ["report"]

_WRITERS = (1, 10, 100)
_LINE = b'{"type":"played","at":1800000000000,"entrant":3,"number":17,"move":"T3-F1","cards":"9H"}'

Opening = Callable[[], AbstractAsyncContextManager[Log]]


class _Writer:
    """Appends to one race, again as soon as the last event is durable; the effect of its own."""

    def __init__(self, race: str, committer: Committer, latencies: list[float]) -> None:
        self._race = race
        self._committer = committer
        self._latencies = latencies
        self._seq = 1
        self._began = 0.0
        self.is_done = False

    def write(self) -> None:
        self._seq += 1
        self._began = perf_counter()
        self._committer.add(self._race, (Entry(self._race, self._seq, _LINE),), self)

    def run(self) -> None:
        self._latencies.append(perf_counter() - self._began)
        if not self.is_done:
            self.write()

    def fail(self) -> None:
        raise AssertionError("a store of the bench has failed")


@dataclass(frozen=True, slots=True)
class _Figures:
    """Of one round: appends a second, seconds of waiting, CPU seconds an append."""

    rate: float
    middle: float
    slow: float
    cost: float


async def _measure(log: Log, round_: int, writers: int, seconds: float) -> _Figures:
    committer = Committer(
        log,
        PrometheusMeter(),
        seconds=perf_counter,
        limit=10_000,
        on_lost=lambda lost: None,
    )
    latencies: list[float] = []
    crew = []
    for number in range(writers):
        race = f"bench-{round_}-{writers}-{number}"
        first = Entry(race, 1, _LINE)
        await log.open_race(first, opened_at=number, is_listed=True, phrase_hash=None)
        crew.append(_Writer(race, committer, latencies))
    committing = asyncio.create_task(committer.run(), name="committer")
    began, cpu = perf_counter(), process_time()
    for writer in crew:
        writer.write()
    await asyncio.sleep(seconds)
    for writer in crew:
        writer.is_done = True
    await committer.flush()
    took, spent = perf_counter() - began, process_time() - cpu
    committing.cancel()
    latencies.sort()
    return _Figures(
        rate=len(latencies) / took,
        middle=median(latencies),
        slow=latencies[int(len(latencies) * 0.99)],
        cost=spent / len(latencies),
    )


async def _compare(name: str, opening: Opening, *, rounds: int, seconds: float) -> None:
    for writers in _WRITERS:
        found = []
        for number in range(rounds):
            async with opening() as log:
                found.append(await _measure(log, number, writers, seconds))
        print(
            f"{name:<12}{writers:>8}{median(each.rate for each in found):>12,.0f}"
            f"{median(each.middle for each in found) * 1e3:>10.2f} ms"
            f"{median(each.slow for each in found) * 1e3:>10.2f} ms"
            f"{median(each.cost for each in found) * 1e6:>10.0f} us"
        )


@asynccontextmanager
async def _sqlite() -> AsyncIterator[Log]:
    with TemporaryDirectory(prefix="samedeal-bench-") as folder:
        log = await SqliteLog.open(Path(folder))
        try:
            yield log
        finally:
            await log.close()


def _flushes(seconds: float) -> float:
    """Returns how often a second the disk makes a few bytes durable, one after the other."""
    count, end = 0, perf_counter() + seconds
    with TemporaryFile() as file:
        while perf_counter() < end:
            os.pwrite(file.fileno(), _LINE, count * len(_LINE))
            os.fsync(file.fileno())
            count += 1
    return count / seconds


def _run(name: str, opening: Opening, *, rounds: int, seconds: float) -> None:
    """Runs as the server does: by uvloop where there is one, with short turns of its threads."""
    try:
        import uvloop

        factory: Callable[[], asyncio.AbstractEventLoop] | None = uvloop.new_event_loop
    except ImportError:
        factory = None
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.0002)
    try:
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(_compare(name, opening, rounds=rounds, seconds=seconds))
    finally:
        sys.setswitchinterval(before)


def report(*, rounds: int, seconds: float) -> None:
    """Prints a line a store and number of writers: medians of the rounds' figures.

    The CPU is that of the server's process; a PostgreSQL spends its own besides.
    """
    print(f"stores: this disk makes {_flushes(min(seconds, 1.0)):,.0f} writes a second durable")
    print(f"{'store':<12}{'writers':>8}{'appends/s':>12}{'p50':>13}{'p99':>13}{'CPU':>13}")
    _run("sqlite", _sqlite, rounds=rounds, seconds=seconds)
    if find_binaries() is None:
        print("postgresql: there is none here; install the package postgresql")
        return
    with own_cluster() as cluster:

        @asynccontextmanager
        async def postgresql() -> AsyncIterator[Log]:
            async with database(cluster) as url:
                log = await PostgresLog.open(url, node="bench")
                try:
                    yield log
                finally:
                    await log.close()

        _run("postgresql", postgresql, rounds=rounds, seconds=seconds)
