"""The threads of the log: each has a connection of its own and does jobs in the order asked.

Whatever waits when the writer comes round shares one transaction, hence one fsync. A job that
refuses leaves no trace in it. A full disk fails the group and the log goes on; after any other
fault of SQLite's nobody knows what the disk holds, and everything is refused from then on.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from samedeal_server.adapters.log_sqlite.journal import Journal
from samedeal_server.ports import LogConflict, LogUnavailable, NameTaken

__all__ = ["Fate", "Worker", "Writer"]

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

_TRANSIENT: Final = frozenset(
    (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM)
)


class Fate:
    """Why nothing can be asked of this log any more, once there is a reason."""

    def __init__(self) -> None:
        self.fault: str | None = None


class _Job(Protocol):
    """Something to do on a connection; its outcome is told on the loop."""

    def is_single(self) -> bool:
        """Says whether the work is one statement at most; asked just before it is done."""
        ...

    def run(self, connection: sqlite3.Connection) -> bool:
        """Does the work; returns whether it is to be kept. SQLite's faults pass through."""
        ...

    def fail(self, fault: Exception) -> None: ...

    def settle(self) -> None: ...


class _Asked(Generic[_T]):
    """A job that somebody on the loop awaits."""

    __slots__ = ("_fault", "_is_single", "_result", "_work", "future")

    def __init__(
        self,
        work: Callable[[sqlite3.Connection], _T],
        loop: asyncio.AbstractEventLoop,
        *,
        is_single: Callable[[], bool],
    ) -> None:
        self._is_single = is_single
        self.future: asyncio.Future[_T] = loop.create_future()
        self._work = work
        self._fault: Exception | None = None
        self._result: list[_T] = []

    def is_single(self) -> bool:
        return self._is_single()

    def run(self, connection: sqlite3.Connection) -> bool:
        try:
            self._result = [self._work(connection)]
        except (LogConflict, NameTaken) as refusal:
            self._fault = refusal
        return self._fault is None

    def fail(self, fault: Exception) -> None:
        self._fault = fault

    def settle(self) -> None:
        if self.future.done():
            return
        if self._fault is not None:
            self.future.set_exception(self._fault)
        else:
            self.future.set_result(self._result[0])


class Worker:
    """A thread with a connection of its own, which does jobs in the order they were asked.

    The queue holds what the awaiting callers hold, so it is bounded by their number.
    """

    def __init__(
        self,
        name: str,
        connection: sqlite3.Connection,
        *,
        fate: Fate,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._connection = connection
        self._fate = fate
        self._loop = loop
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._live, name=name, daemon=True)
        self._thread.start()

    async def ask(
        self,
        work: Callable[[sqlite3.Connection], _T],
        *,
        is_single: Callable[[], bool] = lambda: False,
    ) -> _T:
        """Has the work done and returns its result; raises `LogUnavailable` when it cannot be."""
        if self._is_stopped:
            raise LogUnavailable("the log is closed")
        if self._fate.fault is not None:
            raise LogUnavailable(self._fate.fault)
        job = _Asked(work, self._loop, is_single=is_single)
        self._jobs.put(job)
        return await job.future

    async def stop(self) -> None:
        """Lets the thread finish what was asked before, and close its connection."""
        self._is_stopped = True
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    def _live(self) -> None:
        is_last = False
        while not is_last:
            waiting = [self._jobs.get()]
            while not self._jobs.empty():
                waiting.append(self._jobs.get())
            is_last = None in waiting
            group = [job for job in waiting if job is not None]
            if group:
                self._do(group)
        self._end()

    def _end(self) -> None:
        self._connection.close()

    def _do(self, group: list[_Job]) -> None:
        try:
            if self._fate.fault is not None:
                raise LogUnavailable(self._fate.fault)
            self._attempt(group)
        except LogUnavailable as fault:
            self._fail(group, fault)
        except sqlite3.Error as fault:
            self._fail(group, self._judge(fault))
        except Exception:
            _log.exception("the log is out of order")
            self._fate.fault = "the log is out of order; see the server's log, then start it again"
            self._fail(group, LogUnavailable(self._fate.fault))
        # A loop that was torn down around us has nobody left who listens.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_settle, group)

    def _attempt(self, group: list[_Job]) -> None:
        for job in group:
            job.run(self._connection)

    def _fail(self, group: list[_Job], fault: LogUnavailable) -> None:
        for job in group:
            job.fail(fault)

    def _judge(self, fault: sqlite3.Error) -> LogUnavailable:
        """Tells a full disk, after which the log goes on, from what ends it."""
        # Faults of the module, such as a closed connection, carry no code of SQLite's.
        sentence = f"{fault} ({getattr(fault, 'sqlite_errorname', 'no code')})"
        if getattr(fault, "sqlite_errorcode", 0) & 0xFF in _TRANSIENT:
            return LogUnavailable(sentence)
        self._fate.fault = f"{sentence}; mend the disk, then start the server again"
        _log.error("the log is dead fault=%s", sentence)
        return LogUnavailable(self._fate.fault)


class Writer(Worker):
    """Does what changes something, and ends every transaction that it began."""

    def __init__(
        self,
        name: str,
        connection: sqlite3.Connection,
        journal: Journal,
        *,
        fate: Fate,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._journal = journal
        super().__init__(name, connection, fate=fate, loop=loop)

    def _attempt(self, group: list[_Job]) -> None:
        if len(group) == 1 and group[0].is_single():
            self._commit_alone(group[0])
        else:
            self._commit(group)
        if self._journal.is_due:
            self._place_all()

    def _commit_alone(self, job: _Job) -> None:
        """Lets the one statement be its own transaction.

        Every statement gives the interpreter's lock away and waits until a busy loop gives it back,
        so that three statements take three times as long as one.
        """
        is_kept = False
        try:
            is_kept = job.run(self._connection)
        finally:
            if is_kept:
                self._journal.committed()
            else:
                self._journal.rolled_back()

    def _commit(self, group: list[_Job]) -> None:
        connection, journal = self._connection, self._journal
        connection.execute("begin immediate")
        try:
            if len(group) == 1:
                if not group[0].run(connection):
                    return
            else:
                for job in group:
                    connection.execute("savepoint job")
                    if not job.run(connection):
                        connection.execute("rollback to job")
                    connection.execute("release job")
            connection.execute("commit")
            journal.committed()
        finally:
            if connection.in_transaction:
                connection.execute("rollback")
                journal.rolled_back()

    def _end(self) -> None:
        self._place_all()
        super()._end()

    def _place_all(self) -> None:
        """Saves the next start some reading; without it that start is slower, and no worse."""
        try:
            self._journal.place_all()
        except sqlite3.Error as fault:
            _log.warning("the places of races were not stored fault=%s", fault)
        finally:
            if self._connection.in_transaction:
                self._connection.execute("rollback")


def _settle(group: list[_Job]) -> None:
    for job in group:
        job.settle()
