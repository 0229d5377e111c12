"""Leaderboards: who is rated highest, who was fastest, who comes back every day.

Places are shared by equals, and the next place counts those before it (1, 2, 2, 4). People and
bots never stand on one board. What times and days there are, `records` knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .book import Book, Pool
from .model import DAY_MS

__all__ = [
    "Best",
    "RatingLine",
    "Streak",
    "TimeLine",
    "by_rating",
    "day_of",
    "streak",
]


@dataclass(frozen=True, slots=True)
class RatingLine:
    """One line of a board of ratings; a provisional one has no place."""

    place: int | None
    player: str
    points: int
    mu: float
    sigma: float
    """How unsure the rating is at the instant of the board."""
    races: int
    last_at: int | None

    @property
    def is_provisional(self) -> bool:
        return self.place is None


@dataclass(frozen=True, slots=True, order=True)
class Best:
    """A player's best time; better ones are smaller, and of equal times the earlier one."""

    elapsed_ms: int
    done_at: int
    race: str
    game: str
    player: str
    attempt: int
    """Which race of the player's on this very deal it was; 1 is the first sight of it."""


@dataclass(frozen=True, slots=True)
class TimeLine:
    """One line of a board of times."""

    place: int
    best: Best


@dataclass(frozen=True, slots=True)
class Streak:
    """Days in a row on each of which a player finished a race."""

    player: str
    current: int
    """Days up to today, or up to yesterday while today is still open; 0 if the streak is broken."""
    longest: int
    last_day: int
    """The number of the last such day, as `day_of` counts."""


def by_rating(book: Book, pool: Pool, now: int) -> tuple[RatingLine, ...]:
    """Returns the board of a pool at `now`: the settled by points, then the provisional by points.

    Equal points, as shown, share a place. Who has not raced for long becomes provisional again.
    """
    settled: list[tuple[int, str]] = []
    provisional: list[tuple[int, str]] = []
    ratings = book.pools.get(pool, {})
    for player, rating in ratings.items():
        group = provisional if book.model.is_provisional(rating, now) else settled
        group.append((-rating.points, player))
    settled.sort()
    places: list[int | None] = [*_places([points for points, _ in settled])]
    places += [None] * len(provisional)
    return tuple(
        RatingLine(
            place=place,
            player=player,
            points=-points,
            mu=ratings[player].mu,
            sigma=book.model.sigma_at(ratings[player], now),
            races=ratings[player].races,
            last_at=ratings[player].last_at,
        )
        for place, (points, player) in zip(places, [*settled, *sorted(provisional)], strict=True)
    )


def day_of(at: int) -> int:
    """Returns the number of the day of an instant; days begin at 0:00 UTC."""
    return at // DAY_MS


def streak(player: str, days: Sequence[int], today: int) -> Streak:
    """Returns the streak that a player's days, in their order, make by `today`."""
    run = longest = 1
    for day, following in pairwise(days):
        run = run + 1 if following == day + 1 else 1
        longest = max(longest, run)
    return Streak(player, run if days[-1] >= today - 1 else 0, longest, days[-1])


def _places(keys: Sequence[int]) -> Iterator[int]:
    """Yields the places of sorted keys; equal keys share one."""
    place = 0
    for position, key in enumerate(keys, 1):
        if position == 1 or key != keys[position - 2]:
            place = position
        yield place
