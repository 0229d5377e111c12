"""The file, its schema and who owns it: opening a store, and refusing to.

The schema's number stands in `pragma user_version`; `MIGRATIONS` says how to come from each number
to the next. One process at a time owns a folder, by a lock on a file of its own that the operating
system lets go of when the process dies, however it dies.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from samedeal_server.adapters.opening import CannotOpen

__all__ = [
    "APPLICATION",
    "MIGRATIONS",
    "CannotOpen",
    "Connections",
    "connect",
    "open_store",
    "version_of",
]

APPLICATION: Final = 0x53444C31
"""SQLite's application_id of our files."""

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        # `head` is the hash chain's value after the first `head_seq` events, kept when the race
        # ends, for `samedeal-server check`.
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
        # Only ever appended to, and without an index: `places` and memory say where a race lies.
        """create table events (
            id integer primary key,
            race text not null,
            seq integer not null,
            line blob not null
        )""",
        # `ids` are the ids of a race's events by seq, 8 bytes each, the low byte first.
        "create table places (race text primary key, ids blob not null) without rowid",
        """create table players (
            player text primary key,
            name text not null,
            folded text not null unique,
            bot integer not null,
            token_hash blob not null unique,
            seen_at integer not null
        ) without rowid""",
        """create table entries (
            number integer primary key,
            player text not null,
            race text not null,
            unique (player, race)
        )""",
        "create index entries_of_player on entries (player, number)",
        # One row. Every event up to the id `placed` of an unfinished race is in `places`.
        """create table server (
            id integer primary key check (id = 1),
            alive_at integer,
            placed integer not null
        )""",
        "insert into server (id, placed) values (1, 0)",
    ),
    (
        # What has ended, in the order of its ending; `summary` is what was made of a race.
        """create table endings (
            number integer primary key,
            race text not null unique,
            summary blob
        )""",
        """insert into endings (race)
            select race from races where is_over = 1 order by opened_at, race""",
        """create table rulings (
            number integer primary key,
            at integer not null,
            race text not null,
            is_annulled integer not null,
            reason text not null,
            differences blob not null
        )""",
    ),
)
"""How to come from schema n to n + 1."""


@dataclass(frozen=True, slots=True)
class Connections:
    """What an owner holds: the lock, and a connection each to write and to read."""

    lock: sqlite3.Connection
    write: sqlite3.Connection
    read: sqlite3.Connection


def open_store(data: Path) -> Connections:
    """Opens the store in the folder `data`, or makes it, and owns it; raises `CannotOpen`."""
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
        opened.append(write := connect(file))
        opened.append(read := connect(file))
        if write.execute("pragma journal_mode = wal").fetchone() != ("wal",):
            raise CannotOpen(f"{file} is on a file system without shared memory; move it to a disk")
        write.execute("pragma synchronous = full")
        _migrate(write, file)
        read.execute("pragma query_only = on")
    except sqlite3.Error as fault:
        _close(opened)
        raise CannotOpen(
            f"{file} cannot be opened ({fault}); is {data} a writable folder of samedeal's?"
        ) from fault
    except CannotOpen:
        _close(opened)
        raise
    return Connections(lock, write, read)


def connect(file: Path) -> sqlite3.Connection:
    """Returns a connection that begins no transaction by itself and may change threads."""
    return sqlite3.connect(
        file, timeout=5.0, isolation_level=None, check_same_thread=False, cached_statements=192
    )


def version_of(connection: sqlite3.Connection, file: Path) -> int:
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


def _lock(data: Path) -> sqlite3.Connection:
    """Holds an exclusive lock on a file that holds nothing else."""
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


def _migrate(connection: sqlite3.Connection, file: Path) -> None:
    """Brings the schema up to date, one transaction for every step."""
    for number in range(version_of(connection, file), len(MIGRATIONS)):
        connection.execute("begin immediate")
        for statement in MIGRATIONS[number]:
            connection.execute(statement)
        connection.execute(f"pragma application_id = {APPLICATION}")
        connection.execute(f"pragma user_version = {number + 1}")
        connection.execute("commit")


def _close(connections: list[sqlite3.Connection]) -> None:
    for connection in connections:
        connection.close()
