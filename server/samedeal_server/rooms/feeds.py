"""The log's lines on their way from a race's owner to the nodes that follow it.

Lines travel when they are durable: at once where players of other nodes are in the race, else some
twenty times a second. The last is said once more when a race has been quiet for a while, since
nothing else would show that it was lost. Whoever misses lines reads them from the log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from samedeal_protocol import topics
from samedeal_protocol.topics import BadMessage, LogLines
from samedeal_server.ports import Entry, LogUnavailable
from samedeal_server.refusals import fault_text
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.home import Home, Ties
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.seldom import Seldom

__all__ = ["Feeds"]

_log = logging.getLogger(__name__)

QUIET_S: Final = 1.0
"""When a race's last line is said once more."""


class Feeds:
    """Lines of this node's races going out, and lines of others' races coming in."""

    def __init__(self, home: Home, ties: Ties) -> None:
        self._home = home
        self._leases = ties.leases
        self._bus = ties.bus
        self._clock = ties.clock
        self._meter = ties.meter
        self._spawn = ties.spawn
        self._seconds = asyncio.get_running_loop().time
        self._fresh: dict[str, tuple[Room, list[Entry]]] = {}
        self._quiet: dict[str, tuple[Room, Entry, float]] = {}
        self._stops: dict[str, Callable[[], None]] = {}
        self._seldom = Seldom(ties.spawn)
        self._reading: dict[str, asyncio.Task[None]] = {}

    # --- going out -----------------------------------------------------------------------------

    def feed(self, room: Room, entries: Sequence[Entry]) -> None:
        """Says to those who follow the race what has become durable: now, or at the next flush."""
        self._fresh.setdefault(room.id, (room, []))[1].extend(entries)
        if room.seats_afar():
            self._say(room.id)

    def flush(self) -> None:
        """Says what has gathered, and once more what was said last in races that are quiet."""
        for code in tuple(self._fresh):
            self._say(code)
        until = self._seconds() - QUIET_S
        for code, (room, entry, said) in tuple(self._quiet.items()):
            if said > until:
                break
            del self._quiet[code]
            self._publish(room, (entry,))

    def _say(self, code: str) -> None:
        room, entries = self._fresh.pop(code)
        self._publish(room, entries)
        self._quiet.pop(code, None)
        self._quiet[code] = room, entries[-1], self._seconds()

    def _publish(self, room: Room, entries: Sequence[Entry]) -> None:
        lines = LogLines(
            race=room.id,
            node=self._leases.node,
            epoch=entries[0].epoch,
            first=entries[0].seq,
            lines=tuple([entry.line for entry in entries]),
        )
        self._bus.publish(
            topics.LOG.at(race=room.id, node=self._leases.node), topics.LOG.encode(lines)
        )

    # --- coming in -----------------------------------------------------------------------------

    def follow(self, room: Follower) -> None:
        """Has a follower hear its race's lines from now on."""

        def receive(topic: str, payload: bytes) -> None:
            self._on_lines(room, topic, payload)

        self._stops[room.id] = self._bus.subscribe(topics.LOG.at(race=room.id, node="+"), receive)
        # What has become durable since the race was read, and before we heard of any more.
        self._spawn(self.try_to_catch_up(room), f"catch up {room.id}")

    def unfollow(self, room: Room) -> None:
        """Ends what `follow` began."""
        stop = self._stops.pop(room.id, None)
        if stop is not None:
            stop()

    async def catch_up(self, room: Follower) -> None:
        """Lets a follower hear all that the log has; raises `LogUnavailable`.

        Those who ask for the same race meanwhile share one look.
        """
        reading = self._reading.get(room.id)
        if reading is None:
            reading = self._reading[room.id] = asyncio.ensure_future(self._read_on(room))
            reading.add_done_callback(lambda _: self._reading.pop(room.id, None))
        await asyncio.shield(reading)

    async def try_to_catch_up(self, room: Follower) -> None:
        """Catches up unless the log cannot be read."""
        try:
            await self.catch_up(room)
        except LogUnavailable as fault:
            _log.warning("race not caught up race=%s fault=%s", room.id, fault)

    def doubt(self, room: Follower) -> None:
        """Has the store asked soon who owns a race, however often it is doubted meanwhile."""
        self._seldom.run(room.id, partial(self._check_owner, room))

    async def _check_owner(self, room: Follower) -> None:
        """Has a follower know whom the store says its race belongs to, and catches up."""
        try:
            owner = await self._leases.owner(room.id)
        except LogUnavailable:
            return
        if owner is not None and owner[0] != self._leases.node and owner[1] > room.epoch:
            room.moved(*owner)
        await self.try_to_catch_up(room)

    async def poll(self) -> None:
        """Reads followed races from the log while the bus brings nothing."""
        if self._bus.is_connected:
            return
        for room in list(self._home.rooms.values()):
            if isinstance(room, Follower) and room.is_needed:
                await self.try_to_catch_up(room)

    async def _read_on(self, room: Follower) -> None:
        first = room.race.seq + 1
        lines = await self._home.log.read(room.id, after=first - 1)
        self._hear(room, first, lines)

    def _on_lines(self, room: Follower, topic: str, payload: bytes) -> None:
        try:
            lines = topics.LOG.decode(topic, payload)
        except BadMessage:
            self._meter.count("bus_forged")
            return
        if lines.epoch < room.epoch:
            self._meter.count("bus_stale")
        elif lines.epoch > room.epoch:
            self.doubt(room)
        elif lines.node != room.owner:
            self._meter.count("bus_forged")
        elif not self._hear(room, lines.first, lines.lines):
            self._meter.count("bus_gaps")
            self._spawn(self.try_to_catch_up(room), f"catch up {room.id}")

    def _hear(self, room: Follower, first: int, lines: Sequence[bytes]) -> bool:
        if room.is_lost:
            return True
        try:
            return room.hear(first, lines, self._clock.now())
        except Exception as fault:
            _log.error("lines unreadable race=%s fault=%s", room.id, fault_text(fault))
            self._home.lose({room.id})
            return True
