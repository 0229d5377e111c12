"""A bracket: nodes whose two sides come from places, winners and losers; and how far it has come.

Laws. A side is a player, or nobody, or not known yet. Whoever meets nobody has a bye and goes on;
where nobody meets nobody, nobody goes on: so every placing of byes, and everybody's leaving, comes
to an end. A match is paired once both sides are known. What is recorded but no longer follows from
the results before it is void.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from .errors import BadTourney
from .forfeits import forfeits
from .state import Decided, Ending, Match, Player, Result, Tourney

__all__ = ["Exit", "LoserOf", "Node", "Place", "Progress", "Reset", "WinnerOf", "unfold"]


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the first round."""

    index: int


@dataclass(frozen=True, slots=True)
class WinnerOf:
    node: str


@dataclass(frozen=True, slots=True)
class LoserOf:
    node: str


@dataclass(frozen=True, slots=True)
class Reset:
    """One of the two of a final, if its second side won it and the first had not lost before."""

    node: str
    side: int


Source = Place | WinnerOf | LoserOf | Reset


@dataclass(frozen=True, slots=True)
class Node:
    """Where two come together."""

    id: str
    round: int
    label: str
    sources: tuple[Source, Source]
    rank: int
    """How far one has come who ends here; a higher one is a better place."""


@dataclass(frozen=True, slots=True)
class Exit:
    """Where a player's tournament ended."""

    node: Node
    won: bool
    opponent: str | None
    ending: Ending


@dataclass(frozen=True, slots=True)
class _Known:
    player: str | None


@dataclass(slots=True)
class Progress:
    """How far the bracket has come."""

    pair: list[Match] = field(default_factory=list)
    decide: list[Decided] = field(default_factory=list)
    void: list[str] = field(default_factory=list)
    exits: dict[str, Exit] = field(default_factory=dict)
    """Of those who are out, or have won; who is not here still plays."""
    ahead: dict[str, Node] = field(default_factory=dict)
    """The furthest match that each has come to."""
    waiting: bool = False
    """A node is not decided."""


def unfold(nodes: Sequence[Node], places: Sequence[str | None], tourney: Tourney) -> Progress:
    """Returns how far the bracket has come; nodes stand after those that they come from."""
    progress = Progress()
    recorded = {match.id: match for match in tourney.matches}
    known = {node.id for node in nodes}
    for id in recorded:
        if id not in known:
            raise BadTourney(f"match {id} is not in the bracket")
    players = tourney.by_id()
    winners: dict[str, _Known] = {}
    losers: dict[str, _Known] = {}
    sides_of: dict[str, tuple[_Known, _Known]] = {}
    for node in nodes:
        sides = [
            _side(source, places, winners=winners, losers=losers, sides=sides_of)
            for source in node.sources
        ]
        there = [side.player for side in sides if side is not None and side.player is not None]
        for player in there:
            progress.exits.pop(player, None)
            progress.ahead[player] = node
        match = recorded.get(node.id)
        one, other = sides
        if one is None or other is None or not there:
            if match is not None:
                progress.void.append(node.id)
            if one is None or other is None:
                progress.waiting = True
            else:
                winners[node.id] = losers[node.id] = _Known(None)
            continue
        sides_of[node.id] = (one, other)
        if match is not None and match.players != tuple(there):
            progress.void.append(node.id)
            match = None
        if match is None:
            match = _paired(node, tuple(there), players)
            progress.pair.append(match)
        elif match.result is None:
            progress.decide += forfeits([match], players)
        if match.result is None:
            progress.waiting = True
            continue
        _settle(node, match, match.result, progress=progress, winners=winners, losers=losers)
    return progress


def _paired(node: Node, there: tuple[str, ...], players: Mapping[str, Player]) -> Match:
    result: Result | None = None
    if len(there) == 1:
        # Who has left does not win by staying away from nobody.
        result = Result(Ending.BYE, there[0]) if players[there[0]].is_in else Result(Ending.FORFEIT)
    return Match(node.id, node.round, there, node.label, node.id, result)


def _settle(
    node: Node,
    match: Match,
    result: Result,
    *,
    progress: Progress,
    winners: dict[str, _Known],
    losers: dict[str, _Known],
) -> None:
    """Sends winner and loser on. After a double forfeit nobody goes on, in either direction."""
    winner = result.winner
    if winner is None and result.ending is not Ending.FORFEIT:
        raise BadTourney(f"match {match.id} of an elimination ended without a winner")
    others = [player for player in match.players if player != winner]
    winners[node.id] = _Known(winner)
    losers[node.id] = _Known(others[0] if winner is not None and others else None)
    for player in match.players:
        opponent = next((other for other in match.players if other != player), None)
        progress.exits[player] = Exit(node, player == winner, opponent, result.ending)


def _side(
    source: Source,
    places: Sequence[str | None],
    *,
    winners: Mapping[str, _Known],
    losers: Mapping[str, _Known],
    sides: Mapping[str, tuple[_Known, _Known]],
) -> _Known | None:
    """Returns who comes from there, or None while that is open."""
    match source:
        case Place(index):
            return _Known(places[index])
        case WinnerOf(node):
            return winners.get(node)
        case LoserOf(node):
            return losers.get(node)
        case Reset(node, side):
            winner = winners.get(node)
            if winner is None or winner.player is None:
                return winner
            first, second = sides[node]
            if first.player is None or second.player is None or winner == first:
                return _Known(None)
            return (first, second)[side]
        case _:
            assert_never(source)
