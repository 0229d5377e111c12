"""Looking at a file from outside, without changing it; a running server may own it meanwhile.

A race's events are looked for where the file notes them, and those of unfinished races also among
what was appended since places were last noted: no more than that is held in memory.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from samedeal_server.adapters.log_sqlite.journal import Places, unpack
from samedeal_server.adapters.log_sqlite.rulings import SINCE, read_rulings
from samedeal_server.adapters.log_sqlite.schema import CannotOpen, connect, version_of
from samedeal_server.ports import Player, RaceRow, Ruling
from samedeal_server.stored import Entrance, StoredRace

__all__ = ["Stored"]

_SERVER: Final = "select alive_at, placed from server"


class Stored:
    """The `Source` that a server's folder is."""

    def __init__(self, data: Path) -> None:
        """Holds on to this instant; raises `CannotOpen`."""
        self._file = file = data / "samedeal.db"
        if not file.is_file():
            raise CannotOpen(f"there is no {file}; name a server's folder with --data")
        self._connection = connect(file)
        try:
            ((self._alive_at, self._placed),) = self._looked()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Stored:
        return self

    def __exit__(self, *exc: object) -> None:
        self._connection.close()

    @property
    def alive_at(self) -> int | None:
        """When the server last noted that it lived, in ms of UTC."""
        return self._alive_at

    def damage(self) -> list[str]:
        """Returns what SQLite itself finds wrong with the file."""
        return [str(row[0]) for row in self._rows("pragma quick_check") if row[0] != "ok"]

    def strays(self) -> list[str]:
        """Returns the codes under which there are events, but no race."""
        rows = self._rows(
            "select distinct race from events where race not in (select race from races)"
        )
        return sorted(race for (race,) in rows)

    def count(self) -> int:
        """Returns how many races there are."""
        return self._number("select count(*) from races")

    def count_events(self) -> int:
        """Returns how many events there are, also such as no race has."""
        return self._number("select count(*) from events")

    def races(self) -> Iterator[StoredRace]:
        """Yields every race, oldest first."""
        since = self._appended_since()
        rows = self._rows(
            "select race, opened_at, is_listed, is_over, phrase_hash, head, head_seq, ids "
            "from races left join places using (race) order by opened_at, race"
        )
        for race, opened_at, is_listed, is_over, phrase_hash, head, head_seq, ids in rows:
            places = array("q") if ids is None else unpack(ids)
            places += since.get(race, array("q"))
            seqs, lines = self._events(race, places)
            yield StoredRace(
                row=RaceRow(race, opened_at, bool(is_over), phrase_hash),
                is_listed=bool(is_listed),
                seqs=seqs,
                lines=lines,
                head=head,
                head_seq=head_seq,
                is_placed=len(seqs) == len(places),
            )

    def players(self) -> Iterator[Player]:
        """Yields every player."""
        rows = self._rows(
            "select player, name, bot, token_hash, seen_at from players order by player"
        )
        for player, name, bot, token_hash, seen_at in rows:
            yield Player(player, name, bool(bot), token_hash, seen_at)

    def entries(self) -> Iterator[Entrance]:
        """Yields who entered what, in that order."""
        rows = self._rows("select player, race from entries order by number")
        for player, race in rows:
            yield Entrance(player, race)

    def rulings(self) -> Iterator[Ruling]:
        """Yields the rulings, in their order; a file that is older has none."""
        try:
            if version_of(self._connection, self._file) >= SINCE:
                yield from read_rulings(self._connection)
        except sqlite3.Error as fault:
            raise self._unreadable(fault) from fault

    def _looked(self) -> list[tuple[int | None, int]]:
        """Fixes what is seen until the end, whatever is written meanwhile."""
        try:
            self._connection.execute("pragma query_only = on")
            if not version_of(self._connection, self._file):
                raise CannotOpen(f"{self._file} has no tables yet; name another folder with --data")
            self._connection.execute("begin")
        except sqlite3.Error as fault:
            raise self._unreadable(fault) from fault
        return [(alive_at, placed) for alive_at, placed in self._rows(_SERVER)]

    def _rows(self, statement: str, *values: int | str) -> Iterator[tuple[Any, ...]]:
        """Yields the rows of a statement; raises `CannotOpen`."""
        try:
            yield from self._connection.execute(statement, values)
        except sqlite3.Error as fault:
            raise self._unreadable(fault) from fault

    def _unreadable(self, fault: sqlite3.Error) -> CannotOpen:
        return CannotOpen(f"{self._file} cannot be read ({fault}); restore it from a backup")

    def _number(self, statement: str) -> int:
        ((number,),) = self._rows(statement)
        return int(number)

    def _appended_since(self) -> dict[str, Places]:
        """Returns where the events of unfinished races lie whose places are not noted yet."""
        found: dict[str, Places] = {}
        rows = self._rows(
            "select id, race from events cross join races using (race) "
            "where id > ? and not is_over order by id",
            self._placed,
        )
        for place, race in rows:
            found.setdefault(race, array("q")).append(place)
        return found

    def _events(self, race: str, places: Places) -> tuple[list[int], list[bytes]]:
        """Returns the numbers and the lines of the events at these places that are the race's."""
        seqs: list[int] = []
        lines: list[bytes] = []
        rows = self._rows(
            "select seq, cast(line as blob) from json_each(?) as wanted cross join events "
            "on events.id = wanted.value where race = ? order by events.id",
            f"[{','.join(map(str, places))}]",
            race,
        )
        for seq, line in rows:
            seqs.append(seq)
            lines.append(line)
        return seqs, lines
