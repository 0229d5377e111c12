"""When each connection is next to be looked at, so that thousands that are well cost nothing."""

from __future__ import annotations

from typing import Final, Protocol

__all__ = ["Looked", "Rounds"]

_GRAIN_MS: Final = 500
"""Whoever is due in the same grain of time is looked at in the same round."""


class Looked(Protocol):
    """Who is looked at now and then."""

    looked_at: int
    """When that is next; `Rounds` says so, and nobody else changes it."""

    def check(self, now: int) -> int | None:
        """Judges itself, perhaps a little early; returns when to look again, or None for never."""
        ...


class Rounds:
    """Looks at everybody when it is time. Instants are milliseconds of the clock."""

    __slots__ = ("_due",)

    def __init__(self) -> None:
        self._due: dict[int, set[Looked]] = {}

    def look(self, who: Looked, at: int) -> None:
        """Has `who` looked at at that time, and no more at the time that was said before."""
        self.forget(who)
        who.looked_at = at
        self._due.setdefault(at // _GRAIN_MS, set()).add(who)

    def forget(self, who: Looked) -> None:
        """Has `who` looked at no more."""
        self._due.get(who.looked_at // _GRAIN_MS, set()).discard(who)

    def go(self, now: int) -> None:
        """Looks at all who are due, each once."""
        for grain in [grain for grain in self._due if grain <= now // _GRAIN_MS]:
            for who in self._due.pop(grain):
                after = who.check(now)
                if after is not None:
                    self.look(who, max(after, now))
