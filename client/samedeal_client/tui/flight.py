"""Which cards have moved between two boards, and the way that they fly. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from samedeal_client.tui.spots import Layout
from samedeal_rules import Game, Position

__all__ = ["Flight", "flights_between", "grown", "turned_below"]


@dataclass(frozen=True, slots=True)
class Flight:
    """One card in the air."""

    card: int
    start: tuple[int, int]
    end: tuple[int, int]
    under: Position
    """The board without it, and without those that fly beside it."""

    def at(self, part: float) -> tuple[int, int]:
        """Where it is after a part of the way, from 0 to 1."""
        (x, y), (to_x, to_y) = self.start, self.end
        return round(x + (to_x - x) * part), round(y + (to_y - y) * part)


def grown(game: Game, before: Position, after: Position) -> frozenset[str]:
    """The piles that have more cards than before."""
    piles = zip(game.piles, before.piles, after.piles, strict=True)
    return frozenset(name for name, old, new in piles if len(new) > len(old))


def flights_between(
    game: Game, before: Position, after: Position, from_: Layout, to: Layout
) -> tuple[Flight, ...]:
    """The flight of the top card that went from one pile to another; none where more happened."""
    shrunk = grown(game, after, before)
    fuller = grown(game, before, after)
    if len(shrunk) != 1 or len(fuller) != 1:
        return ()
    source, target = (game.piles.index(next(iter(piles))) for piles in (shrunk, fuller))
    old, new = before.piles[target], after.piles[target]
    start, end = from_.spots[game.piles[source]].top, to.spots[game.piles[target]].top
    piles = list(after.piles)
    piles[target] = new[: len(old)]
    under = replace(after, piles=tuple(piles))
    return (Flight(new[-1], (start.x, start.y), (end.x, end.y), under),)


def turned_below(flights: tuple[Flight, ...], after: Position) -> tuple[Flight, ...]:
    """The same flights over a board on which cards have turned up, and none has moved."""
    return tuple(
        replace(flight, under=replace(after, piles=_as_long(after, flight.under)))
        for flight in flights
    )


def _as_long(board: Position, under: Position) -> tuple[tuple[int, ...], ...]:
    piles = zip(board.piles, under.piles, strict=True)
    return tuple(pile[: len(old)] for pile, old in piles)
