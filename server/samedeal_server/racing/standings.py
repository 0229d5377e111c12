"""Who is first. The order, as a list:

    1. finishers, the shortest time first (penalties included)
    2. those who did not finish, most cards home first: stuck, gave up, out of time
    3. the disqualified, all alike

Equal keys share a place, and the next place counts those before it (1, 2, 2, 4). The withdrawn do
not appear. Only a finisher has a time. Those who still race rank, provisionally, among those who
did not finish.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from samedeal_protocol.events import EntrantState, Place

from .state import Entrant

__all__ = ["ORDER", "rank"]

ORDER: Final = (
    frozenset({EntrantState.FINISHED}),
    frozenset(
        {
            EntrantState.STUCK,
            EntrantState.GAVE_UP,
            EntrantState.OUT_OF_TIME,
            EntrantState.RACING,
        }
    ),
    frozenset({EntrantState.DISQUALIFIED}),
)
"""Groups of states, the best first; states in none of them are not ranked."""


def rank(entrants: Iterable[Entrant]) -> tuple[Place, ...]:
    """Returns the ranking; those who share a place stand by entrant number."""
    keyed = sorted(
        (
            (key, entrant.number, entrant)
            for entrant in entrants
            if (key := _key(entrant)) is not None
        ),
        key=lambda line: line[:2],
    )
    places: list[Place] = []
    previous: tuple[int, int] | None = None
    place = 0
    for position, (key, _, entrant) in enumerate(keyed, 1):
        if key != previous:
            place, previous = position, key
        places.append(
            Place(
                place=place,
                entrant=entrant.number,
                state=entrant.state,
                home=entrant.home,
                moves=entrant.moves,
                elapsed_ms=entrant.elapsed_ms,
                penalty_ms=entrant.penalty_ms,
            )
        )
    return tuple(places)


def _key(entrant: Entrant) -> tuple[int, int] | None:
    """Returns (group, key within it), lower is better, or None for the unranked."""
    for group, states in enumerate(ORDER):
        if entrant.state not in states:
            continue
        match group:
            case 0:
                if entrant.elapsed_ms is None:
                    raise AssertionError("fold gives every finisher a time")
                return group, entrant.elapsed_ms
            case 1:
                return group, -entrant.home
            case _:
                return group, 0
    return None
