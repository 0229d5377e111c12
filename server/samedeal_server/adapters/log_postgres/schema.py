"""The schema and its number: what `samedeal-server migrate` does, and what a server refuses.

Everything is in the schema `samedeal` of the database that the URL names. Each file of `migrations`
leads from one number to the next, in a transaction of its own that also notes the number; whoever
migrates holds a lock of the database's, so that two do not at once.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib import resources
from typing import Final
from urllib.parse import urlsplit

import asyncpg

from samedeal_server.adapters.log_postgres.lanes import FAULTS, Connection
from samedeal_server.adapters.opening import CannotOpen

__all__ = ["MIGRATIONS", "Migration", "check", "migrate", "place_of"]

OLDEST: Final = 14
"""The PostgreSQL that we need at least."""

_CONNECT_S: Final = 10.0
_LOCK: Final = 0x53444C31
"""The number of the lock that a migration holds."""


@dataclass(frozen=True, slots=True)
class Migration:
    """How to come to the schema `number` from the one before it."""

    number: int
    title: str
    statements: str


def _load() -> tuple[Migration, ...]:
    folder = resources.files("samedeal_server.adapters.log_postgres") / "migrations"
    found = []
    for file in folder.iterdir():
        number, _, title = file.name.removesuffix(".sql").partition("_")
        found.append(Migration(int(number), title.replace("_", " "), file.read_text("utf-8")))
    found.sort(key=lambda migration: migration.number)
    return tuple(found)


MIGRATIONS: Final = _load()
"""How to come from schema n to n + 1, for every n."""


def place_of(url: str) -> str:
    """Returns what a URL names, without the password."""
    parts = urlsplit(url)
    who, at, where = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{who.partition(':')[0]}{at}{where}{parts.path}"


async def migrate(url: str) -> list[str]:
    """Brings the database's schema up to date; returns what was done, a line each.

    Raises `CannotOpen`, also when the steps so far were done.
    """
    connection = await _connect(url)
    try:
        await connection.execute("select pg_advisory_lock($1)", _LOCK)
        done = []
        for step in MIGRATIONS[await _version(connection, place_of(url)) :]:
            async with connection.transaction():
                await connection.execute(step.statements)
                await connection.execute(
                    "insert into samedeal.schema_versions (version, title) values ($1, $2)",
                    step.number,
                    step.title,
                )
            done.append(f"schema {step.number - 1} -> {step.number}: {step.title}")
        return done
    except FAULTS as fault:
        raise CannotOpen(f"{place_of(url)} cannot be migrated ({fault})") from fault
    finally:
        connection.terminate()


async def check(url: str) -> None:
    """Raises `CannotOpen` unless the database has the schema that this program knows."""
    place = place_of(url)
    connection = await _connect(url)
    try:
        version = await _version(connection, place)
    except FAULTS as fault:
        raise CannotOpen(f"{place} cannot be read ({fault})") from fault
    finally:
        connection.terminate()
    if version < len(MIGRATIONS):
        has = f"an older samedeal's tables (schema {version})" if version else "no tables yet"
        raise CannotOpen(f"{place} has {has}; run samedeal-server migrate --store {place}")


async def _connect(url: str) -> Connection:
    place = place_of(url)
    try:
        async with asyncio.timeout(_CONNECT_S):
            connection = await asyncpg.connect(url)
    except TimeoutError:
        raise CannotOpen(f"{place} does not answer; is --store right, and PostgreSQL up?") from None
    except (*FAULTS, ValueError) as fault:
        raise CannotOpen(
            f"{place} cannot be reached ({fault}); is --store right, and PostgreSQL up?"
        ) from fault
    if connection.get_server_version().major < OLDEST:
        connection.terminate()
        raise CannotOpen(f"{place} is older than PostgreSQL {OLDEST}; name a newer one")
    if connection.get_settings().server_encoding != "UTF8":
        connection.terminate()
        raise CannotOpen(f"{place} is not in UTF-8; make the database with encoding 'UTF8'")
    return connection


async def _version(connection: Connection, place: str) -> int:
    """Returns the schema's number, 0 for none; raises `CannotOpen` for what is not ours to use."""
    row = await connection.fetchrow(
        "select to_regnamespace('samedeal') is not null as is_there, "
        "to_regclass('samedeal.schema_versions') is not null as is_ours"
    )
    assert row is not None  # a row without a table behind it
    if not row["is_there"]:
        return 0
    if not row["is_ours"]:
        raise CannotOpen(
            f"{place} has a schema called samedeal that some other program made; "
            "name another database with --store"
        )
    version = int(
        await connection.fetchval("select coalesce(max(version), 0) from samedeal.schema_versions")
    )
    if version > len(MIGRATIONS):
        raise CannotOpen(
            f"{place} was migrated by a newer samedeal (schema {version}, this one knows "
            f"{len(MIGRATIONS)}); install that version, or name another database with --store"
        )
    return version
