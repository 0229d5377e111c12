"""A card is a small int: suit * 16 + rank, so that a pile is a list of ints and a table is small.

Suits are C 0, D 1, H 2, S 3 and ranks A 1 to K 13, which gives codes 1 to 61 and 0 for a card that
this viewer may not see. Two copies of a card in a game of two packs are the same int: no rule, text
or digest tells them apart.
"""

from __future__ import annotations

from typing import Final

from .errors import BadNotation

__all__ = [
    "CARD_BITS",
    "CARD_TEXTS",
    "HIDDEN",
    "HIDDEN_TEXT",
    "PLAIN",
    "RANKS",
    "RANK_NAMES",
    "SUITS",
    "SUIT_NAMES",
    "card_text",
    "is_red",
    "make_card",
    "parse_card",
    "rank_of",
    "suit_of",
]

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
RANK_NAMES: Final = (
    "", "Ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King",
)  # fmt: skip
SUIT_NAMES: Final = ("Clubs", "Diamonds", "Hearts", "Spades")

CARD_BITS: Final = 63
PLAIN: Final = bytes(byte & CARD_BITS for byte in range(256))
"""Translates bytes to cards: the two spare bits, which tables use, are left out."""

HIDDEN: Final = 0
HIDDEN_TEXT: Final = "--"


def make_card(rank: int, suit: int) -> int:
    """The card of that rank (1 to 13) and suit (0 to 3)."""
    return suit * 16 + rank


def rank_of(card: int) -> int:
    """The rank, 1 for an Ace to 13 for a King."""
    return card & 15


def suit_of(card: int) -> int:
    """The suit: 0 Clubs, 1 Diamonds, 2 Hearts, 3 Spades."""
    return card >> 4


def is_red(card: int) -> bool:
    """Whether the card is a Diamond or a Heart."""
    return card >> 4 in (1, 2)


CARD_TEXTS: Final = {HIDDEN: HIDDEN_TEXT} | {
    make_card(rank, suit): RANKS[rank - 1] + SUITS[suit]
    for suit in range(4)
    for rank in range(1, 14)
}
_CARDS: Final = {text: card for card, text in CARD_TEXTS.items()}


def card_text(card: int) -> str:
    """Two characters: rank and suit, `TD`; `--` for a hidden card. Raises BadNotation."""
    try:
        return CARD_TEXTS[card]
    except KeyError:
        raise BadNotation(f"{card} is not a card's code: they are suit * 16 + rank") from None


def parse_card(text: str) -> int:
    """The card that `card_text` wrote. Raises BadNotation."""
    try:
        return _CARDS[text]
    except KeyError:
        raise BadNotation(
            f"{text[:8]!r} is not a card: write a rank of {RANKS} and a suit of {SUITS}, as in TD, "
            f"or {HIDDEN_TEXT} for a card that may not be seen"
        ) from None
