"""Pass phrases: stored as a salt and a hash, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

__all__ = ["hashed_phrase", "is_phrase"]

_SALT_BYTES: Final = 16


def hashed_phrase(phrase: str, salt: bytes) -> bytes:
    """Returns what is stored of a pass phrase: the salt and the hash of both."""
    salt = salt[:_SALT_BYTES]
    return salt + hashlib.sha256(salt + phrase.encode("utf-8", "surrogatepass")).digest()


def is_phrase(phrase: str | None, stored: bytes | None) -> bool:
    """Says whether the phrase is the one that was stored; any is, where none was."""
    if stored is None:
        return True
    return hmac.compare_digest(hashed_phrase(phrase or "", stored), stored)
