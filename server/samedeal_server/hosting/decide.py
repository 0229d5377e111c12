"""What a command causes in a tournament, or why it is refused. A look: no state is changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, assert_never

from msgspec.structs import replace

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.tournament import events, requests
from samedeal_protocol.tournament.events import TournamentEvent
from samedeal_server.racing.race import Refused
from samedeal_server.spelling import seemly

from . import acts, reports, staffing
from .clockwork import fallen
from .commands import (
    Command,
    Did,
    Given,
    RaceHasEnded,
    RaceHasStarted,
    RaceWasCancelled,
    Resumed,
    Tick,
    WhoIsThere,
)
from .demands import demands
from .fold import evolve
from .rights import RIGHTS, Right, must
from .state import State

__all__ = ["decide"]

_UNFLAGGED: Final = (
    events.Called,
    events.Picked,
    events.RaceStarted,
    events.RaceEnded,
    events.Mustered,
    events.Extended,
    events.Invited,
    events.Appointed,
    events.Hooked,
    events.Unhooked,
    events.Followed,
    events.Halted,
)
"""Events on which no pairing rests."""


def decide(state: State, command: Command, now: int, given: Given) -> tuple[TournamentEvent, ...]:
    """Returns all that the command causes at `now`, its consequences included, in order.

    What fell due before comes first, so that a late tick is never later than a command. Record all
    of it, or nothing and ask again. The same command again causes nothing.

    Raises:
        Refused: with a code and a sentence; what fell due is had from a tick.
    """
    if isinstance(command, Did):
        # First, for what fell due may be a round of hundreds, and nothing of it changes rights.
        must(state, command.by.id, RIGHTS[type(command.act)])
    now = max(now, state.at)
    course = _Course(state, given)
    if isinstance(command, Resumed):
        # What fell due during the outage is moved by it.
        course.catch_up(min(now, command.since), flagged=True)
    else:
        course.catch_up(now, flagged=isinstance(command, Tick))
    course.take(_caused(course.state, command, now, given))
    course.catch_up(now)
    return tuple(course.events)


class _Course:
    """Events that follow one from the other, and the state after them."""

    def __init__(self, state: State, given: Given) -> None:
        self.state = state
        self.given = given
        self.events: list[TournamentEvent] = []

    def catch_up(self, now: int, *, flagged: bool = False) -> None:
        """Takes all that falls due by `now`, with what each demands."""
        if flagged:
            self.take((), flagged=True)
        while caused := fallen(self.state, now, self.given):
            self.take(caused)

    def take(self, caused: Iterable[TournamentEvent], *, flagged: bool = False) -> None:
        """Folds events in, and what they demand until that is nothing."""
        while True:
            for event in caused:
                self.state = evolve(self.state, event)
                self.events.append(event)
                flagged = flagged or not isinstance(event, _UNFLAGGED)
            caused = demands(self.state, flagged=flagged)
            if not caused:
                return
            flagged = False


def _caused(state: State, command: Command, at: int, given: Given) -> tuple[TournamentEvent, ...]:
    match command:
        case Did():
            return _did(state, command, at, given)
        case RaceHasStarted():
            return reports.started(state, command, at)
        case RaceHasEnded():
            return reports.ended(state, command, at)
        case RaceWasCancelled():
            return reports.cancelled(state, command, at)
        case WhoIsThere():
            return reports.mustered(state, command, at)
        case Resumed():
            return reports.resumed(state, command, at)
        case Tick():
            return ()
        case _:
            assert_never(command)


def _did(state: State, did: Did, at: int, given: Given) -> tuple[TournamentEvent, ...]:
    worded = _worded(did.act)
    match worded:
        case requests.Register():
            return acts.register(state, did, at)
        case requests.CheckIn():
            return acts.check_in(state, did, at)
        case requests.Withdraw(player=player):
            return _withdraw(state, did, player, at)
        case requests.SitOut():
            return acts.sit_out(state, did, at)
        case requests.ComeBack():
            return acts.come_back(state, did, at)
        case requests.PickGame() as act:
            return acts.pick(state, did, act, at)
        case requests.Invite() as act:
            return staffing.invite(state, did, act, at)
        case requests.OpenCheckIn():
            return staffing.open_check_in(state, did, at)
        case requests.StartTournament() as act:
            return staffing.start_by_hand(state, did, act, at, given)
        case requests.StartRound() as act:
            return staffing.start_round(state, did, act, at)
        case requests.RingBell():
            return staffing.ring(state, did, at)
        case requests.LetIn() as act:
            return staffing.let_in_by_hand(state, did, act, at)
        case requests.Halt() as act:
            return staffing.halt(state, did, act, at)
        case requests.Continue():
            return staffing.continue_(state, did, at)
        case requests.Extend() as act:
            return staffing.extend(state, did, act, at)
        case requests.VoidRace() as act:
            return staffing.void_race(state, did, act, at)
        case requests.Override() as act:
            return staffing.override(state, did, act, at)
        case requests.Disqualify() as act:
            return staffing.disqualify(state, did, act, at)
        case requests.Reinstate() as act:
            return staffing.reinstate(state, did, act, at)
        case requests.Appoint() as act:
            return staffing.appoint(state, did, act, at)
        case requests.CallOff() as act:
            return staffing.call_off(state, did, act, at)
        case requests.AddHook() as act:
            return staffing.add_hook(state, did, act, at, given)
        case requests.RemoveHook() as act:
            return staffing.remove_hook(state, did, act, at)
        case _:
            assert_never(worded)


def _worded(act: requests.AnyAct) -> requests.AnyAct:
    """Returns the act with its reason as everybody will read it; refuses one that says nothing."""
    match act:
        case (
            requests.Halt(reason=reason)
            | requests.VoidRace(reason=reason)
            | requests.Override(reason=reason)
            | requests.Disqualify(reason=reason)
            | requests.Reinstate(reason=reason)
            | requests.CallOff(reason=reason)
        ):
            kept = seemly(reason).strip()
            if not kept:
                raise Refused(ErrorCode.MALFORMED, "the reason is blank: say why")
            return replace(act, reason=kept)
        case _:
            return act


def _withdraw(state: State, did: Did, player: int | None, at: int) -> tuple[TournamentEvent, ...]:
    own = state.entry(did.by.id)
    if player is None or (own is not None and own.number == player):
        if own is None:
            raise Refused(ErrorCode.NOT_PLAYING, "you have not registered for this tournament")
        return acts.withdraw(state, own, by=did.by.id, at=at)
    must(state, did.by.id, Right.REFEREE)
    return acts.withdraw(state, acts.found(state, player), by=did.by.id, at=at)
