"""This node among others, put together: its tenure, the lines that travel, the orders, the lobby.

A server that has its store to itself has no federation but a tenure that never ends.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from samedeal_protocol import topics
from samedeal_protocol.messages import RaceCard
from samedeal_protocol.topics import BadMessage, Owner
from samedeal_server.ports import LogUnavailable
from samedeal_server.rooms.feeds import Feeds
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.home import Home, Ties
from samedeal_server.rooms.orders import Orders
from samedeal_server.rooms.seats import NodeLife, Seats
from samedeal_server.rooms.tenure import Tenure

__all__ = ["Federation"]

CHECKED: Final = 20
"""Races of the lobby that are looked up in the store at a time, in turn."""


class Federation:
    """The nodes that share a log, as one of them sees them."""

    def __init__(self, home: Home, ties: Ties) -> None:
        self._home = home
        self._meter = ties.meter
        self._bus = ties.bus
        self._node = ties.leases.node
        self._cards: dict[str, Owner] = {}
        seats = Seats(home, ties.clock, replaced=self._say_replaced)
        self.tenure = Tenure(home, ties, seats=seats)
        self.feeds = Feeds(home, ties)
        self.orders = Orders(home, ties, feeds=self.feeds, seats=seats, tenure=self.tenure)
        self._stops = [self.orders.close]
        if ties.leases.is_shared:
            self._stops += (
                ties.bus.subscribe(topics.OWNER.pattern, self._on_owner),
                ties.bus.on_connected(self._on_connected),
            )

    def close(self) -> None:
        """Hears nothing any more."""
        for stop in self._stops:
            stop()

    # --- the lobby of all nodes ----------------------------------------------------------------

    def cards(self) -> list[RaceCard]:
        """Returns the listed races of other nodes, as far as they have said."""
        rooms = self._home.rooms
        return [
            owner.card
            for code, owner in self._cards.items()
            if owner.card is not None and (code not in rooms or not rooms[code].is_owned)
        ]

    async def look(self) -> None:
        """Looks at what this node owns, who lives, and whether the lobby is true."""
        await self.tenure.look()
        for code in list(islice(self._cards, CHECKED)):
            try:
                row = await self._home.log.race(code)
            except LogUnavailable:
                return
            owner = self._cards.pop(code, None)
            if owner is None:
                continue  # Somebody has just said that it is over.
            if row is None or row.is_over:
                # Whoever held it went before they could say that it is over.
                self._bus.publish(topics.OWNER.at(race=code), b"", retain=True)
            else:
                # To the end of the line.
                self._cards[code] = owner

    def _on_owner(self, topic: str, payload: bytes) -> None:
        """A node says that it owns a race, and what the race is."""
        levels = topics.OWNER.levels(topic)
        if levels is None:
            return
        code = levels["race"]
        room = self._home.rooms.get(code)
        if not payload:
            self._cards.pop(code, None)
            return
        try:
            owner = topics.OWNER.decode(topic, payload)
        except BadMessage:
            self._meter.count("bus_forged")
            return
        if owner.node == self._node:
            return
        said = self._cards.get(code)
        known = [0 if said is None else said.epoch, 0 if room is None else room.epoch]
        if owner.epoch < max(known):
            self._meter.count("bus_stale")
            if room is not None and room.is_owned:
                # It would stay there, since it is retained.
                self._home.say_again(room)
            return
        self._cards[code] = owner
        if room is None or owner.epoch == room.epoch:
            return
        if isinstance(room, Follower):
            self.feeds.doubt(room)
        else:
            # Perhaps it is theirs: the store knows.
            self.tenure.doubt()

    def _say_replaced(self, node: NodeLife, seat: int, race: str) -> None:
        self.orders.say_replaced(node, seat, race)

    def _on_connected(self) -> None:
        """The bus is back: what it would have said meanwhile is in the log."""
        for room in self._home.rooms.values():
            if isinstance(room, Follower):
                self.feeds.doubt(room)
