"""How many files the system lets this process have open: a connection is one.

Most systems give a process few and let it ask for more. A server that has no more refuses
everybody, without a word that a client could read, so it asks for what its settings promise; and
where they promise nothing, it takes no more connections than it may have.
"""

from __future__ import annotations

import logging
import resource
from contextlib import suppress
from typing import Final

__all__ = ["SPARE", "USUAL", "allow", "kept", "raised"]

_log = logging.getLogger(__name__)

SPARE: Final = 1000
"""Files beside the connections: those who have not asked for anything yet, pages, the store."""
USUAL: Final = 20_000
"""Connections that a server takes if nobody says how many and it may have the files."""


def raised(soft: int, hard: int, needed: int) -> int:
    """Returns the limit to ask for where `soft` holds: never less, and no more than `hard`."""
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return soft
    return needed if hard == resource.RLIM_INFINITY else min(needed, hard)


def kept(files: int) -> int:
    """Returns how many connections, up to the usual, go with so many files; half of few files."""
    if files == resource.RLIM_INFINITY:
        return USUAL
    return min(USUAL, max(files - SPARE, files // 2))


def allow(connections: int | None) -> int:
    """Has the system let this process hold so many connections; returns how many to take.

    Warns if it does not let us. None asks for the usual number and takes what there is.
    """
    needed = (USUAL if connections is None else connections) + SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised(soft, hard, needed), hard))
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if connections is None:
        most = kept(allowed)
        _log.info("connections are taken most=%d", most)
        return most
    if allowed != resource.RLIM_INFINITY and allowed < needed:
        _log.warning(
            "too few open files for --max-connections allowed=%d needed=%d: raise the limit "
            "(`ulimit -Hn`, LimitNOFILE= of systemd) or lower --max-connections",
            allowed,
            needed,
        )
    return connections
