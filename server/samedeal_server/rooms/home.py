"""What the parts of a federation need: of the hall that they serve, and of the world outside."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Protocol

from samedeal_server.ports import Bus, Claim, Clock, Leases, Log, Meter
from samedeal_server.rooms.annex import Annex
from samedeal_server.rooms.room import Room

__all__ = ["Home", "Ties"]


class Home(Protocol):
    """The races of this node, its own and those it follows."""

    rooms: dict[str, Room]
    """Those in memory, by code."""
    is_draining: bool
    annex: Annex
    """The tournaments."""

    @property
    def log(self) -> Log: ...

    async def find(self, code: str) -> Room:
        """Returns a race's room, read from the log if need be; raises as the hall's does."""
        ...

    def held(self) -> dict[str, int]:
        """Returns the races and tournaments that are this node's, with the epochs of the claims."""
        ...

    def lose(self, races: set[str]) -> None:
        """Puts rooms aside and reads their races again, as this node's or as another's.

        Tournaments may be among them.
        """
        ...

    def rest(self, room: Room) -> None:
        """Lets a room that nobody needs go from memory in time."""
        ...

    async def take_up(self, claim: Claim) -> None:
        """Makes a race or tournament that was claimed one of this node's."""
        ...

    def say_again(self, room: Room) -> None:
        """Says once more whose a race of this node's is."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ties:
    """What ties this node to the others."""

    leases: Leases
    bus: Bus
    clock: Clock
    meter: Meter
    spawn: Callable[[Coroutine[None, None, None], str], None]
    """Runs an errand under a name, in a group that outlives whoever asks."""
