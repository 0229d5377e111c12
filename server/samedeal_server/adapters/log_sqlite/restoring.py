"""Filling an empty file with what a backup holds: all of it in one transaction, or nothing."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable
from pathlib import Path

from samedeal_protocol.events import chained
from samedeal_server.adapters.log_sqlite.journal import pack
from samedeal_server.adapters.log_sqlite.rulings import write_ruling
from samedeal_server.adapters.log_sqlite.schema import CannotOpen, open_store
from samedeal_server.adapters.names import fold
from samedeal_server.ports import Player, Ruling
from samedeal_server.stored import Entrance, Record, StoredRace

__all__ = ["restore"]


def restore(data: Path, content: Iterable[Record], *, alive_at: int | None) -> None:
    """Stores everything in the folder `data`, which is made when it is missing.

    `alive_at` is when a server last lived, in ms of UTC. Raises `CannotOpen` unless the store is
    empty and nobody uses it; whatever `content` raises passes through. Then nothing is stored.
    """
    opened = open_store(data)
    try:
        connection = opened.write
        connection.execute("begin immediate")
        _refuse_unless_empty(connection, data)
        filling = _Filling(connection)
        for record in content:
            filling.add(record)
        filling.end(alive_at)
        connection.execute("commit")
    except sqlite3.Error as fault:
        raise CannotOpen(f"{data} cannot be filled ({fault}); nothing was restored") from fault
    finally:
        # What was not committed is rolled back.
        for each in (opened.read, opened.write, opened.lock):
            each.close()


def _refuse_unless_empty(connection: sqlite3.Connection, data: Path) -> None:
    for table in ("races", "players", "entries", "events"):
        if connection.execute(f"select 1 from {table} limit 1").fetchone():
            raise CannotOpen(f"{data} has {table} already; restore into another --data")


class _Filling:
    """Inserts one record after the other, in the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._last = 0

    def add(self, record: Record) -> None:
        match record:
            case StoredRace():
                self._add_race(record)
            case Player():
                who = (record.player, record.name, fold(record.name))
                self._connection.execute(
                    "insert into players (player, name, folded, bot, token_hash, seen_at) "
                    "values (?, ?, ?, ?, ?, ?)",
                    (*who, record.bot, record.token_hash, record.seen_at),
                )
            case Entrance():
                self._connection.execute(
                    "insert into entries (player, race) values (?, ?)",
                    (record.player, record.race),
                )
            case Ruling():
                write_ruling(self._connection, record)

    def end(self, alive_at: int | None) -> None:
        """Notes that every race's places are known."""
        self._connection.execute(
            "update server set alive_at = ?, placed = ?", (alive_at, self._last)
        )

    def _add_race(self, race: StoredRace) -> None:
        row = race.row
        head, head_seq = _head(race) if row.is_over else (None, None)
        self._connection.execute(
            "insert into races (race, opened_at, is_listed, phrase_hash, is_over, head, head_seq) "
            "values (?, ?, ?, ?, ?, ?, ?)",
            (row.race, row.opened_at, race.is_listed, row.phrase_hash, row.is_over, head, head_seq),
        )
        if row.is_over:
            self._connection.execute("insert into endings (race) values (?)", (row.race,))
        places = array("q", range(self._last + 1, self._last + 1 + len(race.lines)))
        self._connection.executemany(
            "insert into events (id, race, seq, line) values (?, ?, ?, ?)",
            (
                (place, row.race, seq, line)
                for place, seq, line in zip(places, race.seqs, race.lines, strict=True)
            ),
        )
        self._last += len(places)
        self._connection.execute(
            "insert into places (race, ids) values (?, ?)", (row.race, pack(places))
        )


def _head(race: StoredRace) -> tuple[bytes, int]:
    """Returns the hash chain's value that was kept, or that of all events if none was."""
    if race.head is not None and race.head_seq is not None:
        return race.head, race.head_seq
    return chained(race.lines), len(race.lines)
