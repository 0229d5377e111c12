"""Ratings as they stand, race by race: the fold, its history, and the fold with races left out.

    rate(book, race)                folds one race in; says whose rating changed, and from what
    take_back(book, rated)          undoes `rate`, from the last race backwards
    recompute(races, left_out=...)  the fold of a whole log, perhaps without some races
    differences(before, after)      what that changes for whom
    explain(model, changes, ...)    the arithmetic of one change, rival by rival

Laws. A book is a function of the races in their order: `rate` after `rate` and `recompute` do the
same operations in the same order, and agree to the last bit. A race changes the ratings of its
entrants only, and those of a pool only from ratings of that pool. A race left out is a race that
never happened.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .model import V1, Model, Rating, Seat, compare, millionths, weigh
from .races import FinishedRace, Ranked, Unrated, why_unrated

__all__ = [
    "Book",
    "Change",
    "Difference",
    "Line",
    "Pool",
    "Rated",
    "differences",
    "explain",
    "pools",
    "rate",
    "recompute",
    "take_back",
]


@dataclass(frozen=True, slots=True)
class Pool:
    """Who is compared with whom: people or bots, in one game or (None) in all of them together."""

    bots: bool
    game: str | None = None

    @property
    def order(self) -> tuple[bool, str]:
        """The order in which pools are listed: people first, all games before each."""
        return self.bots, self.game or ""


@dataclass(slots=True)
class Book:
    """Ratings as they stand. Written by `rate` alone.

    To be kept elsewhere and read again, floats must survive in full (eight bytes, or the shortest
    text that reads back as the same).
    """

    model: Model = V1
    pools: dict[Pool, dict[str, Rating]] = field(default_factory=dict)

    def rating(self, pool: Pool, player: str) -> Rating:
        """Returns a player's rating in a pool, that of a newcomer if there is none yet."""
        return self.pools.get(pool, {}).get(player) or self.model.newcomer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one race did to one rating. The changes of a race in a pool explain each other."""

    race: str
    at: int
    pool: Pool
    player: str
    place: int
    before: Rating
    sigma: float
    """How unsure the rating was when the race counted: `before`, widened by time."""
    actual: float
    """Rivals left behind, those on the same place counting half."""
    expected: float
    """How many of them were to be expected."""
    after: Rating

    @property
    def gain(self) -> float:
        """The points won or, below 0, lost."""
        return millionths(self.after.mu - self.before.mu)


@dataclass(frozen=True, slots=True)
class Rated:
    """What one race did to ratings: nothing, for a reason, or the changes by pool and place."""

    race: str
    unrated: Unrated | None
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """One rating before and after an annulment; None where the player has none."""

    pool: Pool
    player: str
    before: Rating | None
    after: Rating | None


@dataclass(frozen=True, slots=True)
class Line:
    """One rival's part in a change; the points of all lines, summed, are the gain."""

    rival: str
    actual: float
    expected: float
    points: float


def pools(race: FinishedRace) -> tuple[Pool, ...]:
    """Returns the pools in which a rated race counts: its game's, and that of all games."""
    bots = race.entrants[0].bot
    return Pool(bots), Pool(bots, race.game)


def rate(book: Book, race: FinishedRace) -> Rated:
    """Folds one race into the book.

    Hand over each race once, in the order in which the log says that they ended.
    """
    reason = why_unrated(race)
    if reason is not None:
        return Rated(race.race, reason)
    entrants = sorted(race.entrants, key=lambda each: (each.place, each.player))
    changes: list[Change] = []
    for pool in pools(race):
        changes.extend(_rate_in(book, pool, race, entrants))
    return Rated(race.race, None, tuple(changes))


def take_back(book: Book, rated: Rated) -> None:
    """Undoes `rate`: the book is as it was before, to the last bit.

    Take back races in the opposite order of their rating, none left out.
    """
    for change in reversed(rated.changes):
        ratings = book.pools[change.pool]
        if change.before.races:
            ratings[change.player] = change.before
        else:
            del ratings[change.player]
            if not ratings:
                del book.pools[change.pool]


def recompute(
    races: Iterable[FinishedRace], model: Model = V1, *, left_out: Collection[str] = ()
) -> tuple[Book, tuple[Rated, ...]]:
    """Folds all races but those left out; returns the ratings and the history.

    Raises:
        ValueError: a race is there twice, or one to be left out is not there.
    """
    book = Book(model)
    history: list[Rated] = []
    seen: set[str] = set()
    for race in races:
        if race.race in seen:
            raise ValueError(f"race {race.race} is there twice")
        seen.add(race.race)
        if race.race not in left_out:
            history.append(rate(book, race))
    if unknown := sorted(set(left_out) - seen):
        raise ValueError(f"no such race to leave out: {', '.join(unknown)}")
    return book, tuple(history)


def differences(before: Book, after: Book) -> tuple[Difference, ...]:
    """Returns every rating that two books have differently, by pool and player."""
    found: list[Difference] = []
    for pool in sorted({*before.pools, *after.pools}, key=lambda each: each.order):
        old, new = before.pools.get(pool, {}), after.pools.get(pool, {})
        found.extend(
            Difference(pool, player, old.get(player), new.get(player))
            for player in sorted({*old, *new})
            if old.get(player) != new.get(player)
        )
    return tuple(found)


def explain(model: Model, changes: Sequence[Change], pool: Pool, player: str) -> tuple[Line, ...]:
    """Returns the arithmetic of one change, rival by rival, from the changes of its race.

    Raises:
        KeyError: the player has no change in that pool.
    """
    seats = {
        each.player: Seat(each.before.mu, each.sigma, each.place)
        for each in changes
        if each.pool == pool
    }
    seat = seats[player]
    damping = model.damping(len(seats))
    lines: list[Line] = []
    for rival, other in seats.items():
        if rival != player:
            found = compare(model, seat, other)
            lines.append(Line(rival, found.actual, found.expected, found.points / damping))
    return tuple(lines)


def _rate_in(
    book: Book, pool: Pool, race: FinishedRace, entrants: Sequence[Ranked]
) -> Iterator[Change]:
    """Changes one pool, yielding each change just after it is made. Iterate to the end."""
    model, ratings = book.model, book.pools.setdefault(pool, {})
    before = [book.rating(pool, each.player) for each in entrants]
    seats = [
        Seat(rating.mu, model.sigma_at(rating, race.at), each.place)
        for rating, each in zip(before, entrants, strict=True)
    ]
    for each, rating, seat, found in zip(entrants, before, seats, weigh(model, seats), strict=True):
        ratings[each.player] = Rating(
            mu=millionths(found.mu),
            sigma=millionths(found.sigma),
            races=rating.races + 1,
            last_at=race.at if rating.last_at is None else max(race.at, rating.last_at),
        )
        yield Change(
            race=race.race,
            at=race.at,
            pool=pool,
            player=each.player,
            place=each.place,
            before=rating,
            sigma=seat.sigma,
            actual=found.actual,
            expected=found.expected,
            after=ratings[each.player],
        )
