"""What players do: register, check in, leave, sit out, come back, pick a game.

Each returns what it causes at `at`; nothing if it is so already. A refusal says what to do.
"""

from __future__ import annotations

from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.tournament.events import (
    CameBack,
    CheckedIn,
    Picked,
    Registered,
    SatOut,
    TournamentEvent,
    Withdrew,
)
from samedeal_protocol.tournament.requests import PickGame
from samedeal_protocol.tournament.terms import Registration
from samedeal_server.racing.race import Refused

from .commands import Did, Person
from .demands import (
    games_of,
    let_in,
    next_number,
    next_round,
    next_seed,
    picker,
    takes_newcomers,
)
from .formal import is_fixed
from .state import Entry, Match, Phase, State

__all__ = [
    "check_in",
    "come_back",
    "found",
    "match_named",
    "pick",
    "register",
    "sit_out",
    "withdraw",
]

ENTRIES_EACH: Final = 10
"""How often one player can register and take it back."""
ENTRIES: Final = 2_000
"""How many registrations there can be: those taken back stay in the log."""


def register(state: State, did: Did, at: int) -> tuple[TournamentEvent, ...]:
    """Gives a place, or one on the waiting list."""
    by = did.by
    entry = state.entry(by.id)
    if entry is not None and not entry.has_left and not entry.absent:
        return ()
    if entry is not None and entry.disqualified:
        raise Refused(ErrorCode.NOT_INVITED, "you are disqualified: ask the host to reinstate you")
    late = state.phase is Phase.RUNNING
    if entry is not None and late and entry.seeding is not None:
        raise Refused(ErrorCode.NOT_NOW, "you have played and left: come back instead")
    if state.is_final:
        raise Refused(ErrorCode.NOT_NOW, "it is over: look for another tournament")
    if late and not takes_newcomers(state):
        raise Refused(
            ErrorCode.NOT_NOW, "it has started and lets nobody in any more: the host may let you in"
        )
    if by.bot and not state.terms.race.bots:
        raise Refused(ErrorCode.NO_BOTS, "this tournament is for people only")
    _may_register(state, did)
    if entry is not None and entry.absent and not entry.has_left and not _is_full(state):
        return (let_in(state, entry, by=by.id, at=at),)
    if sum(1 for each in state.players.values() if each.id == by.id) >= ENTRIES_EACH:
        raise Refused(
            ErrorCode.NOT_NOW, f"you have registered {ENTRIES_EACH} times: the host may let you in"
        )
    if len(state.players) >= ENTRIES:
        raise Refused(ErrorCode.NOT_NOW, "it has all the registrations it can take")
    return (_registered(state, by, at, late=late),)


def _may_register(state: State, did: Did) -> None:
    match state.terms.registration:
        case Registration.INVITATION:
            if not state.has_invited(did.by.name):
                raise Refused(
                    ErrorCode.NOT_INVITED,
                    f"it is by invitation: ask {state.announced.host_name} to invite {did.by.name}",
                )
        case Registration.PHRASE:
            if not did.phrase_fits:
                raise Refused(
                    ErrorCode.WRONG_PHRASE, "give the tournament's pass phrase; the host knows it"
                )
        case Registration.OPEN:
            pass


def _registered(state: State, by: Person, at: int, *, late: bool) -> Registered:
    number = max(state.players, default=0) + 1
    waiting = _is_full(state)
    return Registered(
        at=at,
        by=by.id,
        player=number,
        id=by.id,
        name=by.name,
        bot=by.bot,
        waiting=waiting,
        round=next_round(state) if late and not waiting else None,
        seed=next_seed(state) if late and not waiting else None,
    )


def _is_full(state: State) -> bool:
    """Says whether every place is taken, or somebody waits for one."""
    return state.taken >= state.terms.cap or bool(state.queue())


def check_in(state: State, did: Did, at: int) -> tuple[TournamentEvent, ...]:
    """Notes that a player is there, while the window is open."""
    entry = _own(state, did)
    if entry.has_left:
        raise Refused(ErrorCode.NOT_PLAYING, "you have left the tournament: register again")
    if entry.checked_in or entry.seeding is not None:
        return ()
    if state.phase is Phase.ANNOUNCED:
        raise Refused(ErrorCode.NOT_NOW, "the check-in has not opened yet: come back later")
    closes = None if state.halted is not None else state.closes
    if state.phase is not Phase.CHECK_IN or (closes is not None and at >= closes):
        raise Refused(ErrorCode.NOT_NOW, "the check-in has closed: ask the host to let you in")
    return (CheckedIn(at=at, by=did.by.id, player=entry.number),)


def withdraw(state: State, entry: Entry, *, by: str, at: int) -> tuple[TournamentEvent, ...]:
    """Takes a registration back, or leaves; also what staff does for somebody."""
    if entry.has_left:
        return ()
    if state.is_final:
        raise Refused(ErrorCode.NOT_NOW, "the tournament is over")
    return (Withdrew(at=at, by=by, player=entry.number),)


def sit_out(state: State, did: Did, at: int) -> tuple[TournamentEvent, ...]:
    """Pairs a player no further for now."""
    entry = _player(state, did)
    if entry.sits_out:
        return ()
    if is_fixed(state.terms.format):
        raise Refused(
            ErrorCode.NOT_NOW, "all matches of this format are fixed: play yours, or withdraw"
        )
    if entry.has_left:
        raise Refused(ErrorCode.NOT_PLAYING, "you have left the tournament")
    return (SatOut(at=at, by=did.by.id, player=entry.number),)


def come_back(state: State, did: Did, at: int) -> tuple[TournamentEvent, ...]:
    """Pairs a player again who sat out or had left."""
    entry = _own(state, did)
    if entry.disqualified:
        raise Refused(ErrorCode.NOT_NOW, "you are disqualified: ask the host to reinstate you")
    if not (entry.withdrawn or entry.sits_out):
        return ()
    entry = _player(state, did)
    return (CameBack(at=at, by=did.by.id, player=entry.number),)


def pick(state: State, did: Did, act: PickGame, at: int) -> tuple[TournamentEvent, ...]:
    """Picks the game of a match's next race, by the player whose turn it is."""
    match = match_named(state, act.match)
    entry = _player(state, did)
    race = match.active
    if match.picked == act.game or (race is not None and race.game == act.game):
        return ()
    turn = picker(state, match)
    if turn is None:
        raise Refused(ErrorCode.NOT_NOW, f"no game is to be picked for match {match.id} now")
    if turn != entry.number:
        name = state.players[turn].name
        raise Refused(ErrorCode.NOT_NOW, f"{name} picks the next game of match {match.id}")
    if act.game not in games_of(state):
        games = ", ".join(games_of(state))
        raise Refused(ErrorCode.NO_SUCH_GAME, f"{act.game} is not in the pool: pick one of {games}")
    return (
        Picked(
            at=at,
            by=did.by.id,
            match=match.id,
            number=next_number(match),
            game=act.game,
            player=entry.number,
        ),
    )


# --- who and what is meant ---------------------------------------------------------------------


def found(state: State, number: int) -> Entry:
    """Returns the player of a number, or refuses."""
    entry = state.players.get(number)
    if entry is None:
        raise Refused(ErrorCode.NO_SUCH_PLAYER, f"nobody has registered as number {number}")
    return entry


def match_named(state: State, id: str) -> Match:
    """Returns the match of an id, or refuses."""
    match = state.matches.get(id)
    if match is None:
        raise Refused(ErrorCode.NO_SUCH_MATCH, f"there is no match {id} now: look at the pairings")
    return match


def _own(state: State, did: Did) -> Entry:
    entry = state.entry(did.by.id)
    if entry is None:
        raise Refused(ErrorCode.NOT_PLAYING, "you have not registered for this tournament")
    return entry


def _player(state: State, did: Did) -> Entry:
    entry = _own(state, did)
    if state.phase is Phase.RUNNING and entry.seeding is not None:
        return entry
    match state.phase:
        case Phase.ANNOUNCED | Phase.CHECK_IN:
            why = "it has not started: register, or take your registration back"
        case Phase.RUNNING:
            why = "you do not play: ask the host to let you in"
        case Phase.OVER | Phase.CALLED_OFF:
            why = "the tournament is over"
    raise Refused(ErrorCode.NOT_NOW, why)
