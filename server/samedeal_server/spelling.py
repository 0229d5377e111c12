"""When two names are the same name."""

from __future__ import annotations

import unicodedata

__all__ = ["fold", "same_name"]


def fold(name: str) -> str:
    """Returns the form in which two names are compared: compatible, without case, single spaces."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.split())


def same_name(one: str, other: str) -> bool:
    """Says whether two names are one, as in an invitation or a drawn bracket."""
    return fold(one) == fold(other)
