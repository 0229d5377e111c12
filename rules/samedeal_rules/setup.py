"""From a position to the piles of a table, which know how they were built.

A position may be partial, so that a test can show only what matters: what it leaves out is empty,
and a base rank that it does not give is that of the foundations' first cards. What the rules cannot
have is refused with BadNotation: hidden cards, a card too often, two cards in a cell, a foundation
that is not the beginning of its order, a pile built two ways where only one is allowed, a base rank
that its foundations contradict, and counters beyond their limits.
"""

from __future__ import annotations

from .cards import CARD_BITS, card_text, rank_of
from .errors import BadNotation
from .notation import Position, check_cards
from .parts import Collect, Exit, Opening
from .tables import EMPTY, STAYS, Cell, Tables

__all__ = ["set_up"]


def set_up(tables: Tables, position: Position) -> tuple[list[list[int]], int | None]:
    """The piles as a table stores them, the stock's next card last, and the base rank."""
    check_cards(position)
    if position.hides:
        raise BadNotation("a position with hidden cards can be shown, but not played")
    _check_counters(position)
    _check_suits(position)
    base = _base(position)
    return [_stored(tables, at, pile) for at, pile in enumerate(position.piles)], base


def _check_counters(position: Position) -> None:
    game, redeal = position.game, position.game.redeal
    limits = {
        "redeals": (redeal.times or 0) if redeal is not None else 0,
        "plays": game.size if "plays" in game.counters else 0,
        "idle": (redeal.idle_passes or 1) - 1 if redeal is not None else 0,
    }
    for counter, limit in limits.items():
        if not 0 <= getattr(position, counter) <= limit:
            raise BadNotation(f"{counter} is at most {limit} in {game.name}")


def _check_suits(position: Position) -> None:
    """Two foundations of a suit where each suit has one (B6)."""
    game = position.game
    suits = [
        position.piles[at][0] >> 4
        for at in game.named("F")
        if position.piles[at] and game.rows[at].opening is Opening.ONE_A_SUIT
    ]
    if len(set(suits)) < len(suits):
        raise BadNotation(f"two foundations have the same suit: in {game.name} each has its own")


def _base(position: Position) -> int | None:
    """The base rank, given or read off the foundations."""
    game = position.game
    if not game.varies_base:
        if position.base is not None:
            raise BadNotation(f"{game.name} has no base rank to give")
        return None
    firsts = {rank_of(position.piles[at][0]) for at in game.named("F") if position.piles[at]}
    ranks = firsts | ({position.base} if position.base is not None else set())
    if len(ranks) > 1:
        raise BadNotation("the foundations begin with different ranks, or not with the base rank")
    return ranks.pop() if ranks else None


def _stored(tables: Tables, at: int, cards: tuple[int, ...]) -> list[int]:
    """The pile as a table stores it, its spare bits set."""
    game, name = tables.game, tables.names[at]
    match tables.kinds[at]:
        case "C" if len(cards) > 1:
            raise BadNotation(f"{name} is a cell: it holds one card at most")
        case "S":
            return list(reversed(cards))
        case "F" if cards:
            begins = any(row[cards[0]] for row in tables.on_foundation[at][EMPTY:])
            if not begins and (name, cards[0]) not in game.bases:
                raise BadNotation(f"{name} does not begin with {card_text(cards[0])}")
            stays = 0 if game.rows[at].exit is Exit.NONE else STAYS
            return _built(name, cards[0] | stays, cards[1:], tables.on_foundation[at])
        case "T" if game.tableau.build is not None and game.tableau.build.one_way and cards:
            return _built(name, cards[0], cards[1:], tables.on_tableau)
        case "W" if isinstance(game.aim, Collect) and not all(map(game.aim.takes, cards)):
            raise BadNotation(f"{name} holds cards that are never discarded")
        case _:
            return list(cards)


def _built(name: str, first: int, cards: tuple[int, ...], cell: Cell) -> list[int]:
    """The pile that comes of laying the cards on the first one, as play would."""
    pile = [first]
    for card in cards:
        placed = cell[pile[-1]][card]
        if not placed:
            below = card_text(pile[-1] & CARD_BITS)
            raise BadNotation(f"{name} cannot have {card_text(card)} on {below}")
        pile.append(placed)
    return pile
