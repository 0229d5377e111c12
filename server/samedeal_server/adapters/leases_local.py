"""Which races a server owns that shares its log with nobody: all of them.

A race is orphaned when it was unfinished at the start, or was released, until it is claimed. Epochs
are counted in memory, since no log that one server has to itself asks for them: from 1 at every
start.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

from samedeal_server.ports import Claim, Log, NodeRow, RaceRow

__all__ = ["LocalLeases"]


class LocalLeases:
    """The `Leases` port for one server; its store's clock is what it tells `Log.alive`."""

    def __init__(self, log: Log, node: str) -> None:
        self._log = log
        self._node = node
        self._incarnation = secrets.token_hex(8)
        self._epochs: dict[str, int] = {}
        """Of the races that were claimed or released; all others have epoch 1."""
        self._orphans: dict[str, int | None] = {}
        """The orphaned races, oldest first, and when their owner last lived."""
        self._is_in = False
        self._has_bus = False

    @property
    def node(self) -> str:
        """The name of this node."""
        return self._node

    @property
    def incarnation(self) -> str:
        """What tells this run of the node from its earlier ones."""
        return self._incarnation

    @property
    def is_shared(self) -> bool:
        """There are no other nodes."""
        return False

    async def join(self) -> None:
        """Takes this node's place; every race that is unfinished by now is orphaned."""
        since = await self._log.last_alive()
        self._orphans = {row.race: since for row in await self._log.unfinished()}
        self._epochs.clear()
        self._is_in = True

    async def renew(self, *, has_bus: bool) -> bool:
        """Returns whether this node has joined; nobody else can have taken its name."""
        self._has_bus = has_bus
        return self._is_in

    async def nodes(self) -> list[NodeRow]:
        """Returns this node, once it has joined."""
        if not self._is_in:
            return []
        alive_at = await self._log.last_alive() or 0
        return [NodeRow(self._node, self._incarnation, alive_at, True, self._has_bus)]

    async def owner(self, race: str) -> tuple[str, int] | None:
        """Returns this node and the epoch, for a race that it has opened or claimed."""
        is_owned = self._is_in and race not in self._orphans
        if not is_owned or await self._log.race(race) is None:
            return None
        return self._node, self._epochs.get(race, 1)

    async def claim(self, race: str) -> Claim | None:
        """Takes an orphan, or a race of its own anew, with a new epoch; None for no such race."""
        if await self._log.race(race) is None:
            return None
        if race in self._orphans:
            return self._take(race)
        since = await self._log.last_alive()
        epoch = self._epochs[race] = self._epochs.get(race, 1) + 1
        return Claim(race, epoch, since)

    async def claim_orphans(self, *, limit: int) -> list[Claim]:
        """Takes up to `limit` orphans, the oldest first."""
        return [self._take(race) for race in list(self._orphans)[:limit]]

    async def owned(self, races: Sequence[str]) -> dict[str, int]:
        """Returns those of these races that are no orphans, with their epochs."""
        return {race: self._epochs.get(race, 1) for race in races if race not in self._orphans}

    async def release(self, races: Sequence[str]) -> None:
        """Makes orphans of races that are this node's and unfinished."""
        released = frozenset(races)
        await self._orphan(row for row in await self._log.unfinished() if row.race in released)

    async def leave(self) -> None:
        """Gives everything up and the node's place with it."""
        await self._orphan(await self._log.unfinished())
        self._is_in = False

    async def _orphan(self, rows: Iterable[RaceRow]) -> None:
        since = await self._log.last_alive()
        for row in rows:
            if row.race not in self._orphans:
                self._orphans[row.race] = since
                self._epochs.setdefault(row.race, 1)

    def _take(self, race: str) -> Claim:
        since = self._orphans.pop(race)
        epoch = self._epochs[race] = self._epochs.get(race, 0) + 1
        return Claim(race, epoch, since)
