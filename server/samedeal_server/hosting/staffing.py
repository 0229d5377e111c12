"""What those who run a tournament do. Rights are checked before: `rights`.

Each returns what it causes at `at`; nothing if it is so already. A refusal says what to do.
"""

from __future__ import annotations

from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.terms import Mode
from samedeal_protocol.tournament import requests
from samedeal_protocol.tournament.events import (
    Appointed,
    CalledOff,
    CheckInOpened,
    Continued,
    Disqualified,
    Ending,
    Extended,
    Halted,
    Hooked,
    Invited,
    LetIn,
    MatchResult,
    Overridden,
    RaceVoided,
    Reinstated,
    RoundDue,
    Rung,
    Started,
    TournamentEvent,
    Unhooked,
)
from samedeal_protocol.tournament.formats import Heats, Ladder
from samedeal_server.racing.race import Refused
from samedeal_server.spelling import fold, same_name

from .acts import found, match_named
from .codes import hook_secret
from .commands import Did, Given
from .demands import let_in, picker, round_at, rounds_of, waiting_round
from .formal import drawn_bracket, is_elimination, is_fixed, misfit
from .starting import TooFew, start, there
from .state import Match, Phase, Race, RaceState, State

__all__ = [
    "add_hook",
    "appoint",
    "call_off",
    "continue_",
    "disqualify",
    "extend",
    "halt",
    "invite",
    "let_in_by_hand",
    "open_check_in",
    "override",
    "reinstate",
    "remove_hook",
    "ring",
    "start_by_hand",
    "start_round",
    "void_race",
    "wrong_end",
]

HOOKS: Final = 10
INVITED: Final = 5_000
STAFF: Final = 50

_Events = tuple[TournamentEvent, ...]


# --- before and at the start -------------------------------------------------------------------


def invite(state: State, did: Did, act: requests.Invite, at: int) -> _Events:
    """Lets people of these names register."""
    new: dict[str, str] = {}
    for name in act.names:
        if not state.has_invited(name):
            new.setdefault(fold(name), name)
    if not new:
        return ()
    _goes_on(state)
    if len(state.invited) + len(new) > INVITED:
        raise Refused(ErrorCode.TOO_LONG, f"at most {INVITED} people can be invited")
    return (Invited(at=at, by=did.by.id, names=tuple(new.values())),)


def open_check_in(state: State, did: Did, at: int) -> _Events:
    """Opens the check-in window."""
    if state.phase in (Phase.CHECK_IN, Phase.RUNNING):
        return ()
    _goes_on(state)
    window = state.terms.check_in
    if window is None:
        raise Refused(ErrorCode.NOT_NOW, "its terms have no check-in: start it when all are there")
    closes = at + window * 1000 if state.starts is None else state.starts
    return (CheckInOpened(at=at, by=did.by.id, closes=closes),)


def start_by_hand(
    state: State, did: Did, act: requests.StartTournament, at: int, given: Given
) -> _Events:
    """Starts with those who are there; a drawn bracket gives way to an order by hand only."""
    if state.playing():
        return ()
    _goes_on(state)
    if state.halted is not None:
        raise Refused(ErrorCode.NOT_NOW, "it is paused: continue first")
    if len(set(act.order)) != len(act.order):
        raise Refused(ErrorCode.MALFORMED, "the order names somebody twice")
    for number in act.order:
        found(state, number)
    try:
        started: Started = start(state, at, given, by=did.by.id, order=act.order)
    except TooFew as few:
        raise Refused(ErrorCode.TOO_FEW, str(few)) from few
    drawn = drawn_bracket(state.terms.format)
    if drawn and not act.order and (wrong := misfit(drawn, there(state))) is not None:
        fix = "see that just they play, or give an `order`, and the standard seeding holds"
        raise Refused(ErrorCode.NOT_NOW, f"{wrong}: {fix}")
    return (started,)


def let_in_by_hand(state: State, did: Did, act: requests.LetIn, at: int) -> _Events:
    """Gives somebody a place who waits for one, or who was not there at the start."""
    entry = found(state, act.player)
    if entry.is_in:
        return ()
    _goes_on(state)
    if entry.has_left:
        raise Refused(ErrorCode.NOT_NOW, f"{entry.name} has left: reinstate them first")
    if state.phase is Phase.RUNNING:
        if is_fixed(state.terms.format):
            raise Refused(ErrorCode.NOT_NOW, "the field of this format is fixed at the start")
        rounds = rounds_of(state)
        if (rounds is not None and state.round >= rounds) or state.rung:
            raise Refused(ErrorCode.NOT_NOW, "nothing more will be paired")
    granted: LetIn = let_in(state, entry, by=did.by.id, at=at)
    return (granted,)


# --- rounds and instants -----------------------------------------------------------------------


def start_round(state: State, did: Did, act: requests.StartRound, at: int) -> _Events:
    """Has the next round paired that waits for its word or its time."""
    if isinstance(state.terms.format, Ladder):
        raise Refused(ErrorCode.NOT_NOW, "a ladder has no rounds: whoever is free is paired")
    if act.round <= state.round:
        return ()
    _runs(state)
    if state.halted is not None:
        raise Refused(ErrorCode.NOT_NOW, "it is paused: continue first")
    round = waiting_round(state)
    if round is None:
        return ()  # it has been: its matches are being played
    if act.round != round:
        raise Refused(ErrorCode.NOT_NOW, f"the next round is {round}, not {act.round}")
    return (RoundDue(at=at, by=did.by.id, round=round),)


def ring(state: State, did: Did, at: int) -> _Events:
    """Rings the bell of a ladder."""
    if state.rung:
        return ()
    _runs(state)
    if not isinstance(state.terms.format, Ladder):
        raise Refused(ErrorCode.NOT_NOW, "only a ladder has a bell")
    return (Rung(at=at, by=did.by.id),)


def halt(state: State, did: Did, act: requests.Halt, at: int) -> _Events:
    """Pauses the tournament."""
    if state.halted is not None:
        return ()
    _goes_on(state)
    return (Halted(at=at, by=did.by.id, reason=act.reason),)


def continue_(state: State, did: Did, at: int) -> _Events:
    """Ends a pause."""
    if state.halted is None:
        return ()
    _goes_on(state)
    return (Continued(at=at, by=did.by.id, later_ms=max(0, at - state.halted_at)),)


def extend(state: State, did: Did, act: requests.Extend, at: int) -> _Events:
    """Gives more time for what is waited for."""
    _goes_on(state)
    instant = _waited(state, act)
    if act.shown is not None and act.shown != instant:
        return ()
    return (Extended(at=at, by=did.by.id, seconds=act.seconds, match=act.match),)


def _waited(state: State, act: requests.Extend) -> int:
    """Returns the instant that would be put off, or refuses if there is none."""
    if act.match is not None:
        return _waited_in(state, match_named(state, act.match))
    if state.phase is Phase.RUNNING:
        if state.bell is not None and not state.rung:
            return state.bell
        if (instant := round_at(state)) is not None:
            return instant
        raise Refused(ErrorCode.NOT_NOW, "it waits for no instant: name the match to be extended")
    instant = state.starts if state.starts is not None else state.closes
    if instant is None:
        raise Refused(ErrorCode.NOT_NOW, "it waits for no instant: the host starts it")
    return instant


def _waited_in(state: State, match: Match) -> int:
    race = match.active
    if race is not None and race.state is RaceState.CALLED:
        if state.terms.race.mode is Mode.ASYNC:
            raise Refused(ErrorCode.NOT_NOW, "a race at one's own pace closes when its terms say")
        return race.ready_by
    if picker(state, match) is not None and match.pick_until is not None:
        return match.pick_until
    raise Refused(ErrorCode.NOT_NOW, f"match {match.id} waits for nobody to be ready or to pick")


# --- matches -----------------------------------------------------------------------------------


def void_race(state: State, did: Did, act: requests.VoidRace, at: int) -> _Events:
    """Counts a race for nothing, and has another played."""
    match = match_named(state, act.match)
    race = match.race(act.number)
    if race is None:
        raise Refused(ErrorCode.NO_SUCH_MATCH, f"match {match.id} has no race {act.number}")
    if race.state is RaceState.VOID and not _is_missed(state, match, race):
        return ()
    _runs(state)
    if match.overridden:
        raise Refused(
            ErrorCode.NOT_NOW, f"match {match.id} was overridden: override it again instead"
        )
    return (RaceVoided(at=at, by=did.by.id, match=match.id, number=race.number, reason=act.reason),)


def _is_missed(state: State, match: Match, race: Race) -> bool:
    """Says whether somebody lost the match by not coming to this race, and could play now."""
    staying = sum(1 for player in match.players if not state.players[player].has_left)
    return (
        match.result is not None
        and match.result.ending in (Ending.WALKOVER, Ending.FORFEIT)
        and race is match.races[-1]
        and staying > 1
    )


def override(state: State, did: Did, act: requests.Override, at: int) -> _Events:
    """Says how a match ended, whatever its races say."""
    match = match_named(state, act.match)
    winner = act.winner
    result = MatchResult(ending=act.ending, winner=winner)
    if match.result == result and match.overridden:
        return ()
    _runs(state)
    if match.result is not None and match.result.ending is Ending.BYE:
        raise Refused(ErrorCode.NOT_NOW, f"{match.id} is a bye: there is nothing to be overridden")
    if winner is not None and winner not in match.players:
        raise Refused(ErrorCode.NO_SUCH_PLAYER, f"number {winner} does not play match {match.id}")
    if (fault := wrong_end(state, result)) is not None:
        raise Refused(ErrorCode.BAD_TERMS, fault)
    return (Overridden(at=at, by=did.by.id, match=match.id, result=result, reason=act.reason),)


def wrong_end(state: State, result: MatchResult) -> str | None:
    """Says why no match of this format can be ruled to end so, or None."""
    match result.ending:
        case Ending.BYE:
            return "byes are not given by hand: say walkover"
        case Ending.FORFEIT:
            return "a double forfeit has no winner" if result.winner is not None else None
        case Ending.WALKOVER:
            return "say who wins by walkover" if result.winner is None else None
        case Ending.PLAYED if isinstance(state.terms.format, Heats):
            return "a heat is placed by its race: void that, or disqualify somebody"
        case Ending.PLAYED if is_elimination(state.terms.format) and result.winner is None:
            return "somebody must win a match of an elimination: say who"
        case Ending.PLAYED:
            return None


# --- people ------------------------------------------------------------------------------------


def disqualify(state: State, did: Did, act: requests.Disqualify, at: int) -> _Events:
    """Takes a player out and places them last."""
    entry = found(state, act.player)
    if entry.disqualified:
        return ()
    _goes_on(state)
    return (Disqualified(at=at, by=did.by.id, player=entry.number, reason=act.reason),)


def reinstate(state: State, did: Did, act: requests.Reinstate, at: int) -> _Events:
    """Takes a disqualification or a withdrawal back."""
    entry = found(state, act.player)
    if not entry.has_left:
        return ()
    _goes_on(state)
    if state.numbers[entry.id] != entry.number:
        now = state.numbers[entry.id]
        raise Refused(ErrorCode.NOT_NOW, f"{entry.name} has registered again, as number {now}")
    return (Reinstated(at=at, by=did.by.id, player=entry.number, reason=act.reason),)


def appoint(state: State, did: Did, act: requests.Appoint, at: int) -> _Events:
    """Makes somebody a co-host or referee, or neither."""
    if state.is_final and state.terms.repeat is None:
        _goes_on(state)
    person = _person(state, did, act.name)
    if person is None:
        fix = "whom you appoint must have been on this server under that name"
        raise Refused(ErrorCode.NO_SUCH_PLAYER, f"nobody is called {act.name}: {fix}")
    id, name = person
    if id == state.announced.host:
        raise Refused(ErrorCode.NOT_NOW, "the host stays host: appoint others")
    known = state.staff.get(id)
    if act.role == ("none" if known is None else known.role):
        return ()
    if known is None and len(state.staff) >= STAFF:
        raise Refused(ErrorCode.NOT_NOW, f"at most {STAFF} people run a tournament")
    return (Appointed(at=at, by=did.by.id, id=id, name=name, role=act.role),)


def _person(state: State, did: Did, wanted: str) -> tuple[str, str] | None:
    """Returns id and name of who is meant: of the staff, of the players, or as the server knows."""
    for id, staff in state.staff.items():
        if same_name(staff.name, wanted):
            return id, staff.name
    for entry in state.players.values():
        if same_name(entry.name, wanted):
            return entry.id, entry.name
    return None if did.named is None else (did.named.id, did.named.name)


# --- the whole ---------------------------------------------------------------------------------


def call_off(state: State, did: Did, act: requests.CallOff, at: int) -> _Events:
    """Calls the tournament off."""
    if state.phase is Phase.CALLED_OFF:
        return ()
    if state.phase is Phase.OVER:
        raise Refused(ErrorCode.NOT_NOW, "the tournament is over")
    if act.series and state.next is not None:
        raise Refused(
            ErrorCode.NOT_NOW,
            f"the next one is announced: call {state.next.next} off with its series, then this one",
        )
    return (CalledOff(at=at, by=did.by.id, reason=act.reason, series=act.series),)


def add_hook(
    state: State, did: Did, act: requests.AddHook, at: int, given: Given
) -> tuple[Hooked, ...]:
    """Has results posted to a URL; whether it may be, the server says before."""
    if act.url in state.hooks:
        return ()
    _goes_on(state)
    if len(state.hooks) >= HOOKS:
        raise Refused(ErrorCode.BAD_URL, f"at most {HOOKS} hooks: remove one first")
    return (Hooked(at=at, by=did.by.id, url=act.url, secret=hook_secret(given.chance)),)


def remove_hook(state: State, did: Did, act: requests.RemoveHook, at: int) -> _Events:
    """Has nothing posted there any more."""
    return (Unhooked(at=at, by=did.by.id, url=act.url),) if act.url in state.hooks else ()


def _goes_on(state: State) -> None:
    if state.is_final:
        said = "over" if state.phase is Phase.OVER else "called off"
        raise Refused(ErrorCode.NOT_NOW, f"the tournament is {said}: its results stand")


def _runs(state: State) -> None:
    _goes_on(state)
    if state.phase is not Phase.RUNNING:
        raise Refused(ErrorCode.NOT_NOW, "the tournament has not started")
