"""The log in one SQLite file: what has returned is on the disk.

One thread owns the connection that writes and another the one that reads, so that neither the
event loop nor an append ever waits for a long read. Whatever is waiting when the writer comes
round shares one transaction, hence one fsync. One process at a time owns the file: it holds a lock
beside it that the operating system lets go of when the process dies, however it dies.

After a full disk nothing of the failed group is stored and the log goes on when there is space.
After an I/O error nobody knows what the disk holds: the log refuses everything from then on, and
the server has to be started again.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from samedeal_protocol.events import CHAIN_START, link
from samedeal_server.adapters.names import UNSEEN_MS, fold, moved_aside
from samedeal_server.ports import (
    Entry,
    LogConflict,
    LogUnavailable,
    NameTaken,
    Player,
    RaceRow,
)

__all__ = ["MIGRATIONS", "CannotOpen", "SqliteLog", "Stored", "StoredRace"]

_T = TypeVar("_T")

_log = logging.getLogger(__name__)

APPLICATION: Final = 0x53444C31
"""SQLite's application_id of our files."""

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        # The race's code names it everywhere. `head` is the hash chain's value after the first
        # `head_seq` events, kept when the race ends, for `samedeal-server check`.
        """create table races (
            race text primary key,
            opened_at integer not null,
            is_listed integer not null,
            phrase_hash blob,
            is_over integer not null default 0,
            head blob,
            head_seq integer
        ) without rowid""",
        "create index unfinished on races (opened_at) where is_over = 0",
        """create table events (
            race text not null,
            seq integer not null,
            line blob not null,
            primary key (race, seq)
        ) without rowid""",
        """create table players (
            player text primary key,
            name text not null,
            folded text not null unique,
            bot integer not null,
            token_hash blob not null unique,
            seen_at integer not null
        ) without rowid""",
        """create table entries (
            player text not null,
            race text not null,
            number integer primary key,
            unique (player, race)
        )""",
        "create index entries_of_player on entries (player, number)",
        "create table alive (id integer primary key check (id = 1), at integer not null)",
    ),
)
"""How to come from schema n to n + 1; the schema's number is in `pragma user_version`."""

_APPEND: Final = """insert into events (race, seq, line) select ?, ?, ?
    where (select max(seq) from events where race = ?) = ? - 1"""
"""The fence: an event goes in only as its race's next one, and only behind a first one."""

_TRANSIENT: Final = frozenset(
    (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM)
)


class CannotOpen(Exception):
    """The store cannot be opened; the message is one line that says what to do."""


# --- the two threads ---------------------------------------------------------------------------


class _Fate:
    """Why nothing can be asked of this log any more, once there is a reason."""

    def __init__(self) -> None:
        self.fault: str | None = None


class _Job(Protocol):
    """Something to do on a connection; its outcome is told on the loop."""

    def run(self, connection: sqlite3.Connection) -> bool:
        """Does the work; returns whether it is to be kept. SQLite's faults pass through."""
        ...

    def fail(self, fault: Exception) -> None: ...

    def settle(self) -> None: ...


class _Asked(Generic[_T]):
    """A job that somebody on the loop awaits."""

    __slots__ = ("_fault", "_result", "_work", "future")

    def __init__(
        self, work: Callable[[sqlite3.Connection], _T], loop: asyncio.AbstractEventLoop
    ) -> None:
        self.future: asyncio.Future[_T] = loop.create_future()
        self._work = work
        self._fault: Exception | None = None
        self._result: list[_T] = []

    def run(self, connection: sqlite3.Connection) -> bool:
        try:
            self._result = [self._work(connection)]
        except (LogConflict, NameTaken) as refusal:
            self._fault = refusal
        except sqlite3.IntegrityError as refusal:
            self._fault = LogConflict(str(refusal))
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


class _Worker:
    """A thread with a connection of its own, which does jobs in the order they were asked.

    The queue holds what the awaiting callers hold, so it is bounded by their number.
    """

    def __init__(
        self,
        name: str,
        connection: sqlite3.Connection,
        *,
        fate: _Fate,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._connection = connection
        self._fate = fate
        self._loop = loop
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._live, name=name, daemon=True)
        self._thread.start()

    async def ask(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Has the work done and returns its result; raises `LogUnavailable` when it cannot be."""
        if self._fate.fault is not None:
            raise LogUnavailable(self._fate.fault)
        job = _Asked(work, self._loop)
        self._jobs.put(job)
        return await job.future

    async def stop(self) -> None:
        """Lets the thread finish what was asked before, and close its connection."""
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


class _Writer(_Worker):
    """Everything that waits shares one transaction; a refused job leaves no trace in it."""

    def _attempt(self, group: list[_Job]) -> None:
        connection = self._connection
        connection.execute("begin immediate")
        try:
            if len(group) == 1:
                if not group[0].run(connection):
                    connection.execute("rollback")
                    return
            else:
                for job in group:
                    connection.execute("savepoint job")
                    if not job.run(connection):
                        connection.execute("rollback to job")
                    connection.execute("release job")
            connection.execute("commit")
        finally:
            if connection.in_transaction:
                connection.execute("rollback")


def _settle(group: list[_Job]) -> None:
    for job in group:
        job.settle()


# --- the log -----------------------------------------------------------------------------------


class SqliteLog:
    """The `Log` port over `DATA/samedeal.db`; made by `open`."""

    def __init__(
        self, *, writer: _Worker, reader: _Worker, fate: _Fate, lock: sqlite3.Connection
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._fate = fate
        self._lock = lock
        self._is_closed = False

    @classmethod
    async def open(cls, data: Path) -> SqliteLog:
        """Opens the store in the folder `data`, or makes it; raises `CannotOpen`."""
        lock, write, read = await asyncio.to_thread(_open, data)
        loop = asyncio.get_running_loop()
        fate = _Fate()
        return cls(
            writer=_Writer("log writer", write, fate=fate, loop=loop),
            reader=_Worker("log reader", read, fate=fate, loop=loop),
            fate=fate,
            lock=lock,
        )

    @property
    def fault(self) -> str | None:
        """Why the log refuses everything until the server is started again, if it does."""
        return self._fate.fault

    async def close(self) -> None:
        """Finishes what was asked, folds the write-ahead log into the file, frees the folder."""
        if self._is_closed:
            return
        self._is_closed = True
        self._fate.fault = self._fate.fault or "the log is closed"
        await self._reader.stop()
        await self._writer.stop()
        self._lock.close()

    # --- races ---------------------------------------------------------------------------------

    async def append(self, entries: Sequence[Entry], *, over: Sequence[str] = ()) -> None:
        """Appends in one transaction and marks the races in `over` as ended.

        Raises:
            LogConflict: an entry's seq is not the next of its race; nothing was appended.
            LogUnavailable: it is unknown whether the entries were appended.
        """
        rows = [(each.race, each.seq, each.line, each.race, each.seq) for each in entries]
        ended = tuple(over)

        def work(connection: sqlite3.Connection) -> None:
            if rows and connection.executemany(_APPEND, rows).rowcount != len(rows):
                raise LogConflict(f"an event is not the next of its race: {_named(entries)}")
            for race in ended:
                _end(connection, race)

        await self._writer.ask(work)

    async def open_race(
        self, entry: Entry, *, opened_at: int, is_listed: bool, phrase_hash: bytes | None
    ) -> None:
        """Stores a new race with its first event; raises `LogConflict` for a code in use."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "insert into races (race, opened_at, is_listed, phrase_hash) values (?, ?, ?, ?)",
                (entry.race, opened_at, is_listed, phrase_hash),
            )
            if entry.seq != 1:
                raise LogConflict(f"a race's first event is not its number {entry.seq}")
            connection.execute(
                "insert into events (race, seq, line) values (?, 1, ?)", (entry.race, entry.line)
            )

        await self._writer.ask(work)

    async def read(self, race: str, *, after: int = 0) -> list[bytes]:
        """Returns the lines of a race from seq `after + 1` on, in order; none for no such race."""

        def work(connection: sqlite3.Connection) -> list[bytes]:
            rows: list[tuple[bytes]] = connection.execute(
                "select line from events where race = ? and seq > ? order by seq", (race, after)
            ).fetchall()
            return [line for (line,) in rows]

        return await self._reader.ask(work)

    async def race(self, race: str) -> RaceRow | None:
        """Returns what the store knows of a race besides its events."""

        def work(connection: sqlite3.Connection) -> list[RaceRow]:
            return _race_rows(connection, "where race = ?", race)

        rows = await self._reader.ask(work)
        return rows[0] if rows else None

    async def unfinished(self) -> list[RaceRow]:
        """Returns the races that are neither over nor cancelled, oldest first."""

        def work(connection: sqlite3.Connection) -> list[RaceRow]:
            return _race_rows(connection, "where is_over = 0 order by opened_at, race")

        return await self._reader.ask(work)

    # --- players -------------------------------------------------------------------------------

    async def enter(self, player: str, race: str) -> None:
        """Notes that the player is an entrant or host of the race, for `races_of`."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "insert or ignore into entries (player, race) values (?, ?)", (player, race)
            )

        await self._writer.ask(work)

    async def races_of(self, player: str, *, limit: int) -> list[str]:
        """Returns the player's races, the one entered last first."""

        def work(connection: sqlite3.Connection) -> list[str]:
            rows: list[tuple[str]] = connection.execute(
                "select race from entries where player = ? order by number desc limit ?",
                (player, limit),
            ).fetchall()
            return [race for (race,) in rows]

        return await self._reader.ask(work)

    async def add_player(self, player: Player) -> None:
        """Raises `NameTaken`; `seen_at` is the instant of asking."""

        def work(connection: sqlite3.Connection) -> None:
            _free_name(connection, player.name, by=player.player, now=player.seen_at)
            connection.execute(
                "insert into players (player, name, folded, bot, token_hash, seen_at) "
                "values (?, ?, ?, ?, ?, ?)",
                (
                    player.player,
                    player.name,
                    fold(player.name),
                    player.bot,
                    player.token_hash,
                    player.seen_at,
                ),
            )

        await self._writer.ask(work)

    async def player_by_token(self, token_hash: bytes) -> Player | None:
        """Returns the player whose token has this SHA-256."""

        def work(connection: sqlite3.Connection) -> Player | None:
            row: tuple[str, str, int, bytes, int] | None = connection.execute(
                "select player, name, bot, token_hash, seen_at from players where token_hash = ?",
                (token_hash,),
            ).fetchone()
            if row is None:
                return None
            player, name, bot, stored, seen_at = row
            return Player(player, name, bool(bot), stored, seen_at)

        return await self._reader.ask(work)

    async def rename(self, player: str, name: str) -> None:
        """Raises `NameTaken`; counts from the instant at which the player was last seen."""

        def work(connection: sqlite3.Connection) -> None:
            row: tuple[int] | None = connection.execute(
                "select seen_at from players where player = ?", (player,)
            ).fetchone()
            if row is None:
                raise LogConflict(f"there is no player {player}")
            _free_name(connection, name, by=player, now=row[0])
            connection.execute(
                "update players set name = ?, folded = ? where player = ?",
                (name, fold(name), player),
            )

        await self._writer.ask(work)

    async def seen(self, player: str, at: int) -> None:
        """Notes that the player was here at an instant; an earlier one changes nothing."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "update players set seen_at = max(seen_at, ?) where player = ?", (at, player)
            )

        await self._writer.ask(work)

    # --- the server's own life -----------------------------------------------------------------

    async def alive(self, at: int) -> None:
        """Notes that the server lives; after a crash the stoppage is counted from here."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "insert into alive (id, at) values (1, ?) "
                "on conflict (id) do update set at = max(at, excluded.at)",
                (at,),
            )

        await self._writer.ask(work)

    async def last_alive(self) -> int | None:
        """Returns the latest instant that `alive` was told."""

        def work(connection: sqlite3.Connection) -> int | None:
            row: tuple[int] | None = connection.execute("select at from alive").fetchone()
            return None if row is None else row[0]

        return await self._reader.ask(work)


def _named(entries: Sequence[Entry]) -> str:
    shown = ", ".join(f"{each.race}:{each.seq}" for each in entries[:8])
    return shown if len(entries) <= 8 else f"{shown}, ..."


def _end(connection: sqlite3.Connection, race: str) -> None:
    """Marks a race as ended, with the hash chain's value up to here."""
    head, seq = CHAIN_START, 0
    rows = connection.execute("select line from events where race = ? order by seq", (race,))
    for (line,) in rows:
        head = link(head, line)
        seq += 1
    connection.execute(
        "update races set is_over = 1, head = ?, head_seq = ? where race = ?", (head, seq, race)
    )


def _race_rows(connection: sqlite3.Connection, which: str, *values: str) -> list[RaceRow]:
    rows: list[tuple[str, int, int, bytes | None]] = connection.execute(
        f"select race, opened_at, is_over, phrase_hash from races {which}", values
    ).fetchall()
    return [
        RaceRow(race, opened_at, bool(is_over), phrase_hash)
        for race, opened_at, is_over, phrase_hash in rows
    ]


def _free_name(connection: sqlite3.Connection, name: str, *, by: str, now: int) -> None:
    """Moves an earlier holder of the name aside, or raises `NameTaken` while it is in use."""
    row: tuple[str, str, int] | None = connection.execute(
        "select player, name, seen_at from players where folded = ? and player != ?",
        (fold(name), by),
    ).fetchone()
    if row is None:
        return
    holder, held, seen_at = row
    is_racing = connection.execute(
        "select 1 from entries join races using (race) where player = ? and is_over = 0 limit 1",
        (holder,),
    ).fetchone()
    if is_racing or seen_at > now - UNSEEN_MS:
        raise NameTaken(name)
    for other in moved_aside(held):
        taken = "select 1 from players where folded = ?"
        if connection.execute(taken, (fold(other),)).fetchone() is None:
            connection.execute(
                "update players set name = ?, folded = ? where player = ?",
                (other, fold(other), holder),
            )
            return


# --- opening -----------------------------------------------------------------------------------


def _open(data: Path) -> tuple[sqlite3.Connection, sqlite3.Connection, sqlite3.Connection]:
    """Returns the lock and the connections to write and to read; raises `CannotOpen`."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        raise CannotOpen(
            f"the data folder {data} cannot be made ({fault.strerror}); choose another --data"
        ) from fault
    file = data / "samedeal.db"
    opened: list[sqlite3.Connection] = []
    try:
        opened.append(lock := _lock(data))
        opened.append(write := _connect(file))
        opened.append(read := _connect(file))
        if write.execute("pragma journal_mode = wal").fetchone() != ("wal",):
            raise CannotOpen(f"{file} is on a file system without shared memory; move it to a disk")
        write.execute("pragma synchronous = full")
        _migrate(write, file)
        read.execute("pragma query_only = on")
    except sqlite3.Error as fault:
        for connection in opened:
            connection.close()
        raise CannotOpen(
            f"{file} cannot be opened ({fault}); is {data} a writable folder of samedeal's?"
        ) from fault
    except CannotOpen:
        for connection in opened:
            connection.close()
        raise
    return lock, write, read


def _connect(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=5.0, isolation_level=None, check_same_thread=False)


def _lock(data: Path) -> sqlite3.Connection:
    """Holds an exclusive lock on a file of its own, which holds nothing else."""
    lock = sqlite3.connect(
        data / "samedeal.lock", timeout=0.0, isolation_level=None, check_same_thread=False
    )
    try:
        lock.execute("begin exclusive")
    except sqlite3.OperationalError as fault:
        lock.close()
        if fault.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            raise CannotOpen(
                f"another samedeal-server uses {data}; stop it, or choose another --data"
            ) from None
        raise
    return lock


def _version(connection: sqlite3.Connection, file: Path) -> int:
    """Returns the file's schema number; raises `CannotOpen` for a file that is not ours to read."""
    (version,) = connection.execute("pragma user_version").fetchone()
    (application,) = connection.execute("pragma application_id").fetchone()
    (tables,) = connection.execute("select count(*) from sqlite_schema").fetchone()
    if tables and application != APPLICATION:
        raise CannotOpen(f"{file} is some other program's database; choose another --data")
    if version > len(MIGRATIONS):
        raise CannotOpen(
            f"{file} was written by a newer samedeal (schema {version}, this one knows "
            f"{len(MIGRATIONS)}); install that version, or choose another --data"
        )
    return int(version)


def _migrate(connection: sqlite3.Connection, file: Path) -> None:
    """Brings the schema up to date, one transaction for every step."""
    for number in range(_version(connection, file), len(MIGRATIONS)):
        connection.execute("begin immediate")
        for statement in MIGRATIONS[number]:
            connection.execute(statement)
        connection.execute(f"pragma application_id = {APPLICATION}")
        connection.execute(f"pragma user_version = {number + 1}")
        connection.execute("commit")


# --- looking at a store from outside -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredRace:
    """One race as it lies in the file. `head` is the chain's value after `head_seq` events."""

    row: RaceRow
    seqs: list[int]
    lines: list[bytes]
    head: bytes | None
    head_seq: int | None


class Stored:
    """Everything in a store, read without changing it; a running server may own it meanwhile."""

    def __init__(self, data: Path) -> None:
        """Raises `CannotOpen`."""
        file = data / "samedeal.db"
        if not file.is_file():
            raise CannotOpen(f"there is no {file}; name a server's folder with --data")
        try:
            self._connection = _connect(file)
            self._connection.execute("pragma query_only = on")
            _version(self._connection, file)
        except sqlite3.Error as fault:
            raise CannotOpen(f"{file} cannot be read ({fault})") from fault

    def __enter__(self) -> Stored:
        return self

    def __exit__(self, *exc: object) -> None:
        self._connection.close()

    def damage(self) -> list[str]:
        """Returns what SQLite itself finds wrong with the file."""
        rows = self._connection.execute("pragma quick_check").fetchall()
        return [str(row[0]) for row in rows if row[0] != "ok"]

    def count(self) -> int:
        """Returns how many races there are."""
        (number,) = self._connection.execute("select count(*) from races").fetchone()
        return int(number)

    def races(self) -> Iterator[StoredRace]:
        """Yields every race, oldest first, each as it is when it is reached."""
        rows = self._connection.execute(
            "select race, opened_at, is_over, phrase_hash, head, head_seq from races "
            "order by opened_at, race"
        ).fetchall()
        for race, opened_at, is_over, phrase_hash, head, head_seq in rows:
            events = self._connection.execute(
                "select seq, line from events where race = ? order by seq", (race,)
            ).fetchall()
            yield StoredRace(
                row=RaceRow(race, opened_at, bool(is_over), phrase_hash),
                seqs=[seq for seq, _ in events],
                lines=[line for _, line in events],
                head=head,
                head_seq=head_seq,
            )
