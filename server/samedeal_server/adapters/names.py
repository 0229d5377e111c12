"""When two names are the same name, and what becomes of a name that passes on.

A name is in use while its holder was seen in the last 30 days, or is an entrant or the host of a
race that is not over. A name that is not in use may be taken; then the earlier holder keeps
everything but the name, and is called by it with a number from then on: "Ann" becomes "Ann 2".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import count
from typing import Final

__all__ = ["UNSEEN_MS", "fold", "moved_aside"]

UNSEEN_MS: Final = 30 * 86_400_000
"""How long, in milliseconds, a player must not have been seen for the name to be free again."""

_LONGEST: Final = 24


def fold(name: str) -> str:
    """Returns the form in which two names are compared: compatible, without case, single spaces."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.split())


def moved_aside(name: str) -> Iterator[str]:
    """Yields what the earlier holder of a name may be called: "Ann 2", "Ann 3", ... without end."""
    for number in count(2):
        suffix = f" {number}"
        yield name[: _LONGEST - len(suffix)].rstrip() + suffix
