"""Looking at a store from outside, without changing it; a running server may own it meanwhile."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from samedeal_server.adapters.log_sqlite.journal import Places, read_lines, unpack
from samedeal_server.adapters.log_sqlite.schema import CannotOpen, connect, version_of
from samedeal_server.ports import RaceRow

__all__ = ["Stored", "StoredRace"]


@dataclass(frozen=True, slots=True)
class StoredRace:
    """One race as it lies in the file. `head` is the chain's value after `head_seq` events."""

    row: RaceRow
    seqs: list[int]
    """In the order of the file."""
    lines: list[bytes]
    head: bytes | None
    head_seq: int | None
    is_placed: bool
    """What the file says of where the race's events are is so."""


class Stored:
    """Everything in a store, as it was at one instant."""

    def __init__(self, data: Path) -> None:
        """Finds every race's events; raises `CannotOpen`."""
        file = data / "samedeal.db"
        if not file.is_file():
            raise CannotOpen(f"there is no {file}; name a server's folder with --data")
        self._places: dict[str, Places] = {}
        self._seqs: dict[str, list[int]] = {}
        try:
            self._connection = connect(file)
            self._connection.execute("pragma query_only = on")
            version_of(self._connection, file)
            self._connection.execute("begin")
            rows = self._connection.execute("select id, race, seq from events order by id")
            for place, race, seq in rows:
                self._places.setdefault(race, array("q")).append(place)
                self._seqs.setdefault(race, []).append(seq)
        except sqlite3.Error as fault:
            raise CannotOpen(f"{file} cannot be read ({fault}); restore it from a copy") from fault

    def __enter__(self) -> Stored:
        return self

    def __exit__(self, *exc: object) -> None:
        self._connection.close()

    def damage(self) -> list[str]:
        """Returns what SQLite itself finds wrong with the file."""
        rows = self._connection.execute("pragma quick_check").fetchall()
        return [str(row[0]) for row in rows if row[0] != "ok"]

    def strays(self) -> list[str]:
        """Returns the codes under which there are events, but no race."""
        known = {race for (race,) in self._connection.execute("select race from races")}
        return sorted(self._places.keys() - known)

    def count(self) -> int:
        """Returns how many races there are."""
        (number,) = self._connection.execute("select count(*) from races").fetchone()
        return int(number)

    def races(self) -> Iterator[StoredRace]:
        """Yields every race, oldest first."""
        rows = self._connection.execute(
            "select race, opened_at, is_over, phrase_hash, head, head_seq, ids "
            "from races left join places using (race) order by opened_at, race"
        )
        for race, opened_at, is_over, phrase_hash, head, head_seq, ids in rows:
            found = self._places.get(race, array("q"))
            placed = array("q") if ids is None else unpack(ids)
            yield StoredRace(
                row=RaceRow(race, opened_at, bool(is_over), phrase_hash),
                seqs=self._seqs.get(race, []),
                lines=read_lines(self._connection, found),
                head=head,
                head_seq=head_seq,
                is_placed=placed == (found if is_over else found[: len(placed)]),
            )
