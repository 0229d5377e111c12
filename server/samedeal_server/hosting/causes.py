"""Whether what stands in a log could have happened then: what the rules cause they are asked for.

Of what the world reports, that it could be so: the rules make the same event of the same report, so
nobody has missed a race that had not been called for so long, or that ran. That it was so (who was
ready, how a race went, what staff ruled) is nobody's to prove but the server's, which published it.
"""

from __future__ import annotations

from typing import Final

from samedeal_protocol.terms import Mode
from samedeal_protocol.tournament.events import (
    Called,
    CalledOff,
    CheckInOpened,
    Continued,
    Decided,
    Extended,
    MatchResult,
    Mustered,
    Over,
    Overridden,
    Picked,
    RaceEnded,
    RaceStarted,
    RaceVoided,
    RoundDue,
    Rung,
    Started,
    TournamentEvent,
)

from .clockwork import fallen
from .commands import Given, RaceHasEnded, RaceHasStarted, RaceWasCancelled, Resumed, WhoIsThere
from .demands import calls, plan_of
from .formal import number as number_of
from .formal import standing, told, tourney
from .reports import RETURN_MS, cancelled, ended, mustered, resumed, started
from .staffing import wrong_end
from .starting import start
from .state import Match, Phase, State

__all__ = ["unfounded"]

_NOTHING: Final = Given(chance="")


def unfounded(state: State, event: TournamentEvent) -> str | None:
    """Returns what of an event is not as the tournament's state before it has it, or None."""
    match event:
        case Called():
            return None if event in calls(state) else "the race"
        case Decided(match=match, result=result):
            return None if _is_decided(state, match, result, event.at) else "the result"
        case Overridden(match=match, result=result):
            is_so = _is_won_within(state.matches[match], result)
            return None if is_so and wrong_end(state, result) is None else "the ruling"
        case Over(champion=champion):
            plan = plan_of(state)
            expected = None if plan.champion is None else number_of(plan.champion)
            is_so = state.phase is Phase.RUNNING and plan.over and expected == champion
            return None if is_so else "the end"
        case Mustered() | RaceStarted() | RaceEnded() | RaceVoided(by=""):
            return None if event in _reported(state, event) else "the report"
        case Started():
            return None if _is_started(state, event) else "the start"
        case (
            Picked(player=None)
            | RoundDue(by="")
            | Rung(by="")
            | CheckInOpened(by="")
            | CalledOff(by="")
        ):
            return None if event in fallen(state, event.at, _NOTHING) else "the instant"
        case Continued(by="", later_ms=later):
            since = event.at - (later - RETURN_MS)
            is_so = resumed(state, Resumed(since=since), event.at) == (event,)
            return None if is_so else "the outage"
        case Continued(later_ms=more) | Extended(seconds=more):
            return None if more >= 0 else "the time"
        case _:
            return None


def _is_decided(state: State, match: str, result: MatchResult, at: int) -> bool:
    """Says whether a match can end so: by its races, or because somebody has left or is late."""
    decided = state.matches[match]
    if not _is_won_within(decided, result):
        return False
    if not decided.races or decided.active is not None:
        return _is_missed(state, decided, result, at) or _is_demanded(state, match, result)
    found = standing(state, decided, tourney(state)).result
    return found is None or told(found) == result


def _is_missed(state: State, match: Match, result: MatchResult, at: int) -> bool:
    """Says whether a match can end so because somebody did not come to its race in time."""
    race = match.active
    if race is None:
        return False
    if state.terms.race.mode is Mode.ASYNC:
        caused = cancelled(state, RaceWasCancelled(race=race.code, reason=""), at)
    else:
        ready = () if result.winner is None else (state.players[result.winner].id,)
        caused = mustered(state, WhoIsThere(race=race.code, ready=ready), at)
    return Decided(at=at, match=match.id, result=result) in caused


def _is_demanded(state: State, match: str, result: MatchResult) -> bool:
    """Says whether a match has to end so because somebody has left."""
    decided = plan_of(state).decide
    return any(each.match == match and told(each.result) == result for each in decided)


def _is_won_within(match: Match, result: MatchResult) -> bool:
    return result.winner is None or result.winner in match.players


def _reported(
    state: State, event: Mustered | RaceStarted | RaceEnded | RaceVoided
) -> tuple[TournamentEvent, ...]:
    """Returns what the report would cause that an event must have come from."""
    race = state.matches[event.match].race(event.number)
    if race is None:
        return ()
    match event:
        case Mustered(there=there):
            ready = tuple(state.players[number].id for number in there)
            return mustered(state, WhoIsThere(race=race.code, ready=ready), event.at)
        case RaceStarted():
            return started(state, RaceHasStarted(race=race.code), event.at)
        case RaceEnded(showings=showings):
            return ended(state, RaceHasEnded(race=race.code, showings=showings), event.at)
        case RaceVoided(reason=reason):
            return cancelled(state, RaceWasCancelled(race=race.code, reason=reason), event.at)


def _is_started(state: State, event: Started) -> bool:
    """Says whether just those play who would, in an order of the terms; a host may give another.

    What ratings there were only the order says.
    """
    players = [state.players[number] for number in event.players]
    if event.by:
        return event == start(state, event.at, _NOTHING, by=event.by, order=event.players)
    ratings = {entry.id: -float(place) for place, entry in enumerate(players)}
    return event in fallen(state, event.at, Given(chance="", ratings=ratings))
