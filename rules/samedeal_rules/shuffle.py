"""From a seed to the order of the pack: specified, versioned, portable, so that anyone can re-deal.

The generator is SHA-256 in counter mode; `docs/deal.md` specifies it, with test vectors for other
languages. Laws: the same seed, pack and purpose give the same order on every machine; nothing here
draws randomness from anywhere else; a ruling that changes a deal gets a new `SHUFFLE_VERSION`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from hashlib import sha256

from .errors import BadSeed

__all__ = [
    "SEED_CHARACTERS",
    "SHUFFLE_VERSION",
    "check_seed",
    "commitment",
    "keeps_commitment",
    "order",
    "redeal_keys",
    "start_order",
]

SHUFFLE_VERSION = "samedeal/1"
SEED_CHARACTERS = 64

_WORDS = 1 << 64
_REFUSED = {
    "Cc": "a control character",
    "Cs": "a lone surrogate",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
}


def check_seed(seed: str) -> str:
    """The seed in Unicode's NFC form, so that one text typed on two keyboards is one deal.

    Raises BadSeed unless that form has 1 to 64 characters (code points), none of them a control
    character, a line or paragraph separator, or a lone surrogate. Spaces and case count.
    """
    text = unicodedata.normalize("NFC", seed)
    if not text:
        raise BadSeed("a seed needs at least one character")
    if len(text) > SEED_CHARACTERS:
        raise BadSeed(f"a seed has at most {SEED_CHARACTERS} characters; this has {len(text)}")
    for place, character in enumerate(text, 1):
        refused = _REFUSED.get(unicodedata.category(character))
        if refused is not None:
            raise BadSeed(f"character {place} of the seed is {refused} (U+{ord(character):04X})")
    return text


def start_order(ranks: Sequence[int], *, copies: int = 1) -> tuple[int, ...]:
    """The unshuffled pack: copy by copy, suits C D H S, its ranks from Ace to King (1..13)."""
    low_to_high = sorted(ranks)
    return tuple(
        suit * 16 + rank for _ in range(copies) for suit in range(4) for rank in low_to_high
    )


def order(seed: str, pack: Sequence[int], *, purpose: str = "deal") -> tuple[int, ...]:
    """The shuffled pack: the first card is the next one dealt. `pack` is in its start order.

    Fisher-Yates from the top down, each index drawn uniformly by rejection. Raises BadSeed.
    """
    cards = list(pack)
    words = _words(seed, purpose)
    for last in range(len(cards) - 1, 0, -1):
        choices = last + 1
        limit = _WORDS - _WORDS % choices
        word = next(words)
        while word >= limit:
            word = next(words)
        chosen = word % choices
        cards[last], cards[chosen] = cards[chosen], cards[last]
    return tuple(cards)


def redeal_keys(seed: str, number: int, pack: Sequence[int]) -> tuple[int, ...]:
    """One 64-bit key a card of the full pack in start order, for that redeal (the first is 1).

    A redeal sorts the cards that remain by their keys, lowest first, so that the order depends on
    the seed, on the number and on which cards remain, never on how the player got there (G13).
    Raises BadSeed.
    """
    words = _words(seed, f"redeal/{number}")
    return tuple(next(words) for _ in pack)


def commitment(seed: str, salt: bytes | str) -> str:
    """SHA-256 of the seed's UTF-8 (in NFC) followed by the salt's bytes, in lower-case hexadecimal.

    A salt given as text is hexadecimal. Raises BadSeed for a bad seed, and for a salt that is not.
    """
    return sha256(check_seed(seed).encode() + _salt_bytes(salt)).hexdigest()


def keeps_commitment(promised: str, seed: str, salt: bytes | str) -> bool:
    """Whether the seed and the salt published afterwards are those promised. Raises BadSeed."""
    return promised.lower() == commitment(seed, salt)


def _salt_bytes(salt: bytes | str) -> bytes:
    if isinstance(salt, bytes):
        return salt
    try:
        return bytes.fromhex(salt)
    except ValueError:
        raise BadSeed("a salt given as text must be hexadecimal digits, two a byte") from None


def _words(seed: str, purpose: str) -> Iterator[int]:
    """64-bit words without end: block i is SHA-256 of version, purpose, seed and i, one a line."""
    prefix = f"{SHUFFLE_VERSION}\n{purpose}\n{check_seed(seed)}\n"
    block = 0
    while True:
        digest = sha256(f"{prefix}{block}".encode()).digest()
        for start in (0, 8, 16, 24):
            yield int.from_bytes(digest[start : start + 8], "big")
        block += 1
