"""Players of known strength are found out: the ratings order them right, and say how sure they are.

The players race by the model's own idea of a race: strength plus luck, the luck such that two of
them win against each other as the formula expects. Chance is seeded.
"""

from __future__ import annotations

from math import log, sqrt
from random import Random
from statistics import correlation, fmean

import pytest

from samedeal_server.ratings.book import Book, recompute
from samedeal_server.ratings.model import V1
from samedeal_server.ratings.races import FinishedRace
from server.ratings.forms import BEGAN, PEOPLE, race

LUCK = sqrt(2) * V1.beta
STRENGTH = {f"p{number:02}": 1150.0 + 30 * number for number in range(24)}


def season(chance: Random, races: int, sizes: tuple[int, ...]) -> list[FinishedRace]:
    """Races between random players; the weakest fifth of a performance does not finish."""
    found: list[FinishedRace] = []
    for number in range(races):
        names = chance.sample(sorted(STRENGTH), chance.choice(sizes))
        shown = {name: STRENGTH[name] - LUCK * log(-log(chance.random())) for name in names}
        order = sorted(names, key=lambda name: -shown[name])
        finishers = [name for name in order if shown[name] > 1200] or order[:1]
        others = order[len(finishers) :]
        text = " > ".join(f"{name} {100 + place}" for place, name in enumerate(finishers))
        text += (" > " if others else "") + " = ".join(f"{name} stuck" for name in others)
        found.append(race(text, f"r{number}", at=BEGAN + number * 60_000))
    return found


def ratings(seed: int, races: int, sizes: tuple[int, ...]) -> Book:
    return recompute(season(Random(seed), races, sizes))[0]


@pytest.mark.parametrize(
    ("races", "sizes"), [(1500, (2,)), (600, (2, 3, 4, 5, 6, 7, 8)), (300, (8,))]
)
@pytest.mark.parametrize("seed", range(3))
def test_players_of_known_strength_are_ordered_right(
    seed: int, races: int, sizes: tuple[int, ...]
) -> None:
    book = ratings(seed, races, sizes)
    found = [book.rating(PEOPLE, name).mu for name in STRENGTH]
    ranks = [sorted(found).index(mu) for mu in found]
    assert correlation(range(len(ranks)), ranks) > 0.96
    # whoever is 240 points stronger stands higher
    assert all(low < high for low, high in zip(found, found[8:], strict=False))


@pytest.mark.parametrize("seed", range(3))
def test_ratings_come_near_the_strength_and_know_how_near(seed: int) -> None:
    book = ratings(seed, 1500, (2,))
    middle = fmean(STRENGTH.values())
    misses = [
        abs(book.rating(PEOPLE, name).mu - V1.mu - (strength - middle))
        / book.rating(PEOPLE, name).sigma
        for name, strength in STRENGTH.items()
    ]
    assert fmean(misses) < 1.2
    assert not any(
        V1.is_provisional(book.rating(PEOPLE, name), BEGAN + 1500 * 60_000) for name in STRENGTH
    )
