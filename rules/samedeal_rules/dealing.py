"""From an order of the pack to piles: the first deal (G12) and every redeal.

Piles here are plain card codes, bottom first; a stock is next card first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import cycle

from .cards import rank_of
from .shuffle import redeal_keys
from .spec import Filled, Game, Under

__all__ = ["deal_pack", "deal_piles", "deal_rows", "reshuffle"]


def deal_pack(game: Game, order: Sequence[int]) -> tuple[list[list[int]], int | None]:
    """The piles at the start, and the base rank where the deal fixes it.

    Cards that have a place of their own are taken out of the pack first (the first copy met); then
    rows are dealt, one card a pile from left to right, shorter piles dropping out (G12).
    """
    cards = list(order)
    piles: list[list[int]] = [[] for _ in game.piles]
    tableau = [piles[at] for at in game.named(game.tableau.key)]
    base = rank_of(cards[0]) if any(card is None for _, card in game.bases) else None
    for name, card in game.bases:
        if card is None:
            card = next(card for card in cards if rank_of(card) == base)
        cards.remove(card)
        piles[game.piles.index(name)].append(card)
    for pile, card in zip(tableau, _under(game, cards, base), strict=False):
        cards.remove(card)
        pile.append(card)

    rest = iter(cards)
    filled = Filled.EMPTY if game.cells is None else game.cells.filled
    cells = [piles[at] for at in game.named("C")] if filled is not Filled.EMPTY else []
    if filled is Filled.BEFORE_TABLEAU:
        deal_rows(cells, [next(rest) for _ in cells])
    starts = [len(pile) if game.tableau.under.in_first_row else 0 for pile in tableau]
    wanted = [dealt - len(pile) for pile, dealt in zip(tableau, game.dealt, strict=True)]
    for row in range(max(game.dealt)):
        for pile, start, want in zip(tableau, starts, wanted, strict=True):
            if start <= row < start + want:
                pile.append(next(rest))
    if filled is Filled.AFTER_TABLEAU:
        deal_rows(cells, [next(rest) for _ in cells])
    for at in game.named("S"):
        piles[at].extend(rest)
    return piles, base


def _under(game: Game, cards: list[int], base: int | None) -> list[int]:
    """The cards that begin the first tableau piles, in the pack's order."""
    match game.tableau.under:
        case Under.NOTHING:
            return []
        case Under.LAST_BASE:
            return [card for card in cards if rank_of(card) == base]
        case Under.ACES:
            return [card for card in cards if rank_of(card) == 1]


def deal_rows(piles: Sequence[list[int]], cards: Iterable[int]) -> None:
    """Deals one card a pile, left to right, again and again; the last row may be short."""
    for pile, card in zip(cycle(piles), cards, strict=False):
        pile.append(card)


def deal_piles(piles: Sequence[list[int]], cards: Sequence[int], each: int) -> list[int]:
    """Deals `each` cards to one pile after the other while there are any; returns what is left."""
    for number, pile in enumerate(piles):
        pile.extend(cards[number * each : (number + 1) * each])
    return list(cards[len(piles) * each :])


def reshuffle(game: Game, seed: str, number: int, cards: Sequence[int]) -> list[int]:
    """The cards in the order of the game's reshuffle of that number, the first one being 1.

    It depends on the seed, the number and which cards there are, not on how they lay (G13).
    """
    keys = _keys(game, seed, number)
    if game.deck.packs == 1:
        return sorted(cards, key=lambda card: keys[card][0])
    copies = {card: iter(keys[card]) for card in cards}
    return [card for _, card in sorted((next(copies[card]), card) for card in cards)]


@lru_cache(maxsize=512)
def _keys(game: Game, seed: str, number: int) -> dict[int, list[int]]:
    """The keys of each card; kept, since everybody in a race asks for the same ones."""
    keys: dict[int, list[int]] = {}
    for card, key in zip(game.pack, redeal_keys(seed, number, game.pack), strict=True):
        keys.setdefault(card, []).append(key)
    return keys
