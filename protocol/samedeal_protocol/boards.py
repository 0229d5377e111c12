"""Ratings and leaderboards on the wire: who is rated how, who was fastest, who comes every day.

Only races that are over count. People and bots never stand on one board. Equals share a place, and
the next place counts those before it (1, 2, 2, 4). Ratings are points, in full to the millionth
(`mu`) and as they are shown (`points`); `sigma` says how unsure they are. How they come about is
told in docs/ratings.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Final

from msgspec import Meta

from samedeal_protocol.bases import Limit, Message, Offset, Part, Request

__all__ = [
    "PARTS",
    "BestTime",
    "Board",
    "Leaderboard",
    "PlayerSheet",
    "PoolRating",
    "RatingBoard",
    "RatingChange",
    "RatingLine",
    "Ratings",
    "Rival",
    "StreakBoard",
    "StreakLine",
    "TimeBoard",
    "TimeLine",
]

_Game = Annotated[str, Meta(min_length=1, max_length=64)]
_Race = Annotated[str, Meta(min_length=1, max_length=32)]


class Board(Enum):
    """What a leaderboard is about."""

    RATING = "rating"
    """The strongest, in one game or in all games together."""
    FASTEST = "fastest"
    """The fastest finishes of a game, or of one deal, each player's best."""
    STREAKS = "streaks"
    """The most days in a row with a finish, in whatever game."""


class Leaderboard(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for some lines of a leaderboard.

    Reply: `rating-board`, `time-board` or `streak-board`.
    """

    board: Board = Board.RATING
    game: _Game | None = None
    """A game's key, or `key:variant`. Without one ratings are those of all games together."""
    deal: _Race | None = None
    """For times, in place of a game: a race that is over, whose deal it shall be. Of one behind a
    pass phrase only who came in is told."""
    bots: bool = False
    """The board of the bots, not of the people."""
    offset: Offset = 0
    """How many lines to leave out at the top."""
    limit: Limit = 20


class Ratings(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for a player's ratings, and how they last changed. Reply: `player-sheet`."""

    name: Annotated[str, Meta(min_length=1, max_length=96)] | None = None
    """Who is called so; without a name, oneself."""
    game: _Game | None = None
    """In this game only."""


class RatingLine(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a board of ratings."""

    place: int | None = None
    """None while the rating is provisional: not yet sure enough, or no more."""
    name: str
    points: int
    mu: float
    sigma: float
    races: int
    """Rated races."""
    last_at: int


class TimeLine(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a board of times."""

    place: int
    name: str
    elapsed_ms: int
    at: int
    """When they finished."""
    race: str | None = None
    """None where the race was not public."""
    attempt: int
    """The player's how manieth race on that very deal it was; 1 is the first sight of it."""


class StreakLine(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the board of streaks, in days; days begin at 0:00 UTC."""

    place: int
    name: str
    current: int
    """Up to today, or up to yesterday while today is still open; 0 if the streak is broken."""
    longest: int
    last_at: int
    """The beginning of the last such day."""


class RatingBoard(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Lines of a board of ratings: the settled by points, below them the provisional ones."""

    at: int
    model: str
    """The system that the numbers are of."""
    game: str | None = None
    bots: bool = False
    total: int
    """Lines of the whole board."""
    offset: int = 0
    lines: tuple[RatingLine, ...]


class TimeBoard(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Lines of a board of times, the shortest first. Only who finished has a time."""

    at: int
    game: str
    deal: str | None = None
    """The race by which the deal was named; None where times on all deals count."""
    bots: bool = False
    total: int
    """Lines of the whole board."""
    offset: int = 0
    lines: tuple[TimeLine, ...]


class StreakBoard(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Lines of the board of streaks: the longest that still goes on first."""

    at: int
    bots: bool = False
    total: int
    """Lines of the whole board."""
    offset: int = 0
    lines: tuple[StreakLine, ...]


class PoolRating(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A player's rating in one game, or in all games together."""

    game: str | None = None
    """None for all games together."""
    place: int | None = None
    """None while the rating is provisional."""
    points: int
    mu: float
    sigma: float
    races: int
    last_at: int


class Rival(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What one rival of a race did to a rating."""

    name: str
    actual: float
    """1 if the rival was left behind, 0 if not, 0.5 on the same place."""
    expected: float
    """How probable it was to leave the rival behind."""
    points: float
    """What came of it; a race's rivals add up to its gain."""


class RatingChange(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What one race did to one rating."""

    race: str | None = None
    """None where the race was not public."""
    at: int
    """When the race was over."""
    game: str | None = None
    """Of which rating: None for that of all games together."""
    place: int
    before: float
    """mu, as it was."""
    after: float
    gain: float
    sigma_before: float
    """As it was when the race counted: time without a race widens it."""
    sigma_after: float
    rivals: tuple[Rival, ...]


class BestTime(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A player's best time in one game."""

    game: str
    elapsed_ms: int
    at: int
    race: str | None = None
    """None where the race was not public."""
    attempt: int


class PlayerSheet(Message, frozen=True, kw_only=True, omit_defaults=True):
    """All that is known of one player's strength. Games come by key, all games together first."""

    at: int
    model: str
    """The system that the numbers are of."""
    name: str
    bot: bool = False
    ratings: tuple[PoolRating, ...] = ()
    bests: tuple[BestTime, ...] = ()
    streak: StreakLine | None = None
    changes: tuple[RatingChange, ...] = ()
    """The last ones, the newest first."""


PARTS: Final = (
    RatingLine,
    TimeLine,
    StreakLine,
    PoolRating,
    RatingChange,
    Rival,
    BestTime,
)
"""The values inside of these messages."""
