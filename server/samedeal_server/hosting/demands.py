"""What a running tournament demands by itself: results, pairings, races, the end.

A look only. `demands` is asked until it has nothing more to say; each answer is recorded before the
next question. While it is halted, only matches whose last race has ended are decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from samedeal_protocol.terms import Mode
from samedeal_protocol.tournament.events import (
    Called,
    Decided,
    LetIn,
    Over,
    Paired,
    PairedMatch,
    TakenBack,
    TournamentEvent,
)
from samedeal_protocol.tournament.formats import Heats, Ladder, RoundRobin, SingleElimination, Swiss
from samedeal_protocol.tournament.terms import Choice
from samedeal_server.tourneys.state import Plan
from samedeal_server.tourneys.tourney import look

from .codes import race_code, race_salt
from .formal import format_of, is_elimination, number, standing, told, tourney
from .state import Entry, Match, Phase, RaceState, State

__all__ = [
    "calls",
    "demands",
    "games_of",
    "is_large",
    "let_in",
    "next_number",
    "next_round",
    "next_seed",
    "picker",
    "plan_of",
    "round_at",
    "rounds_of",
    "takes_newcomers",
    "waiting_round",
]

_LARGE: Final = 48


def is_large(state: State) -> bool:
    """Says whether deciding anything may take longer than an event loop should stand still.

    Decide such a tournament in a thread: a state is frozen.
    """
    return len(state.players) > _LARGE


def demands(state: State, *, flagged: bool) -> tuple[TournamentEvent, ...]:
    """Returns what is to be recorded now, at the instant of the last event.

    `flagged` says that something has changed on which pairings rest, so that they are looked at.
    """
    if state.phase in (Phase.ANNOUNCED, Phase.CHECK_IN):
        return _moved_up(state)
    if state.phase is not Phase.RUNNING:
        return ()
    decided = tuple(_settled(state))
    if decided or state.halted is not None:
        return decided
    if takes_newcomers(state) and (moved := _moved_up(state)):
        return moved
    if flagged and (planned := tuple(_planned(state))):
        return planned
    return tuple(calls(state))


# --- players -----------------------------------------------------------------------------------


def _moved_up(state: State) -> tuple[LetIn, ...]:
    """Returns that the first who waits gets a place that is free."""
    queue = state.queue()
    if not queue or state.taken >= state.terms.cap:
        return ()
    return (let_in(state, queue[0], at=state.at),)


def let_in(state: State, entry: Entry, *, at: int, by: str = "") -> LetIn:
    """Returns that somebody gets a place, before the start or late."""
    if state.phase is not Phase.RUNNING:
        return LetIn(at=at, by=by, player=entry.number)
    return LetIn(at=at, by=by, player=entry.number, round=next_round(state), seed=next_seed(state))


def next_seed(state: State) -> int:
    """Returns the seed number of the next latecomer: behind everybody."""
    return max((entry.seeding or 0 for entry in state.players.values()), default=0) + 1


def next_round(state: State) -> int:
    """Returns the first round in which a latecomer can be paired; a ladder has one only."""
    return 1 if isinstance(state.terms.format, Ladder) else state.round + 1


def takes_newcomers(state: State) -> bool:
    """Says whether a running tournament lets newcomers in by its terms."""
    if state.phase is not Phase.RUNNING or state.rung:
        return False
    return state.terms.late_joins or state.round < state.terms.late_until


# --- pairings ----------------------------------------------------------------------------------


def rounds_of(state: State) -> int | None:
    """Returns how many rounds there will be, where that is known."""
    match state.terms.format:
        case Swiss(rounds=rounds) | Heats(rounds=rounds):
            return rounds
        case RoundRobin(times=times) if field := len(state.playing()):
            return times * (field - 1 + field % 2)
        case SingleElimination() if places := len(state.bracket or state.playing()):
            return (places - 1).bit_length()
        case _:
            return None


def waiting_round(state: State) -> int | None:
    """Returns the round that waits for its word or its time to be paired, or None."""
    if state.phase is not Phase.RUNNING or not _waits_for_rounds(state):
        return None
    if any(state.open_matches()):
        return None
    if is_elimination(state.terms.format):
        held = [match.round for match in look(format_of(state), tourney(state)).pair]
        return min((round for round in held if round > state.round_due), default=None)
    staying = sum(1 for entry in state.playing() if not entry.has_left)
    following, rounds = state.round + 1, rounds_of(state)
    if following <= state.round_due or staying < 2 or (rounds is not None and following > rounds):
        return None
    return following


def round_at(state: State) -> int | None:
    """Returns the instant at which the round that waits is paired by itself, or None."""
    if state.terms.rounds_by_hand or waiting_round(state) is None:
        return None
    return state.idle_at + state.terms.between * 1000


def plan_of(state: State) -> Plan:
    """Returns what pairings are demanded now, without rounds that have to wait."""
    waits = _waits_for_rounds(state)
    if waits and not is_elimination(state.terms.format) and waiting_round(state) is not None:
        return Plan(reason="the next round waits")
    plan = look(format_of(state), tourney(state))
    if waits and is_elimination(state.terms.format):
        due = tuple(match for match in plan.pair if match.round <= state.round_due)
        return replace(plan, pair=due)
    return plan


def _waits_for_rounds(state: State) -> bool:
    terms = state.terms
    return not isinstance(terms.format, Ladder) and (terms.rounds_by_hand or terms.between > 0)


def _planned(state: State) -> Iterator[TournamentEvent]:
    plan = plan_of(state)
    if plan.void:
        yield TakenBack(at=state.at, matches=plan.void)
    if plan.pair:
        paired = tuple(
            PairedMatch(
                match=match.id,
                round=match.round,
                players=tuple(number(player) for player in match.players),
                label=match.label,
                deals=match.deals,
                result=None if match.result is None else told(match.result),
            )
            for match in plan.pair
        )
        yield Paired(at=state.at, matches=paired)
    for decided in plan.decide:
        yield Decided(at=state.at, match=decided.match, result=told(decided.result))
    if plan.over:
        champion = None if plan.champion is None else number(plan.champion)
        yield Over(at=state.at, reason=plan.reason, champion=champion)


# --- matches -----------------------------------------------------------------------------------


def _settled(state: State) -> Iterator[Decided]:
    """Yields the results of open matches that their races have decided."""
    field = None
    for match in state.matches.values():
        if not match.is_open or not match.races or match.active is not None:
            continue
        field = field or tourney(state)
        result = standing(state, match, field).result
        if result is not None:
            yield Decided(at=state.at, match=match.id, result=told(result))


def calls(state: State) -> Iterator[Called]:
    """Yields the races that are to be played now; nobody has to play two at once."""
    busy = {
        player
        for match in state.open_matches()
        if match.active is not None
        for player in match.players
    }
    for match in state.open_matches():
        if match.active is not None or busy.intersection(match.players):
            continue
        game = _game(state, match)
        if game is None:
            continue
        busy.update(match.players)
        number = next_number(match)
        terms = state.terms
        wait = terms.race.closes if terms.race.mode is Mode.ASYNC else terms.no_show
        yield Called(
            at=state.at,
            match=match.id,
            number=number,
            race=race_code(state.code, match.id, number),
            game=game,
            salt=race_salt(state.announced.salt, match.id, number),
            ready_by=state.at + wait * 1000,
        )


def next_number(match: Match) -> int:
    """Returns the number of the match's next race; numbers are never used again."""
    return match.spent + len(match.races) + 1


def games_of(state: State) -> tuple[str, ...]:
    """Returns the games of the tournament."""
    return (state.terms.race.game, *state.terms.games)


def _game(state: State, match: Match) -> str | None:
    """Returns the next race's game, or None while it is to be picked. Void races use up none."""
    if state.terms.choice is Choice.PICK:
        return match.picked
    games = games_of(state)
    counted = sum(1 for race in match.races if race.state is RaceState.OVER)
    return games[(match.round - 1 + counted) % len(games)]


def picker(state: State, match: Match) -> int | None:
    """Returns who is to pick the next race's game, or None when nobody is."""
    if match.pick_until is None or match.active is not None or not match.is_open:
        return None
    for race in reversed(match.races):
        if race.state is not RaceState.OVER:
            continue
        places = {own.player: own.place for own in race.showings if own.place is not None}
        behind = [
            player
            for player in match.players
            if any(places.get(player, 999) > place for place in places.values())
        ]
        if behind:
            return behind[0]
    return max(match.players, key=lambda player: state.players[player].seeding or 0)
