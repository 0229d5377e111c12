"""What the server reports of races, and what that causes.

A report about a race that counts no more causes nothing: it is void, or its match was decided or
taken back. So reports may come late, twice and in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from samedeal_protocol.terms import Mode
from samedeal_protocol.tournament.events import (
    Continued,
    Decided,
    Ending,
    Halted,
    MatchResult,
    Mustered,
    RaceEnded,
    RaceStarted,
    RaceVoided,
    Showing,
    TournamentEvent,
)

from .clockwork import What, instants
from .commands import RaceHasEnded, RaceHasStarted, RaceWasCancelled, Resumed, WhoIsThere
from .state import Match, Phase, Race, RaceState, State

__all__ = ["RETURN_MS", "cancelled", "ended", "mustered", "resumed", "started"]

WEARY: Final = 3
"""After so many races of a match running that could not be played, somebody has to look."""
RETURN_MS: Final = 30_000
"""How long after an outage players have at least to come back, before anything is held against
them."""

_PUT_OFF: Final = frozenset({What.READY, What.PICK, What.ROUND, What.BELL})

_Events = tuple[TournamentEvent, ...]


def started(state: State, report: RaceHasStarted, at: int) -> _Events:
    """A race runs."""
    where = state.located(report.race)
    if where is None or where[1].state is not RaceState.CALLED:
        return ()
    match, race = where
    return (RaceStarted(at=at, match=match.id, number=race.number),)


def ended(state: State, report: RaceHasEnded, at: int) -> _Events:
    """A race is over; who is not among its showings never came."""
    where = state.located(report.race)
    if where is None or not where[1].is_active:
        return ()
    match, race = where
    return (_ended(match, race, report.showings, at),)


def _ended(match: Match, race: Race, showings: Sequence[Showing], at: int) -> RaceEnded:
    own = {each.player: each for each in showings}
    shown = tuple(own.get(player, Showing(player=player)) for player in match.players)
    return RaceEnded(at=at, match=match.id, number=race.number, showings=shown)


def cancelled(state: State, report: RaceWasCancelled, at: int) -> _Events:
    """A race will not be run, or was broken off; an async one because nobody began it."""
    where = state.located(report.race)
    if where is None or not where[1].is_active:
        return ()
    match, race = where
    if state.terms.race.mode is Mode.ASYNC and at >= race.ready_by:
        if len(match.players) > 2:
            return (_ended(match, race, (), at),)
        return (Decided(at=at, match=match.id, result=MatchResult(ending=Ending.FORFEIT)),)
    void = RaceVoided(at=at, match=match.id, number=race.number, reason=report.reason)
    before = match.races[-WEARY:-1]
    if len(before) < WEARY - 1 or not all(each.failed for each in before):
        return (void,)
    reason = f"{WEARY} races of match {match.id} could not be played, the last because: "
    return void, Halted(at=at, reason=reason + report.reason)


def mustered(state: State, report: WhoIsThere, at: int) -> _Events:
    """Time to be ready is up: the race starts with those who are there, or nobody waits for it.

    Of two, who is there alone has won; of many, who is not there has come last.
    """
    where = state.located(report.race)
    if where is None or state.halted is not None:
        return ()
    match, race = where
    if race.state is not RaceState.CALLED or at < race.ready_by:
        return ()
    ready = frozenset(report.ready)
    there = tuple(
        player
        for player in match.players
        if state.players[player].id in ready and not state.players[player].has_left
    )
    if len(there) > 1:
        return (Mustered(at=at, match=match.id, number=race.number, there=there),)
    if there:
        result = MatchResult(ending=Ending.WALKOVER, winner=there[0])
    else:
        result = MatchResult(ending=Ending.FORFEIT)
    return (Decided(at=at, match=match.id, result=result),)


def resumed(state: State, report: Resumed, at: int) -> _Events:
    """Puts off what is waited for by as much of it as fell into the outage, and a little more.

    A pause puts it off by itself; a start that lay ahead all the time stays where it is.
    """
    since = max(report.since, state.at)
    if state.halted is not None or since >= at:
        return ()
    lost = _lost(state, since, at)
    return (Continued(at=at, later_ms=lost + RETURN_MS),) if lost else ()


def _lost(state: State, since: int, at: int) -> int:
    """Returns for how long people could not do what they had time for, in milliseconds."""
    if state.phase is Phase.RUNNING:
        return at - since if any(what in _PUT_OFF for _, what in instants(state)) else 0
    if state.phase is Phase.ANNOUNCED and state.starts is not None:
        opens = state.starts - (state.terms.check_in or 0) * 1000
        return max(0, at - max(since, opens))
    if state.phase is Phase.CHECK_IN and state.closes is not None and since < state.closes:
        return at - since
    return 0
