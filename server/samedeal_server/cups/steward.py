"""One race of a tournament, wherever it lives: opened, looked at, started or stopped, reported.

A steward has no memory of its own. It looks at what the tournament's log wants of the race, and at
what the race has durably come to, and does the next thing; then it sleeps until either may have
changed. So it does not matter where the steward before it was when a server died. A race that the
log wants and that is not there is opened, as recorded; one that is there is left as it is.

A race that must not run is opened, too, if it is not there, where nodes share a log: cancelled, it
keeps a node that is late from opening it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import EntrantState
from samedeal_protocol.terms import Mode, Terms
from samedeal_rules import RULES_VERSION
from samedeal_server.cups.cup import Cup
from samedeal_server.hosting.commands import (
    Command,
    RaceHasEnded,
    RaceHasStarted,
    RaceWasCancelled,
    WhoIsThere,
)
from samedeal_server.hosting.errands import Opening, showings
from samedeal_server.ports import LogConflict, LogUnavailable
from samedeal_server.racing.commands import Cancel, Start
from samedeal_server.racing.race import Phase, Race, Refused, open_race
from samedeal_server.refusals import fault_text
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.hall import Hall
from samedeal_server.rooms.opening import store_opened
from samedeal_server.rooms.room import Room

__all__ = ["Steward", "Wanted"]

_log = logging.getLogger(__name__)

AGAIN_S: Final = 0.5
"""After how long something is tried again that could not be done."""
LOOK_S: Final = 5.0
"""How often a race is looked at though nothing was heard of it: the bus may have lost it."""


class Wanted(Protocol):
    """What a tournament wants of its races."""

    @property
    def cup(self) -> Cup: ...

    @property
    def is_stopped(self) -> bool:
        """Whether the tournament is not this node's any more."""
        ...

    def opening(self, code: str) -> Opening | None:
        """Returns the race as it is to be open; None for one that must not run, or is reported."""
        ...

    async def ask(self, command: Command) -> int:
        """Puts a report to the tournament; returns when that is durable."""
        ...


class Steward:
    """The one who sees to a race."""

    def __init__(
        self, code: str, wanted: Wanted, hall: Hall, *, ended: Callable[[Steward], None]
    ) -> None:
        """`ended` is called when there is nothing more to do for the race."""
        self.code = code
        self._wanted = wanted
        self._hall = hall
        self._ended = ended
        self._changed = asyncio.Event()

    def wake(self) -> None:
        """Has the steward look again: the race or what is wanted of it may be another."""
        self._changed.set()

    async def work(self) -> None:
        """Sees to the race until there is nothing more to do."""
        while not self._wanted.is_stopped:
            self._changed.clear()
            staying: AbstractContextManager[None] = nullcontext()
            wait = LOOK_S
            try:
                room = await self._next()
                if room is None:
                    break
                if isinstance(room, Follower):
                    # It stays in memory only as long as somebody needs it.
                    staying = room.asking()
            except (Refused, LogUnavailable, LogConflict) as fault:
                _log.debug("race not seen to race=%s fault=%s", self.code, fault)
                wait = AGAIN_S
            except Exception as fault:
                _log.error("race not seen to race=%s fault=%s", self.code, fault_text(fault))
            with staying:
                await self._sleep(wait)
        self._ended(self)

    async def _sleep(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            pass

    async def _next(self) -> Room | None:
        """Does the next thing; returns the room to wait at, or None when all is done.

        Raises what the hall and the log raise: then nothing was done, or it is done once more.
        """
        opening = self._wanted.opening(self.code)
        if opening is None:
            await self._stop()
            return None
        room = await self._open(opening)
        if isinstance(room, Follower):
            await self._hall.catch_up(room)
        race = room.race
        phase, ready = race.phase, _ready(race)
        # What was just seen may not be durable yet.
        await self._hall.settled(self.code)
        report = self._report(opening, race, phase, ready)
        if report is not None:
            await self._wanted.ask(report)
            self.wake()
        elif opening.is_mustered and phase is Phase.OPEN and not race.is_async:
            await self._start(room, opening)
        return room

    def _report(
        self, opening: Opening, race: Race, phase: Phase, ready: tuple[str, ...]
    ) -> Command | None:
        """Returns what the tournament does not know of the race yet."""
        state = self._wanted.cup.state
        match phase:
            case Phase.OVER:
                return RaceHasEnded(race=self.code, showings=showings(state, self.code, race))
            case Phase.CANCELLED:
                return RaceWasCancelled(race=self.code, reason=race.cancelled or "")
            case Phase.RUNNING:
                return None if opening.is_running else RaceHasStarted(race=self.code)
            case Phase.OPEN:
                is_live = state.terms.race.mode is Mode.LIVE and state.halted is None
                if is_live and self._hall.clock.now() >= opening.ready_by:
                    return WhoIsThere(race=self.code, ready=ready)
                return None
            case Phase.COUNTDOWN:
                return None

    # --- what is done to races -----------------------------------------------------------------

    async def _open(self, opening: Opening) -> Room:
        """Returns the race's room, having opened the race if it is not there."""
        hall = self._hall
        try:
            return await hall.find(self.code)
        except Refused as refused:
            if refused.code is not ErrorCode.NO_SUCH_RACE:
                raise
        if hall.is_draining:
            raise Refused(ErrorCode.DRAINING, "the server is about to restart")
        return await self._open_anew(
            opening.terms, seed=opening.seed, salt=opening.salt, invited=opening.invited
        )

    async def _open_anew(
        self, terms: Terms, *, seed: str, salt: str, invited: tuple[str, ...]
    ) -> Room:
        hall = self._hall
        announced = self._wanted.cup.state.announced
        opened = open_race(
            race=self.code,
            terms=terms,
            seed=seed,
            salt=salt,
            host=announced.tournament,
            host_name=announced.terms.name,
            seeded=False,
            rules=RULES_VERSION,
            now=hall.clock.now(),
            tournament=announced.tournament,
            invited=invited,
        )
        await store_opened(opened, hall.log, hall.meter)
        # Read like any other: somebody may be reading it already.
        return await hall.find(self.code)

    async def _start(self, room: Room, opening: Opening) -> None:
        """Starts a race with those who are ready; with too few it waits to be counted again."""
        try:
            await self._order(room, Start(self._wanted.cup.id))
        except Refused as refused:
            if refused.code is not ErrorCode.TOO_FEW:
                raise

    async def _stop(self) -> None:
        """Sees to it that the race does not run, if it must not."""
        hall = self._hall
        if self.code not in self._wanted.cup.state.dropped:
            return
        row = await hall.log.race(self.code)
        if row is not None and row.is_over:
            return
        if row is None:
            if not hall.is_shared:
                return
            terms = self._wanted.cup.state.terms.race
            room = await self._open_anew(
                terms, seed=hall.seeds.seed(), salt=hall.seeds.salt(), invited=()
            )
        else:
            room = await hall.find(self.code)
        if room.race.is_final:
            await hall.settled(self.code)
        else:
            await self._order(room, Cancel(self._wanted.cup.id, self._why_stopped()))

    def _why_stopped(self) -> str:
        where = self._wanted.cup.state.located(self.code)
        return "the match was taken back" if where is None else where[1].reason

    async def _order(self, room: Room, command: Start | Cancel) -> None:
        """Has the race do as its host, the tournament, says; what it does is durable then.

        What a race here refuses, it does not do; for one elsewhere that raises `Refused`.
        """
        now = self._hall.clock.now()
        if isinstance(room, Follower):
            await self._hall.ask_owner(room, command, at=now)
        else:
            room.command(command, now)
            await self._hall.settled(self.code)


def _ready(race: Race) -> tuple[str, ...]:
    """Returns the ids of those who are ready and not away."""
    return tuple(
        entrant.player
        for entrant in race.entered()
        if entrant.state is EntrantState.READY and not entrant.away
    )
