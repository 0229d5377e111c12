"""What a race's state demands by itself: at once, or when an instant has come.

Nothing here reads a clock: `now` is a parameter. Whatever falls due is stamped with the instant at
which it fell due, however late the tick, so that a stalled server costs and gives nobody time. The
one exception is the start: it is stamped when it happens, since nobody has the deal before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from samedeal_protocol.events import (
    Cancelled,
    CountdownBegan,
    CountdownStopped,
    Done,
    EntrantState,
    Event,
    Over,
    Started,
    Withdrew,
)
from samedeal_protocol.terms import Start

from .phases import Phase
from .standings import rank
from .state import Entrant, Race

__all__ = [
    "ABSENT_MS",
    "EMPTY_MS",
    "LOBBY_MS",
    "all_ready",
    "consequences",
    "countdown_began",
    "limit_at",
    "next_due",
]

EMPTY_MS: Final = 3_600_000
"""An open live race in which no entrant has been for so long is cancelled."""
LOBBY_MS: Final = 86_400_000
"""An open live race that has not started so long after its opening is cancelled.

A race that starts at an instant waits for that instant, whoever is there.
"""
ABSENT_MS: Final = 120_000
"""Where all must be ready, an entrant who is away for so long before the start is withdrawn."""

_AWAY: Final = "away"


def all_ready(race: Race) -> bool:
    """Returns whether enough entrants are in, every one is ready, and none is away."""
    entrants = race.entered()
    return len(entrants) >= race.terms.entrants_min and all(
        entrant.state is EntrantState.READY and not entrant.away for entrant in entrants
    )


def _all_here(race: Race) -> bool:
    """Returns whether everybody has entered for whom a tournament's race waits."""
    return len(race.entered()) >= len(race.opened.invited)


def countdown_began(race: Race, at: int) -> CountdownBegan:
    """Returns the countdown that begins at `at`."""
    return CountdownBegan(at=at, starts=at + race.terms.countdown * 1000)


def limit_at(race: Race, entrant: Entrant) -> int | None:
    """Returns the instant at which a racing entrant is out of time, if there is one.

    What is received before it counts; what is received at it does not.
    """
    limit = race.terms.limit
    own = None if limit is None else entrant.zero + limit * 1000
    if race.is_async:
        return race.closes_at if own is None else min(own, race.closes_at)
    return own


def next_due(race: Race) -> int | None:
    """Returns the instant at which time alone next changes something, or None."""
    return min(_instants(race), default=None)


def _instants(race: Race) -> Iterator[int]:
    match race.phase:
        case Phase.OPEN if race.is_async:
            yield race.closes_at
        case Phase.OPEN if race.opened.tournament is not None:
            return  # the tournament says how long it waits for whom
        case Phase.OPEN:
            if race.planned_at is not None:
                yield race.planned_at - race.terms.countdown * 1000
                return
            yield race.lobby_since + LOBBY_MS
            if race.empty_since is not None:
                yield race.empty_since + EMPTY_MS
            yield from (due for _, due in _absent(race))
        case Phase.COUNTDOWN:
            if race.starts_at is not None:
                yield race.starts_at
        case Phase.RUNNING:
            if race.is_async:
                yield race.closes_at
            for entrant in race.entrants:
                if entrant.state is EntrantState.RACING:
                    yield from (due for due in (limit_at(race, entrant),) if due is not None)
                    yield from (due for due in (_grace_at(race, entrant),) if due is not None)
        case Phase.OVER | Phase.CANCELLED:
            return


def _absent(race: Race) -> Iterator[tuple[Entrant, int]]:
    """Yields the entrants who are away where all must be ready, and when they are withdrawn."""
    if race.terms.start is Start.ALL_READY:
        for entrant in race.entrants:
            if entrant.is_in and entrant.away:
                yield entrant, entrant.away_since + ABSENT_MS


def _grace_at(race: Race, entrant: Entrant) -> int | None:
    """Returns when an entrant who is away gives up; who plays without resuming is heard of yet."""
    grace = race.terms.grace
    if grace is None or not entrant.away:
        return None
    return max(entrant.away_since, entrant.zero + entrant.last_ms) + grace * 1000


def consequences(race: Race, now: int) -> tuple[Event, ...]:
    """Returns what the state demands at `now`, to be folded before this is asked again.

    An empty answer is the fixed point. What falls due comes out earliest first, one instant a
    call, so that a late tick catches up event by event.
    """
    events: tuple[Event, ...] = ()
    if race.phase is Phase.RUNNING:
        for entrant in race.touched:
            if (done := _ended(race, entrant)) is not None:
                events += (done,)
        if not events and race.racing == 0 and _is_over(race):
            return (_over(race, race.at),)
    elif race.phase is Phase.COUNTDOWN:
        events = _stopping(race)
    elif (
        race.phase is Phase.OPEN
        and race.terms.start is Start.ALL_READY
        and not race.is_async
        and all_ready(race)
        and _all_here(race)
    ):
        events = (countdown_began(race, race.at),)
    if events or race.due is None or now < race.due:
        return events
    return tuple(_fallen_due(race, max(race.due, race.at), now))


def _ended(race: Race, entrant: Entrant) -> Done | None:
    """Returns the end of an entrant whose board is won, or has no move left and no undo (G10)."""
    table = entrant.table
    if table is None or entrant.state is not EntrantState.RACING:
        return None
    if table.won:
        return Done(
            at=race.at,
            entrant=entrant.number,
            state=EntrantState.FINISHED,
            home=table.home,
            elapsed_ms=entrant.last_ms + entrant.penalty_ms,
        )
    if not race.undoable(entrant) and table.stuck:
        return _done(entrant, EntrantState.STUCK, race.at)
    return None


def _done(entrant: Entrant, state: EntrantState, at: int, reason: str = "") -> Done:
    return Done(at=at, entrant=entrant.number, state=state, home=entrant.home, reason=reason)


def _is_over(race: Race) -> bool:
    """Returns whether nobody can race any more, given that nobody races now."""
    if not race.is_async:
        return True
    entrants = race.entered()
    return race.at >= race.closes_at or (
        not race.terms.punctual
        and len(entrants) >= race.terms.entrants_max
        and all(entrant.is_done for entrant in entrants)
    )


def _over(race: Race, at: int) -> Over:
    return Over(at=at, standings=rank(race.entrants))


def _stopping(race: Race) -> tuple[Event, ...]:
    """Returns the end of a countdown that has lost what it rested on.

    A start at an instant rests on nothing; the instant itself decides.
    """
    match race.terms.start:
        case Start.ALL_READY if not all_ready(race):
            return (CountdownStopped(at=race.at, reason="not everybody is ready"),)
        case Start.HOST if race.present() < race.terms.entrants_min:
            return (CountdownStopped(at=race.at, reason="too few entrants are there"),)
        case _:
            return ()


def _fallen_due(race: Race, at: int, now: int) -> Iterator[Event]:
    """Yields what falls due at the instant `at`, the earliest that has come by `now`."""
    match race.phase:
        case Phase.OPEN if race.is_async:
            yield Cancelled(at=at, reason="nobody began before the race closed")
        case Phase.OPEN if race.planned_at is not None:
            yield CountdownBegan(at=at, starts=max(race.planned_at, at))
        case Phase.OPEN:
            absent = [entrant for entrant, due in _absent(race) if due <= at]
            for entrant in absent:
                yield Withdrew(at=at, entrant=entrant.number)
            if not absent:
                empty = race.empty_since is not None and race.empty_since + EMPTY_MS <= at
                reason = "nobody was there for an hour" if empty else "it did not start for a day"
                yield Cancelled(at=at, reason=reason)
        case Phase.COUNTDOWN:
            if len(race.entered()) < race.terms.entrants_min:
                yield Cancelled(at=at, reason="too few entrants at the start")
            else:
                yield Started(at=now)
        case Phase.RUNNING:
            yield from _run_out(race, at)
        case Phase.OVER | Phase.CANCELLED:
            raise AssertionError("nothing falls due in a race that is over")


def _run_out(race: Race, at: int) -> Iterator[Event]:
    """Yields whose time or grace ends at `at`; when an async race closes, those not begun go."""
    closing = race.is_async and at >= race.closes_at
    quiet = True
    for entrant in race.entrants:
        if entrant.state is EntrantState.RACING:
            limit, grace = limit_at(race, entrant), _grace_at(race, entrant)
            if limit is not None and limit <= at:
                quiet = False
                yield _done(entrant, EntrantState.OUT_OF_TIME, at)
            elif grace is not None and grace <= at:
                quiet = False
                yield _done(entrant, EntrantState.GAVE_UP, at, _AWAY)
        elif closing and entrant.state is EntrantState.ENTERED:
            quiet = False
            yield Withdrew(at=at, entrant=entrant.number)
    if quiet:
        yield _over(race, at)
