"""How many files the system lets this process have open: a connection is one.

Most systems give a process few and let it ask for more. A server that has no more refuses
everybody, without a word that a client could read, so it asks for what its settings promise.
"""

from __future__ import annotations

import logging
import resource
from contextlib import suppress
from typing import Final

__all__ = ["SPARE", "allow", "raised"]

_log = logging.getLogger(__name__)

SPARE: Final = 1000
"""Files beside the connections: those who have not asked for anything yet, pages, the store."""


def raised(soft: int, hard: int, needed: int) -> int:
    """Returns the limit to ask for where `soft` holds: never less, and no more than `hard`."""
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return soft
    return needed if hard == resource.RLIM_INFINITY else min(needed, hard)


def allow(connections: int) -> None:
    """Has the system let this process hold so many connections; warns if it does not."""
    needed = connections + SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised(soft, hard, needed), hard))
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < needed:
        _log.warning(
            "too few open files for --max-connections allowed=%d needed=%d: raise the limit "
            "(`ulimit -Hn`, LimitNOFILE= of systemd) or lower --max-connections",
            allowed,
            needed,
        )
