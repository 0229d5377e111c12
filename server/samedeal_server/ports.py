"""What the server needs of the world outside, each behind one small interface.

An adapter alone imports its library. Every adapter of a port passes the port's contract suite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from msgspec import Struct

__all__ = [
    "Bus",
    "Claim",
    "Clock",
    "Ended",
    "Entry",
    "Fate",
    "Health",
    "Hook",
    "Hooks",
    "Leases",
    "Log",
    "LogConflict",
    "LogUnavailable",
    "Meter",
    "NameTaken",
    "NodeRow",
    "Player",
    "RaceRow",
    "Ruling",
    "Seeds",
    "Superseded",
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
    """Somebody else has appended to a race, or owns it: what memory says of it is not true.

    `races` are those in conflict, as far as the log can tell; empty means any that was appended to.
    """

    def __init__(self, reason: str, *, races: frozenset[str] = frozenset()) -> None:
        super().__init__(reason)
        self.races = races


class Superseded(Exception):
    """Another server runs under this one's name; the message is one line that says what to do."""


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


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node as the store knows it. `alive_at` is its last renewal, in ms of the store's clock."""

    node: str
    incarnation: str
    alive_at: int
    is_alive: bool
    """Whether its lease still runs."""
    has_bus: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """A race that this node owns from now on.

    `since` is the instant, in ms, at which the race's former owner is last known to have lived;
    None if nothing is known of one.
    """

    race: str
    epoch: int
    since: int | None


class Leases(Protocol):
    """Which node owns which race.

    A node lives by a lease that it renews; a race belongs to the node that claimed it last, with an
    epoch one higher than before. The epoch alone keeps the log safe (an append with an older one is
    refused in the log itself); the lease only keeps nodes from fighting. All instants are of the
    store's clock. Every method raises `LogUnavailable` when the store cannot be asked.
    """

    @property
    def node(self) -> str:
        """The name of this node."""
        ...

    @property
    def incarnation(self) -> str:
        """What tells this run of the node from its earlier ones."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether there can be other nodes."""
        ...

    async def join(self) -> None:
        """Takes this node's place; what an earlier incarnation of its name owned is orphaned."""
        ...

    async def renew(self, *, has_bus: bool) -> bool:
        """Makes the lease run anew; False when another incarnation has taken this node's name."""
        ...

    async def nodes(self) -> list[NodeRow]:
        """Returns every node that has joined and not left."""
        ...

    async def owner(self, race: str) -> tuple[str, int] | None:
        """Returns the race's owner and epoch; None when nobody alive owns it."""
        ...

    async def claim(self, race: str) -> Claim | None:
        """Takes a race, also an ended one, that nobody else alive owns; None if that cannot be.

        A race that is this node's own already is claimed again, with a new epoch.
        """
        ...

    async def claim_orphans(self, *, limit: int) -> list[Claim]:
        """Takes up to `limit` unfinished races that nobody alive owns, the oldest first."""
        ...

    async def owned(self, races: Sequence[str]) -> dict[str, int]:
        """Returns which of these races are this node's own, with the epochs of their claims."""
        ...

    async def release(self, races: Sequence[str]) -> None:
        """Gives races of this node up, so that any node may claim them."""
        ...

    async def leave(self) -> None:
        """Gives everything up and the node's place with it."""
        ...


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

    def forget(self, topic: str) -> None:
        """Leaves a retained topic to somebody else: whatever this node has said of it is past."""
        ...

    def hears(self, topic: str) -> bool:
        """Whether anybody may hear what is published on the topic now.

        What is retained is heard later, too; anything else need not be put into words for nobody.
        """
        ...

    @property
    def is_connected(self) -> bool:
        """Whether what is published now has a chance to arrive."""
        ...

    def on_connected(self, announce: Callable[[], None]) -> Callable[[], None]:
        """Calls `announce` now, if connected, and whenever it is again; returns the way to stop."""
        ...


@dataclass(slots=True, kw_only=True, eq=False)
class Booking:
    """A seat of the house, from the invitation on. The house keeps `race` and what follows."""

    by: str
    """The player who asked for it."""
    address: str
    """Where that player was."""
    bot: str
    """Which of the bots: random, greedy, patient."""
    pace_ms: int | None
    phrase: str | None = field(default=None, repr=False)
    race: str
    """Where it is now: the bot goes on into rematches."""
    player: str | None = None
    """Who the bot is, once it has said hello."""
    waits: bool = False
    """Whether its race has ended, and the bot only stays for a rematch."""
    is_over: bool = False
    """Whether the seat is free again."""


class HouseBots(Protocol):
    """The server's own bots. They connect like anybody's, and are players like any other."""

    def opens(self, url: str, door: str) -> Sequence[Booking]:
        """Takes where the server can be reached from its own machine, and what a bot that is nobody
        yet shows in place of a token; nobody is seated before.

        Returns the seats of bots that sat when the server was last killed: they come back.
        """
        ...

    def seat(self, booking: Booking) -> None:
        """Sends a bot to a race and returns at once."""
        ...

    def leave(self, booking: Booking) -> None:
        """Has a bot end its race and go, and returns at once; asking again does no harm."""
        ...


class Meter(Protocol):
    """Counters and distributions, by names that adapters.metrics declares."""

    def count(self, name: str, amount: int = 1) -> None: ...

    def observe(self, name: str, value: float) -> None: ...


class Fate(Enum):
    """What became of something posted."""

    DELIVERED = "delivered"
    GIVEN_UP = "given-up"
    """It was tried for a day."""
    GONE = "gone"
    """The receiver wants nothing more, ever: the hook is to be taken away."""


@dataclass(frozen=True, slots=True)
class Hook:
    """Where news is posted. URL and secret are the host's alone: neither stands in `repr`."""

    url: str = field(repr=False)
    secret: str = field(repr=False)
    """What is posted is signed with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How it goes with a hook."""

    waiting: int = 0
    """How much waits, or is under way."""
    failures: int = 0
    """How many attempts have failed since the last that did not."""
    said: str = ""
    """What the last one came to, in words for the host."""


class Hooks(Protocol):
    """What is posted to hosts' URLs, at least once each, as long as this process lives.

    What waits is in memory only: whoever posts goes on, after a restart, from what was not settled,
    with the same ids. By them receivers drop what they have already.
    """

    def secret(self) -> str:
        """Returns a new hook's secret."""
        ...

    def fault(self, url: str) -> str | None:
        """Says why nothing can be posted to a URL and what to do, or None; connects to nothing."""
        ...

    def post(
        self, hook: Hook, id: str, payload: bytes, *, settled: Callable[[Fate, str], None]
    ) -> bool:
        """Hands over and returns at once; False when too much waits, and `settled` is not called.

        The id is letters, digits, `_` and `-`, another for everything posted. The payload is JSON.
        `settled(fate, said)` is called once, later, unless the hook is forgotten; it may not raise.
        """
        ...

    def forget(self, hook: Hook) -> None:
        """Drops what waits for the hook."""
        ...

    def health(self, hook: Hook) -> Health: ...
