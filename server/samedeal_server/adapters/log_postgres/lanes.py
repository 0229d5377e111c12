"""Connections that mend themselves, and what is asked over them.

A lane does what it is asked in order, each within the time limit, over one connection or several.
A connection that fails, or does not answer in time, is dropped and made again when next needed, for
ever, with growing pauses. What had been sent over it may have taken effect. Nothing waits longer
than the limit, whatever the database or the network does: hence no `transaction()` of asyncpg's,
which on its way out waits for a rollback.

asyncpg rather than psycopg 3: it costs the event loop half as much for an append (300 µs against
650 alone, 50 against 95 in tens), commits as many a second, and what is cancelled ends at once.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeAlias, TypeVar

import asyncpg

from samedeal_server.ports import LogUnavailable

__all__ = ["FAULTS", "Connection", "Lane", "is_refusal"]

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

FAULTS: Final = (
    OSError,  # TimeoutError is one
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
"""What asyncpg raises when the database refuses, or cannot be asked."""

_REFUSAL: Final = "SD"
"""The class of the errors by which our own functions in the database refuse."""

_PAUSE_S: Final = 0.05
_PAUSE_MOST_S: Final = 1.0
_FAREWELL_S: Final = 1.0


def is_refusal(fault: BaseException) -> bool:
    """Says whether the database has understood, and refused: nothing took effect."""
    if isinstance(fault, asyncpg.UniqueViolationError):
        return True
    return isinstance(fault, asyncpg.PostgresError) and (fault.sqlstate or "")[:2] == _REFUSAL


class _Job(Generic[_T]):
    """Something to do over a connection, by an instant of the loop's clock."""

    __slots__ = ("deadline", "future", "work")

    def __init__(self, work: Callable[[Connection], Awaitable[_T]], deadline: float) -> None:
        self.work = work
        self.deadline = deadline
        self.future: asyncio.Future[_T] = asyncio.get_running_loop().create_future()

    async def run(self, connection: Connection) -> None:
        done = await self.work(connection)
        if not self.future.done():
            self.future.set_result(done)

    def fail(self, fault: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(fault)


class Lane:
    """Does jobs in the order asked; over more than one link, several at once.

    The queue holds what the awaiting callers hold, so it is bounded by their number.
    """

    def __init__(self, url: str, *, name: str, links: int, limit: float) -> None:
        """Connects when first asked. `limit` is in seconds, from the asking to the answer."""
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._jobs: asyncio.Queue[_Job[object] | None] = asyncio.Queue()
        self._is_closed = False
        self._tasks = [
            asyncio.create_task(self._live(_Link(url, name, limit)), name=f"{name} {number}")
            for number in range(links)
        ]

    async def ask(self, work: Callable[[Connection], Awaitable[_T]]) -> _T:
        """Has the work done and returns its result. Its refusals (`is_refusal`) pass through.

        A caller that goes away stops nothing that is under way. Raises `LogUnavailable` for every
        other fault and when the time is up; then the work may take effect yet.
        """
        if self._is_closed:
            raise LogUnavailable("the log is closed")
        job = _Job(work, self._loop.time() + self._limit)
        self._jobs.put_nowait(job)  # type: ignore[arg-type]  # what one asks is one's own affair
        try:
            async with asyncio.timeout_at(job.deadline):
                return await job.future
        except TimeoutError:
            raise LogUnavailable(f"no answer from the database in {self._limit:g} s") from None

    async def close(self) -> None:
        """Does what was asked before, then ends the connections."""
        if not self._is_closed:
            self._is_closed = True
            for _ in self._tasks:
                self._jobs.put_nowait(None)
        await asyncio.gather(*self._tasks)

    async def _live(self, link: _Link) -> None:
        while (job := await self._jobs.get()) is not None:
            if job.future.done():
                continue  # its caller went away before anything was done
            try:
                async with asyncio.timeout_at(job.deadline):
                    await job.run(await link.connected())
            except FAULTS as fault:
                if is_refusal(fault):
                    job.fail(fault)
                else:
                    link.drop(fault)
                    job.fail(LogUnavailable(f"the database failed ({_sentence(fault)})"))
            except Exception as fault:
                # No fault of the database's: whoever asked hears of it as it is.
                link.drop(fault)
                job.fail(fault)
        await link.close()


class _Link:
    """One connection, made when needed."""

    def __init__(self, url: str, name: str, limit: float) -> None:
        self._url = url
        self._settings = {
            "application_name": f"samedeal-server {name}",
            "default_transaction_isolation": "read committed",
            # What we no longer wait for shall not take effect at leisure.
            "statement_timeout": str(int(limit * 1000)),
        }
        self._connection: Connection | None = None
        self._pause = 0.0
        self._not_before = 0.0

    async def connected(self) -> Connection:
        """Returns the connection, once there is one; the caller says for how long to try."""
        loop = asyncio.get_running_loop()
        while self._connection is None or self._connection.is_closed():
            await asyncio.sleep(self._not_before - loop.time())
            try:
                self._connection = await self._connect()
            except FAULTS as fault:
                if not self._pause:
                    _log.warning("the database cannot be reached fault=%s", _sentence(fault))
                self._pause = min(max(_PAUSE_S, 2 * self._pause), _PAUSE_MOST_S)
                self._not_before = loop.time() + self._pause * random.uniform(0.5, 1)
        if self._pause:
            _log.info("the database is reached again")
            self._pause = 0.0
        return self._connection

    async def _connect(self) -> Connection:
        connection = await asyncpg.connect(self._url, server_settings=self._settings)
        try:
            # What has returned is durable, whatever the database's own default.
            await connection.execute(
                "select set_config('synchronous_commit', 'on', false) "
                "where current_setting('synchronous_commit') = 'off'"
            )
        except BaseException:
            connection.terminate()
            raise
        return connection

    def drop(self, fault: Exception) -> None:
        """Ends the connection without a word; the next job makes another."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if not connection.is_closed():
            _log.warning("a connection to the database is dropped fault=%s", _sentence(fault))
        connection.terminate()

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None or connection.is_closed():
            return
        try:
            await connection.close(timeout=_FAREWELL_S)
        except FAULTS:
            connection.terminate()


def _sentence(fault: Exception) -> str:
    return f"{type(fault).__name__}: {fault}".partition("\n")[0]
