"""A match of several races: who has won it, whether another race is needed, and why.

A race goes to who came before the other; equal places are a draw. Drawn races are replayed as the
terms say. A match ends as soon as the lead cannot be caught up. Where somebody must win, a match
that is level after its last race goes by cards home in it, then by races finished and total time,
then to the better seed number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from samedeal_protocol.tournament.formats import Length

from .arithmetic import clock, said
from .state import Ending, Race, Result

__all__ = ["Verdict", "settle"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a match stands."""

    next_race: int | None
    """The number of the race to open now; None when the match is over."""
    result: Result | None
    score: str
    """`2–1`, the first named player's first, and what decided a level match."""


def settle(
    players: tuple[str, str], races: Sequence[Race], *, length: Length, senior: str | None
) -> Verdict:
    """Returns where the match stands after these races, void ones included.

    `senior` is the player with the better seed number if somebody must win, None if draws stand.
    """
    one, other = players
    points = {one: Fraction(0), other: Fraction(0)}
    counted = replayed = 0
    for race in races:
        if race.void:
            continue
        first = _first(race, one, other)
        if first is None and replayed < length.replays:
            replayed += 1
            continue
        counted += 1
        if first is None:
            points[one] += Fraction(1, 2)
            points[other] += Fraction(1, 2)
        else:
            points[first] += 1
    score = f"{said(points[one])}–{said(points[other])}"
    left = length.best_of - counted
    if left > 0 and abs(points[one] - points[other]) <= left:
        return Verdict(len(races) + 1, None, score)
    if points[one] != points[other]:
        winner: str | None = one if points[one] > points[other] else other
    elif senior is None:
        winner = None
    else:
        winner, how = _level(players, races, senior)
        score = f"{score}, {how}"
    return Verdict(None, Result(Ending.PLAYED, winner, tuple(races)), score)


def _reckoned(races: Sequence[Race], player: str) -> tuple[int, int, int]:
    """Returns the player's cards home, races finished and total time in races that count."""
    showings = [
        showing
        for race in races
        if not race.void
        for showing in race.showings
        if showing.player == player
    ]
    times = [showing.elapsed_ms for showing in showings if showing.elapsed_ms is not None]
    return sum(showing.home for showing in showings), len(times), sum(times)


def _first(race: Race, one: str, other: str) -> str | None:
    places = {
        showing.player: showing.place for showing in race.showings if showing.place is not None
    }
    ours, theirs = places.get(one), places.get(other)
    if ours == theirs:
        return None
    if theirs is None or (ours is not None and ours < theirs):
        return one
    return other


def _level(players: tuple[str, str], races: Sequence[Race], senior: str) -> tuple[str, str]:
    one, other = players
    home, finished, time = _reckoned(races, one)
    their_home, their_finished, their_time = _reckoned(races, other)
    if home != their_home:
        return (one if home > their_home else other), f"cards home {home}–{their_home}"
    if finished != their_finished:
        more = one if finished > their_finished else other
        return more, f"races finished {finished}–{their_finished}"
    if time != their_time:
        return (one if time < their_time else other), f"time {clock(time)}–{clock(their_time)}"
    return senior, "the better seed number"
