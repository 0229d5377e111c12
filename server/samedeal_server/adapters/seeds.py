"""Whatever must not be guessed, from the operating system's source of chance."""

from __future__ import annotations

import secrets
from typing import Final

__all__ = ["RACE_ALPHABET", "SecretSeeds"]

RACE_ALPHABET: Final = "23456789bcdfghjkmnpqrstvwxyz"
"""What race codes are made of: nothing that looks or sounds like something else in most hands
(0 and o, 1 and i and l), and no vowels, so that no code is a word."""


class SecretSeeds:
    """Draws everything from `secrets`."""

    def seed(self) -> str:
        """Returns a deal's seed: 128 bits in 32 hex digits."""
        return secrets.token_hex(16)

    def salt(self) -> str:
        """Returns a commitment's salt: 128 bits in 32 hex digits."""
        return secrets.token_hex(16)

    def race(self) -> str:
        """Returns a race's code, such as `k7m2-q9xq-4tbd`: 57 bits, in fours to be read aloud."""
        drawn = [secrets.choice(RACE_ALPHABET) for _ in range(12)]
        return "-".join("".join(drawn[at : at + 4]) for at in (0, 4, 8))

    def player(self) -> str:
        """Returns a player's public id: `p` and 64 bits in hex."""
        return f"p{secrets.token_hex(8)}"

    def token(self) -> str:
        """Returns a player's secret: 192 bits, safe in URLs and files."""
        return secrets.token_urlsafe(24)
