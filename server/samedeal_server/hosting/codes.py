"""Names of tournaments and races, and what is derived so that nobody needs to draw it again.

A tournament's code is `cup-` and what chance says. A race's code is that without `cup-`, and match
and number: `k7m2x9-W1_2-1`. So the two are never mistaken for each other, and whoever goes on after
a crash comes to the same race. Salts are the first 32 hexadecimal digits of SHA-256 of the lines
`samedeal-hosting/1`, `salt`, the tournament's own salt, match and number; a deal's seed is that of
`tourneys.chance.deal_seed`. What is drawn from a command's chance is made in the same way.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import Final

__all__ = ["CUP", "drawn", "hook_secret", "is_cup", "new_code", "race_code", "race_salt"]

CUP: Final = "cup-"
"""How the code of a tournament begins, and no race's."""

_VERSION: Final = "samedeal-hosting/1"
_ALPHABET: Final = "23456789bcdfghjkmnpqrstvwxyz"
_LETTERS: Final = 10


def is_cup(code: str) -> bool:
    """Says whether a stream of that code is a tournament's."""
    return code.startswith(CUP)


def new_code(chance: str) -> str:
    """Returns a tournament's code, `cup-` and ten characters, from random bits in hex."""
    number = int(drawn(chance, "code"), 16)
    letters: list[str] = []
    for _ in range(_LETTERS):
        number, letter = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[letter])
    return CUP + "".join(letters)


def race_code(tournament: str, match: str, number: int) -> str:
    """Returns the code of a race, unique among all tournaments; at most 32 characters."""
    return f"{tournament.removeprefix(CUP)}-{match.replace('.', '_')}-{number}"


def race_salt(salt: str, match: str, number: int) -> str:
    """Returns the salt of a race's commitment, from the tournament's own."""
    return _hash("salt", salt, match, str(number))


def drawn(chance: str, what: str) -> str:
    """Returns 128 bits in hex for one use of a command's chance."""
    return _hash("drawn", chance, what)


def hook_secret(chance: str) -> str:
    """Returns what a hook's posts are signed with, as Standard Webhooks 1.0.0 writes it."""
    key = bytes.fromhex(drawn(chance, "hook/1") + drawn(chance, "hook/2"))
    return f"whsec_{b64encode(key).decode()}"


def _hash(*lines: str) -> str:
    return sha256("\n".join((_VERSION, *lines)).encode()).hexdigest()[:32]
