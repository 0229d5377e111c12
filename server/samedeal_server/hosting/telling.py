"""What happened in a tournament, told in a line each, as everybody may read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from samedeal_protocol.tournament import events
from samedeal_protocol.tournament.events import Ending, MatchResult, TournamentEvent

from .formal import drawn_bracket
from .state import Match, State

__all__ = ["told", "unplayed"]


def told(state: State, event: TournamentEvent) -> str | None:
    """Returns the event as a line, from the state after it; None for what concerns few."""
    match event:
        case events.Announced():
            return f"{event.host_name} announces {event.terms.name}"
        case events.Invited(names=names):
            return f"{_many(len(names), 'player')} invited"
        case events.Registered():
            return f"{event.name} {_registered(event)}"
        case events.LetIn(player=player):
            return f"{_name(state, player)} gets a place"
        case events.CheckInOpened():
            return "the check-in is open"
        case events.CheckedIn(player=player):
            return f"{_name(state, player)} has checked in"
        case events.Started(players=players):
            return f"it starts with {_many(len(players), 'player')}{_seeded(state)}"
        case events.SatOut(player=player):
            return f"{_name(state, player)} sits out"
        case events.CameBack(player=player):
            return f"{_name(state, player)} is back"
        case events.Withdrew(player=player):
            return f"{_name(state, player)} withdraws"
        case events.Disqualified(player=player, reason=reason):
            return f"{_name(state, player)} is disqualified{_by(state, event)}: {reason}"
        case events.Reinstated(player=player, reason=reason):
            return f"{_name(state, player)} is reinstated{_by(state, event)}: {reason}"
        case events.Paired(matches=matches):
            return "paired: " + "; ".join(_pairings(state, matches))
        case events.TakenBack(matches=ids):
            return f"taken back, since results before have changed: {', '.join(ids)}"
        case events.Decided(match=id, result=result):
            return f"{_match(state, id)}: {_decided(state, id, result)}"
        case events.Overridden(match=id, result=result, reason=reason):
            said = f"{_result(state, result)}, overridden{_by(state, event)}: {reason}"
            return f"{_match(state, id)}: {said}"
        case events.Picked(match=id, game=game, player=player):
            who = "the lot" if player is None else _name(state, player)
            return f"{_match(state, id)}: {who} picks {game}"
        case events.Called(match=id, number=number, race=race, game=game):
            return f"{_match(state, id)}: race {number} is called, {game}, as {race}"
        case events.Mustered(match=id, there=there):
            here = ", ".join(_name(state, player) for player in there)
            return f"{_match(state, id)}: time to be ready is up; it starts with {here}"
        case events.RaceStarted(match=id, number=number):
            return f"{_match(state, id)}: race {number} runs"
        case events.RaceEnded(match=id, number=number, showings=showings):
            return f"{_match(state, id)}: race {number} {_ended(state, showings)}"
        case events.RaceVoided(match=id, number=number, reason=reason):
            return f"{_match(state, id)}: race {number} is void{_by(state, event)}: {reason}"
        case events.Halted(reason=reason):
            return f"paused{_by(state, event)}: {reason}"
        case events.Continued():
            return "it goes on"
        case events.Extended(seconds=seconds, match=id):
            where = "" if id is None else f"{_match(state, id)}: "
            return f"{where}{seconds} seconds more{_by(state, event)}"
        case events.RoundDue(round=round):
            return f"round {round} is due"
        case events.Rung():
            return "the bell rings: nothing more is paired"
        case events.Appointed(name=name, role=role):
            return f"{name} is {'no longer of the staff' if role == 'none' else role}"
        case events.Hooked() | events.Unhooked():
            return None
        case events.Followed(next=code):
            return f"the next one is announced: {code}"
        case events.Over(champion=champion, reason=reason):
            won = "" if champion is None else f": {_name(state, champion)} has won"
            return f"it is over{won} ({reason})"
        case events.CalledOff(reason=reason):
            return f"it is called off: {reason}"
        case _:
            assert_never(event)


def _name(state: State, player: int) -> str:
    return state.players[player].name


def _many(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def _by(state: State, event: TournamentEvent) -> str:
    staff = state.staff.get(event.by)
    return "" if staff is None else f" by {staff.name}"


def _registered(event: events.Registered) -> str:
    if event.waiting:
        return "waits for a place"
    return "registers" if event.round is None else f"comes late, from round {event.round} on"


def _seeded(state: State) -> str:
    given_way = drawn_bracket(state.terms.format) and not state.bracket
    return ", by the standard seeding, as the drawn bracket does not fit" if given_way else ""


def _pairings(state: State, matches: Iterable[events.PairedMatch]) -> Iterator[str]:
    for match in matches:
        names = [_name(state, player) for player in match.players]
        if len(names) == 1:
            yield f"{names[0]} has a bye"
        else:
            yield f"{' – '.join(names)} ({match.match})"


def _match(state: State, id: str) -> str:
    match = state.matches.get(id)
    if match is None or len(match.players) != 2:
        return id
    return f"{id} {' – '.join(_name(state, player) for player in match.players)}"


def _decided(state: State, id: str, result: MatchResult) -> str:
    """How a match ended by itself: where nobody played for it, why."""
    match = state.matches.get(id)
    if match is None or not match.unplayed:
        return _result(state, result)
    return f"{match.unplayed}: {_result(state, result)}"


def unplayed(state: State, match: Match, result: MatchResult) -> str:
    """Says why nobody plays for a match that is decided now: who did not come, or has left.

    Empty for one that was played.
    """
    if result.ending not in (Ending.WALKOVER, Ending.FORFEIT):
        return ""
    missing = [state.players[player] for player in match.players if player != result.winner]
    away = [entry.name for entry in missing if not entry.has_left]
    left = [entry.name for entry in missing if entry.withdrawn and not entry.disqualified]
    said = [f"{entry.name} is disqualified" for entry in missing if entry.disqualified]
    said += [f"{_listed(left)} {'has' if len(left) == 1 else 'have'} left"] if left else []
    said += [f"{_listed(away)} did not come"] if away else []
    return " and ".join(said)


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _result(state: State, result: MatchResult) -> str:
    who = None if result.winner is None else _name(state, result.winner)
    match result.ending:
        case Ending.PLAYED:
            return "a draw" if who is None else f"{who} wins"
        case Ending.WALKOVER:
            return f"walkover for {who}"
        case Ending.FORFEIT:
            return "nobody wins"
        case Ending.BYE:
            return f"{who} has a bye"


def _ended(state: State, showings: Sequence[events.Showing]) -> str:
    """How a race ended: `is over: 1 Ada, 2 Bo`; two who share the first place have drawn."""
    placed = sorted(
        ((own.place, _name(state, own.player)) for own in showings if own.place is not None),
    )
    if len(showings) == 2 and [place for place, _ in placed] == [1, 1]:
        return "is drawn"
    places = ", ".join(f"{place} {name}" for place, name in placed)
    return f"is over: {places or 'nobody is placed'}"
