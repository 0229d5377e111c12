"""Who is first. The order, as a list:

    1. finishers, the shortest time first (penalties included)
    2. those who did not finish, most cards home first: stuck, gave up, out of time
    3. the disqualified, all alike

Equal keys share a place, and the next place counts those before it (1, 2, 2, 4). The withdrawn do
not appear. Only a finisher has a time. Those who still race rank, provisionally, among those who
did not finish.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from samedeal_protocol.events import EntrantState, Place

from .state import Entrant

__all__ = ["key_of", "places", "rank"]

_ORDER: Final = (
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
            if (key := key_of(entrant.state, home=entrant.home, elapsed_ms=entrant.elapsed_ms))
            is not None
        ),
        key=lambda line: line[:2],
    )
    return tuple(
        Place(
            place=place,
            entrant=entrant.number,
            state=entrant.state,
            home=entrant.home,
            moves=entrant.moves,
            elapsed_ms=entrant.elapsed_ms,
            penalty_ms=entrant.penalty_ms,
        )
        for place, (_, _, entrant) in zip(places([line[0] for line in keyed]), keyed, strict=True)
    )


def places(keys: Sequence[object]) -> list[int]:
    """Returns the places of sorted keys; equal keys share one."""
    found: list[int] = []
    for position, key in enumerate(keys, 1):
        is_level = position > 1 and key == keys[position - 2]
        found.append(found[-1] if is_level else position)
    return found


def key_of(state: EntrantState, *, home: int, elapsed_ms: int | None) -> tuple[int, int] | None:
    """Returns (group, key within it), lower is better, or None for the unranked."""
    for group, states in enumerate(_ORDER):
        if state not in states:
            continue
        match group:
            case 0:
                if elapsed_ms is None:
                    raise AssertionError("fold gives every finisher a time")
                return group, elapsed_ms
            case 1:
                return group, -home
            case _:
                return group, 0
    return None
