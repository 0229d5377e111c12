"""One race as its entrant or its spectator lives it.

    async with hall.join("brisk-otter-42") as run:
        await run.ready()
        async for table in run:
            await run.play(table.legal()[0])

Reconnecting happens underneath: a `play` resolves once, with the server's answer, whatever the
connection does meanwhile.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

from samedeal_protocol.messages import (
    EntrantView,
    Played,
    RaceEvent,
    Snapshot,
    Standing,
)
from samedeal_protocol.terms import Terms
from samedeal_rules.notation import Move, Position

from .view import View

__all__ = ["Happening", "Run", "Sight", "Watch"]

Happening = RaceEvent | Played | Snapshot
"""What `events()` yields. `Played` is the entrant's own move; a `Snapshot` replaces everything."""


class Sight:
    """What this connection may know of a race, kept up to date. `Run` and `Watch` are the two."""

    race: str
    terms: Terms
    phase: str
    """open, countdown, running, over, cancelled."""
    host: str
    commitment: str
    entrants: Mapping[int, EntrantView]
    """By entrant number; their `board` fields are left out, see `board`."""
    standings: tuple[Standing, ...]
    seed: str | None
    salt: str | None
    rematch_race: str | None
    """The code of the rematch, once somebody has asked for one."""
    doubts: int
    """How often a board's digest did not agree and a snapshot was asked for."""

    def board(self, entrant: int) -> Position | None:
        """Returns an entrant's board as far as this viewer may see it."""
        raise NotImplementedError

    @property
    def starts_in_ms(self) -> int | None:
        """How long until the start, during a countdown."""
        raise NotImplementedError

    @property
    def elapsed_ms(self) -> int | None:
        """How long the own clock (a spectator: the race's) has run."""
        raise NotImplementedError

    @property
    def is_over(self) -> bool:
        """The race is over or cancelled."""
        raise NotImplementedError

    def events(self) -> AsyncIterator[Happening]:
        """Yields everything that happens from this call on, each event once and in order.

        Ends after the race's last event. Raises `FellBehind` for a reader that reads too slowly.
        """
        raise NotImplementedError

    def changes(self) -> AsyncIterator[None]:
        """Yields at once and then whenever something has changed, skipping what was missed."""
        raise NotImplementedError

    async def chat(self, text: str) -> None:
        """Says something to everybody in the race. Raises `OutcomeUnknown` at a broken link."""
        raise NotImplementedError

    async def rematch(self) -> str:
        """Opens the rematch, or finds the one that is open; returns its code."""
        raise NotImplementedError

    async def over(self) -> tuple[Standing, ...]:
        """Waits until the race is over or cancelled; returns the standings."""
        raise NotImplementedError


class Watch(Sight):
    """A race seen by a spectator."""


class Run(Sight):
    """An entrant's race. `async for view in run` yields the newest view of the own board.

    It begins with the deal (waiting for the start), skips views that are stale, and ends when the
    entrant or the race is done.
    """

    you: int
    """The own entrant number."""
    view: View | None
    """The own board, once there is a deal."""

    @property
    def state(self) -> str:
        """The own state: entered, ready, racing, finished, stuck, gave-up, ..."""
        raise NotImplementedError

    @property
    def is_done(self) -> bool:
        """There is nothing left to play: the own race has ended, or the whole race has."""
        raise NotImplementedError

    def __aiter__(self) -> AsyncIterator[View]:
        raise NotImplementedError

    async def ready(self) -> None:
        """Says ready."""
        raise NotImplementedError

    async def unready(self) -> None:
        """Takes ready back."""
        raise NotImplementedError

    async def start(self) -> None:
        """Begins the countdown: the host's, where the terms leave the start to the host."""
        raise NotImplementedError

    async def begin(self) -> View:
        """Opens the deal of an async race and starts the own clock."""
        raise NotImplementedError

    async def play(self, move: str | Move) -> Played:
        """Plays one move; returns the server's answer once the move is durable.

        The move's number is fixed when its turn comes and survives reconnects, so the move counts
        once. Concurrent calls take turns in the order in which they were made.

        Raises:
            IllegalMove: the rules refuse it; nothing changed.
            Refused: the race is not running, or the own board is not in play.
        """
        raise NotImplementedError

    async def undo(self) -> Played:
        """Takes the last play back; refused where the terms or the position allow none."""
        raise NotImplementedError

    async def finish(self) -> Played:
        """Lets the server play every card home; refused if that does not win."""
        raise NotImplementedError

    async def hint(self) -> str:
        """Asks for a move worth trying."""
        raise NotImplementedError

    async def give_up(self) -> None:
        """Ends the own race without a finish."""
        raise NotImplementedError

    async def leave(self) -> None:
        """Withdraws, before the start."""
        raise NotImplementedError

    async def cancel(self) -> None:
        """Calls the race off, before the start: the host's."""
        raise NotImplementedError

    async def disqualify(self, entrant: int, *, reason: str = "") -> None:
        """Takes an entrant out of the running race: the host's."""
        raise NotImplementedError
