"""The log in one SQLite file: what has returned is on the disk.

One thread owns the connection that writes and another the one that reads, so that neither the
event loop nor an append ever waits for a long read.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from samedeal_server.adapters.log_sqlite.journal import PLACE_EVERY, Journal, read_lines
from samedeal_server.adapters.log_sqlite.rulings import read_rulings, write_ruling
from samedeal_server.adapters.log_sqlite.schema import Connections, open_store
from samedeal_server.adapters.log_sqlite.worker import Fate, Worker, Writer
from samedeal_server.adapters.names import UNSEEN_MS, fold, moved_aside
from samedeal_server.hosting.codes import CUP
from samedeal_server.ports import Ended, Entry, LogConflict, NameTaken, Player, RaceRow, Ruling

__all__ = ["SqliteLog"]

_IS_CUP: Final = f"(race between '{CUP}' and '{CUP}~')"
"""Told by the range that all codes of tournaments are in, which an index knows."""


class SqliteLog:
    """The `Log` port over `DATA/samedeal.db`; made by `open`."""

    def __init__(self, opened: Connections, journal: Journal) -> None:
        """Takes over what `open` has opened; belongs to the running loop."""
        loop = asyncio.get_running_loop()
        self._fate = Fate()
        self._lock = opened.lock
        self._journal = journal
        self._writer = Writer("log writer", opened.write, journal, fate=self._fate, loop=loop)
        self._reader = Worker("log reader", opened.read, fate=self._fate, loop=loop)
        self._is_closed = False

    @classmethod
    async def open(cls, data: Path, *, place_every: int = PLACE_EVERY) -> SqliteLog:
        """Opens the store in the folder `data`, or makes it; raises `CannotOpen`."""
        return cls(*await asyncio.to_thread(_open, data, place_every))

    @property
    def fault(self) -> str | None:
        """Why the log refuses everything until the server is started again, if it does."""
        return self._fate.fault

    async def close(self) -> None:
        """Finishes what was asked, folds the write-ahead log into the file, frees the folder."""
        if self._is_closed:
            return
        self._is_closed = True
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
        events, ended = tuple(entries), tuple(over)

        def work(connection: sqlite3.Connection) -> None:
            self._journal.append(events)
            for race in ended:
                self._journal.end(race)

        def is_single() -> bool:
            return not ended and self._journal.is_one_statement(events)

        await self._writer.ask(work, is_single=is_single)

    async def open_race(
        self, entry: Entry, *, opened_at: int, is_listed: bool, phrase_hash: bytes | None
    ) -> None:
        """Stores a new race with its first event; raises `LogConflict` for a code in use."""

        def work(connection: sqlite3.Connection) -> None:
            try:
                connection.execute(
                    "insert into races (race, opened_at, is_listed, phrase_hash) "
                    "values (?, ?, ?, ?)",
                    (entry.race, opened_at, is_listed, phrase_hash),
                )
            except sqlite3.IntegrityError:
                raise LogConflict(f"there is a race {entry.race}") from None
            self._journal.open(entry)

        await self._writer.ask(work)

    async def read(self, race: str, *, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Returns the lines of a race from seq `after + 1` on, in order; none for no such race.

        `limit` is how many at most.
        """

        def work(connection: sqlite3.Connection) -> list[bytes]:
            return read_lines(connection, self._journal.ids(connection, race, after=after)[:limit])

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

    async def ended(self, *, after: int = 0, limit: int) -> list[Ended]:
        """Returns the races that were marked as ended, by number, from the one behind `after`."""

        def work(connection: sqlite3.Connection) -> list[Ended]:
            rows: list[tuple[int, str, bytes | None]] = connection.execute(
                f"select number, race, summary from endings where number > ? and not {_IS_CUP} "
                "order by number limit ?",
                (after, limit),
            ).fetchall()
            return [Ended(*row) for row in rows]

        return await self._reader.ask(work)

    async def summarize(self, summaries: Mapping[str, bytes]) -> None:
        """Keeps something with each of these races that have ended, in place of what was kept."""
        rows = [(summary, race) for race, summary in summaries.items()]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("update endings set summary = ? where race = ?", rows)

        await self._writer.ask(work)

    async def rule(self, ruling: Ruling) -> None:
        """Stores a ruling behind all others."""
        await self._writer.ask(lambda connection: write_ruling(connection, ruling))

    async def rulings(self, *, after: int = 0) -> list[Ruling]:
        """Returns the rulings by number, from the one behind `after`."""
        return await self._reader.ask(lambda connection: read_rulings(connection, after=after))

    # --- players -------------------------------------------------------------------------------

    async def enter(self, player: str, race: str) -> None:
        """Notes that the player is an entrant or host of the race, for `races_of`."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "insert or ignore into entries (player, race) values (?, ?)", (player, race)
            )

        await self._writer.ask(work)

    async def races_of(self, player: str, *, limit: int) -> list[str]:
        """Returns the player's races, the one entered last first; no tournaments."""

        def work(connection: sqlite3.Connection) -> list[str]:
            rows: list[tuple[str]] = connection.execute(
                f"select race from entries where player = ? and not {_IS_CUP} "
                "order by number desc limit ?",
                (player, limit),
            ).fetchall()
            return [race for (race,) in rows]

        return await self._reader.ask(work)

    async def cups_of(self, player: str, *, over: bool, limit: int) -> list[RaceRow]:
        """Returns the tournaments that the player was entered for: those that are over, or those
        that are not; the last one first."""
        which = f"join entries using (race) where player = ? and {_IS_CUP} and is_over = ?"
        return await self._reader.ask(
            lambda connection: _race_rows(
                connection, f"{which} order by number desc limit ?", player, over, limit
            )
        )

    async def cups(self, *, over: bool, limit: int) -> list[RaceRow]:
        """Returns the listed tournaments that are over, or those that are not; newest first."""
        which = f"where {_IS_CUP} and is_listed and is_over = ? order by opened_at desc, race desc"
        return await self._reader.ask(
            lambda connection: _race_rows(connection, f"{which} limit ?", over, limit)
        )

    async def add_player(self, player: Player) -> None:
        """Raises `NameTaken`; `seen_at` is the instant of asking."""

        def work(connection: sqlite3.Connection) -> None:
            _free_name(connection, player.name, by=player.player, now=player.seen_at)
            row = (player.player, player.name, fold(player.name), player.bot)
            try:
                connection.execute(
                    "insert into players (player, name, folded, bot, token_hash, seen_at) "
                    "values (?, ?, ?, ?, ?, ?)",
                    (*row, player.token_hash, player.seen_at),
                )
            except sqlite3.IntegrityError:
                raise LogConflict(f"there is a player {player.player}") from None

        await self._writer.ask(work)

    async def player_by_token(self, token_hash: bytes) -> Player | None:
        """Returns the player whose token has this SHA-256."""

        found = await self._reader.ask(
            lambda connection: _players(connection, "where token_hash = ?", token_hash)
        )
        return found[0] if found else None

    async def player_by_name(self, name: str) -> Player | None:
        """Returns who is called so now, however it is written."""
        found = await self._reader.ask(
            lambda connection: _players(connection, "where folded = ?", fold(name))
        )
        return found[0] if found else None

    async def players(self, players: Sequence[str]) -> list[Player]:
        """Returns those of these players that there are, in no order."""
        wanted = json.dumps(list(players))
        return await self._reader.ask(
            lambda connection: _players(
                connection, "where player in (select value from json_each(?))", wanted
            )
        )

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

    async def mark_bot(self, player: str) -> None:
        """Notes that the player is a bot, for good."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("update players set bot = 1 where player = ?", (player,))

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
            connection.execute("update server set alive_at = max(coalesce(alive_at, 0), ?)", (at,))

        await self._writer.ask(work)

    async def last_alive(self) -> int | None:
        """Returns the latest instant that `alive` was told."""

        def work(connection: sqlite3.Connection) -> int | None:
            (at,) = connection.execute("select alive_at from server").fetchone()
            return None if at is None else int(at)

        return await self._reader.ask(work)


def _open(data: Path, place_every: int) -> tuple[Connections, Journal]:
    opened = open_store(data)
    try:
        return opened, Journal(opened.write, place_every=place_every)
    except BaseException:
        for connection in (opened.read, opened.write, opened.lock):
            connection.close()
        raise


def _race_rows(connection: sqlite3.Connection, which: str, *values: str | int) -> list[RaceRow]:
    rows: list[tuple[str, int, int, bytes | None]] = connection.execute(
        f"select race, opened_at, is_over, phrase_hash from races {which}", values
    ).fetchall()
    return [
        RaceRow(race, opened_at, bool(is_over), phrase_hash)
        for race, opened_at, is_over, phrase_hash in rows
    ]


def _players(connection: sqlite3.Connection, which: str, value: str | bytes) -> list[Player]:
    rows: list[tuple[str, str, int, bytes, int]] = connection.execute(
        f"select player, name, bot, token_hash, seen_at from players {which}", (value,)
    ).fetchall()
    return [
        Player(player, name, bool(bot), token_hash, seen_at)
        for player, name, bot, token_hash, seen_at in rows
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
