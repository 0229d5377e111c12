"""Every random choice of a tournament, from its recorded seed, so that anybody can make it again.

Orders are those of the published shuffle (`docs/deal.md`) of seed numbers, lowest first, with a
purpose of their own. A lot is the first 40 bits of SHA-256 of the lines `samedeal-tourney/1`,
`lot`, purpose, seed and the numbers, one a line, joined by line feeds. A deal's seed is the first
32 hexadecimal digits of SHA-256 of `samedeal-tourney/1`, `deal`, seed, name of the deals and number
of the race. Who is to foresee no deal must not know the seed: 128 random bits, with a commitment.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from samedeal_rules.shuffle import check_seed, order

__all__ = ["CHANCE_VERSION", "LOT_BITS", "deal_seed", "lot", "lots"]

CHANCE_VERSION: Final = "samedeal-tourney/1"
LOT_BITS: Final = 40


def lots(seed: str, purpose: str, numbers: Iterable[int]) -> tuple[int, ...]:
    """Returns the numbers in a random order."""
    return order(seed, sorted(numbers), purpose=f"tourney/{purpose}")


def lot(seed: str, purpose: str, *numbers: int) -> int:
    """Returns a number of LOT_BITS bits that belongs to the numbers, in the order given."""
    digest = _hash("lot", purpose, check_seed(seed), *map(str, numbers))
    return int(digest[: LOT_BITS // 4], 16)


def deal_seed(seed: str, deals: str, race: int) -> str:
    """Returns the seed of the deal of a race, the first race of a match being 1.

    The number counts every race that was ever opened under that name: those that were drawn, void,
    or belong to a match that an override took back. So no deal is dealt twice.
    """
    return _hash("deal", check_seed(seed), deals, str(race))[:32]


def _hash(*lines: str) -> str:
    return sha256("\n".join((CHANCE_VERSION, *lines)).encode()).hexdigest()
