"""The arithmetic of ratings: Weng-Lin Bradley-Terry over all pairs, damped for large races.

A rating is a belief about strength: its middle `mu` and how unsure it is, `sigma`. A race of n is
n - 1 comparisons for each entrant, all from the ratings before the race; as they are not
independent of each other, what they say together is divided by the square root of n - 1 (Weng and
Lin, "A Bayesian approximation method for online ranking", JMLR 12, 2011, algorithm 1; the damping
is ours). Laws:

- Sums are `math.fsum`, which rounds once: the order in which entrants are given changes nothing.
- Equal ratings on an equal place change alike, to the last bit.
- mu and sigma are kept in millionths of a point. What is published is therefore all that there
  is, and the last bits of one machine's `exp` do not travel from race to race.
- sigma grows by time without a race, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, floor, fsum, sqrt
from typing import Final

__all__ = ["V1", "Comparison", "Model", "Rating", "Seat", "Weighed", "compare", "weigh"]

DAY_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class Rating:
    """What is believed of one player in one pool, as of the last race."""

    mu: float
    sigma: float
    races: int = 0
    last_at: int | None = None
    """When the last rated race of the pool was over; None for who has had none."""

    @property
    def points(self) -> int:
        """The rating as it is shown: whole points, a half upwards."""
        return floor(self.mu + 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The constants of a system of ratings. Another constant is another version."""

    version: str
    mu: float
    """Where everybody begins."""
    sigma: float
    """How unsure that is; no rating is ever less sure."""
    beta: float
    """How much luck and form there is in one race."""
    least_sigma: float
    """No rating is surer than this, so that who gets better is noticed."""
    least_left: float
    """The share of the variance that a single race leaves at least."""
    settled_sigma: float
    """A rating less sure than this is provisional."""
    rest_ms: int
    """How long a rating stays as sure as it was without a race."""
    widening_ms: int
    """How long after that the surest of ratings takes to become as unsure as a new one."""
    damped: bool = True
    """Whether what a race of n says is divided by the square root of n - 1."""

    def newcomer(self) -> Rating:
        """Returns the rating of a player without a race."""
        return Rating(self.mu, self.sigma)

    def sigma_at(self, rating: Rating, now: int) -> float:
        """Returns how unsure a rating is at `now`: variance grows evenly once the rest is over."""
        if rating.last_at is None:
            return rating.sigma
        idle = now - rating.last_at - self.rest_ms
        if idle <= 0:
            return rating.sigma
        growth = (self.sigma**2 - self.least_sigma**2) * idle / self.widening_ms
        return min(self.sigma, millionths(sqrt(rating.sigma**2 + growth)))

    def is_provisional(self, rating: Rating, now: int) -> bool:
        """Returns whether a rating is too unsure to be ranked at `now`."""
        return self.sigma_at(rating, now) > self.settled_sigma

    def damping(self, entrants: int) -> float:
        """Returns what the comparisons of a race of so many are divided by."""
        return sqrt(entrants - 1) if self.damped else 1.0


V1: Final = Model(
    version="samedeal-1",
    mu=1500.0,
    sigma=250.0,
    beta=125.0,
    least_sigma=60.0,
    least_left=0.5,
    settled_sigma=150.0,
    rest_ms=30 * DAY_MS,
    widening_ms=365 * DAY_MS,
)
"""The system in use."""


@dataclass(frozen=True, slots=True)
class Seat:
    """An entrant as the arithmetic sees one: the rating at the start of the race, and the place."""

    mu: float
    sigma: float
    place: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one rival says about an entrant, before damping."""

    actual: float
    """1 for who came before the rival, 0 for who came after, 0.5 on the same place."""
    expected: float
    """How probable it was to come before the rival."""
    points: float
    """What it adds to mu."""
    learnt: float
    """The share of the variance that it takes away."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What a race says about an entrant, and the rating that comes of it."""

    actual: float
    expected: float
    mu: float
    sigma: float


def compare(model: Model, seat: Seat, rival: Seat) -> Comparison:
    """Compares an entrant with one rival."""
    c = sqrt(seat.sigma**2 + rival.sigma**2 + 2 * model.beta**2)
    expected = 1 / (1 + exp((rival.mu - seat.mu) / c))
    actual = 0.5 if seat.place == rival.place else float(seat.place < rival.place)
    weight = seat.sigma**2 / c
    return Comparison(
        actual=actual,
        expected=expected,
        points=weight * (actual - expected),
        learnt=seat.sigma / c * weight / c * expected * (1 - expected),
    )


def weigh(model: Model, seats: Sequence[Seat]) -> tuple[Weighed, ...]:
    """Weighs a whole race of two or more; the answers are in the order of the seats.

    mu and sigma of the answers are not rounded yet: see `millionths`.
    """
    damping = model.damping(len(seats))
    weighed: list[Weighed] = []
    for index, seat in enumerate(seats):
        lines = [compare(model, seat, rival) for other, rival in enumerate(seats) if other != index]
        step = fsum(line.points for line in lines) / damping
        learnt = fsum(line.learnt for line in lines) / damping
        left = max(1 - learnt, model.least_left)
        weighed.append(
            Weighed(
                actual=fsum(line.actual for line in lines),
                expected=fsum(line.expected for line in lines),
                mu=seat.mu + step,
                sigma=max(model.least_sigma, seat.sigma * sqrt(left)),
            )
        )
    return tuple(weighed)


def millionths(value: float) -> float:
    """Rounds to what is kept and published."""
    return round(value, 6)
