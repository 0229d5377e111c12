"""Which races are this node's: its lease, what it claims, what it must let go.

Safety comes from the epochs, which the log checks. All here is to have somebody own every race. A
node that cannot be sure asks the store; what the bus says is a hint.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_server.ports import Bus, Claim, Clock, Leases, LogUnavailable, NodeRow
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.home import Home
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.seats import Seats

__all__ = ["Tenure"]

_log = logging.getLogger(__name__)

CLAIMED: Final = 100
"""Orphans that are claimed at a time."""
MUTE_S: Final = 3.0
"""How long a node without the bus keeps races in which others' players are, and claims any."""
LAPSE_S: Final = 2.0
"""A node that has not renewed its lease for so long looks at what it still owns."""


class Tenure:
    """This node's lease and claims."""

    def __init__(self, home: Home, *, leases: Leases, bus: Bus, clock: Clock, seats: Seats) -> None:
        self._home = home
        self._leases = leases
        self._bus = bus
        self._clock = clock
        self._seats = seats
        self._seconds = asyncio.get_running_loop().time
        self._renewed = self._heard_bus = self._seconds()
        self._is_superseded = False

    @property
    def may_claim(self) -> bool:
        """Whether this node is in a position to serve more races."""
        return not (self._is_superseded or self._home.is_draining or self.is_mute)

    @property
    def is_mute(self) -> bool:
        """Whether the bus has been gone for long."""
        return self._leases.is_shared and self._seconds() - self._heard_bus >= MUTE_S

    async def of(self, code: str) -> Claim | tuple[str, int]:
        """Returns this node's claim to a race, taking it if nobody else has it, or who has it.

        Raises:
            Refused: nobody owns the race, and this node is in no position to.
            LogUnavailable: the store cannot be asked.
        """
        owner = await self._leases.owner(code)
        if owner is not None and owner[0] != self._leases.node:
            return owner
        if self.may_claim:
            claim = await self._leases.claim(code)
            if claim is not None:
                return claim
        raise Refused(ErrorCode.STORE_UNAVAILABLE, "the race is changing hands; try once more")

    async def renew(self) -> None:
        """Keeps the lease, and claims what has no owner."""
        if self._bus.is_connected:
            self._heard_bus = self._seconds()
        try:
            has_lease = await self._leases.renew(has_bus=self._bus.is_connected)
            if has_lease is self._is_superseded:
                self._is_superseded = not has_lease
                if not has_lease:
                    _log.critical("another server took this node's name node=%s", self._leases.node)
                    self._home.lose({room.id for room in self._owned()})
            lapsed = self._seconds() - self._renewed > LAPSE_S
            self._renewed = self._seconds()
            if lapsed:
                await self.look()
            if self.may_claim:
                for claim in await self._leases.claim_orphans(limit=CLAIMED):
                    await self._home.take_up(claim)
        except LogUnavailable as fault:
            _log.warning("the lease cannot be renewed fault=%s", fault)

    async def look(self) -> None:
        """Lets go of races that others have claimed, and of players whose nodes are gone."""
        before = self._owned()
        try:
            owned = await self._leases.owned([room.id for room in before])
            nodes = await self._leases.nodes()
            lost = {room.id for room in before if owned.get(room.id) != room.epoch}
            rooms = self._home.rooms
            self._home.lose({room.id for room in before if rooms.get(room.id) is room} & lost)
            self._seats.keep({(each.node, each.incarnation) for each in nodes if each.is_alive})
            if self.is_mute and any(self._is_better(each) for each in nodes):
                await self._hand_over()
        except LogUnavailable as fault:
            _log.warning("nobody can be asked who owns what fault=%s", fault)

    async def leave(self) -> None:
        """Gives all races to whoever is there to take them."""
        await self._leases.leave()

    async def has_heirs(self) -> bool:
        """Says whether other nodes live, which take over what this one gives up."""
        nodes = await self._leases.nodes()
        return any(each.is_alive and each.node != self._leases.node for each in nodes)

    async def _hand_over(self) -> None:
        """Gives up the races in which players of other nodes are, who cannot reach this one."""
        races = {room.id for room in self._owned() if room.seats_afar()}
        if races:
            _log.warning("races given up for want of the bus races=%d", len(races))
            await self._leases.release(sorted(races))
            self._home.lose(races)

    def _is_better(self, other: NodeRow) -> bool:
        return other.is_alive and other.has_bus and other.node != self._leases.node

    def _owned(self) -> list[Room]:
        return [room for room in self._home.rooms.values() if room.is_owned]
