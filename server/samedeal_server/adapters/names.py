"""When a name is in use, and what becomes of one that passes on.

A name is in use while its holder was seen in the last 30 days, or is an entrant or the host of a
race that is not over. A name that is not in use may be taken; then the earlier holder keeps
everything but the name, and is called by it with a number from then on: "Ann" becomes "Ann 2".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final

from samedeal_protocol.requests import NAME_CHARACTERS
from samedeal_server.spelling import fold

__all__ = ["UNSEEN_MS", "fold", "moved_aside"]

UNSEEN_MS: Final = 30 * 86_400_000
"""How long, in milliseconds, a player must not have been seen for the name to be free again."""


def moved_aside(name: str) -> Iterator[str]:
    """Yields what the earlier holder of a name may be called: "Ann 2", "Ann 3", ... without end."""
    for number in count(2):
        suffix = f" {number}"
        yield name[: NAME_CHARACTERS - len(suffix)].rstrip() + suffix
