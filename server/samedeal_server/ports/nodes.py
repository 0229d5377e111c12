"""One node among others: which races are its own, and what leaves it for the world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Bus", "Claim", "Leases", "NodeRow", "Superseded"]


class Superseded(Exception):
    """Another server runs under this one's name; the message is one line that says what to do."""


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
