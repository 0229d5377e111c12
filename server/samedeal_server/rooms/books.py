"""Who is in which unfinished race, and which races run."""

from __future__ import annotations

import asyncio
import logging

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import Cancelled, Entered, Event, Over, Started, Withdrew
from samedeal_server.ports import Meter
from samedeal_server.racing.race import Phase, Race, Refused

__all__ = ["Books"]

_log = logging.getLogger(__name__)


class Books:
    """What is counted about the races in memory."""

    def __init__(self, meter: Meter, *, races_per_player: int) -> None:
        self._meter = meter
        self._most = races_per_player
        self._engaged: dict[str, set[str]] = {}
        """By player, the unfinished races that they entered or host."""
        self._unfinished: set[str] = set()
        self._running: set[str] = set()
        self._racing: set[str] = set()
        """Races in which somebody's clock runs; an async race can be open for days without."""
        self.quiet = asyncio.Event()
        """Set while nobody races."""
        self.quiet.set()

    @property
    def running(self) -> int:
        """How many races run."""
        return len(self._running)

    @property
    def unfinished(self) -> int:
        """How many races are not over."""
        return len(self._unfinished)

    def check(self, player: str, *, beyond: str | None = None, besides: int = 0) -> None:
        """Raises `Refused` if the player is in too many races, `beyond` not counted.

        `besides` is how many more than the books know of.
        """
        engaged = self._engaged.get(player, set())
        count = len(engaged) + besides
        if beyond not in engaged and count >= self._most:
            raise Refused(
                ErrorCode.TOO_MANY_RACES,
                f"you are in {count} unfinished races: finish, leave or cancel one first",
            )

    def add(self, race: Race) -> None:
        """Takes a race up."""
        self._meter.count("races")
        if race.is_final:
            return
        self._unfinished.add(race.id)
        self._engage(race.host, race.id)
        for entrant in race.entered():
            self._engage(entrant.player, race.id)
        if race.phase is Phase.RUNNING:
            self._run(race.id)
        self._look(race)

    def remove(self, race: Race) -> None:
        """Lets a race go from memory."""
        self._meter.count("races", -1)
        self._end(race)

    def note(self, race: Race, event: Event) -> None:
        """Notes what has happened in a race."""
        match event:
            case Entered(player=player):
                self._engage(player, race.id)
            case Withdrew(entrant=number):
                player = race.entrants[number - 1].player
                if player != race.host and player not in race.by_player:
                    self._disengage(player, race.id)
            case Started():
                self._run(race.id)
                _log.info("race started race=%s", race.id)
            case Over() | Cancelled():
                is_over = isinstance(event, Over)
                self._meter.count("races_over" if is_over else "races_cancelled")
                _log.info("race ended race=%s how=%s", race.id, race.phase.value)
                self._end(race)
            case _:
                pass
        self._look(race)

    def _end(self, race: Race) -> None:
        self._unfinished.discard(race.id)
        self._disengage(race.host, race.id)
        for entrant in race.entrants:
            self._disengage(entrant.player, race.id)
        self._rests(race.id)
        if race.id in self._running:
            self._running.discard(race.id)
            self._meter.count("races_running", -1)

    def _run(self, race: str) -> None:
        if race not in self._running:
            self._running.add(race)
            self._meter.count("races_running")

    def _look(self, race: Race) -> None:
        """Notes whether anybody races in it."""
        if race.racing and not race.is_final:
            self._racing.add(race.id)
            self.quiet.clear()
        else:
            self._rests(race.id)

    def _rests(self, race: str) -> None:
        self._racing.discard(race)
        if not self._racing:
            self.quiet.set()

    def _engage(self, player: str, race: str) -> None:
        self._engaged.setdefault(player, set()).add(race)

    def _disengage(self, player: str, race: str) -> None:
        races = self._engaged.get(player)
        if races is not None:
            races.discard(race)
            if not races:
                del self._engaged[player]
