"""What the hall knows of the tournaments beside it: they use its log, its leases and its races.

Tournaments know the hall; the hall knows them by these shapes only.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Protocol, TypeAlias

from samedeal_protocol.topics import Command
from samedeal_protocol.tournament import requests
from samedeal_protocol.tournament.views import TournamentCard, TournamentSheet, TournamentTable
from samedeal_server.ports import Claim
from samedeal_server.rooms.outcomes import Answer, Order
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.viewers import Asker, Peer, Who

__all__ = ["Annex", "Guest", "TournamentMessage"]

TournamentMessage: TypeAlias = (
    requests.AnnounceTournament
    | requests.ListTournaments
    | requests.FollowTournament
    | requests.UnfollowTournament
    | requests.TournamentStandings
    | requests.TournamentLog
    | requests.ActInTournament
)


class Guest(Protocol):
    """One connection at the tournaments."""

    def hear(
        self, message: TournamentMessage, who: Who, now: int, asker: Asker
    ) -> Coroutine[None, None, None]:
        """Returns the errand that answers; it raises as the hall's own errands do."""
        ...

    def drained(self) -> None:
        """The peer reads again: it is told what it has missed."""
        ...

    def gone(self) -> None:
        """The connection has ended."""
        ...


class Annex(Protocol):
    """The tournaments of this node, and those of others that are followed here."""

    @property
    def is_busy(self) -> bool:
        """Whether a tournament of this node's runs, so that an outage would cost its players."""
        ...

    def guest(self, peer: Peer) -> Guest:
        """Returns what speaks for a new connection."""
        ...

    def held(self) -> Mapping[str, int]:
        """Returns the tournaments that are this node's, with the epochs of their claims."""
        ...

    async def take_up(self, claim: Claim) -> None:
        """Makes a tournament that was claimed one of this node's."""
        ...

    def lose(self, codes: set[str]) -> None:
        """Forgets tournaments of which memory may say what the log does not; reads them again."""
        ...

    def heard(self, room: Room) -> None:
        """A race of a tournament has gone on, or is in memory anew."""
        ...

    def tick(self, code: str) -> None:
        """Does what time demands of a tournament."""
        ...

    def flush(self) -> None:
        """Tells followers, the world and other nodes what has become durable."""
        ...

    async def look(self) -> None:
        """Reads on in followed tournaments of other nodes, whatever the bus has lost."""
        ...

    def serve(self, command: Command, order: Order, answer: Answer) -> None:
        """Carries out what another node asks of a tournament."""
        ...

    async def close(self) -> None:
        """Ends what is under way; nothing is begun from here on."""
        ...

    # --- what pages may ask: every answer is what a stranger may know --------------------------

    async def listed(self, *, over: bool) -> tuple[TournamentCard, ...]:
        """Returns the listed tournaments, those that are over or those that are not."""
        ...

    async def sheet(self, code: str) -> TournamentSheet:
        """Returns all of a tournament; raises `Refused`."""
        ...

    async def table(self, code: str) -> TournamentTable:
        """Returns the standings; raises `Refused`."""
        ...
