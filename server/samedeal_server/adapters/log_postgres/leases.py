"""Which node owns which race, as PostgreSQL knows it.

All instants are of the database's clock. A node's lease is one row, renewed several times within
its length; a race's owner, epoch and next seq are its row, which appends and claims change alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from samedeal_server.adapters.log_postgres.log import PostgresLog, is_storable
from samedeal_server.ports import Claim, NodeRow

__all__ = ["TTL_MS", "PostgresLeases"]

TTL_MS: Final = 3_000
"""How long a lease runs unless it is renewed. To be renewed every sixth of it."""

_CLAIM: Final = "select claimed, its_epoch, since from samedeal.claim($1, $2, $3, $4)"

_GIVE_UP: Final = """
update samedeal.races set owner = null, incarnation = null, left_at = samedeal.now_ms()
where owner = $1 and incarnation = $2
"""


class PostgresLeases:
    """The `Leases` port for the node, and in the life, as which a log appends."""

    def __init__(self, log: PostgresLog, *, ttl_ms: int = TTL_MS) -> None:
        self._log = log
        self._ttl_ms = ttl_ms
        self._me = (log.node, log.incarnation)

    @property
    def node(self) -> str:
        """The name of this node."""
        return self._log.node

    @property
    def incarnation(self) -> str:
        """What tells this run of the node from its earlier ones."""
        return self._log.incarnation

    @property
    def is_shared(self) -> bool:
        """There can be other nodes."""
        return True

    async def join(self) -> None:
        """Takes this node's place; what an earlier incarnation of its name owned is orphaned."""
        await self._log.do("select samedeal.take_place($1, $2, $3)", *self._me, self._ttl_ms)

    async def renew(self, *, has_bus: bool) -> bool:
        """Makes the lease run anew; False when the node's place is not this incarnation's."""
        rows = await self._log.fetch(
            "update samedeal.nodes set alive_at = samedeal.now_ms(), "
            "lease_until = samedeal.now_ms() + $3, has_bus = $4 "
            "where node = $1 and incarnation = $2 and alive_at is not null returning node",
            *(*self._me, self._ttl_ms, has_bus),
        )
        return bool(rows)

    async def nodes(self) -> list[NodeRow]:
        """Returns every node that has joined and not left, by name."""
        rows = await self._log.fetch(
            "select node, incarnation, alive_at, lease_until > samedeal.now_ms(), has_bus "
            "from samedeal.nodes where alive_at is not null order by node"
        )
        return [NodeRow(*row) for row in rows]

    async def owner(self, race: str) -> tuple[str, int] | None:
        """Returns the race's owner and epoch; None when nobody alive owns it."""
        if not is_storable(race):
            return None
        rows = await self._log.fetch(
            "select r.owner, r.epoch from samedeal.races as r join samedeal.nodes as n "
            "on n.node = r.owner and n.incarnation = r.incarnation "
            "where r.race = $1 and n.lease_until > samedeal.now_ms()",
            race,
        )
        return (rows[0][0], rows[0][1]) if rows else None

    async def claim(self, race: str) -> Claim | None:
        """Takes a race, also an ended one, that nobody else alive owns; None if that cannot be.

        A race that is this node's own already is claimed again, with a new epoch.
        """
        if not is_storable(race):
            return None
        claims = await self._claim(race, 1)
        return claims[0] if claims else None

    async def claim_orphans(self, *, limit: int) -> list[Claim]:
        """Takes up to `limit` unfinished races that nobody alive owns, the oldest first."""
        return await self._claim(None, limit)

    async def owned(self, races: Sequence[str]) -> dict[str, int]:
        """Returns which of these races are this node's own, with the epochs of their claims."""
        rows = await self._log.fetch(
            "select race, epoch from samedeal.races "
            "where race = any ($3) and owner = $1 and incarnation = $2",
            *(*self._me, list(races)),
        )
        return {row[0]: row[1] for row in rows}

    async def release(self, races: Sequence[str]) -> None:
        """Gives races of this node up, so that any node may claim them."""
        await self._log.do(f"{_GIVE_UP} and race = any ($3)", *self._me, list(races))

    async def leave(self) -> None:
        """Gives everything up and the node's place with it."""
        await self._log.do(f"{_GIVE_UP} and not is_over", *self._me)
        await self._log.do(
            "update samedeal.nodes set alive_at = null, lease_until = 0, has_bus = false "
            "where node = $1 and incarnation = $2",
            *self._me,
        )

    async def _claim(self, named: str | None, at_most: int) -> list[Claim]:
        rows = await self._log.fetch(_CLAIM, *self._me, named, at_most)
        return [Claim(*row) for row in rows]
