"""Leaderboards: who is rated highest, who was fastest, who comes back every day.

Places are shared by equals, and the next place counts those before it (1, 2, 2, 4). People and
bots never stand on one board. Times come from races that were played and verified, rated or not,
alone or not, and from finishers only. Races are given in the log's order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from samedeal_protocol.events import EntrantState

from .book import Book, Pool
from .model import DAY_MS
from .races import Ending, FinishedRace, Ranked

__all__ = [
    "Best",
    "RatingLine",
    "Streak",
    "TimeLine",
    "by_rating",
    "day_of",
    "fastest",
    "personal_bests",
    "streak",
    "streaks",
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


def fastest(
    races: Iterable[FinishedRace], *, game: str, deal: str | None = None, bots: bool = False
) -> tuple[TimeLine, ...]:
    """Returns each player's best time in a game, or on one deal of it, the fastest first.

    Lines that share a place stand in the order in which their times were made.
    """
    best: dict[str, Best] = {}
    for race, entrant, made in _times(races):
        if entrant.bot == bots and race.game == game and deal in (None, race.deal):
            best[made.player] = min(made, best.get(made.player, made))
    lines = sorted(best.values())
    places = _places([line.elapsed_ms for line in lines])
    return tuple(TimeLine(place, line) for place, line in zip(places, lines, strict=True))


def personal_bests(races: Iterable[FinishedRace], player: str) -> tuple[Best, ...]:
    """Returns a player's best time in every game that the player has finished, by game."""
    best: dict[str, Best] = {}
    for race, _, made in _times(races):
        if made.player == player:
            best[race.game] = min(made, best.get(race.game, made))
    return tuple(best[game] for game in sorted(best))


def day_of(at: int, boundary_ms: int) -> int:
    """Returns the number of the day of an instant, if days begin `boundary_ms` after 0:00 UTC."""
    return (at - boundary_ms) // DAY_MS


def streaks(
    races: Iterable[FinishedRace], now: int, *, boundary_ms: int = 0, bots: bool = False
) -> tuple[Streak, ...]:
    """Returns the streaks of all who ever finished, the longest that still goes on first.

    A finish counts for the day in which the player finished, not that in which the race was over.
    `boundary_ms` is when a day begins, counted from 0:00 UTC; it may be negative.
    """
    days: dict[str, set[int]] = {}
    for _, entrant, made in _times(races):
        if entrant.bot == bots:
            days.setdefault(made.player, set()).add(day_of(made.done_at, boundary_ms))
    today = day_of(now, boundary_ms)
    found = [streak(player, sorted(each), today) for player, each in days.items()]
    return tuple(sorted(found, key=lambda each: (-each.current, -each.longest, each.player)))


def streak(player: str, days: Sequence[int], today: int) -> Streak:
    """Returns the streak that a player's days, in their order, make by `today`."""
    run = longest = 1
    for day, following in pairwise(days):
        run = run + 1 if following == day + 1 else 1
        longest = max(longest, run)
    return Streak(player, run if days[-1] >= today - 1 else 0, longest, days[-1])


def _times(races: Iterable[FinishedRace]) -> Iterator[tuple[FinishedRace, Ranked, Best]]:
    """Yields every time that counts. Every race in which a player saw the deal is an attempt."""
    attempts: Counter[tuple[str, str, str]] = Counter()
    for race in races:
        counts = race.verified and race.ending is Ending.PLAYED
        for each in race.entrants:
            key = each.player, race.game, race.deal
            attempts[key] += 1
            if counts and each.state is EntrantState.FINISHED and each.elapsed_ms is not None:
                yield (
                    race,
                    each,
                    Best(
                        elapsed_ms=each.elapsed_ms,
                        done_at=each.done_at,
                        race=race.race,
                        game=race.game,
                        player=each.player,
                        attempt=attempts[key],
                    ),
                )


def _places(keys: Sequence[int]) -> Iterator[int]:
    """Yields the places of sorted keys; equal keys share one."""
    place = 0
    for position, key in enumerate(keys, 1):
        if position == 1 or key != keys[position - 2]:
            place = position
        yield place
