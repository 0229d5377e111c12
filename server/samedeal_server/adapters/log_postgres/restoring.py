"""Filling an empty database with what a backup holds: all of it in one transaction, or nothing.

No race has an owner then: whichever node starts takes the unfinished ones up, as after a crash.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

import asyncpg

from samedeal_protocol.events import CHAIN_START, link
from samedeal_server.adapters.log_postgres.lanes import FAULTS, Connection
from samedeal_server.adapters.log_postgres.schema import check, place_of
from samedeal_server.adapters.names import fold
from samedeal_server.adapters.opening import CannotOpen
from samedeal_server.ports import Player, Ruling
from samedeal_server.stored import Entrance, Record, StoredRace

__all__ = ["restore"]

_AT_ONCE: Final = 5000
"""Rows of a table that are copied at once."""

_TABLES: Final = {
    "races": (
        "race", "opened_at", "is_listed", "phrase_hash", "is_over", "left_at", "last_seq", "head"
    ),
    "events": ("race", "seq", "line"),
    "players": ("player", "name", "folded", "bot", "token_hash", "seen_at"),
    "entries": ("player", "race"),
    "endings": ("race",),
    "rulings": ("at", "race", "is_annulled", "reason", "differences"),
}  # fmt: skip
"""What is filled, and with which columns."""

_LOCK: Final = """
set local lock_timeout = '10s';
lock table samedeal.nodes, samedeal.races, samedeal.events, samedeal.players, samedeal.entries,
    samedeal.endings, samedeal.rulings
in share row exclusive mode
"""


def restore(url: str, content: Iterable[Record], *, alive_at: int | None) -> None:
    """Stores everything in the database at `postgresql://...`, which `migrate` has made ready.

    `alive_at` is when a server last lived, in ms of UTC. Raises `CannotOpen` unless the store is
    empty and nobody uses it; whatever `content` raises passes through. Then nothing is stored.
    """
    asyncio.run(_restore(url, content, alive_at))


async def _restore(url: str, content: Iterable[Record], alive_at: int | None) -> None:
    await check(url)
    place = place_of(url)
    try:
        connection = await asyncpg.connect(
            url, server_settings={"application_name": "samedeal-server, restoring"}
        )
        try:
            async with connection.transaction():
                await _refuse_unless_idle(connection, place)
                await connection.execute(_LOCK)
                await _refuse_unless_idle(connection, place)
                await _refuse_unless_empty(connection, place)
                filling = _Filling(connection, alive_at)
                for record in content:
                    await filling.add(record)
                await filling.end()
        finally:
            # What was not committed is rolled back.
            connection.terminate()
    except FAULTS as fault:
        raise CannotOpen(f"{place} cannot be filled ({fault}); nothing was restored") from fault


async def _refuse_unless_idle(connection: Connection, place: str) -> None:
    alive = await connection.fetchval(
        "select node from samedeal.nodes where lease_until > samedeal.now_ms() limit 1"
    )
    if alive is not None:
        raise CannotOpen(f"the node {alive} serves from {place}; stop it, or name another --store")


async def _refuse_unless_empty(connection: Connection, place: str) -> None:
    for table in _TABLES:
        if await connection.fetchval(f"select exists (select from samedeal.{table})"):
            raise CannotOpen(f"{place} has {table} already; name an empty database with --store")


class _Filling:
    """Copies rows in groups, in the caller's transaction."""

    def __init__(self, connection: Connection, alive_at: int | None) -> None:
        self._connection = connection
        self._alive_at = alive_at
        self._waiting: dict[str, list[tuple[object, ...]]] = {table: [] for table in _TABLES}

    async def add(self, record: Record) -> None:
        match record:
            case StoredRace():
                await self._add_race(record)
            case Player():
                await self._put(
                    "players",
                    *(record.player, record.name, fold(record.name)),
                    *(record.bot, record.token_hash, record.seen_at),
                )
            case Entrance():
                await self._put("entries", record.player, record.race)
            case Ruling():
                await self._put(
                    "rulings",
                    *(record.at, record.race, record.is_annulled),
                    *(record.reason, record.differences),
                )

    async def end(self) -> None:
        for table in _TABLES:
            await self._copy(table)

    async def _add_race(self, race: StoredRace) -> None:
        row = race.row
        # What was kept as the chain's value stays, so that a change since then still shows.
        head, kept = race.head or CHAIN_START, race.head_seq or 0
        for seq, line in zip(race.seqs, race.lines, strict=True):
            if seq > kept:
                head = link(head, line)
            await self._put("events", row.race, seq, line)
        await self._put(
            "races",
            *(row.race, row.opened_at, race.is_listed, row.phrase_hash, row.is_over),
            *(self._alive_at, len(race.lines), head),
        )
        if row.is_over:
            await self._put("endings", row.race)

    async def _put(self, table: str, *values: object) -> None:
        self._waiting[table].append(values)
        if len(self._waiting[table]) >= _AT_ONCE:
            await self._copy(table)

    async def _copy(self, table: str) -> None:
        await self._connection.copy_records_to_table(
            table,
            schema_name="samedeal",
            columns=_TABLES[table],
            records=self._waiting[table],
        )
        self._waiting[table].clear()
