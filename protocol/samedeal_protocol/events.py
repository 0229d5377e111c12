"""What happened in a race: the events that the log keeps, and their form on disk.

The log is the truth: recovery, replay, verification and tests fold these events and nothing else.
An event is one line of JSON; a race's n-th event has seq n. Each line's hash covers the one before
it, so that the last hash speaks for the whole race.

`at` is milliseconds of UTC by the server's clock, which never goes back. Events that are over
and done with keep their shape for ever: a change is a new event, or a new field with a default.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from enum import Enum
from typing import Final

import msgspec
from msgspec import Struct

from samedeal_protocol.terms import Terms

__all__ = [
    "CHAIN_START",
    "AutoFinished",
    "Began",
    "Cancelled",
    "CountdownBegan",
    "CountdownStopped",
    "Done",
    "Dropped",
    "Entered",
    "EntrantState",
    "Event",
    "OnBoard",
    "Opened",
    "Over",
    "Place",
    "Played",
    "Readied",
    "RematchOpened",
    "Returned",
    "Said",
    "SentHome",
    "Started",
    "Stopped",
    "Undone",
    "Unreadied",
    "Withdrew",
    "chained",
    "link",
    "parse_line",
    "to_line",
]


class EntrantState(Enum):
    """Where an entrant stands."""

    ENTERED = "entered"
    READY = "ready"
    RACING = "racing"
    FINISHED = "finished"
    """Brought every card home; the only state with a time."""
    STUCK = "stuck"
    """Had no move left, and nothing to take back."""
    GAVE_UP = "gave-up"
    OUT_OF_TIME = "out-of-time"
    DISQUALIFIED = "disqualified"
    WITHDRAWN = "withdrawn"
    """Left before the start."""


class Happened(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="event"):
    """An event; `at` is the instant at which it counts."""

    at: int


class Opened(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="opened"):
    """The race was opened. Seed and salt stay on the server until the race is over."""

    race: str
    terms: Terms
    rules: str
    """Version of the rules core."""
    deal: str
    """Version of the shuffle."""
    seed: str
    salt: str
    commitment: str
    host: str
    """The host's player id."""
    host_name: str
    seeded: bool = False
    """The host named the seed."""
    tournament: str | None = None
    """The code of the tournament whose race this is; it is the host as well."""
    invited: tuple[str, ...] = ()
    """The player ids of those who may enter, in a tournament's race."""


class Entered(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="entered"):
    """A player entered; `entrant` is 1 for the first, 2 for the second, ... and never reused."""

    entrant: int
    player: str
    name: str
    bot: bool = False


class Withdrew(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="withdrew"):
    """An entrant left before the start."""

    entrant: int


class Readied(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="readied"):
    """An entrant said ready."""

    entrant: int


class Unreadied(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="unreadied"):
    """An entrant took ready back, or was away while it mattered."""

    entrant: int


class CountdownBegan(
    Happened, frozen=True, kw_only=True, omit_defaults=True, tag="countdown-began"
):
    """The race starts at the instant `starts`."""

    starts: int


class CountdownStopped(
    Happened, frozen=True, kw_only=True, omit_defaults=True, tag="countdown-stopped"
):
    """The countdown was called off; the race is open again."""

    reason: str


class Started(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="started"):
    """The race runs: a live one for everybody at once, an async one for whoever begins."""


class Began(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="began"):
    """An entrant of an async race opened the deal."""

    entrant: int


class Played(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="played"):
    """An entrant played a move under their own number."""

    entrant: int
    number: int
    move: str


class Undone(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="undone"):
    """An entrant took the last play back (all cards that were sent home together are one play)."""

    entrant: int
    number: int


class AutoFinished(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="auto-finished"):
    """An entrant let the server play every card home by these moves."""

    entrant: int
    number: int
    moves: tuple[str, ...]


class SentHome(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="sent-home"):
    """An entrant let the server play what was safe home by these moves."""

    entrant: int
    number: int
    moves: tuple[str, ...]


class Done(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="done"):
    """An entrant's race ended. Only a finisher has a time: `elapsed_ms`, penalties included."""

    entrant: int
    state: EntrantState
    home: int
    elapsed_ms: int | None = None
    reason: str = ""


class Dropped(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="dropped"):
    """An entrant's last connection is gone."""

    entrant: int


class Returned(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="returned"):
    """An entrant is connected again."""

    entrant: int


class Stopped(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="stopped"):
    """The server was down for the `stopped_ms` before `at`; they are on nobody's clock."""

    stopped_ms: int


class Said(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="said"):
    """Somebody in the race said something."""

    player: str
    name: str
    text: str
    bot: bool = False


class RematchOpened(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="rematch-opened"):
    """There is one race more on the same terms."""

    rematch: str


class Place(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the ranking."""

    place: int
    entrant: int
    state: EntrantState
    home: int
    moves: int
    """Moves played, those made by the server one by one; an undo does not lower it."""
    elapsed_ms: int | None = None
    penalty_ms: int = 0


class Over(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="over"):
    """Nobody is racing any more; the ranking is final."""

    standings: tuple[Place, ...]


class Cancelled(Happened, frozen=True, kw_only=True, omit_defaults=True, tag="cancelled"):
    """The race will not be run, or was broken off."""

    reason: str


OnBoard = Played | Undone | AutoFinished | SentHome
"""What an entrant did to their board, under their next number."""

Event = (
    Opened
    | Entered
    | Withdrew
    | Readied
    | Unreadied
    | CountdownBegan
    | CountdownStopped
    | Started
    | Began
    | Played
    | Undone
    | AutoFinished
    | SentHome
    | Done
    | Dropped
    | Returned
    | Stopped
    | Said
    | RematchOpened
    | Over
    | Cancelled
)

CHAIN_START: Final = bytes(32)
"""The hash before the first event."""

_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(Event)


def to_line(event: Event) -> bytes:
    """Returns the event's one line of JSON, without a line end."""
    return _encoder.encode(event)


def parse_line(line: bytes | str) -> Event:
    """Reads a line of the log back; raises one of `UNREADABLE` for anything else."""
    return _decoder.decode(line)


def link(chain: bytes, line: bytes) -> bytes:
    """Returns the hash after `line`: SHA-256 over the 32 bytes before it and the line."""
    return hashlib.sha256(chain + line).digest()


def chained(lines: Iterable[bytes]) -> bytes:
    """Returns the hash after all these lines, which begin with the first."""
    chain = CHAIN_START
    for line in lines:
        chain = link(chain, line)
    return chain
