"""What the parts of a federation need of the hall that they serve."""

from __future__ import annotations

from typing import Protocol

from samedeal_server.ports import Claim, Log
from samedeal_server.rooms.room import Room

__all__ = ["Home"]


class Home(Protocol):
    """The races of this node, its own and those it follows."""

    rooms: dict[str, Room]
    """Those in memory, by code."""
    is_draining: bool

    @property
    def log(self) -> Log: ...

    async def find(self, code: str) -> Room:
        """Returns a race's room, read from the log if need be; raises as the hall's does."""
        ...

    def lose(self, races: set[str]) -> None:
        """Puts rooms aside and reads their races again, as this node's or as another's."""
        ...

    async def take_up(self, claim: Claim) -> None:
        """Makes a race that was claimed one of this node's."""
        ...

    def say_again(self, room: Room) -> None:
        """Says once more whose a race of this node's is."""
        ...
