"""Which races are this node's: its lease, what it claims, what it must let go.

Safety comes from the epochs, which the log checks. All here is to have somebody own every race. A
node that cannot be sure asks the store; what the bus says is a hint.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from samedeal_protocol.errors import CloseCode, ErrorCode
from samedeal_server.ports import Claim, LogUnavailable, NodeRow
from samedeal_server.racing.race import Refused
from samedeal_server.refusals import fault_text
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.home import Home, Ties
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.seats import Seats
from samedeal_server.rooms.seldom import Seldom

__all__ = ["Tenure"]

_log = logging.getLogger(__name__)

CLAIMED: Final = 100
"""Orphans that are claimed at a time."""
ALONE_S: Final = 1.5
"""How long a node without the bus, that others have, keeps races in which others' players are."""
LATE_S: Final = 2.0
"""A node that has renewed its lease so late looks at what it still owns."""
RENEW_WITHIN_S: Final = 1.0
"""How long the store may take to renew a lease; it is asked again soon."""
LAPSED_S: Final = 4.0
"""A node that cannot renew its lease for so long has none, and sends its players away."""


class Tenure:
    """This node's lease and claims."""

    def __init__(self, home: Home, ties: Ties, *, seats: Seats) -> None:
        self._home = home
        self._leases = ties.leases
        self._bus = ties.bus
        self._spawn = ties.spawn
        self._seats = seats
        self._seconds = asyncio.get_running_loop().time
        self._renewed = self._seconds()
        self._alone_since: float | None = None
        self.superseded = asyncio.Event()
        """Another server has this node's name: here is nothing more to do."""
        self._claims: list[Claim] = []
        """Races that were claimed, and are to be read."""
        self._is_taking_up = False
        self._is_in = False
        self._seldom = Seldom(ties.spawn)

    @property
    def may_claim(self) -> bool:
        """Whether this node is in a position to serve more races."""
        is_unfit = self._home.is_draining or self.is_alone or self.is_lapsed
        return not (self._leases.is_shared and (is_unfit or self.superseded.is_set()))

    @property
    def is_alone(self) -> bool:
        """Whether this node has no bus, and others have."""
        return self._alone_since is not None

    @property
    def is_lapsed(self) -> bool:
        """Whether the lease could not be renewed for so long that others may have all races."""
        return self._leases.is_shared and self._seconds() - self._renewed >= LAPSED_S

    async def join(self) -> None:
        """Takes this node's place among all; raises `LogUnavailable`."""
        await self._leases.join()
        self._renewed = self._seconds()
        self._is_in = True

    async def of(self, code: str) -> Claim | tuple[str, int]:
        """Returns this node's claim to a race, taking it if nobody else has it, or who has it.

        Raises:
            Refused: nobody owns the race, and this node is in no position to.
            LogUnavailable: the store cannot be asked.
        """
        for waiting in self._claims:
            if waiting.race == code:
                # It waits to be taken up, and knows since when nobody has had the race.
                self._claims.remove(waiting)
                return waiting
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
        if not self._is_in:
            return
        try:
            async with asyncio.timeout(RENEW_WITHIN_S):
                has_lease = await self._leases.renew(has_bus=self._bus.is_connected)
            if not has_lease and not self.superseded.is_set():
                _log.critical("another server took this node's name node=%s", self._leases.node)
                self.superseded.set()
                self._send_away(list(self._home.rooms.values()))
                self._home.lose(set(self._home.held()))
            was_late = self._seconds() - self._renewed > LATE_S
            self._renewed = self._seconds()
            if was_late:
                await self.look()
                # Others may have taken this node for dead, and its players for gone.
                for room in self._home.rooms.values():
                    if isinstance(room, Follower):
                        room.say_who_is_here()
            if self.may_claim and not self._is_taking_up:
                # Beside the lease: many races take longer to read than it runs.
                self._is_taking_up = True
                self._spawn(self._take_up(), "take up")
        except (LogUnavailable, TimeoutError) as fault:
            _log.warning("the lease cannot be renewed fault=%s", str(fault) or "no answer in time")
            if self.is_lapsed:
                # Nothing can be acknowledged here; elsewhere it can.
                self._send_away(list(self._home.rooms.values()))

    async def _take_up(self) -> None:
        """Claims what has no owner, and goes on with what was claimed before."""
        try:
            while self.may_claim:
                self._claims += await self._leases.claim_orphans(limit=CLAIMED)
                if not self._claims:
                    break
                while self._claims:
                    claim = self._claims.pop(0)
                    try:
                        await self._home.take_up(claim)
                    except LogUnavailable:
                        self._claims.insert(0, claim)
                        raise
        except LogUnavailable as fault:
            _log.warning("races not taken up races=%d fault=%s", len(self._claims), fault)
        except Exception as fault:
            _log.error("taking up failed fault=%s", fault_text(fault))
        finally:
            self._is_taking_up = False

    async def look(self) -> None:
        """Lets go of races that others have claimed, and of players whose nodes are gone."""
        before = self._home.held()
        try:
            owned = await self._leases.owned(list(before))
            nodes = await self._leases.nodes()
            held = self._home.held()
            self._home.lose(
                {
                    code
                    for code, epoch in before.items()
                    if owned.get(code) != epoch and held.get(code) == epoch
                }
            )
            self._seats.keep({(each.node, each.incarnation) for each in nodes if each.is_alive})
            await self._look_for_company(nodes)
        except LogUnavailable as fault:
            _log.warning("nobody can be asked who owns what fault=%s", fault)

    def doubt(self) -> None:
        """Has this node look soon at what it owns, however often that is doubted meanwhile."""
        self._seldom.run("look", self.look)

    async def leave(self) -> None:
        """Gives all races to whoever is there to take them."""
        self._is_in = False
        await self._leases.leave()

    async def has_heirs(self) -> bool:
        """Says whether other nodes live, which take over what this one gives up."""
        nodes = await self._leases.nodes()
        return any(each.is_alive and each.node != self._leases.node for each in nodes)

    async def _look_for_company(self, nodes: Sequence[NodeRow]) -> None:
        """Gives up what a node cannot serve that has been cut from the others for a while."""
        if self._bus.is_connected or not any(self._is_better(each) for each in nodes):
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = self._seconds()
        elif self._seconds() - self._alone_since >= ALONE_S:
            await self._hand_over()
            self._send_away([room for room in self._home.rooms.values() if not room.is_owned])

    async def _hand_over(self) -> None:
        """Gives up what players of other nodes are in, who cannot reach this one.

        Those are the tournaments, whoever asks something of them.
        """
        rooms = self._home.rooms.values()
        races = {room.id for room in rooms if room.is_owned and room.seats_afar()}
        races |= self._home.annex.held().keys()
        if races:
            _log.warning("races given up for want of the bus races=%d", len(races))
            await self._leases.release(sorted(races))
            self._home.lose(races)

    def _send_away(self, rooms: Sequence[Room]) -> None:
        """Has the players of these races come back, which may be to another node."""
        for room in rooms:
            for viewer in tuple(room.viewers()):
                if viewer.is_holder and not viewer.is_afar:
                    viewer.peer.close(CloseCode.RESTARTING)

    def _is_better(self, other: NodeRow) -> bool:
        return other.is_alive and other.has_bus and other.node != self._leases.node
