"""Seconds to pair a round of a Swiss tournament, as the field grows and the rounds go by.

Players have a strength of their own and win by it, so that the field spreads over the points as in
a real tournament. The process's own time is counted: in a server a thread of its own pairs, beside
the event loop.
"""

from __future__ import annotations

import random
from dataclasses import replace
from statistics import median
from time import process_time
from typing import Final

from samedeal_protocol.tournament.formats import Swiss
from samedeal_server.tourneys.state import Ending, Match, Player, Result, Tourney
from samedeal_server.tourneys.tourney import look, standings

__all__ = ["report"]

_ROUNDS: Final = 9


def report(fields: list[int], *, repeats: int) -> None:
    """Prints medians of so many tournaments for each size of field."""
    print(f"\nSwiss, {_ROUNDS} rounds: seconds of one core, medians of {repeats} tournaments")
    print(f"{'players':>8} {'first round':>12} {'median':>8} {'longest':>8} {'standings':>10}")
    for size in fields:
        runs = [_tournament(size, dice=random.Random(number)) for number in range(repeats)]
        first = median(seconds[0] for seconds, _ in runs)
        middle = median(each for seconds, _ in runs for each in seconds)
        longest = median(max(seconds) for seconds, _ in runs)
        table = median(seconds for _, seconds in runs)
        print(f"{size:8} {first:10.2f} s {middle:6.2f} s {longest:6.2f} s {table * 1000:7.0f} ms")


def _tournament(size: int, *, dice: random.Random) -> tuple[list[float], float]:
    """Plays a tournament; returns the seconds of each pairing, and those of the last standings."""
    terms = Swiss(rounds=_ROUNDS)
    strength = {f"p{number}": dice.gauss(0, 1) for number in range(1, size + 1)}
    players = tuple(Player(id=each, seeding=seed) for seed, each in enumerate(strength, 1))
    tourney = Tourney("bench", players)
    seconds: list[float] = []
    while True:
        begun = process_time()
        plan = look(terms, tourney)
        if plan.over:
            break
        seconds.append(process_time() - begun)
        paired = tuple(_played(match, strength, dice) for match in plan.pair)
        tourney = replace(tourney, matches=(*tourney.matches, *paired))
    begun = process_time()
    standings(terms, tourney)
    return seconds, process_time() - begun


def _played(match: Match, strength: dict[str, float], dice: random.Random) -> Match:
    """Returns the match with a result, unless it has one; the stronger player wins more often."""
    if match.result is not None:
        return match
    winner = max(match.players, key=lambda player: strength[player] + dice.gauss(0, 1))
    return replace(match, result=Result(Ending.PLAYED, winner))
