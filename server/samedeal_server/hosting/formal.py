"""The state as tourneys knows it: numbers become ids, races and results become values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from samedeal_protocol.tournament.events import MatchResult, PairedMatch
from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Format,
    RoundRobin,
    SingleElimination,
)
from samedeal_server.spelling import fold
from samedeal_server.tourneys import state as tourneys
from samedeal_server.tourneys.series import Verdict
from samedeal_server.tourneys.tourney import verdict

from .state import Entry, Match, Race, RaceState, State

__all__ = [
    "drawn_bracket",
    "format_of",
    "is_elimination",
    "is_fixed",
    "match_of",
    "misfit",
    "number",
    "player",
    "result_of",
    "standing",
    "told",
    "tourney",
]

_NAMED: Final = 3
"""How many are named of those who do not fit a bracket."""


def is_elimination(format: Format) -> bool:
    """Says whether who loses is out, and somebody must win every match."""
    return isinstance(format, SingleElimination | DoubleElimination)


def is_fixed(format: Format) -> bool:
    """Says whether who meets whom is fixed at the start: nobody comes late or sits out."""
    return is_elimination(format) or isinstance(format, RoundRobin)


def format_of(state: State) -> Format:
    """Returns the format with the bracket that holds."""
    format = state.terms.format
    if isinstance(format, SingleElimination | DoubleElimination):
        return msgspec.structs.replace(format, bracket=state.bracket)
    return format


def drawn_bracket(format: Format) -> tuple[str | None, ...]:
    """Returns the bracket that the host drew, by names with None for a bye; empty if none."""
    return format.bracket if isinstance(format, SingleElimination | DoubleElimination) else ()


def misfit(drawn: Sequence[str | None], playing: Sequence[Entry]) -> str | None:
    """Says why a drawn bracket does not name exactly those who play, or None if it does."""
    placed = [name for name in drawn if name is not None]
    named = {fold(name): name for name in placed}
    there = {fold(entry.name): entry.name for entry in playing}
    missing = [name for key, name in named.items() if key not in there]
    if missing:
        return f"the bracket names {_some(missing)}, who would not play"
    others = [name for key, name in there.items() if key not in named]
    if others:
        return f"the bracket does not name {_some(others)}, who would play"
    if len(named) < len(placed) or len(there) < len(playing):
        return "two of the bracket have the same name"
    return None


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    shown = ", ".join(names[:_NAMED])
    return shown if more <= 0 else f"{shown} and {more} more"


def number(id: str) -> int:
    """Returns the number of a player by tourneys' id, which is that number as text."""
    return int(id)


def tourney(state: State) -> tourneys.Tourney:
    """Returns the tournament as a value; there are players once it has started."""
    return tourneys.Tourney(
        seed=state.announced.seed,
        players=tuple([player(entry) for entry in state.playing()]),
        matches=tuple([match.paired for match in state.matches.values()]),
        closed=state.rung,
    )


def player(entry: Entry) -> tourneys.Player:
    """Returns the player of an entry that has a seed number."""
    if entry.seeding is None:
        raise AssertionError("only who plays has a place in the field")
    return tourneys.Player(
        id=str(entry.number),
        seeding=entry.seeding,
        name=entry.name,
        joined=entry.joined,
        paused=entry.sits_out,
        withdrawn=entry.withdrawn,
        disqualified=entry.disqualified,
    )


def match_of(paired: PairedMatch) -> tourneys.Match:
    """Returns the match that was paired."""
    return tourneys.Match(
        id=paired.match,
        round=paired.round,
        players=tuple(str(number) for number in paired.players),
        label=paired.label,
        deals=paired.deals,
        result=None if paired.result is None else result_of(paired.result, ()),
    )


def result_of(result: MatchResult, races: Iterable[Race]) -> tourneys.Result:
    """Returns the result, with those of its races that have ended."""
    winner = None if result.winner is None else str(result.winner)
    return tourneys.Result(result.ending, winner, _ended(races))


def told(result: tourneys.Result) -> MatchResult:
    """Returns the result as the log has it."""
    return MatchResult(
        ending=result.ending,
        winner=None if result.winner is None else number(result.winner),
    )


def standing(state: State, match: Match, field: tourneys.Tourney) -> Verdict:
    """Returns where a match stands after the races that have ended; `field` is `tourney(state)`."""
    return verdict(state.terms.format, field, match.paired, _ended(match.races))


def _ended(races: Iterable[Race]) -> tuple[tourneys.Race, ...]:
    return tuple(
        [
            tourneys.Race(
                showings=tuple(
                    [
                        tourneys.Showing(str(own.player), own.place, own.elapsed_ms, own.home)
                        for own in race.showings
                    ]
                ),
                void=race.state is RaceState.VOID,
            )
            for race in races
            if not race.is_active
        ]
    )
