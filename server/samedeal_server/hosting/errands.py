"""What is to be done in the world: races to be open, races to be stopped, a tournament to follow.

All of it is read off the state, so that whoever goes on after a crash has the same errands; to do
one again changes nothing. A race to be open that is there already is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from samedeal_protocol.events import EntrantState
from samedeal_protocol.terms import Mode, Terms
from samedeal_protocol.tournament.events import Announced, Showing
from samedeal_server.racing.standings import rank
from samedeal_server.racing.state import Race as Raced
from samedeal_server.tourneys.chance import deal_seed

from .announcing import following
from .state import Match, Race, RaceState, State

__all__ = ["Opening", "follower", "muster_due", "openings", "showings", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A race to be open; for `racing.race.open_race`, with the tournament as its host."""

    race: str
    match: str
    number: int
    terms: Terms
    seed: str
    salt: str
    invited: tuple[str, ...]
    """Player ids."""
    ready_by: int
    """From then on report `WhoIsThere` until it has started; no report for an async race."""
    is_mustered: bool
    """It is to start now with those who are ready, by the host's `Start`, unless it has."""
    is_running: bool
    """It has been reported as running."""


def openings(state: State) -> tuple[Opening, ...]:
    """Returns the races that are called or run, in the order in which they were paired."""
    if state.is_final:
        return ()
    return tuple(
        _opening(state, match, match.active)
        for match in state.matches.values()
        if match.active is not None
    )


def stopped(state: State) -> tuple[str, ...]:
    """Returns the codes of races that must not run: cancel each that is not over."""
    return state.dropped


def muster_due(state: State, now: int) -> tuple[Opening, ...]:
    """Returns the live races whose time to be ready is up: see who is there, and report it."""
    if state.halted is not None or state.terms.race.mode is Mode.ASYNC:
        return ()
    return tuple(each for each in openings(state) if not each.is_running and each.ready_by <= now)


def follower(state: State) -> Announced | None:
    """Returns the announcement of the next in the series, to be logged if it is not."""
    return None if state.next is None else following(state, state.next)


def showings(state: State, code: str, raced: Raced) -> tuple[Showing, ...]:
    """Returns what the players of a match have shown in a race, as it stands or ended."""
    where = state.located(code)
    if where is None:
        return ()
    numbers = {state.players[player].id: player for player in where[0].players}
    return tuple(_showings(raced, numbers))


def _showings(raced: Raced, numbers: dict[str, int]) -> Iterator[Showing]:
    for place in raced.standings or rank(raced.entrants):
        number = numbers.get(raced.entrants[place.entrant - 1].player)
        if number is not None:
            is_out = place.state is EntrantState.DISQUALIFIED
            yield Showing(
                player=number,
                place=None if is_out else place.place,
                elapsed_ms=place.elapsed_ms,
                home=place.home,
            )


def _opening(state: State, match: Match, race: Race) -> Opening:
    return Opening(
        race=race.code,
        match=match.id,
        number=race.number,
        terms=_terms(state, match, race),
        seed=deal_seed(state.announced.seed, match.paired.deals, race.number),
        salt=race.salt,
        invited=tuple(state.players[player].id for player in match.players),
        ready_by=race.ready_by,
        is_mustered=bool(race.there),
        is_running=race.state is RaceState.RUNNING,
    )


def _terms(state: State, match: Match, race: Race) -> Terms:
    """Returns the terms of one race: for its players only, and as visible as the tournament."""
    own = state.terms.race
    return msgspec.structs.replace(
        own,
        game=race.game,
        visibility=state.terms.visibility,
        entrants_min=1 if own.mode is Mode.ASYNC else 2,
        entrants_max=len(match.players),
    )
