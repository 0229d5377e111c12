"""The durable store of races, tournaments and players, and what it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct

__all__ = [
    "Ended",
    "Entry",
    "Log",
    "LogConflict",
    "LogUnavailable",
    "NameTaken",
    "Player",
    "RaceRow",
    "Ruling",
]


class LogUnavailable(Exception):
    """The log cannot be written or read now; whether the last append took effect is unknown."""


class LogConflict(Exception):
    """Somebody else has appended to a race, or owns it: what memory says of it is not true.

    `races` are those in conflict, as far as the log can tell; empty means any that was appended to.
    """

    def __init__(self, reason: str, *, races: frozenset[str] = frozenset()) -> None:
        super().__init__(reason)
        self.races = races


class NameTaken(Exception):
    """Another player holds this name."""


class Entry(Struct, frozen=True, gc=False):
    """One event to append: it becomes the race's event `seq`, if `seq - 1` is its last.

    A line holds no line end. `epoch` is that of the claim by which the appender owns the race.
    """

    race: str
    seq: int
    line: bytes
    epoch: int = 1


@dataclass(frozen=True, slots=True)
class RaceRow:
    """What the store knows of a race besides its events."""

    race: str
    opened_at: int
    is_over: bool
    phrase_hash: bytes | None


@dataclass(frozen=True, slots=True)
class Ended:
    """That a race is over or cancelled. What the store knows by `number` comes in that order."""

    number: int
    """Grows, with gaps; after one was read, no smaller one appears."""
    race: str
    summary: bytes | None
    """What `summarize` was told of it last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """An operator's decision that a race shall count as never run, or count again."""

    number: int = 0
    """Grows, with gaps, in the order of the store; 0 until it is stored."""
    at: int
    """Milliseconds of UTC."""
    race: str
    is_annulled: bool
    reason: str
    differences: bytes
    """What it changed for whom when it was made, as it was published: JSON."""


@dataclass(frozen=True, slots=True)
class Player:
    """A player as stored. `token_hash` is the SHA-256 of the token; the token itself is nowhere."""

    player: str
    name: str
    bot: bool
    token_hash: bytes
    seen_at: int


class Log(Protocol):
    """The durable store of races, tournaments and players. What has returned is durable.

    A tournament is kept like a race; its code tells it from one (`hosting.codes.is_cup`).
    """

    async def append(self, entries: Sequence[Entry], *, over: Sequence[str] = ()) -> None:
        """Appends in one transaction and marks the races in `over` as ended.

        Raises:
            LogConflict: an entry's seq is not the next of its race, or its epoch is stale; nothing
                was appended.
            LogUnavailable: it is unknown whether the entries were appended.
        """
        ...

    async def open_race(
        self, entry: Entry, *, opened_at: int, is_listed: bool, phrase_hash: bytes | None
    ) -> None:
        """Stores a new race with its first event, owned by this node with epoch 1."""
        ...

    async def read(self, race: str, *, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Returns the lines of a race from seq `after + 1` on, in order; none for no such race.

        `limit` is how many at most.
        """
        ...

    async def race(self, race: str) -> RaceRow | None: ...

    async def unfinished(self) -> list[RaceRow]:
        """Returns the races that are neither over nor cancelled, oldest first."""
        ...

    async def ended(self, *, after: int = 0, limit: int) -> list[Ended]:
        """Returns the races that were marked as ended, by number, from the one behind `after`.

        Tournaments are left out.
        """
        ...

    async def summarize(self, summaries: Mapping[str, bytes]) -> None:
        """Keeps something with each of these races that have ended, in place of what was kept."""
        ...

    async def rule(self, ruling: Ruling) -> None:
        """Stores a ruling behind all others."""
        ...

    async def rulings(self, *, after: int = 0) -> list[Ruling]:
        """Returns the rulings by number, from the one behind `after`."""
        ...

    async def enter(self, player: str, race: str) -> None:
        """Notes that the player is an entrant or host of the race, for `races_of`."""
        ...

    async def races_of(self, player: str, *, limit: int) -> list[str]:
        """Returns the player's races, newest first; no tournaments."""
        ...

    async def cups_of(self, player: str, *, over: bool, limit: int) -> list[RaceRow]:
        """Returns those tournaments that are over, or those that are not, that the player was
        entered for by `enter`; newest first."""
        ...

    async def cups(self, *, over: bool, limit: int) -> list[RaceRow]:
        """Returns the listed tournaments that are over, or those that are not; newest first."""
        ...

    async def add_player(self, player: Player) -> None:
        """Raises `NameTaken`."""
        ...

    async def player_by_token(self, token_hash: bytes) -> Player | None: ...

    async def player_by_name(self, name: str) -> Player | None:
        """Returns who is called so now, however it is written."""
        ...

    async def players(self, players: Sequence[str]) -> list[Player]:
        """Returns those of these players that there are, in no order."""
        ...

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
