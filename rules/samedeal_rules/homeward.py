"""Ways home: moves to foundations that the server finds and plays for a player who asks.

They use only what the player sees, and end where something hidden would turn up, so that a plan
tells nobody what is hidden. The table is played ahead on and stands as before when they return.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .engine import Table
from .notation import Move
from .safety import safety_of
from .tables import compile_game

__all__ = ["finishing", "has_safe", "sending_home"]


def finishing(table: Table) -> list[Move]:
    """Moves to foundations, and to nowhere else, that take every card home from here.

    The plan is greedy; where it does not win, or something hidden would turn up on the way, it is
    empty.
    """
    plan, wins = _planned(table, _next_home)
    return plan if wins else []


def sending_home(table: Table) -> list[Move]:
    """Moves that take home one after the other what is safe there, until nothing more is.

    They end with the first that turns up something hidden.
    """
    plan, _ = _planned(table, _next_safe)
    return plan


def has_safe(table: Table) -> bool:
    """Whether a card is safe to send home; see `safety`."""
    return _next_safe(table) is not None


def _planned(table: Table, find: Callable[[Table], Move | None]) -> tuple[list[Move], bool]:
    """Plays what is found until nothing is or something turned up, and takes it all back.

    Returns the moves, and whether they win.
    """
    depth = table.depth
    plan: list[Move] = []
    while (move := find(table)) is not None:
        table.play(move)
        plan.append(move)
        if table.revealed:
            break
    wins = table.won
    while table.depth > depth:
        table.undo()
    return plan, wins


def _next_home(table: Table) -> Move | None:
    return None if table.won else next(_homeward(table), None)


def _next_safe(table: Table) -> Move | None:
    """A move that takes a card home that is safe there, if there is one."""
    moves = list(_homeward(table))
    if not moves:
        return None
    safety, piles = safety_of(table.game), table.piles()
    outside = safety.outside(piles)
    for move in moves:
        if safety.is_safe(move, piles, outside, table.base):
            return move
    return None


def _homeward(table: Table) -> Iterator[Move]:
    """Legal moves of cards that are not home yet to where they are."""
    is_home = compile_game(table.game).is_home
    for move in table.legal():
        if move.cards == 1 and is_home[move.target] and not is_home[move.source]:
            yield move
