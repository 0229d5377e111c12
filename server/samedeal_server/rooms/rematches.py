"""Races that follow others: whoever asks first has the next one opened, all others are sent there.

Askers on one node wait for one opening; of two nodes that open one each, the race's own log says
which was first, and the other is called off.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from msgspec.structs import replace

from samedeal_protocol.terms import Start, Terms
from samedeal_server.ports import Clock, LogUnavailable
from samedeal_server.racing.commands import Cancel, OpenRematch
from samedeal_server.racing.race import Phase, Race, Refused, decide
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.invitations import Invitations
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.viewers import Who

__all__ = ["Rematches", "Venue"]


class Venue(Protocol):
    """What a rematch needs of the hall around it."""

    invitations: Invitations

    @property
    def clock(self) -> Clock: ...

    async def find(self, code: str) -> Room:
        """Returns the race's room; raises `Refused` for no such race."""
        ...

    async def open(self, who: Who, terms: Terms, *, phrase_hash: bytes | None) -> Race:
        """Opens a race hosted by `who`; durable when this returns."""
        ...

    async def ask_owner(self, room: Follower, command: OpenRematch, *, at: int) -> int:
        """Returns the race's seq when the owner has carried out a command."""
        ...

    async def settled(self, race: str | None) -> None:
        """Returns when everything of the race is durable."""
        ...


class Rematches:
    """The rematches that are being opened on this node."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._openings: dict[str, asyncio.Future[str]] = {}
        """By the code of the race that they follow."""

    async def after(self, room: Room, who: Who) -> str:
        """Returns the code of the race that follows this one, and opens it for the first asker.

        One that was called off follows no more: its host must not keep the others from another.

        Raises:
            Refused: the race is not over, or the player was not in it; or as opening a race does.
            LogUnavailable: it is unknown whether the rematch was stored.
        """
        code, race = room.id, room.race
        decide(race, OpenRematch(who.player, ""), self._venue.clock.now())
        while (before := race.rematch) is not None:
            follower = (await self._venue.find(before)).race
            if follower.phase is not Phase.CANCELLED:
                return before
            # Somebody else may have opened another meanwhile.
            room = await self._venue.find(code)
            race = room.race
            if race.rematch == before:
                break
        opening = self._openings.get(code)
        if opening is not None:
            return await asyncio.shield(opening)
        opening = self._openings[code] = asyncio.get_running_loop().create_future()
        try:
            first = await self._open(room, who, instead_of=before)
        except (Refused, LogUnavailable) as fault:
            opening.set_exception(fault)
            # Perhaps nobody else asked.
            opening.exception()
            raise
        else:
            opening.set_result(first)
            return first
        finally:
            del self._openings[code]
            if not opening.done():
                opening.cancel()

    # --- within --------------------------------------------------------------------------------

    async def _open(self, room: Room, who: Who, *, instead_of: str | None) -> str:
        """Opens a rematch and has the race note it; returns the one that was noted first."""
        venue, code = self._venue, room.id
        opened = await venue.open(who, _again(room.race.terms), phrase_hash=room.phrase_hash)
        # It may have gone from memory meanwhile, and come back as another room.
        room = await venue.find(code)
        noted = OpenRematch(who.player, opened.id, instead_of=instead_of)
        if isinstance(room, Follower):
            seq = await venue.ask_owner(room, noted, at=venue.clock.now())
            await room.reached(seq)
        else:
            room.command(noted, venue.clock.now())
            await venue.settled(code)
        first = room.race.rematch or opened.id
        if first != opened.id:
            # Somebody on another node was before us.
            await self._call_off(opened.id, who)
        venue.invitations.go_on(code, first)
        return first

    async def _call_off(self, code: str, host: Who) -> None:
        """Cancels a race that nobody needs."""
        room = await self._venue.find(code)
        if not isinstance(room, Follower):
            room.command(Cancel(host.player), self._venue.clock.now())


def _again(terms: Terms) -> Terms:
    """Returns terms for one more race: an instant has passed, so it starts when all are ready."""
    if terms.start is not Start.AT:
        return terms
    return replace(terms, start=Start.ALL_READY, start_at=None)
