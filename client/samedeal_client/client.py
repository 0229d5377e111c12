"""The hall: one player's connection to a server, kept alive underneath.

async with samedeal_client.connect("ws://127.0.0.1:8642", name="Ada") as hall:
    race = await hall.create(Terms(game="forty-thieves", entrants_min=1))
    async with hall.join(race) as run: ...
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from samedeal_protocol.messages import Limits, Notice, RaceCard, ResultsSheet
from samedeal_protocol.terms import Terms

from .run import Run, Watch

__all__ = ["DEFAULT_URL", "Hall", "Link", "connect"]

DEFAULT_URL = "ws://127.0.0.1:8642"


@dataclass(frozen=True, slots=True)
class Link:
    """How the connection is: told to `on_link` at every change."""

    is_up: bool
    sentence: str
    """What to tell a person: "connected", "connection lost; trying again in 2 s"."""
    again_in_ms: int | None = None


class Hall:
    """What a player can ask a server. Made by `connect`."""

    player: str
    """The public player id."""
    name: str
    token: str
    """The guest's secret: keep it, and give it to `connect` next time to be the same player."""
    is_bot: bool
    server: str
    """The server's name and version."""
    limits: Limits
    rtt_ms: int | None
    """The shortest round trip seen lately."""

    async def create(
        self, terms: Terms, *, seed: str | None = None, phrase: str | None = None
    ) -> str:
        """Opens a race and returns its code. The player is its host, not its entrant.

        Raises `Refused`, and `OutcomeUnknown` where the connection broke before the answer.
        """
        raise NotImplementedError

    async def list(self, game: str | None = None) -> tuple[RaceCard, ...]:
        """Returns the listed races that are not over."""
        raise NotImplementedError

    async def mine(self) -> tuple[RaceCard, ...]:
        """Returns the player's own races, newest first."""
        raise NotImplementedError

    def join(self, race: str, *, phrase: str | None = None) -> AbstractAsyncContextManager[Run]:
        """Enters an open race, or takes the own place in a running one up again.

        Leaving the context does not withdraw: call `run.leave()` for that.
        """
        raise NotImplementedError

    def watch(self, race: str, *, phrase: str | None = None) -> AbstractAsyncContextManager[Watch]:
        """Watches a race as a spectator, until the context is left."""
        raise NotImplementedError

    async def results(self, race: str) -> ResultsSheet:
        """Returns how a race stands or ended, as far as the player may know."""
        raise NotImplementedError

    async def replay(self, race: str, *, phrase: str | None = None) -> bytes:
        """Returns the replay file of a race that is over: JSON lines, for `verify`."""
        raise NotImplementedError

    async def rematch(self, race: str) -> str:
        """Opens the rematch of a race, or finds the one that is open; returns its code."""
        raise NotImplementedError


def connect(
    url: str = DEFAULT_URL,
    *,
    name: str | None = None,
    token: str | None = None,
    bot: bool = False,
    legal: bool = False,
    client: str = "",
    json: bool = False,
    patience: float | None = 60.0,
    on_link: Callable[[Link], None] | None = None,
    on_notice: Callable[[Notice], None] | None = None,
) -> AbstractAsyncContextManager[Hall]:
    """Connects, says hello, and keeps the connection until the context is left.

    `url` may be ws://, wss://, http://, https:// or HOST:PORT. `legal` asks for the legal moves
    with every own view. `patience` is how many seconds in a row may go by without a connection,
    at first and later (None: for ever).

    Raises:
        GaveUpConnecting: no server answered within `patience`.
        Refused: the hello was refused (a name taken, an unknown token).
    """
    raise NotImplementedError
