"""What falls due in a tournament, and when.

Nothing here reads a clock. What falls due is stamped with the instant at which it fell due, however
late the tick; but for what has players come to a race, which is stamped when it happens. Nothing
falls due while it is halted, but that it is given up in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from functools import lru_cache
from typing import Final

from samedeal_protocol.terms import Mode
from samedeal_protocol.tournament.events import (
    CalledOff,
    CheckInOpened,
    Followed,
    Picked,
    RoundDue,
    Rung,
    TournamentEvent,
)
from samedeal_protocol.tournament.schedule import Schedule
from samedeal_server.tourneys.calendar import next_after
from samedeal_server.tourneys.chance import lots

from .codes import drawn, new_code
from .commands import Given
from .demands import games_of, next_number, picker, round_at, waiting_round
from .starting import TooFew, start
from .state import Phase, RaceState, State

__all__ = ["FORSAKEN_MS", "What", "due", "fallen", "instants", "ripe"]

FORSAKEN_MS: Final = 60 * 86_400_000
"""A tournament in which nothing has happened for so long, and which waits for nothing but people,
is called off."""


class What(Enum):
    """What falls due."""

    CHECK_IN = auto()
    START = auto()
    READY = auto()
    """Time to be ready for a race is up: whoever runs the races reports `WhoIsThere`."""
    PICK = auto()
    ROUND = auto()
    BELL = auto()
    FOLLOW = auto()
    FORSAKEN = auto()


_CALLING: Final = frozenset({What.START, What.PICK, What.ROUND, What.FOLLOW})


def due(state: State) -> int | None:
    """Returns the instant at which the tournament next needs a tick, or a report, or None."""
    return min((instant for instant, _ in instants(state)), default=None)


def instants(state: State) -> list[tuple[int, What]]:
    """Returns every instant that is waited for, and for what."""
    found = [] if state.halted is not None else [*_waited(state)]
    if not found and not state.is_final:
        found.append((state.at + FORSAKEN_MS, What.FORSAKEN))
    return found


def ripe(state: State, now: int) -> list[tuple[int, What]]:
    """Returns what a tick at `now` would have happen."""
    return [each for each in instants(state) if each[0] <= now and each[1] is not What.READY]


def fallen(state: State, now: int, given: Given) -> tuple[TournamentEvent, ...]:
    """Returns what fell due first of all that has by `now`, or nothing."""
    found = ripe(state, now)
    if not found:
        return ()
    instant, what = min(found, key=lambda each: (each[0], each[1].value))
    at = now if what in _CALLING else max(instant, state.at)
    return tuple(_events(state, at, what, given=given))


def _waited(state: State) -> Iterator[tuple[int, What]]:
    terms = state.terms
    match state.phase:
        case Phase.ANNOUNCED if state.starts is not None:
            if terms.check_in is not None:
                yield state.starts - terms.check_in * 1000, What.CHECK_IN
            yield state.starts, What.START
        case Phase.CHECK_IN if state.starts is not None:
            yield state.starts, What.START
        case Phase.RUNNING:
            yield from _running(state)
        case _:
            pass
    follows = _follows(state)
    if follows is not None:
        yield follows[0], What.FOLLOW


def _running(state: State) -> Iterator[tuple[int, What]]:
    is_live = state.terms.race.mode is Mode.LIVE
    for match in state.open_matches():
        race = match.active
        if race is not None and race.state is RaceState.CALLED and is_live:
            yield race.ready_by, What.READY
        if match.pick_until is not None and race is None:
            yield match.pick_until, What.PICK
    if state.bell is not None and not state.rung:
        yield state.bell, What.BELL
    if (round_falls_due := round_at(state)) is not None:
        yield round_falls_due, What.ROUND


def _follows(state: State) -> tuple[int, int] | None:
    """Returns when the next of the series is announced at the earliest, and when it starts."""
    repeat = state.terms.repeat
    if repeat is None or state.next is not None or state.may_follow is None:
        return None
    if state.terms.starts is None:
        raise AssertionError("what repeats has an instant at which it starts")
    starts = _after(repeat, max(state.terms.starts, state.may_follow))
    if starts is None:
        return None
    return max(state.may_follow, starts - state.terms.announced_ahead * 1000), starts


@lru_cache(maxsize=1024)
def _after(schedule: Schedule, instant: int) -> int | None:
    return next_after(schedule, instant)


def _events(state: State, at: int, what: What, *, given: Given) -> Iterator[TournamentEvent]:
    match what:
        case What.CHECK_IN:
            if state.starts is None:
                raise AssertionError("a window opens by itself before an instant only")
            yield CheckInOpened(at=at, closes=state.starts)
        case What.START:
            try:
                yield start(state, at, given)
            except TooFew as few:
                yield CalledOff(at=at, reason=str(few))
        case What.PICK:
            yield from _picks(state, at)
        case What.ROUND:
            number = waiting_round(state)
            if number is None:
                raise AssertionError("a round that falls due is waited for")
            yield RoundDue(at=at, round=number)
        case What.BELL:
            yield Rung(at=at)
        case What.FOLLOW:
            yield from _followed(state, at, given)
        case What.FORSAKEN:
            yield CalledOff(at=at, reason="nothing has happened for 60 days", series=True)
        case What.READY:
            raise AssertionError("who is there must be reported")


def _picks(state: State, at: int) -> Iterator[Picked]:
    """Yields the games that are drawn, as nobody has picked one in time."""
    games = games_of(state)
    for match in state.open_matches():
        if picker(state, match) is None or match.pick_until is None or match.pick_until > at:
            continue
        number = next_number(match)
        drawn_first = lots(state.announced.seed, f"pick/{match.id}/{number}", range(len(games)))[0]
        yield Picked(at=at, match=match.id, number=number, game=games[drawn_first])


def _followed(state: State, at: int, given: Given) -> Iterator[Followed]:
    """Yields the next of the series that lies ahead; those missed meanwhile are passed over."""
    repeat = state.terms.repeat
    found = _follows(state)
    if repeat is None or found is None:
        raise AssertionError("a tournament that is followed repeats")
    yield Followed(
        at=at,
        next=new_code(given.chance),
        # Where none lies ahead, the last of all starts at once.
        starts=found[1] if found[1] > at else _after(repeat, at) or at,
        seed=drawn(given.chance, "seed"),
        salt=drawn(given.chance, "salt"),
    )
