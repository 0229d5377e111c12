"""The events of all races in one table that only grows at its end, and where each race lies in it.

An index over (race, seq) would touch another page of the file for every race in a group: measured,
that was ten thousand bytes written and 30 µs of CPU for an event of a hundred bytes. Events are
appended in the order they come instead. Which of them are a race's is known in memory while the
race is unfinished, is stored in `places` when it ends, and for races that go on for long now and
then; after a crash it is read again from the events since.

The journal belongs to the thread that writes. Another thread may ask `ids`: they appear after the
commit, all at once, and are only ever added to.
"""

from __future__ import annotations

import sqlite3
import sys
from array import array
from collections.abc import Sequence
from typing import Final, TypeAlias

from samedeal_protocol.events import chained
from samedeal_server.adapters.log_sqlite.schema import CannotOpen
from samedeal_server.ports import Entry, LogConflict

__all__ = ["PLACE_EVERY", "Journal", "Places", "pack", "read_lines", "unpack"]

Places: TypeAlias = "array[int]"
"""The ids of a race's events, by seq."""

PLACE_EVERY: Final = 100_000
"""After so many events the places of unfinished races are stored, to bound what a start reads."""

_SIZES: Final = (256, *range(128, 0, -1))
_INSERTS: Final = {
    size: "insert into events (id, race, seq, line) values " + ", ".join(["(?, ?, ?, ?)"] * size)
    for size in _SIZES
}
"""Many rows in one statement: the interpreter's lock is let go of, and waited for, once for all."""

_PLACE: Final = "insert or replace into places (race, ids) values (?, ?)"


def pack(ids: Places) -> bytes:
    """Returns ids as they are stored."""
    if sys.byteorder == "big":
        ids = array("q", ids)
        ids.byteswap()
    return ids.tobytes()


def unpack(stored: bytes) -> Places:
    """Reads stored ids back."""
    ids = array("q")
    ids.frombytes(stored)
    if sys.byteorder == "big":
        ids.byteswap()
    return ids


def read_lines(connection: sqlite3.Connection, ids: Places) -> list[bytes]:
    """Returns the lines of the events with these ascending ids.

    They come as one row: every row is a wait for the interpreter's lock, which a busy event loop
    gives up once in some milliseconds.
    """
    if not ids:
        return []
    (joined,) = connection.execute(
        "select cast(group_concat(line, char(10)) as blob) from (select line from json_each(?) "
        "as wanted cross join events on events.id = wanted.value order by events.id)",
        (f"[{','.join(map(str, ids))}]",),
    ).fetchone()
    return bytes(joined).split(b"\n")


def _stored(connection: sqlite3.Connection, race: str) -> Places | None:
    row: tuple[bytes] | None = connection.execute(
        "select ids from places where race = ?", (race,)
    ).fetchone()
    return None if row is None else unpack(row[0])


class Journal:
    """Appends, within the transaction that the caller has begun and will end."""

    def __init__(self, connection: sqlite3.Connection, *, place_every: int = PLACE_EVERY) -> None:
        """Finds the unfinished races' events; raises `CannotOpen` when some are missing."""
        self._connection = connection
        self._place_every = place_every
        self._unfinished: dict[str, Places] = {}
        self._added: dict[str, Places] = {}
        self._ended: set[str] = set()
        self._unplaced = 0
        self._load()
        self._last = self._committed = int(
            connection.execute("select coalesce(max(id), 0) from events").fetchone()[0]
        )

    def _load(self) -> None:
        rows = self._connection.execute(
            "select race, ids from races left join places using (race) where is_over = 0"
        )
        for race, ids in rows:
            self._unfinished[race] = array("q") if ids is None else unpack(ids)
        rows = self._connection.execute(
            "select id, race, seq from events where id > (select placed from server) order by id"
        )
        for place, race, seq in rows:
            ids = self._unfinished.get(race)
            if ids is None:
                continue
            if seq != len(ids) + 1:
                raise CannotOpen(
                    f"event {len(ids) + 1} of race {race} is missing; "
                    "`samedeal-server check` says what else is"
                )
            ids.append(place)
            self._unplaced += 1

    def ids(self, connection: sqlite3.Connection, race: str, *, after: int = 0) -> Places:
        """Returns where a race's events from seq `after + 1` on lie; may be called by a reader."""
        known = self._unfinished.get(race)
        if known is None:
            known = _stored(connection, race)
        return array("q") if known is None else known[after:]

    def open(self, entry: Entry) -> None:
        """Adds a new race's first event."""
        if entry.seq != 1:
            raise LogConflict(f"a race's first event is not its number {entry.seq}")
        self._unfinished[entry.race] = array("q")
        self._insert((entry,))

    def append(self, entries: Sequence[Entry]) -> None:
        """Adds events; raises `LogConflict`, having added none, unless each is its race's next."""
        due: dict[str, int] = {}
        late: dict[str, Places] = {}
        for entry in entries:
            race = entry.race
            seq = due.get(race)
            if seq is None:
                known = self._unfinished.get(race)
                if known is None:
                    known = _stored(self._connection, race)
                    if known is None:
                        raise LogConflict(f"there is no race {race}")
                    late[race] = known
                seq = len(known) + len(self._added.get(race, ())) + 1
            if entry.seq != seq:
                raise LogConflict(f"{race} expects event {seq}, not {entry.seq}")
            due[race] = seq + 1
        self._insert(entries)
        for race, known in late.items():
            self._place(race, known + self._added.pop(race))
        for race in self._ended.intersection(due):  # it ended in this very transaction
            self._place(race, self._unfinished[race] + self._added[race])

    def is_one_statement(self, entries: Sequence[Entry]) -> bool:
        """Says whether `append` will be one statement, which needs no transaction around it."""
        return len(entries) in _INSERTS and all(entry.race in self._unfinished for entry in entries)

    def end(self, race: str) -> None:
        """Marks a race as over, with the hash chain's value up to here."""
        known = self._unfinished.get(race)
        if known is None:
            return
        ids = known + self._added.get(race, array("q"))
        head = chained(read_lines(self._connection, ids))
        self._connection.execute(
            "update races set is_over = 1, head = ?, head_seq = ? where race = ?",
            (head, len(ids), race),
        )
        self._connection.execute("insert into endings (race) values (?)", (race,))
        self._place(race, ids)
        self._ended.add(race)

    def committed(self) -> None:
        """The transaction was committed: what was added is so for everybody."""
        for race, ids in self._added.items():
            self._unfinished[race].extend(ids)
            self._unplaced += len(ids)
        for race in self._ended:
            del self._unfinished[race]
        self._committed = self._last
        self._added.clear()
        self._ended.clear()

    def rolled_back(self) -> None:
        """The transaction was rolled back: nothing was added."""
        self._last = self._committed
        for race in self._added:
            if not self._unfinished[race]:
                del self._unfinished[race]
        self._added.clear()
        self._ended.clear()

    @property
    def is_due(self) -> bool:
        """So much was appended that the unfinished races' places should be stored."""
        return self._unplaced >= self._place_every

    def place_all(self) -> None:
        """Stores the places of every unfinished race, in a transaction of its own."""
        self._unplaced = 0
        rows = [(race, pack(ids)) for race, ids in self._unfinished.items()]
        self._connection.execute("begin immediate")
        self._connection.executemany(_PLACE, rows)
        self._connection.execute("update server set placed = ?", (self._committed,))
        self._connection.execute("commit")

    def _place(self, race: str, ids: Places) -> None:
        self._connection.execute(_PLACE, (race, pack(ids)))

    def _insert(self, entries: Sequence[Entry]) -> None:
        place = self._last
        values: list[int | str | bytes] = []
        for entry in entries:
            place += 1
            values += (place, entry.race, entry.seq, entry.line)
            added = self._added.get(entry.race)
            if added is None:
                added = self._added[entry.race] = array("q")
            added.append(place)
        self._last = place
        at, left = 0, len(entries)
        while left:
            size = next(size for size in _SIZES if size <= left)
            self._connection.execute(_INSERTS[size], values[4 * at : 4 * (at + size)])
            at += size
            left -= size
