"""Looking at a database from outside, without changing it; running servers may use it meanwhile.

One transaction that only reads sees everything as it was when it began. Whoever looks has nothing
else to do meanwhile, so this waits for every answer, on a loop of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from itertools import groupby
from typing import Any, Final, TypeVar

import asyncpg
from asyncpg.cursor import Cursor

from samedeal_server.adapters.log_postgres.lanes import FAULTS, Connection
from samedeal_server.adapters.log_postgres.log import RULINGS, ruling_of
from samedeal_server.adapters.log_postgres.schema import check, place_of
from samedeal_server.adapters.opening import CannotOpen
from samedeal_server.ports import Player, RaceRow, Ruling
from samedeal_server.stored import Entrance, StoredRace

__all__ = ["Stored"]

_T = TypeVar("_T")

_AT_ONCE: Final = 1000
"""Rows that are in memory at once, besides those of one race."""


class Stored:
    """The `Source` that a PostgreSQL is. Not for use where a loop runs."""

    def __init__(self, url: str) -> None:
        """Holds on to this instant; raises `CannotOpen`."""
        self._place = place_of(url)
        self._runner = asyncio.Runner()
        self._connection: Connection | None = None
        try:
            self._connection = self._ask(_looking(url))
            (row,) = self._ask(
                self._connection.fetch(
                    "select max(greatest(beat_at, alive_at)) from samedeal.nodes"
                )
            )
            self._alive_at: int | None = row[0]
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Stored:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._connection is not None:
            with suppress(CannotOpen):
                self._ask(self._connection.close(timeout=5))
        self._runner.close()

    @property
    def alive_at(self) -> int | None:
        """When a node last noted that it lived, in ms of UTC."""
        return self._alive_at

    def damage(self) -> list[str]:
        """Returns nothing: a PostgreSQL checks its own pages when it reads them."""
        return []

    def strays(self) -> list[str]:
        """Returns the codes under which there are events, but no race."""
        rows = self._rows(
            "select distinct race from samedeal.events as e "
            "where not exists (select from samedeal.races as r where r.race = e.race)"
        )
        return sorted(row[0] for row in rows)

    def count(self) -> int:
        """Returns how many races there are."""
        (row,) = self._rows("select count(*) from samedeal.races")
        return int(row[0])

    def count_events(self) -> int:
        """Returns how many events there are, also such as no race has."""
        (row,) = self._rows("select count(*) from samedeal.events")
        return int(row[0])

    def races(self) -> Iterator[StoredRace]:
        """Yields every race, by code."""
        events = groupby(
            self._rows("select race, seq, line from samedeal.events order by race, seq"),
            key=lambda row: str(row[0]),
        )
        group = next(events, None)
        rows = self._rows(
            "select race, opened_at, is_over, phrase_hash, is_listed, head, last_seq "
            "from samedeal.races order by race"
        )
        for race, opened_at, is_over, phrase_hash, is_listed, head, last_seq in rows:
            seqs: list[int] = []
            lines: list[bytes] = []
            # Both come in the order of the code's bytes, which is that of Python's texts.
            while group is not None and group[0] <= race:
                for code, seq, line in group[1]:
                    if code == race:
                        seqs.append(seq)
                        lines.append(line)
                group = next(events, None)
            yield StoredRace(
                row=RaceRow(race, opened_at, is_over, phrase_hash),
                is_listed=is_listed,
                seqs=seqs,
                lines=lines,
                head=head,
                head_seq=last_seq,
                is_placed=len(seqs) == last_seq,
            )

    def players(self) -> Iterator[Player]:
        """Yields every player."""
        rows = self._rows(
            "select player, name, bot, token_hash, seen_at from samedeal.players order by player"
        )
        for row in rows:
            yield Player(*row)

    def entries(self) -> Iterator[Entrance]:
        """Yields who entered what, in that order."""
        for row in self._rows("select player, race from samedeal.entries order by number"):
            yield Entrance(*row)

    def rulings(self) -> Iterator[Ruling]:
        """Yields the rulings, in their order."""
        for row in self._rows(f"{RULINGS} order by number"):
            yield ruling_of(row)

    def _rows(self, statement: str) -> Iterator[asyncpg.Record]:
        """Yields the rows of a statement, of which few are in memory at once."""
        assert self._connection is not None  # between __enter__ and __exit__
        cursor = self._ask(_cursor(self._connection, statement))
        while rows := self._ask(cursor.fetch(_AT_ONCE)):
            yield from rows

    def _ask(self, question: Coroutine[Any, Any, _T]) -> _T:
        """Waits for an answer; raises `CannotOpen` when there is none."""
        try:
            return self._runner.run(question)
        except FAULTS as fault:
            raise CannotOpen(f"{self._place} cannot be read ({fault}); try again") from fault


async def _looking(url: str) -> Connection:
    """Returns a connection that sees this instant from now on."""
    await check(url)
    connection = await asyncpg.connect(
        url, server_settings={"application_name": "samedeal-server, looking"}
    )
    try:
        await connection.transaction(isolation="repeatable_read", readonly=True).start()
    except BaseException:
        connection.terminate()
        raise
    return connection


async def _cursor(connection: Connection, statement: str) -> Cursor[asyncpg.Record]:
    return await connection.cursor(statement)
