"""What the events of a tournament have come to.

Everything is frozen, and no mapping here is ever written to: a fold makes a new `State` for every
event. So a state may be read by other threads for as long as they like, and a large tournament is
decided in one (`demands.is_large`).

Instants are milliseconds of UTC. Players are known by their numbers, races also by their codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from samedeal_protocol.tournament.events import Announced, Followed, MatchResult, Showing
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_server.spelling import fold
from samedeal_server.tourneys import state as tourneys

__all__ = ["ACTIVE", "FINAL", "Entry", "Match", "Phase", "Race", "RaceState", "Staff", "State"]


class Phase(Enum):
    """Where a tournament stands."""

    ANNOUNCED = "announced"
    CHECK_IN = "check-in"
    RUNNING = "running"
    OVER = "over"
    CALLED_OFF = "called-off"


FINAL: Final = frozenset({Phase.OVER, Phase.CALLED_OFF})


class RaceState(Enum):
    """Where a race of a match stands."""

    CALLED = "called"
    """To be opened, or open: its players come and say ready."""
    RUNNING = "running"
    OVER = "over"
    VOID = "void"


ACTIVE: Final = frozenset({RaceState.CALLED, RaceState.RUNNING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Somebody who has registered."""

    number: int
    id: str
    name: str
    bot: bool = False
    waiting: bool = False
    checked_in: bool = False
    sits_out: bool = False
    withdrawn: bool = False
    disqualified: bool = False
    absent: bool = False
    """Had a place when it started, or had left, and did not play."""
    seeding: int | None = None
    """1 is the strongest; None until the player plays."""
    joined: int = 1
    """The first round in which the player can be paired."""

    @property
    def has_left(self) -> bool:
        return self.withdrawn or self.disqualified

    @property
    def is_in(self) -> bool:
        """Has a place: is registered, or plays."""
        return not (self.waiting or self.absent or self.has_left)

    @property
    def state(self) -> str:
        """Returns where the player stands, in a word; see `PlayerView`."""
        if self.disqualified:
            return "disqualified"
        if self.withdrawn:
            return "withdrawn"
        if self.absent:
            return "absent"
        if self.waiting:
            return "waiting"
        if self.seeding is not None:
            return "sitting-out" if self.sits_out else "playing"
        return "checked-in" if self.checked_in else "registered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """One race of a match."""

    number: int
    code: str
    game: str
    salt: str
    ready_by: int
    """Until when its players can be ready; for an async race, when it closes."""
    state: RaceState = RaceState.CALLED
    there: tuple[int, ...] = ()
    """With whom it starts, once time to be ready was up."""
    showings: tuple[Showing, ...] = ()
    reason: str = ""
    """Why it is void."""
    failed: bool = False
    """It is void because it could not be played, not by anybody's word."""

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match as it was paired, with its races."""

    paired: tourneys.Match
    players: tuple[int, ...]
    result: MatchResult | None = None
    overridden: str = ""
    """The reason, where staff said how it ended."""
    unplayed: str = ""
    """Why nobody played for it: who did not come, or has left."""
    spent: int = 0
    """The last number of races under its name that belonged to a match taken back."""
    races: tuple[Race, ...] = ()
    picked: str | None = None
    """The game of the next race, where it was picked."""
    pick_until: int | None = None
    """Until when the game of the next race can be picked."""

    @property
    def id(self) -> str:
        return self.paired.id

    @property
    def round(self) -> int:
        return self.paired.round

    @property
    def is_open(self) -> bool:
        return self.result is None

    @property
    def active(self) -> Race | None:
        """The race that is called or runs; there is at most one."""
        return self.races[-1] if self.races and self.races[-1].is_active else None

    def race(self, number: int) -> Race | None:
        return next((race for race in self.races if race.number == number), None)


@dataclass(frozen=True, slots=True)
class Staff:
    """Somebody who runs the tournament: host, co-host or referee."""

    id: str
    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One tournament. Made by `fold.begin`, and anew by `fold.evolve`."""

    announced: Announced
    at: int
    """When the last event counted."""
    starts: int | None
    """When it starts, if at an instant; pauses and extensions move it."""
    staff: Mapping[str, Staff]
    """By player id, the host first."""
    invited: tuple[str, ...]
    """Names of those who may register; registering takes nobody off it."""
    hooks: Mapping[str, str]
    """Secrets by URL."""
    seq: int = 1
    """Events folded; the seq of the last one."""
    phase: Phase = Phase.ANNOUNCED
    closes: int | None = None
    """When the check-in window closes, once it has opened."""
    players: Mapping[int, Entry]
    numbers: Mapping[str, int]
    """The newest number of each player id."""
    bracket: tuple[str | None, ...] = ()
    """The drawn bracket by tourneys' ids, if it names exactly those who play."""
    matches: Mapping[str, Match]
    """In the order of pairing."""
    codes: Mapping[str, tuple[str, int]]
    """Match and number of each race that belongs to a match, by its code."""
    spent: Mapping[str, int]
    """By match id, the last number used by races of a match that was taken back."""
    dropped: tuple[str, ...] = ()
    """Codes of races that were called and must not run, or run no more."""
    round_due: int = 1
    """The last round that may be paired, where rounds wait."""
    idle_at: int = 0
    """Since when no match is open; put off by pauses and extensions. Meaningless while one is."""
    bell: int | None = None
    rung: bool = False
    halted: str | None = None
    """Why it is paused, if it is."""
    halted_at: int = 0
    next: Followed | None = None
    may_follow: int | None = None
    """When it started or was called off: since then the next of its series may be announced."""
    champion: int | None = None
    reason: str = ""
    """Why it is over, or was called off."""

    @property
    def code(self) -> str:
        return self.announced.tournament

    @property
    def terms(self) -> TournamentTerms:
        return self.announced.terms

    @property
    def is_final(self) -> bool:
        return self.phase in FINAL

    @property
    def round(self) -> int:
        """The last round that was paired."""
        return max((match.round for match in self.matches.values()), default=0)

    @property
    def taken(self) -> int:
        """How many places are taken."""
        return sum(1 for entry in self.players.values() if entry.is_in)

    def queue(self) -> list[Entry]:
        """Returns those who wait for a place, who has waited longest first."""
        return [each for each in self.players.values() if each.waiting and not each.has_left]

    def entry(self, id: str) -> Entry | None:
        """Returns the newest registration of a player id."""
        number = self.numbers.get(id)
        return None if number is None else self.players[number]

    def has_invited(self, name: str) -> bool:
        """Says whether somebody of that name may register by invitation."""
        return fold(name) in _folded(self.invited)

    def playing(self) -> list[Entry]:
        """Returns those who have a seeding, by it."""
        return sorted(
            (entry for entry in self.players.values() if entry.seeding is not None),
            key=lambda entry: entry.seeding or 0,
        )

    def open_matches(self) -> Iterator[Match]:
        return (match for match in self.matches.values() if match.is_open)

    def located(self, code: str) -> tuple[Match, Race] | None:
        """Returns the race of that code and its match, if it belongs to one still."""
        where = self.codes.get(code)
        if where is None:
            return None
        match = self.matches[where[0]]
        race = match.race(where[1])
        if race is None:
            raise AssertionError("a code is that of a race of its match")
        return match, race


@lru_cache(maxsize=64)
def _folded(names: tuple[str, ...]) -> frozenset[str]:
    """Returns names as they are compared; thousands take longer than an act should."""
    return frozenset(map(fold, names))
