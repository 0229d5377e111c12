"""What may be read of a race by whom, whichever way they ask: how it stands; at the end, its log.

A page, a link's preview, a board of the fastest and a request of a connection all come here, so
that none of them tells what another keeps.
"""

from __future__ import annotations

from typing import Protocol

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import ResultsSheet
from samedeal_server.daily.rooms import Room as DailyRoom
from samedeal_server.ports import Log
from samedeal_server.racing import audience
from samedeal_server.racing.race import Phase, Refused
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.invitations import Invitations
from samedeal_server.rooms.onlooker import STRANGER
from samedeal_server.rooms.room import Room, being_read_again

__all__ = ["Archive", "Records"]


class Archive(Protocol):
    """What records need of the hall around them."""

    rooms: dict[str, Room]
    """Those in memory, by code."""
    log: Log
    invitations: Invitations

    async def find(self, code: str) -> Room:
        """Returns the race's room; raises `Refused` for no such race."""
        ...

    async def catch_up(self, room: Follower) -> None:
        """Reads what the log has of another node's race."""
        ...

    async def settled(self, race: str | None) -> None:
        """Returns when everything of the race is durable."""
        ...

    def rest(self, room: Room) -> None:
        """Lets a room that nobody needs go from memory in time."""
        ...


class Records:
    """Races as those may know them who are not in them."""

    def __init__(self, hall: Archive) -> None:
        self._hall = hall

    async def newest(self, race: str) -> Room:
        """Returns the race's room with all that the log has: other nodes may have told more."""
        hall = self._hall
        room = await hall.find(race)
        if isinstance(room, Follower):
            await hall.catch_up(room)
            if hall.rooms.get(race) is not room:
                raise being_read_again()
        return room

    async def told_of(self, race: str, player: str | None = None) -> Room:
        """Returns the room of a race of which the player, or a stranger, is told without a phrase.

        Raises `Refused`: no-such-race, or wrong-phrase for who did not come in before.
        """
        room = await self.newest(race)
        is_inside = player is not None and self.is_inside(room, player)
        if room.phrase_hash is not None and not is_inside:
            self._hall.rest(room)
            raise Refused(ErrorCode.WRONG_PHRASE, "this race is behind a pass phrase")
        return room

    def is_inside(self, room: Room, player: str) -> bool:
        """Returns whether the player came in before, so that no phrase is asked of them."""
        race = room.race
        return (
            player in race.by_player
            or player == race.host
            or any(viewer.who.player == player for viewer in room.viewers())
            or self._hall.invitations.expects(player, room.id)
        )

    async def sheet(self, race: str) -> ResultsSheet:
        """Returns how a race stands or ended, as far as a stranger may know; raises `Refused`."""
        room = await self.told_of(race)
        await self._hall.settled(race)
        sheet = audience.results(room.race, STRANGER.player)
        self._hall.rest(room)
        return sheet

    async def replay(self, race: str) -> list[bytes]:
        """Returns the log's lines of a race that is over; raises `Refused`."""
        room = await self.told_of(race)
        await self.length_of_final(room)
        return await self._hall.log.read(room.id)

    async def length_of_final(self, room: Room) -> int:
        """Returns how many events a race that has ended has in the log; raises `Refused`.

        The log holds the seed: of a race that was called off it is told only where nobody plays
        that deal later, as may be with one that a host named, or that is a day's.
        """
        race = room.race
        if not race.is_final:
            raise Refused(ErrorCode.NOT_OVER, "the replay can be had when the race is over")
        if race.phase is Phase.CANCELLED and (race.seeded or DailyRoom.read(race.id) is not None):
            raise Refused(ErrorCode.NOT_OVER, "it was called off, and its deal may be played yet")
        length = race.seq
        await self._hall.settled(room.id)
        self._hall.rest(room)
        return length
