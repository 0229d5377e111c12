"""Races on their way from the log into memory: found, claimed, or lost and read again.

One reading of a race is under way at a time, and whoever wants the race meanwhile waits for it, or
is told to come back. A claim that is given while somebody reads is reckoned with by who reads.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Final, Protocol

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import Cancelled, parse_line, to_line
from samedeal_server.hosting.codes import is_cup
from samedeal_server.ports import Claim, Entry, Log, LogUnavailable
from samedeal_server.racing.commands import Stop, Tick
from samedeal_server.racing.fold import replay
from samedeal_server.racing.race import Race, Refused
from samedeal_server.refusals import fault_text
from samedeal_server.rooms.follower import Follower, Headquarters
from samedeal_server.rooms.room import BROKEN_OFF, Room, being_read_again

__all__ = ["Readings", "Shelf"]

_log = logging.getLogger(__name__)

REREAD_MS: Final = (50, 100, 200, 500, 1000, 2000)
"""How long to wait between attempts to read a lost race again."""


class Shelf(Headquarters, Protocol):
    """Where the rooms stand."""

    rooms: dict[str, Room]
    """The races in memory, by code."""

    @property
    def log(self) -> Log: ...

    async def settled(self, race: str | None) -> None:
        """Returns when everything of the race is durable; raises `LogUnavailable` if it is lost."""
        ...

    def admit(self, room: Room, lines: Sequence[bytes]) -> Room:
        """Puts a room on the books, whose race's log these lines are."""
        ...

    def drop(self, room: Room) -> None:
        """Takes a room off the books."""
        ...

    def rest(self, room: Room) -> None:
        """Lets a room that nobody needs go from memory in time."""
        ...


class Readings:
    """All that is being read."""

    def __init__(
        self,
        shelf: Shelf,
        *,
        tenure_of: Callable[[str], Awaitable[Claim | tuple[str, int]]],
        spawn: Callable[[Coroutine[None, None, None], str], None],
    ) -> None:
        """`tenure_of` says whose a race is, as `Tenure.of` does."""
        self._shelf = shelf
        self._tenure_of = tenure_of
        self._spawn = spawn
        self._loading: dict[str, asyncio.Future[Room]] = {}
        self._lost_rooms: dict[str, Room] = {}
        self._given: dict[str, Claim] = {}
        """Claims to races that somebody is reading just now, for them to reckon with."""

    @property
    def has_lost(self) -> bool:
        """Whether a race that was lost is not back yet."""
        return bool(self._lost_rooms)

    async def find(self, code: str) -> Room:
        """Returns the race's room, read from the log if need be.

        Raises:
            Refused: no-such-race, or store-unavailable while a lost race is being read again.
            LogUnavailable: the log cannot be read.
        """
        while True:
            room = self._shelf.rooms.get(code)
            if room is not None:
                return room
            if code in self._lost_rooms:
                raise being_read_again()
            loading = self._loading.get(code)
            if loading is None:
                return await self._load(code)
            await asyncio.wait((loading,))

    async def take_up(self, claim: Claim) -> None:
        """Makes a race that was claimed one of this node's: those who were in it are away."""
        code = claim.race
        room = self._shelf.rooms.get(code)
        if code in self._lost_rooms or code in self._loading:
            self._given[code] = claim
        elif room is None:
            await self._take_up(claim)
        else:
            # It was followed here, or was ours before: whoever is here stays.
            self._put_aside(room)
            await self._read_anew(room, claim)

    async def _take_up(self, claim: Claim) -> None:
        code = claim.race
        try:
            await self._load(code, claim)
        except Refused:
            return
        except LogUnavailable:
            raise
        except Exception as fault:
            _log.error("race unreadable race=%s fault=%s", code, fault_text(fault))
            lines = await self._shelf.log.read(code)
            broken = Cancelled(at=self._shelf.clock.now(), reason=BROKEN_OFF)
            entry = Entry(code, len(lines) + 1, to_line(broken), claim.epoch)
            await self._shelf.log.append((entry,), over=(code,))

    def _resume(self, room: Room, claim: Claim) -> None:
        """Has a race go on whose owner was gone: the outage is on nobody's clock."""
        now, race = self._shelf.clock.now(), room.race
        if race.is_final:
            return
        if race.entrants:
            room.command(Stop(race.at if claim.since is None else claim.since), now)
        room.command(Tick(), now)

    async def _load(self, code: str, claim: Claim | None = None) -> Room:
        """Reads a race that is not in memory; others who want it wait meanwhile."""
        loading = self._loading[code] = asyncio.get_running_loop().create_future()
        try:
            await self._shelf.settled(code)
            row = await self._shelf.log.race(code)
            if row is None or is_cup(code):
                raise Refused(ErrorCode.NO_SUCH_RACE, "no race has this code")
            tenure, lines = await self._tenure_and_lines(code, claim)
            room = self._shelf.rooms.get(code)
            if room is None:
                race = replay(map(parse_line, lines))
                room = self._room(race, tenure, phrase_hash=row.phrase_hash)
                self._shelf.admit(room, lines)
                if isinstance(tenure, Claim):
                    self._resume(room, tenure)
            self._shelf.rest(room)
            return room
        finally:
            self._given.pop(code, None)
            del self._loading[code]
            loading.cancel()

    async def _tenure_and_lines(
        self, code: str, claim: Claim | None
    ) -> tuple[Claim | tuple[str, int], list[bytes]]:
        """Returns whose a race is, by the claim or as the store says, and then its log.

        A claim that is given meanwhile counts. An older one than ours, which then was for a race
        of ours already, alone knows since when nobody had it.
        """
        while True:
            tenure = claim or await self._tenure_of(code)
            # Not before: whoever had it may have appended until now.
            lines = await self._shelf.log.read(code)
            given = self._given.pop(code, None)
            if given is None:
                return tenure, lines
            if isinstance(tenure, Claim) and tenure.epoch > given.epoch:
                return replace(tenure, since=given.since), lines
            claim = given

    def _room(
        self, race: Race, tenure: Claim | tuple[str, int], *, phrase_hash: bytes | None
    ) -> Room:
        """Returns the room of a race of ours, or of one that another node owns."""
        if isinstance(tenure, Claim):
            return Room(race, self._shelf, phrase_hash=phrase_hash, epoch=tenure.epoch)
        owner, epoch = tenure
        return Follower(race, self._shelf, phrase_hash=phrase_hash, owner=owner, epoch=epoch)

    def lose(self, races: set[str]) -> None:
        """Forgets races of which memory may say what the log does not, and reads them again."""
        for code in races:
            room = self._shelf.rooms.get(code)
            if room is not None:
                self._put_aside(room)
                self._spawn(self._read_anew(room), f"reread {code}")

    def _put_aside(self, room: Room) -> None:
        self._shelf.drop(room)
        room.give_up()
        self._lost_rooms[room.id] = room

    async def _read_anew(self, lost: Room, claim: Claim | None = None) -> None:
        """Reads a race again, as ours or as another's, for those who were in its room."""
        code = lost.id
        try:
            for attempt in range(1_000_000):
                try:
                    await self._shelf.settled(code)
                    tenure, lines = await self._tenure_and_lines(code, claim)
                    break
                except (LogUnavailable, Refused):
                    wait = REREAD_MS[min(attempt, len(REREAD_MS) - 1)]
                    await asyncio.sleep(wait / 1000)
            else:
                return
            events = list(map(parse_line, lines))
            room = self._room(replay(events), tenure, phrase_hash=lost.phrase_hash)
        except Exception as fault:
            _log.error("race unreadable race=%s fault=%s", code, fault_text(fault))
            return
        finally:
            self._given.pop(code, None)
            self._lost_rooms.pop(code, None)
        now = self._shelf.clock.now()
        if any(room.is_behind(viewer.who) for viewer in lost.viewers()):
            room.keep_behind(events, now)
        self._shelf.admit(room, lines)
        was_ours = lost.is_owned and room.epoch == lost.epoch + 1
        if isinstance(tenure, Claim) and not was_ours:
            self._resume(room, tenure)
        room.adopt((*lost.viewers(), *lost.seats_afar()), now)
        self._shelf.rest(room)
