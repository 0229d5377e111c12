"""Cards as two-character texts, packs, and the shuffle, as docs/deal.md tells it to a stranger."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from hashlib import sha256

RANKS = "A23456789TJQK"
SUITS = "CDHS"


def rank(card: str) -> int:
    return RANKS.index(card[0]) + 1


def suit(card: str) -> str:
    return card[1]


def is_red(card: str) -> bool:
    return card[1] in "DH"


def a_pack(copies: int = 1, ranks: str = RANKS) -> list[str]:
    return [r + s for _ in range(copies) for s in SUITS for r in ranks]


def words(purpose: str, seed: str) -> Iterator[int]:
    seed = unicodedata.normalize("NFC", seed)
    block = 0
    while True:
        digest = sha256(f"samedeal/1\n{purpose}\n{seed}\n{block}".encode()).digest()
        for i in range(4):
            yield int.from_bytes(digest[8 * i : 8 * i + 8], "big")
        block += 1


def shuffled(seed: str, pack: list[str], purpose: str = "deal") -> list[str]:
    cards = list(pack)
    numbers = words(purpose, seed)
    for i in range(len(cards) - 1, 0, -1):
        while True:
            word = next(numbers)
            if word < 2**64 // (i + 1) * (i + 1):
                break
        j = word % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def redeal_order(seed: str, number: int, pack: list[str], remaining: list[str]) -> list[str]:
    numbers = words(f"redeal/{number}", seed)
    key = {card: next(numbers) for card in pack}
    return sorted(remaining, key=lambda card: key[card])
