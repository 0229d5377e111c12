"""An independent auditor of replay files: believes nothing, recomputes everything.

It shares the rules core and the log's event shapes with the server, and no judgement.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from samedeal_protocol.events import Place
from samedeal_protocol.terms import Terms

__all__ = ["Check", "Report", "verify"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    """file, chain, commitment, order, deal, moves, clocks, finishes, ranking."""
    passed: bool
    found: str
    """What was found, as a sentence."""
    line: int | None = None
    """The file's line (1 is the header) at which it first fails."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a replay file proves."""

    checks: tuple[Check, ...]
    race: str | None = None
    terms: Terms | None = None
    seed: str | None = None
    standings: tuple[Place, ...] = ()
    names: tuple[tuple[int, str], ...] = ()
    """(entrant, name), by number."""
    head: str | None = None
    """The hash chain's end as recomputed; compare it with what the server publishes."""

    @property
    def passed(self) -> bool:
        """Everything holds."""
        raise NotImplementedError

    @property
    def failure(self) -> Check | None:
        """The first check that failed, if any."""
        raise NotImplementedError

    def text(self) -> str:
        """Returns the report for people, one line a check."""
        raise NotImplementedError


def verify(replay: bytes | Iterable[bytes | str], *, head: str | None = None) -> Report:
    """Audits a replay file: its bytes, or its lines. `head` is the published chain end, if known.

    Never raises for a bad file: the report says what is wrong and where.
    """
    raise NotImplementedError
