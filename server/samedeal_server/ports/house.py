"""The server's own bots, and the seats that they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["Booking", "HouseBots"]


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
