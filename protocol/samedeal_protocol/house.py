"""What a server and its house say to each other: JSON lines through the house's own pipes.

The house is a process with the server's own bots. It is told orders on its standard input, whose
end is its own; what becomes of them it reports on its standard output. A beat it sends back at
once, by which the server knows that it lives. To the rest of the world its bots speak the protocol
like any others.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

__all__ = ["Beat", "FromHouse", "Go", "Order", "Report", "ToHouse"]


class Order(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="order"):
    """Sends a bot to a race."""

    seat: int
    """The order's number, to be reported by."""
    race: str
    bot: str
    """A name of `samedeal_client.bots.BOTS`."""
    pace_ms: int | None = None
    """About how long it takes over a move; without it, as long as a bot of its kind does."""
    phrase: str | None = None
    token: str | None = None
    """Whose the seat is already; without it, whoever is free takes it."""
    door: str | None = None
    """What somebody new shows in place of a token, to be let in under a name of the house: a secret
    of this server and its house."""


class Go(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="go"):
    """Has a bot end its race, in whatever way there is, and free its seat."""

    seat: int


class Beat(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="beat"):
    """Asks whether the house lives; sent back, says that it does."""


class Report(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="report"):
    """Tells what has become of a seat. What is left out has not changed."""

    seat: int
    player: str | None = None
    token: str | None = None
    """Both of who sits there now; the token is a secret of this server and its house."""
    race: str | None = None
    """Where the bot is now."""
    waits: bool = False
    """Its race has ended: the bot only stays in case that there is a rematch."""
    left: str | None = None
    """The seat is free, for this reason."""


ToHouse: TypeAlias = Order | Go | Beat
FromHouse: TypeAlias = Report | Beat
