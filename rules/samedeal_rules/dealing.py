"""From an order of the pack to piles: the first deal (G12) and every redeal.

Piles here are plain card codes, bottom first; a stock is next card first.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, cycle

from .cards import CARD_BITS, rank_of
from .parts import Filled, Gather, Under
from .shuffle import redeal_keys
from .spec import Game

__all__ = ["deal_again", "deal_pack", "deal_rows", "reshuffle"]


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


def deal_again(
    game: Game, seed: str, number: int, tableau: Sequence[list[int]], stock: Sequence[int]
) -> tuple[list[list[int]], list[int]]:
    """The tableau and the stock after a redeal, the first one being number 1.

    `tableau` may hold cards as a table stores them; what comes out is plain.
    """
    assert game.redeal is not None, "only games with redeals deal again"
    count = len(tableau)
    match game.redeal.gather:
        case Gather.RIGHT_TO_LEFT:
            return [[] for _ in tableau], _plain(reversed(tableau))
        case Gather.LAST_PILE_FIRST:
            packet = _plain(tableau)[::-1]
            return [packet[first::count] for first in range(count)], list(stock)
        case Gather.SHUFFLED:
            packet = reshuffle(game, seed, number, [*_plain(tableau), *stock])
    each = max(game.dealt)
    piles = [packet[first : first + each] for first in range(0, count * each, each)]
    rest = packet[count * each :]
    if "S" not in game.piles:
        deal_rows(piles, rest)  # only a position made by hand has more cards than were dealt
        rest = []
    return piles, rest


def reshuffle(game: Game, seed: str, number: int, cards: Sequence[int]) -> list[int]:
    """The cards in the order of the game's reshuffle of that number.

    It depends on the seed, the number and which cards there are, not on how they lay (G13).
    """
    order = _by_key(game, seed, number)
    if game.deck.packs == 1:
        remain = set(cards)
        return [card for card in order if card in remain]
    left = Tally(cards)
    kept = []
    for card in order:
        if left[card]:
            left[card] -= 1
            kept.append(card)
    return kept


@lru_cache(maxsize=512)
def _by_key(game: Game, seed: str, number: int) -> tuple[int, ...]:
    """The whole pack by its keys; kept, since everybody in a race asks for the same order."""
    keys = redeal_keys(seed, number, game.pack)
    return tuple(card for _, card in sorted(zip(keys, game.pack, strict=True)))


def _plain(piles: Iterable[list[int]]) -> list[int]:
    return [card & CARD_BITS for card in chain.from_iterable(piles)]
