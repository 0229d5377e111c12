"""What the server needs of the world outside, each behind one small interface.

An adapter alone imports its library. Every adapter of a port passes the port's contract suite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct

__all__ = [
    "Bus",
    "Clock",
    "Entry",
    "Log",
    "LogConflict",
    "LogUnavailable",
    "Meter",
    "NameTaken",
    "Player",
    "RaceRow",
    "Seeds",
]


class Clock(Protocol):
    """The time."""

    def now(self) -> int:
        """Returns milliseconds of UTC; never goes back, nor follows a jump of the wall clock."""
        ...


class Seeds(Protocol):
    """Whatever must not be guessed."""

    def seed(self) -> str:
        """Returns a deal's seed of 128 random bits, as text."""
        ...

    def salt(self) -> str:
        """Returns a commitment's salt of 128 random bits, in hex."""
        ...

    def race(self) -> str:
        """Returns a new race's code: short, speakable, unguessable."""
        ...

    def player(self) -> str:
        """Returns a new player's public id."""
        ...

    def token(self) -> str:
        """Returns a new player's secret."""
        ...


class LogUnavailable(Exception):
    """The log cannot be written or read now; whether the last append took effect is unknown."""


class LogConflict(Exception):
    """Somebody else has appended to this race: what memory says of it is not true."""


class NameTaken(Exception):
    """Another player holds this name."""


class Entry(Struct, frozen=True, gc=False):
    """One event to append: it becomes the race's event `seq`, if `seq - 1` is its last.

    A line holds no line end.
    """

    race: str
    seq: int
    line: bytes


@dataclass(frozen=True, slots=True)
class RaceRow:
    """What the store knows of a race besides its events."""

    race: str
    opened_at: int
    is_over: bool
    phrase_hash: bytes | None


@dataclass(frozen=True, slots=True)
class Player:
    """A player as stored. `token_hash` is the SHA-256 of the token; the token itself is nowhere."""

    player: str
    name: str
    bot: bool
    token_hash: bytes
    seen_at: int


class Log(Protocol):
    """The durable store of races and players. What has returned is durable."""

    async def append(self, entries: Sequence[Entry], *, over: Sequence[str] = ()) -> None:
        """Appends in one transaction and marks the races in `over` as ended.

        Raises:
            LogConflict: an entry's seq is not the next of its race; nothing was appended.
            LogUnavailable: it is unknown whether the entries were appended.
        """
        ...

    async def open_race(
        self, entry: Entry, *, opened_at: int, is_listed: bool, phrase_hash: bytes | None
    ) -> None:
        """Stores a new race with its first event."""
        ...

    async def read(self, race: str, *, after: int = 0) -> list[bytes]:
        """Returns the lines of a race from seq `after + 1` on, in order; none for no such race."""
        ...

    async def race(self, race: str) -> RaceRow | None: ...

    async def unfinished(self) -> list[RaceRow]:
        """Returns the races that are neither over nor cancelled, oldest first."""
        ...

    async def enter(self, player: str, race: str) -> None:
        """Notes that the player is an entrant or host of the race, for `races_of`."""
        ...

    async def races_of(self, player: str, *, limit: int) -> list[str]:
        """Returns the player's races, newest first."""
        ...

    async def add_player(self, player: Player) -> None:
        """Raises `NameTaken`."""
        ...

    async def player_by_token(self, token_hash: bytes) -> Player | None: ...

    async def rename(self, player: str, name: str) -> None:
        """Raises `NameTaken`."""
        ...

    async def mark_bot(self, player: str) -> None:
        """Notes that the player is a bot, for good."""
        ...

    async def seen(self, player: str, at: int) -> None: ...

    async def alive(self, at: int) -> None:
        """Notes that the server lives; after a crash the stoppage is counted from here."""
        ...

    async def last_alive(self) -> int | None: ...

    async def close(self) -> None: ...


class Bus(Protocol):
    """What leaves a race for the world. It may lose, repeat and delay; the log is the truth."""

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Hands over and returns at once; an empty retained payload clears the topic."""
        ...

    def subscribe(self, pattern: str, receive: Callable[[str, bytes], None]) -> Callable[[], None]:
        """Calls `receive(topic, payload)`, retained messages first; returns the way to stop.

        `+` in a pattern stands for one level, a final `#` for all that follow.
        """
        ...


class Meter(Protocol):
    """Counters and distributions, by names that adapters.metrics declares."""

    def count(self, name: str, amount: int = 1) -> None: ...

    def observe(self, name: str, value: float) -> None: ...
