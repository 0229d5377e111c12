"""When an invited name is a player's name."""

from __future__ import annotations

import unicodedata

__all__ = ["same_name"]


def same_name(one: str, other: str) -> bool:
    """Says whether two names are one, as the server's own names are compared."""
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.split())
