"""Nanoseconds of the rules core, game by game: play and undo, a refusal, `legal()`, a playout."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from statistics import median
from time import thread_time_ns

from samedeal_rules import GAMES, Game, IllegalMove, Move, Table, deal
from samedeal_rules.shuffle import order

__all__ = ["report"]

_WALK = 60
_PLAYOUT_CAP = 500
_REPEATS = 100


def _walk(game: Game, seed: str, cap: int) -> tuple[Table, list[Move]]:
    """Plays pseudo-randomly; returns the table at its start and the moves that were played."""
    table = deal(game, seed)
    moves: list[Move] = []
    dice = order(seed, range(4096), purpose="bench")
    while len(moves) < cap and not table.won:
        legal = table.legal()
        if not legal:
            break
        move = legal[dice[len(moves) % 4096] % len(legal)]
        table.play(move)
        moves.append(move)
    while table.depth:
        table.undo()
    return table, moves


def _refused(table: Table, game: Game) -> list[Move]:
    """Returns moves between piles that the rules refuse here."""
    piles = range(len(game.piles))
    every = (Move(source, target, 1) for source in piles for target in piles if source != target)
    return [move for move in every if not table.may(move)][:200]


@dataclass(slots=True)
class _Samples:
    """Nanoseconds of CPU of single steps of one game, and the sizes met on the way."""

    play_undo: list[float] = field(default_factory=list)
    refuse: list[float] = field(default_factory=list)
    legal: list[float] = field(default_factory=list)
    playout: list[float] = field(default_factory=list)
    length: list[int] = field(default_factory=list)
    snapshot: int = 0


def _along(table: Table, moves: list[Move], samples: _Samples) -> None:
    """Times play and undo, and `legal()`, at every position of the walk."""
    for move in moves:
        start = thread_time_ns()
        for _ in range(_REPEATS):
            table.play(move)
            table.undo()
        samples.play_undo.append((thread_time_ns() - start) / _REPEATS)
        start = thread_time_ns()
        for _ in range(_REPEATS // 10):
            table.legal()
        samples.legal.append((thread_time_ns() - start) / (_REPEATS // 10))
        samples.snapshot = max(samples.snapshot, len(table.snapshot()))
        table.play(move)


def _measure(game: Game, rounds: int) -> _Samples:
    samples = _Samples()
    for round_number in range(rounds):
        seed = f"bench-{round_number}"
        start = thread_time_ns()
        table, moves = _walk(game, seed, _PLAYOUT_CAP)
        samples.playout.append(thread_time_ns() - start)
        samples.length.append(len(moves))
        refused = _refused(table, game)
        start = thread_time_ns()
        for move in refused:
            for _ in range(5):
                try:
                    table.play(move)
                except IllegalMove:
                    continue
        samples.refuse.append((thread_time_ns() - start) / (5 * len(refused)))
        _along(table, moves[:_WALK], samples)
    return samples


def report(rounds: int) -> None:
    """Prints one line a game, and the median over the games.

    A game's figures are medians over the positions of `rounds` random playouts, in CPU time.
    """
    print(f"{'rules core':<20}{'play+undo':>12}{'slowest':>10}{'refuse':>9}{'legal()':>10}", end="")
    print(f"{'playout':>13}{'moves':>7}{'snapshot':>10}")
    gc.collect()
    gc.disable()
    rows = []
    for game in GAMES:
        samples = _measure(game, rounds)
        play_undo, refuse, legal = map(median, (samples.play_undo, samples.refuse, samples.legal))
        rows.append((play_undo, refuse, legal))
        print(
            f"{game.key:<20}{play_undo:>9.0f} ns{max(samples.play_undo) / 1000:>7.1f} us"
            f"{refuse:>6.0f} ns{legal / 1000:>7.1f} us"
            f"{median(samples.playout) / 1e6:>10.2f} ms{median(samples.length):>7.0f}"
            f"{samples.snapshot:>8} B"
        )
    gc.enable()
    middle = [median(column) for column in zip(*rows, strict=True)]
    print(
        f"{'median game':<20}{middle[0]:>9.0f} ns{middle[1]:>16.0f} ns{middle[2] / 1000:>7.1f} us"
    )
