"""When two names are one, as in an invitation or a drawn bracket."""

from __future__ import annotations

import unicodedata

__all__ = ["folded", "same_name"]


def same_name(one: str, other: str) -> bool:
    """Says whether two names are one, as the server's own names are compared."""
    return folded(one) == folded(other)


def folded(name: str) -> str:
    """Returns the form in which names are compared: compatible, without case, single spaces."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.split())
