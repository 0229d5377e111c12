"""When two names are the same name, and what of a text can be seen."""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["UNSEEN", "fold", "same_name", "seemly"]

UNSEEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""The categories of characters that cannot be seen or would change the text around them."""


def fold(name: str) -> str:
    """Returns the form in which two names are compared: compatible, without case, single spaces."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.split())


def same_name(one: str, other: str) -> bool:
    """Says whether two names are one, as in an invitation or a drawn bracket."""
    return fold(one) == fold(other)


def seemly(text: str) -> str:
    """Returns a line without what cannot be seen or would change the text around it."""
    return "".join(
        character
        for character in unicodedata.normalize("NFC", text)
        # A joiner makes pictures of people; alone it does nothing.
        if character == "\u200d" or unicodedata.category(character) not in UNSEEN
    )
