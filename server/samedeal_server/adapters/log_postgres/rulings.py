"""Rulings about races that have ended, written from outside, beside servers that run."""

from __future__ import annotations

import asyncio

from samedeal_server.adapters.log_postgres.log import PostgresLog
from samedeal_server.adapters.log_postgres.schema import place_of
from samedeal_server.adapters.opening import CannotOpen
from samedeal_server.ports import LogUnavailable, Ruling

__all__ = ["rule"]


def rule(url: str, ruling: Ruling) -> None:
    """Stores a ruling in the database at `postgresql://...`; raises `CannotOpen`."""
    asyncio.run(_rule(url, ruling))


async def _rule(url: str, ruling: Ruling) -> None:
    log = await PostgresLog.open(url, node="ruling")
    try:
        await log.rule(ruling)
    except LogUnavailable as fault:
        raise CannotOpen(
            f"{place_of(url)} cannot be written ({fault}); look at /api/v1/annulments before "
            "trying again"
        ) from fault
    finally:
        await log.close()
