"""The daily deal and the weekly league on the wire.

One deal a day, from 0:00 to 24:00 UTC, the same for everybody, one attempt each. Until somebody has
played it, or the day is over, they are told nothing of how others did. How places and points come
about is told in docs/daily.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Final

from samedeal_protocol.bases import Limit, Message, Offset, Part, Request, whole

__all__ = [
    "PARTS",
    "Attempt",
    "Daily",
    "DailyLine",
    "DailySheet",
    "League",
    "LeagueDay",
    "LeagueLine",
    "LeagueTable",
]

_Day = Annotated[str, whole("[0-9]{8}")]
_Week = Annotated[str, whole("[0-9]{4}-W[0-9]{2}")]


class Attempt(Enum):
    """How far a player is with a daily deal."""

    NONE = "none"
    """Not entered."""
    ENTERED = "entered"
    """Entered, and the deal not opened yet."""
    PLAYING = "playing"
    PLAYED = "played"


class Daily(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for a daily deal: where to play it, and who did how. Reply: `daily-sheet`."""

    day: _Day | None = None
    """`20261130`; without it, today by the server's clock."""
    join: bool = False
    """Of today: name the race in which the player's attempt is to be; then `join` and `begin`."""
    bots: bool = False
    """The board of the bots, not of the people."""
    offset: Offset = 0
    """How many lines to leave out at the top."""
    limit: Limit = 20


class League(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for the league of a week, of the days that are over. Reply: `league-table`."""

    week: _Week | None = None
    """An ISO week, `2026-W49`; without it, this week by the server's clock."""
    bots: bool = False
    """The league of the bots, not of the people."""
    offset: Offset = 0
    """How many lines to leave out at the top."""
    limit: Limit = 20


class DailyLine(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One attempt at a daily deal, on the board of all rooms."""

    place: int
    name: str
    state: str
    """finished, stuck, gave-up, out-of-time."""
    elapsed_ms: int | None = None
    """Of a finisher: the time that counts."""
    home: int
    moves: int
    race: str
    """The room in which it was."""


class DailySheet(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A daily deal, as far as the player may know of it."""

    day: str
    week: str
    """The week in whose league it counts."""
    game: str
    is_over: bool = False
    closes_in_ms: int | None = None
    """How long it can still be played; None for a day that has ended."""
    commitment: str | None = None
    """To the deal, the same in all rooms; None while nobody has asked to play it."""
    attempt: Attempt = Attempt.NONE
    race: str | None = None
    """The room of the player's attempt; or, if `join` was asked, the one to enter."""
    streak: int = 0
    """Days in a row on which the player has opened the deal, up to today, or to yesterday while
    today's is not opened yet."""
    played: int = 0
    """How many have played it to an end, on the board that was asked for."""
    is_hidden: bool = False
    """The player is told nothing of how others did, until they have played or the day is over."""
    own: DailyLine | None = None
    """The player's own line, on whichever board it stands."""
    bots: bool = False
    offset: int = 0
    lines: tuple[DailyLine, ...] = ()
    seed: str | None = None
    salt: str | None = None
    """Seed and salt of a day that is over, to be checked against the commitment."""


class LeagueDay(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One of a league's seven days."""

    day: str
    game: str
    is_over: bool = False
    """Whether its points are in the table."""
    played: int = 0
    """How many have played it to an end; told of days that are over."""


class LeagueLine(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One player in a league."""

    place: int
    name: str
    points: float
    """Of all days, to the hundredth."""
    days: tuple[float | None, ...]
    """The points of each of the seven days; None for a day that was missed or is not over."""


class LeagueTable(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The league of a week: points for places on seven daily deals."""

    week: str
    days: tuple[LeagueDay, ...]
    """Monday to Sunday."""
    is_over: bool = False
    bots: bool = False
    total: int
    """Lines of the whole table."""
    offset: int = 0
    own: LeagueLine | None = None
    """The player's own line, if it is in the table that was asked for."""
    lines: tuple[LeagueLine, ...] = ()


PARTS: Final = (DailyLine, LeagueDay, LeagueLine)
"""The values inside of these messages."""
