"""What screens ask of the program that they belong to, so that they need not know it."""

from __future__ import annotations

from typing import Protocol

from samedeal_client.client import Hall
from samedeal_client.sight import Sight
from samedeal_client.tui.look import Look
from samedeal_rules import Game

__all__ = ["Program"]


class Program(Protocol):
    """The connection, the look, and the ways from screen to screen."""

    look: Look
    """What the player has chosen for their screen."""
    hall: Hall | None
    """The connection; None while there is none."""
    stays_away: bool
    """The server does not want this player back as things are."""

    @property
    def server(self) -> str:
        """The server's address, as the player knows it."""
        ...

    @property
    def link_text(self) -> str:
        """What is wrong with the connection; empty if nothing is."""
        ...

    def command(self, *words: str) -> str:
        """A command line for this player to type, with the program as it was started."""
        ...

    def connect(self, *, is_asked: bool = False) -> None:
        """Tries to reach the server, if there is no connection.

        Where the server has sent the player away for good, only if the player asks for it.
        """
        ...

    def choose(self, look: Look) -> None:
        """Takes on another look, and keeps it."""
        ...

    def enter(self, race: str, *, phrase: str | None = None) -> None:
        """Goes to a race, as its entrant; or as its spectator, if it is too late for that."""
        ...

    async def play(self, race: str) -> None:
        """Sits the player down at a race until they leave it. Raises `ClientError`."""
        ...

    def visit(self, tournament: str) -> None:
        """Goes to a tournament."""
        ...

    def look_at(self, race: str, *, phrase: str | None = None, note: str = "") -> None:
        """Goes to a race, as its spectator."""
        ...

    def look_on(self, sight: Sight) -> None:
        """Looks at the boards of a race that one is in."""
        ...

    def practise(self, game: Game, seed: str | None = None) -> None:
        """Deals a game to practise."""
        ...

    def replay(self, replay: bytes) -> None:
        """Shows a replay."""
        ...

    def fetch_replay(self, race: str) -> None:
        """Fetches a replay, and shows it."""
        ...
