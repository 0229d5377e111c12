"""What a session tells whoever drives it, in the order in which it happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from samedeal_protocol.messages import (
    ClientMessage,
    Error,
    Notice,
    Played,
    RaceEvent,
    Reply,
    Snapshot,
    TournamentChanged,
    Welcome,
)

__all__ = [
    "Answered",
    "Complained",
    "Cut",
    "Declined",
    "Greeted",
    "Happening",
    "Noticed",
    "Postponed",
    "Told",
    "TournamentTold",
    "Unanswered",
    "Unwelcome",
]


@dataclass(frozen=True, slots=True)
class Greeted:
    """The server said welcome; `again` after a lost connection."""

    welcome: Welcome
    again: bool


@dataclass(frozen=True, slots=True)
class Unwelcome:
    """The server refused the hello: close the connection; `lost` then says whether to return."""

    error: Error


@dataclass(frozen=True, slots=True)
class Answered:
    """The request was carried out."""

    request: ClientMessage
    result: Reply | None


@dataclass(frozen=True, slots=True)
class Declined:
    """The request was refused and changed nothing."""

    request: ClientMessage
    error: Error


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The connection broke after the request, and it must not be sent twice."""

    request: ClientMessage


@dataclass(frozen=True, slots=True)
class Told:
    """The next thing that happened in a race, or a snapshot that replaces what was told."""

    race: str
    message: RaceEvent | Played | Snapshot


@dataclass(frozen=True, slots=True)
class Cut:
    """The server refused to take a followed race up again; it is followed no more."""

    race: str
    error: Error


@dataclass(frozen=True, slots=True)
class Postponed:
    """A followed race will be taken up again, but not yet: call `resume` after so long."""

    race: str
    after_ms: int


@dataclass(frozen=True, slots=True)
class TournamentTold:
    """Something has changed in a tournament that is followed on this connection."""

    message: TournamentChanged


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something for every connection."""

    notice: Notice


@dataclass(frozen=True, slots=True)
class Complained:
    """An error that answers no request that is open."""

    error: Error


Happening: TypeAlias = (
    Greeted
    | Unwelcome
    | Answered
    | Declined
    | Unanswered
    | Told
    | Cut
    | Postponed
    | Noticed
    | TournamentTold
    | Complained
)
