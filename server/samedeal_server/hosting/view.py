"""What viewers are shown of a tournament. No other way leads from a state to anybody.

Seeds and salts are shown once it is final. Only a sheet depends on who looks: on their number, on
their role, and for the staff on who was invited and where results are posted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import Final

from samedeal_protocol.tournament.events import TournamentEvent
from samedeal_protocol.tournament.formats import Heats, Ladder, Swiss
from samedeal_protocol.tournament.views import (
    HeatPlace,
    Mark,
    MatchView,
    Pick,
    PlayerView,
    RaceView,
    StaffView,
    TableLine,
    TournamentCard,
    TournamentChanged,
    TournamentHead,
    TournamentSheet,
    TournamentTable,
)
from samedeal_server.spelling import fold
from samedeal_server.tourneys import state as tourneys
from samedeal_server.tourneys.arithmetic import said
from samedeal_server.tourneys.scores import heat_gains
from samedeal_server.tourneys.tourney import length_of, standings

from .clockwork import What, instants
from .demands import games_of, picker, rounds_of, waiting_round
from .formal import format_of, number, standing, tourney
from .rights import Right, right_of
from .state import Entry, Match, Phase, Race, RaceState, State
from .telling import told

__all__ = ["card", "changed", "head", "match_view", "player_view", "sheet", "table"]

_NEXT: Final = {
    What.CHECK_IN: "check-in",
    What.START: "start",
    What.ROUND: "round",
    What.BELL: "bell",
}
"""What is shown as coming, of all that falls due."""


def sheet(state: State, viewer: str, now: int) -> TournamentSheet:
    """Returns all of the tournament as the player of that id may see it."""
    right = right_of(state, viewer)
    own, staff = state.entry(viewer), state.staff.get(viewer)
    field = tourney(state)
    return TournamentSheet(
        tournament=state.code,
        seq=state.seq,
        at=now,
        terms=state.terms,
        commitment=state.announced.commitment,
        head=head(state),
        staff=_staff(state),
        players=tuple(player_view(entry) for entry in state.players.values()),
        matches=tuple(match_view(state, match, field) for match in state.matches.values()),
        you=None if own is None else own.number,
        role=None if staff is None else staff.role,
        invited=_not_registered(state) if right >= Right.REFEREE else (),
        hooks=tuple(state.hooks) if right is Right.HOST else (),
        follows=state.announced.follows,
        next=None if state.next is None else state.next.next,
        seed=state.announced.seed if state.is_final else None,
        salt=state.announced.salt if state.is_final else None,
    )


def changed(
    before: State, after: State, events: Sequence[TournamentEvent], now: int
) -> TournamentChanged:
    """Returns what the events from one state to the other have changed, the same for everybody.

    `events` are those that were folded; each is told from the later state.
    """
    field = tourney(after)
    lines = (told(after, event) for event in events)
    is_new_staff = before.staff != after.staff
    return TournamentChanged(
        tournament=after.code,
        after=before.seq,
        seq=after.seq,
        at=now,
        text=tuple(line for line in lines if line is not None),
        head=head(after),
        staff=_staff(after) if is_new_staff else None,
        players=tuple(
            player_view(entry)
            for number, entry in after.players.items()
            if before.players.get(number) is not entry
        ),
        matches=tuple(
            match_view(after, match, field)
            for id, match in after.matches.items()
            if before.matches.get(id) is not match
        ),
        gone=tuple(id for id in before.matches if id not in after.matches),
        next=None if after.next is None else after.next.next,
    )


def card(state: State) -> TournamentCard:
    """Returns the tournament as one of a list."""
    champion = state.champion
    return TournamentCard(
        tournament=state.code,
        name=state.terms.name,
        host=state.announced.host_name,
        format=str(state.terms.format.__struct_config__.tag),
        games=games_of(state),
        head=head(state),
        players=state.taken,
        cap=state.terms.cap,
        starts=state.starts,
        champion=None if champion is None else state.players[champion].name,
    )


def table(state: State) -> TournamentTable:
    """Returns the standings, with the arithmetic of everything that counted."""
    lines: tuple[TableLine, ...] = ()
    if state.playing():
        lines = tuple(
            TableLine(
                place=line.place,
                player=number(line.player.id),
                marks=tuple(
                    Mark(what=mark.name, value=mark.value, arithmetic=mark.arithmetic)
                    for mark in line.marks
                ),
            )
            for line in standings(format_of(state), tourney(state))
        )
    return TournamentTable(
        tournament=state.code, seq=state.seq, final=state.phase is Phase.OVER, lines=lines
    )


def head(state: State) -> TournamentHead:
    """Returns how the tournament stands as a whole."""
    coming = min(
        ((instant, _NEXT[what]) for instant, what in instants(state) if what in _NEXT), default=None
    )
    return TournamentHead(
        phase=state.phase.value,
        halted=state.halted,
        round=0 if isinstance(state.terms.format, Ladder) else state.round,
        rounds=rounds_of(state),
        next="" if coming is None else coming[1],
        next_at=None if coming is None else coming[0],
        waits=_waits(state),
        champion=state.champion,
        reason=state.reason,
    )


def _waits(state: State) -> str:
    if state.is_final:
        return ""
    if state.halted is not None:
        return f"paused: {state.halted}"
    if state.phase is not Phase.RUNNING:
        if state.starts is not None:
            return ""
        return "the host starts it"
    round = waiting_round(state)
    if round is not None:
        return f"the host has round {round} paired" if state.terms.rounds_by_hand else ""
    open = list(state.open_matches())
    if open:
        return _open(open)
    if isinstance(state.terms.format, Swiss):
        return "too few are free to be paired: the others sit out"
    return "nobody is free to be paired"


def _open(matches: Sequence[Match]) -> str:
    """`2 matches being played, 1 to be played`."""
    running = sum(any(each.state is RaceState.RUNNING for each in one.races) for one in matches)
    waiting = len(matches) - running
    said = []
    if running:
        said.append(f"{_matches(running)} being played")
    if waiting:
        said.append(f"{waiting if running else _matches(waiting)} to be played")
    return ", ".join(said)


def _matches(count: int) -> str:
    return f"{count} {'match' if count == 1 else 'matches'}"


def _staff(state: State) -> tuple[StaffView, ...]:
    return tuple(StaffView(name=each.name, role=each.role) for each in state.staff.values())


def player_view(entry: Entry) -> PlayerView:
    """Returns one player."""
    return PlayerView(
        player=entry.number, name=entry.name, bot=entry.bot, state=entry.state, seed=entry.seeding
    )


def _not_registered(state: State) -> tuple[str, ...]:
    known = {fold(entry.name) for entry in state.players.values()}
    return tuple(name for name in state.invited if fold(name) not in known)


def match_view(state: State, match: Match, field: tourneys.Tourney) -> MatchView:
    """Returns one match; `field` is `formal.tourney(state)`."""
    turn = picker(state, match)
    until = match.pick_until
    return MatchView(
        match=match.id,
        round=match.round,
        label=match.paired.label,
        players=match.players,
        best_of=length_of(state.terms.format, match.paired).best_of,
        races=tuple(_race(race) for race in match.races),
        pick=None if turn is None or until is None else Pick(player=turn, until=until),
        score=standing(state, match, field).score if len(match.players) == 2 else "",
        ending=None if match.result is None else match.result.ending.value,
        winner=None if match.result is None else match.result.winner,
        unplayed=match.unplayed,
        places=tuple(_places(state, match)),
        overridden=match.overridden,
    )


def _places(state: State, match: Match) -> Iterator[HeatPlace]:
    """Yields the players of a heat that has ended, by place; who has none stands last."""
    heats, result = state.terms.format, match.paired.result
    if not isinstance(heats, Heats) or result is None:
        return
    gained = heat_gains(match.paired, heats)
    places = {
        showing.player: showing.place
        for race in result.races
        if not race.void
        for showing in race.showings
    }
    if result.winner is not None:
        places = {result.winner: 1}
    by_place = sorted(match.players, key=lambda player: (places.get(str(player)) or inf, player))
    for player in by_place:
        points, _ = gained.get(str(player), (Fraction(0), ""))
        yield HeatPlace(player=player, place=places.get(str(player)), points=said(points))


def _race(race: Race) -> RaceView:
    is_called = race.state is RaceState.CALLED
    return RaceView(
        number=race.number,
        race=race.code,
        game=race.game,
        state=race.state.value,
        ready_by=race.ready_by if is_called else None,
        reason=race.reason,
    )
