"""What the server tells unasked: the events of a race, and notices to every connection.

Each event has its race's `seq`; a viewer is told every seq once and in order, and what they may not
see arrives as `skip`.
"""

from __future__ import annotations

from samedeal_protocol.bases import Message
from samedeal_protocol.replies import Standing, Turned

__all__ = [
    "Away",
    "Back",
    "Began",
    "Cancelled",
    "CountdownBegan",
    "CountdownStopped",
    "Done",
    "Entered",
    "Event",
    "Left",
    "Moved",
    "Notice",
    "Over",
    "Progressed",
    "RaceEvent",
    "Readied",
    "RematchOpened",
    "Said",
    "Skip",
    "Started",
    "Stoppage",
    "Undone",
]


class Event(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Something that happened in a race."""

    race: str
    seq: int
    at: int


class Entered(Event, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody entered."""

    entrant: int
    name: str
    bot: bool = False


class Left(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant withdrew before the start."""

    entrant: int


class Readied(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant is ready, or no longer."""

    entrant: int
    ready: bool


class CountdownBegan(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The race starts in so many milliseconds; count from the message's arrival."""

    starts_in_ms: int


class CountdownStopped(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The countdown was called off; the race is open again."""

    reason: str


class Started(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The race runs. The deal is sent now and to all alike; spectators get it as the terms say."""

    board: str | None = None
    digest: str | None = None
    legal: tuple[str, ...] | None = None


class Began(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant of an async race opened the deal; with it for those who may see the board."""

    entrant: int
    board: str | None = None
    digest: str | None = None


class Moved(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant played (or let the server finish): for those who may see the board."""

    entrant: int
    number: int
    moves: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    turned: tuple[Turned, ...] = ()
    covered: tuple[str, ...] = ()
    board: str | None = None
    digest: str
    home: int


class Undone(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant took a move back: for those who may see the board."""

    entrant: int
    number: int
    board: str
    digest: str
    home: int
    penalty_ms: int = 0


class Progressed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant played or took back: for those who may see progress only."""

    entrant: int
    home: int
    moves: int
    penalty_ms: int = 0


class Done(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant's race ended: finished, stuck, gave-up, out-of-time or disqualified."""

    entrant: int
    state: str
    home: int
    elapsed_ms: int | None = None
    penalty_ms: int = 0
    reason: str = ""


class Away(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant's connection is gone; None means that they may be away until the time limit."""

    entrant: int
    grace_ms: int | None = None


class Back(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant is connected again."""

    entrant: int


class Stoppage(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The server was down for so long; the time is on nobody's clock."""

    stopped_ms: int


class Said(Event, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody said something."""

    name: str
    text: str
    bot: bool = False


class RematchOpened(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A rematch can be joined."""

    rematch: str


class Over(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The race is over: the result, and what proves the deal."""

    standings: tuple[Standing, ...]
    seed: str
    salt: str


class Cancelled(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The race will not be run, or was broken off by a fault of the server."""

    reason: str


class Skip(Event, frozen=True, kw_only=True, omit_defaults=True):
    """Something happened that this viewer may not see."""


RaceEvent = (
    Entered
    | Left
    | Readied
    | CountdownBegan
    | CountdownStopped
    | Started
    | Began
    | Moved
    | Undone
    | Progressed
    | Done
    | Away
    | Back
    | Stoppage
    | Said
    | RematchOpened
    | Over
    | Cancelled
    | Skip
)


class Notice(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Something that every connection should know, such as a restart ahead."""

    code: str
    """draining."""
    message: str
    in_ms: int | None = None
