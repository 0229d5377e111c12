"""What a race is run under: fixed when it opens, shown to everybody, the same for all.

Terms travel on the wire and stand in the log's first event, so they hold no secret: a pass phrase
travels beside them and a seed that was asked for is named only when the race is over.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Final

from msgspec import Meta, Struct

__all__ = [
    "DAY",
    "Mode",
    "Sight",
    "Start",
    "Terms",
    "Undo",
    "Visibility",
    "faults",
]

DAY: Final = 86_400
"""Seconds in a day."""


class Mode(Enum):
    """When an entrant's clock starts."""

    LIVE = "live"
    """Everybody gets the deal at one instant and races on a common clock."""
    ASYNC = "async"
    """Each clock starts when its entrant opens the deal; the race closes at a deadline."""


class Start(Enum):
    """What lets a live race's countdown begin."""

    ALL_READY = "all-ready"
    """Every entrant has said ready and there are at least as many as the terms ask for."""
    HOST = "host"
    """The host says so."""
    AT = "at"
    """The instant `start_at` has come; an entrant need not say ready."""


class Undo(Enum):
    """What may be taken back. Undo is information, so it is a term of the race."""

    FREE = "free"
    """Every move, as often as wished."""
    NOT_PAST_A_REVEAL = "not-past-a-reveal"
    """Every move back to the last one that showed a card which was hidden."""
    NONE = "none"
    """Nothing."""
    PENALTY = "penalty"
    """Every move, each for `undo_penalty` seconds on the entrant's own time."""


class Visibility(Enum):
    """Who finds the race."""

    PUBLIC = "public"
    """It stands in the lobby's list."""
    UNLISTED = "unlisted"
    """Whoever has its code comes in."""
    PHRASE = "phrase"
    """It is listed, and a pass phrase lets one in."""


class Sight(Enum):
    """What spectators of a race are shown."""

    NONE = "none"
    """Nothing: the race has no spectators until it is over."""
    PROGRESS = "progress"
    """How many cards are home and how many moves were made."""
    BOARDS = "boards"
    """Every board as its own entrant sees it."""


class Terms(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The terms of one race. Durations are whole seconds; `start_at` is milliseconds of UTC.

    `faults` says what does not fit together; a race with faulty terms is never opened.
    """

    game: Annotated[str, Meta(min_length=1, max_length=64)]
    """A game's key, or `key:variant`."""
    mode: Mode = Mode.LIVE
    start: Start = Start.ALL_READY
    start_at: int | None = None
    """The start instant in milliseconds of UTC, for `start: at` only."""
    countdown: Annotated[int, Meta(ge=0, le=60)] = 5
    limit: Annotated[int, Meta(ge=10, le=7 * DAY)] | None = 3600
    """The longest an entrant may race; after it the entrant is out of time."""
    closes: Annotated[int, Meta(ge=60, le=30 * DAY)] = DAY
    """How long an async race stays open, counted from its opening."""
    punctual: bool = False
    """An async race ends when it closes: not before, though all are done, nor after an outage."""
    entrants_min: Annotated[int, Meta(ge=1, le=64)] = 2
    entrants_max: Annotated[int, Meta(ge=1, le=64)] = 8
    undo: Undo = Undo.NOT_PAST_A_REVEAL
    undo_penalty: Annotated[int, Meta(ge=1, le=600)] = 5
    visibility: Visibility = Visibility.PUBLIC
    spectators: Sight = Sight.BOARDS
    delay: Annotated[int, Meta(ge=0, le=3600)] = 0
    """How far spectators are behind."""
    blind: bool = False
    """Rivals' progress is hidden from an entrant until they are done, and from spectators."""
    hints: bool = False
    rated: bool = False
    bots: bool = True
    grace: Annotated[int, Meta(ge=5, le=DAY)] | None = 300
    """How long a racing entrant may be away; None means until the time limit."""


def faults(terms: Terms, *, now: int) -> str | None:
    """Says what is wrong with terms that each fit their own bounds, or None.

    `now` is milliseconds of UTC. The game's key is not looked at here. The sentence is for people;
    for programs it has the fields that it is about between backticks.
    """
    if terms.entrants_min > terms.entrants_max:
        return (
            f"at least {terms.entrants_min} entrants, but at most {terms.entrants_max}: "
            "`entrants_min` is above `entrants_max`"
        )
    if terms.mode is Mode.ASYNC:
        if terms.start is not Start.ALL_READY:
            return "an async race has no common start: leave `start` out"
        if terms.start_at is not None:
            return "an async race has no common start: leave `start_at` out"
        return None
    if terms.punctual:
        return "a live race does not close: leave `punctual` out"
    if (terms.start is Start.AT) != (terms.start_at is not None):
        return "an instant belongs to a start at it: `start: at` and `start_at` go together"
    if terms.start_at is not None:
        ahead = terms.start_at - now
        if ahead < terms.countdown * 1000:
            return (
                f"it must start at least the countdown ({terms.countdown} s) from now: "
                "`start_at` is too soon"
            )
        if ahead > 30 * DAY * 1000:
            return "it must start within 30 days: `start_at` is too far ahead"
    if terms.limit is None and terms.grace is None:
        return (
            "a live race needs a time limit or an end to how long one may be away, or it might "
            "never end: give `limit` or `grace`"
        )
    return None
