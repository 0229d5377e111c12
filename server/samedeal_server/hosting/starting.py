"""Who plays when a tournament starts, and by which seed numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from samedeal_protocol.tournament.events import Started
from samedeal_protocol.tournament.terms import Seeding
from samedeal_server.tourneys.chance import lots

from .commands import Given
from .state import Entry, State

__all__ = ["TooFew", "start", "there"]


class TooFew(Exception):
    """There are fewer players than the terms ask for; the sentence says how many."""


def there(state: State) -> list[Entry]:
    """Returns those who would play if it started now.

    Where a check-in window has opened, these are those who have checked in: first all who have a
    place, then those who wait for one, as far as there is room.
    """
    staying = [entry for entry in state.players.values() if not entry.has_left]
    if state.closes is None:
        return [entry for entry in staying if not entry.waiting]
    checked = [entry for entry in staying if entry.checked_in]
    placed = [entry for entry in checked if not entry.waiting]
    room = max(0, state.terms.cap - len(placed))
    return placed + [entry for entry in checked if entry.waiting][:room]


def start(
    state: State, at: int, given: Given, *, by: str = "", order: Sequence[int] = ()
) -> Started:
    """Returns the start, with these players first and the others by the seeding of the terms.

    Raises:
        TooFew: the terms ask for more players.
    """
    field = there(state)
    least = state.terms.least
    if len(field) < least:
        has = "has" if len(field) == 1 else "have"
        how = "checked in" if state.closes is not None else "registered"
        raise TooFew(f"it needs {least} players to start, and {len(field)} {has} {how}")
    first = [number for number in order if any(entry.number == number for entry in field)]
    rest = [entry for entry in _seeded(state, field, given) if entry.number not in first]
    bell = None if state.terms.bell is None else at + state.terms.bell * 1000
    players = (*first, *(entry.number for entry in rest))
    return Started(at=at, by=by, players=players, bell=bell)


def _seeded(state: State, field: Sequence[Entry], given: Given) -> list[Entry]:
    by_number = sorted(field, key=lambda entry: entry.number)
    match state.terms.seeding:
        case Seeding.REGISTRATION:
            return by_number
        case Seeding.LOTS:
            drawn = lots(state.announced.seed, "seeds", [entry.number for entry in by_number])
            return sorted(by_number, key=lambda entry: drawn.index(entry.number))
        case Seeding.RATING:
            ratings = given.ratings
            rated = [entry for entry in by_number if entry.id in ratings]
            unrated = [entry for entry in by_number if entry.id not in ratings]
            return sorted(rated, key=lambda entry: -ratings[entry.id]) + unrated
        case _:
            assert_never(state.terms.seeding)
