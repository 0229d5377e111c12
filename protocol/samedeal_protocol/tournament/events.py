"""What happened in a tournament: the events that the log keeps, and their form on disk.

As with races, the log is the truth, an event is one line of JSON, and each line's hash covers the
one before it. Pairings are recorded and never made again; so is every race before it is opened, so
that whoever goes on after a crash opens that very race and no other.

`by` is the player id of whoever did it by hand; it is empty for what the rules demand. Players are
known by the numbers they got as they registered. Events keep their shape for ever: a change is a
new event, or a new field with a default.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import msgspec
from msgspec import Struct

from samedeal_protocol.tags import tag
from samedeal_protocol.tournament.terms import TournamentTerms

__all__ = [
    "Announced",
    "Appointed",
    "Called",
    "CalledOff",
    "CameBack",
    "CheckInOpened",
    "CheckedIn",
    "Continued",
    "Decided",
    "Disqualified",
    "Ending",
    "Extended",
    "Followed",
    "Halted",
    "Hooked",
    "Invited",
    "LetIn",
    "MatchResult",
    "Mustered",
    "Over",
    "Overridden",
    "Paired",
    "PairedMatch",
    "Picked",
    "RaceEnded",
    "RaceStarted",
    "RaceVoided",
    "Registered",
    "Reinstated",
    "RoundDue",
    "Rung",
    "SatOut",
    "Showing",
    "Started",
    "TakenBack",
    "TournamentEvent",
    "Unhooked",
    "Withdrew",
    "parse_line",
    "to_line",
]


class Ending(Enum):
    """How a match came to its result."""

    PLAYED = "played"
    WALKOVER = "walkover"
    FORFEIT = "double forfeit"
    BYE = "bye"


class Happened(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="event", tag=tag):
    """An event; `at` is the instant at which it counts."""

    at: int
    by: str = ""


class Announced(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """The tournament was announced. Seed and salt stay on the server until it is over."""

    tournament: str
    terms: TournamentTerms
    seed: str
    salt: str
    commitment: str
    host: str
    """The host's player id."""
    host_name: str
    phrase_hash: str = ""
    """Of the pass phrase, if registration needs one: salted, in hex."""
    follows: str | None = None
    """The tournament before it in its series."""
    staff: tuple[tuple[str, str, str], ...] = ()
    """Of a series: id, name and role of those who were appointed before."""
    invited: tuple[str, ...] = ()
    """Of a series: the names of those who were invited before."""
    hooks: tuple[tuple[str, str], ...] = ()
    """Of a series: where results are posted, and with which secret."""


class Invited(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """People of these names may register."""

    names: tuple[str, ...]


class Registered(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A player registered, or waits for a place, or came late: paired from `round` on."""

    player: int
    id: str
    name: str
    bot: bool = False
    waiting: bool = False
    round: int | None = None
    """Of a latecomer: the first round in which they can be paired."""
    seed: int | None = None
    """Of a latecomer: their seed number."""


class LetIn(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody from the waiting list got a place."""

    player: int
    round: int | None = None
    seed: int | None = None


class CheckInOpened(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """Players can check in, until the instant `closes`."""

    closes: int


class CheckedIn(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A player is there."""

    player: int


class Started(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """The tournament started with these players, by seed number; everybody else is absent."""

    players: tuple[int, ...]
    bell: int | None = None
    """The instant at which the bell rings."""


class SatOut(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A player is paired no further for now."""

    player: int


class CameBack(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A player who sat out or had withdrawn is paired again."""

    player: int


class Withdrew(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A player left, or took their registration back."""

    player: int


class Disqualified(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A player was taken out."""

    player: int
    reason: str


class Reinstated(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A disqualification or withdrawal was taken back."""

    player: int
    reason: str


class Showing(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one player did in one race."""

    player: int
    place: int | None = None
    """As the race ranked them, ties sharing one; None for the disqualified and who never came."""
    elapsed_ms: int | None = None
    """A finisher's time; nobody else has one."""
    home: int = 0
    """Cards home."""


class MatchResult(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a match ended. A played one without a winner is a draw."""

    ending: Ending
    winner: int | None = None


class PairedMatch(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match as it was paired; a bye has its result already."""

    match: str
    round: int
    players: tuple[int, ...]
    label: str
    deals: str
    result: MatchResult | None = None


class Paired(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """Matches were paired."""

    matches: tuple[PairedMatch, ...]


class TakenBack(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """Matches that earlier results no longer support were taken back, with their races."""

    matches: tuple[str, ...]


class Decided(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A match ended: by its races, or because players are gone or did not come."""

    match: str
    result: MatchResult


class Overridden(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """Staff said how a match ended."""

    match: str
    result: MatchResult
    reason: str


class Picked(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """The game of a race was picked by a player; or, without one, drawn as time had run out."""

    match: str
    number: int
    game: str
    player: int | None = None


class Called(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A race is to be played, and will be opened under this code if it is not yet."""

    match: str
    number: int
    race: str
    game: str
    salt: str
    """Of the race's commitment; its seed follows from the tournament's."""
    ready_by: int
    """Who is not there at this instant has lost it."""


class Mustered(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """Time to be ready for a race was up: it starts with these players, who are there."""

    match: str
    number: int
    there: tuple[int, ...]


class RaceStarted(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A race runs."""

    match: str
    number: int


class RaceEnded(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A race is over, and counts like this."""

    match: str
    number: int
    showings: tuple[Showing, ...]


class RaceVoided(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A race counts for nothing: staff says so, or nobody could play it."""

    match: str
    number: int
    reason: str


class Halted(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """The tournament was paused."""

    reason: str


class Continued(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """A pause ended; instants that were waited for are `later_ms` later."""

    later_ms: int


class Extended(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """There is more time: for a match's players, or for what the tournament waits for."""

    seconds: int
    match: str | None = None


class RoundDue(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """The next round may be paired."""

    round: int


class Rung(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """The bell rang."""


class Appointed(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody helps to run the tournament, or (`none`) no longer."""

    id: str
    name: str
    role: str


class Hooked(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """Results are posted to a URL, signed with this secret."""

    url: str
    secret: str


class Unhooked(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """Nothing is posted there any more."""

    url: str


class Followed(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """The next of the series is announced, and will be under this code if it is not yet."""

    next: str
    starts: int
    seed: str
    salt: str


class Over(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """The tournament is over."""

    reason: str
    champion: int | None = None


class CalledOff(Happened, frozen=True, kw_only=True, omit_defaults=True):
    """The tournament was called off."""

    reason: str
    series: bool = False
    """And no other follows."""


TournamentEvent = (
    Announced
    | Invited
    | Registered
    | LetIn
    | CheckInOpened
    | CheckedIn
    | Started
    | SatOut
    | CameBack
    | Withdrew
    | Disqualified
    | Reinstated
    | Paired
    | TakenBack
    | Decided
    | Overridden
    | Picked
    | Called
    | Mustered
    | RaceStarted
    | RaceEnded
    | RaceVoided
    | Halted
    | Continued
    | Extended
    | RoundDue
    | Rung
    | Appointed
    | Hooked
    | Unhooked
    | Followed
    | Over
    | CalledOff
)

_encoder: Final = msgspec.json.Encoder(order="deterministic")
_decoder: Final[msgspec.json.Decoder[TournamentEvent]] = msgspec.json.Decoder(TournamentEvent)


def to_line(event: TournamentEvent) -> bytes:
    """Returns the event as one line of JSON, without a line end."""
    return _encoder.encode(event)


def parse_line(line: bytes) -> TournamentEvent:
    """Returns the event of a line. Raises one of `UNREADABLE`."""
    return _decoder.decode(line)
