"""One event folded into a tournament: total, undecided, and the same for recovery and audit.

Nothing here refuses. An event that could not have been logged is a fault of the log or of this
code, and raises whatever it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final, assert_never

from samedeal_protocol.terms import Mode
from samedeal_protocol.tournament import events
from samedeal_protocol.tournament.events import Announced, TournamentEvent
from samedeal_protocol.tournament.terms import Choice
from samedeal_server.spelling import fold

from .formal import drawn_bracket, match_of, misfit, result_of
from .state import Entry, Match, Phase, Race, RaceState, Staff, State
from .telling import unplayed

__all__ = ["MUSTER_MS", "begin", "evolve", "replay"]

MUSTER_MS: Final = 60_000
"""After its time to be ready was up, a race has so long to start before its players are counted
again."""


def begin(event: Announced) -> State:
    """Returns the tournament that was announced."""
    host = Staff(event.host, event.host_name, "host")
    others = (Staff(id, name, role) for id, name, role in event.staff)
    return State(
        announced=event,
        at=event.at,
        starts=event.terms.starts,
        staff={each.id: each for each in (host, *others)},
        invited=event.invited,
        hooks=dict(event.hooks),
        players={},
        numbers={},
        matches={},
        codes={},
        spent={},
    )


def replay(log: Iterable[TournamentEvent]) -> State:
    """Returns the tournament that the events, from the first, have come to."""
    rest = iter(log)
    announced = next(rest)
    if not isinstance(announced, Announced):
        raise AssertionError("a log begins with its tournament's announcement")
    state = begin(announced)
    for event in rest:
        state = evolve(state, event)
    return state


def evolve(state: State, event: TournamentEvent) -> State:
    """Returns the state after one more event."""
    after = _folded(replace(state, seq=state.seq + 1, at=event.at), event)
    is_idle, was_idle = _is_idle(after), _is_idle(state)
    return replace(after, idle_at=event.at) if is_idle and not was_idle else after


def _is_idle(state: State) -> bool:
    return state.phase is Phase.RUNNING and not any(state.open_matches())


def _folded(state: State, event: TournamentEvent) -> State:
    match event:
        case events.Invited(names=names):
            return replace(state, invited=(*state.invited, *names))
        case events.Registered():
            return _registered(state, event)
        case events.LetIn():
            return _let_in(state, event)
        case events.CheckInOpened(closes=closes):
            return replace(state, phase=Phase.CHECK_IN, closes=closes)
        case events.CheckedIn(player=number):
            return _entry(state, number, lambda entry: replace(entry, checked_in=True))
        case events.Started():
            return _started(state, event)
        case events.SatOut(player=number):
            return _entry(state, number, lambda entry: replace(entry, sits_out=True))
        case events.CameBack(player=number):
            return _entry(
                state, number, lambda entry: replace(entry, sits_out=False, withdrawn=False)
            )
        case events.Withdrew(player=number):
            return _entry(state, number, lambda entry: replace(entry, withdrawn=True))
        case events.Disqualified(player=number):
            return _entry(state, number, lambda entry: replace(entry, disqualified=True))
        case events.Reinstated(player=number):
            return _entry(
                state, number, lambda entry: replace(entry, withdrawn=False, disqualified=False)
            )
        case events.Paired(matches=matches):
            paired = {one.match: _new(state, one) for one in matches}
            return replace(state, matches={**state.matches, **paired})
        case events.TakenBack(matches=ids):
            return _taken_back(state, ids)
        case events.Decided(match=id, result=result):
            why = unplayed(state, state.matches[id], result)
            return _decided(state, state.matches[id], result, why=why)
        case events.Overridden(match=id, result=result, reason=reason):
            return _decided(state, replace(state.matches[id], overridden=reason), result)
        case events.Picked(match=id, game=game):
            return _match(state, replace(state.matches[id], picked=game, pick_until=None))
        case events.Called():
            return _called(state, event)
        case events.Mustered(match=id, number=number, there=there):
            until = max(state.at, _race(state, id, number).ready_by) + MUSTER_MS
            return _with_race(
                state, id, number, lambda race: replace(race, there=there, ready_by=until)
            )
        case events.RaceStarted(match=id, number=number):
            return _with_race(
                state, id, number, lambda race: replace(race, state=RaceState.RUNNING)
            )
        case events.RaceEnded(match=id, number=number, showings=showings):
            over = RaceState.OVER
            state = _with_race(
                state, id, number, lambda race: replace(race, state=over, showings=showings)
            )
            return _match(state, _picking(state, state.matches[id]))
        case events.RaceVoided():
            return _voided(state, event)
        case events.Halted(reason=reason):
            return replace(state, halted=reason, halted_at=event.at)
        case events.Continued(later_ms=later):
            return _later(replace(state, halted=None), later)
        case events.Extended():
            return _extended(state, event)
        case events.RoundDue(round=round):
            return replace(state, round_due=round)
        case events.Rung():
            return replace(state, rung=True)
        case events.Appointed(id=id, name=name, role=role):
            others = {key: each for key, each in state.staff.items() if key != id}
            return replace(
                state, staff=others if role == "none" else {**others, id: Staff(id, name, role)}
            )
        case events.Hooked(url=url, secret=secret):
            return replace(state, hooks={**state.hooks, url: secret})
        case events.Unhooked(url=url):
            return replace(
                state, hooks={key: each for key, each in state.hooks.items() if key != url}
            )
        case events.Followed():
            return replace(state, next=event)
        case events.Over(reason=reason, champion=champion):
            return replace(state, phase=Phase.OVER, reason=reason, champion=champion)
        case events.CalledOff(reason=reason, series=series):
            follows = None if series else state.may_follow or event.at
            state = _stop(state, state.matches.values(), "the tournament was called off")
            return replace(state, phase=Phase.CALLED_OFF, reason=reason, may_follow=follows)
        case events.Announced():
            raise AssertionError("a tournament is announced once, by its first event")
        case _:
            assert_never(event)


# --- players -----------------------------------------------------------------------------------


def _registered(state: State, event: events.Registered) -> State:
    entry = Entry(
        number=event.player,
        id=event.id,
        name=event.name,
        bot=event.bot,
        waiting=event.waiting,
        seeding=event.seed,
        joined=event.round or 1,
    )
    return replace(
        state,
        players={**state.players, entry.number: entry},
        numbers={**state.numbers, entry.id: entry.number},
    )


def _entry(state: State, number: int, change: Callable[[Entry], Entry]) -> State:
    changed = change(state.players[number])
    return replace(state, players={**state.players, number: changed})


def _let_in(state: State, event: events.LetIn) -> State:
    joined = event.round or 1
    return _entry(
        state,
        event.player,
        lambda entry: replace(
            entry, waiting=False, absent=False, seeding=event.seed, joined=joined
        ),
    )


def _started(state: State, event: events.Started) -> State:
    seedings = {number: seeding for seeding, number in enumerate(event.players, 1)}
    players = {
        number: replace(entry, seeding=seedings[number], waiting=False)
        if number in seedings
        else replace(entry, absent=not entry.waiting)
        for number, entry in state.players.items()
    }
    return replace(
        state,
        phase=Phase.RUNNING,
        players=players,
        bell=event.bell,
        bracket=_bracket(state, players),
        may_follow=event.at,
    )


def _bracket(state: State, players: Mapping[int, Entry]) -> tuple[str | None, ...]:
    """Returns the drawn bracket if it names exactly those who play, and else none."""
    playing = [entry for entry in players.values() if entry.seeding is not None]
    drawn = drawn_bracket(state.terms.format)
    if not drawn or misfit(drawn, playing) is not None:
        return ()
    named = {fold(entry.name): str(entry.number) for entry in playing}
    return tuple(None if name is None else named[fold(name)] for name in drawn)


# --- matches and races -------------------------------------------------------------------------


def _match(state: State, match: Match) -> State:
    return replace(state, matches={**state.matches, match.id: match})


def _new(state: State, paired: events.PairedMatch) -> Match:
    match = Match(
        paired=match_of(paired),
        players=paired.players,
        result=paired.result,
        spent=state.spent.get(paired.match, 0),
    )
    return _picking(state, match)


def _picking(state: State, match: Match) -> Match:
    """Returns the match with the time in which its next race's game can be picked."""
    if state.terms.choice is not Choice.PICK or not match.is_open:
        return replace(match, picked=None, pick_until=None)
    return replace(match, picked=None, pick_until=state.at + state.terms.pick * 1000)


def _race(state: State, id: str, number: int) -> Race:
    race = state.matches[id].race(number)
    if race is None:
        raise AssertionError(f"match {id} has no race {number}")
    return race


def _with_race(state: State, id: str, number: int, change: Callable[[Race], Race]) -> State:
    changed = change(_race(state, id, number))
    match = state.matches[id]
    races = tuple(changed if race.number == number else race for race in match.races)
    return _match(state, replace(match, races=races))


def _called(state: State, event: events.Called) -> State:
    match = state.matches[event.match]
    race = Race(
        number=event.number,
        code=event.race,
        game=event.game,
        salt=event.salt,
        ready_by=event.ready_by,
    )
    called = replace(match, races=(*match.races, race), pick_until=None)
    codes = {**state.codes, race.code: (match.id, race.number)}
    return replace(_match(state, called), codes=codes)


def _voided(state: State, event: events.RaceVoided) -> State:
    """Counts a race for nothing, which may open its match again."""
    race = _race(state, event.match, event.number)
    void = replace(race, state=RaceState.VOID, reason=event.reason, failed=not event.by)
    state = _with_race(state, event.match, event.number, lambda _: void)
    if race.is_active:
        state = replace(state, dropped=(*state.dropped, race.code))
    match = state.matches[event.match]
    open = replace(match, result=None, unplayed="", paired=replace(match.paired, result=None))
    return _match(state, _picking(state, open))


def _decided(state: State, match: Match, result: events.MatchResult, *, why: str = "") -> State:
    """Ends a match; a race of it that is not over is none. `why` nobody played for it."""
    state = _stop(state, [match], why or "the match was decided without it")
    match = state.matches[match.id]
    ended = replace(
        match,
        result=result,
        unplayed=why,
        picked=None,
        pick_until=None,
        paired=replace(match.paired, result=result_of(result, match.races)),
    )
    return _match(state, ended)


def _taken_back(state: State, ids: Iterable[str]) -> State:
    gone = {id: state.matches[id] for id in ids}
    state = _stop(state, gone.values(), "the match was taken back")
    last = {
        id: max((race.number for race in match.races), default=match.spent)
        for id, match in gone.items()
    }
    return replace(
        state,
        matches={id: match for id, match in state.matches.items() if id not in gone},
        codes={code: where for code, where in state.codes.items() if where[0] not in gone},
        spent={**state.spent, **last},
    )


def _stop(state: State, matches: Iterable[Match], reason: str) -> State:
    """Makes void what is called or runs of these matches."""
    for match in matches:
        race = match.active
        if race is not None:
            void = replace(race, state=RaceState.VOID, reason=reason)
            state = replace(
                _match(state, replace(match, races=(*match.races[:-1], void))),
                dropped=(*state.dropped, race.code),
            )
        elif state.matches[match.id] is not match:
            state = _match(state, match)
    return state


# --- instants ----------------------------------------------------------------------------------


def _later(state: State, ms: int) -> State:
    """Moves every instant that is waited for, but those at which async races close."""
    return replace(
        state,
        starts=None if state.starts is None else state.starts + ms,
        closes=None if state.closes is None else state.closes + ms,
        bell=None if state.bell is None else state.bell + ms,
        idle_at=state.idle_at + ms,
        matches={id: _put_off(state, match, ms) for id, match in state.matches.items()},
    )


def _put_off(state: State, match: Match, ms: int) -> Match:
    """Gives the players of a match more time to be ready or to pick."""
    if match.pick_until is not None:
        match = replace(match, pick_until=match.pick_until + ms)
    race = match.active
    if race is None or race.state is not RaceState.CALLED or state.terms.race.mode is Mode.ASYNC:
        return match
    return replace(match, races=(*match.races[:-1], replace(race, ready_by=race.ready_by + ms)))


def _extended(state: State, event: events.Extended) -> State:
    ms = event.seconds * 1000
    if event.match is not None:
        return _match(state, _put_off(state, state.matches[event.match], ms))
    if state.phase is not Phase.RUNNING:
        return replace(
            state,
            starts=None if state.starts is None else state.starts + ms,
            closes=None if state.closes is None else max(state.closes, state.at) + ms,
        )
    if state.bell is not None:
        return replace(state, bell=state.bell + ms)
    return replace(state, idle_at=state.idle_at + ms)
