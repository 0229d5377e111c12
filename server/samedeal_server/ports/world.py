"""The time, what must not be guessed, and what is counted."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Clock", "Meter", "Seeds"]


class Clock(Protocol):
    """The time."""

    def now(self) -> int:
        """Returns milliseconds of UTC; never goes back, nor follows a jump of the wall clock."""
        ...


class Seeds(Protocol):
    """Whatever must not be guessed."""

    def seed(self) -> str:
        """Returns a deal's seed of 128 random bits, as text."""
        ...

    def salt(self) -> str:
        """Returns a commitment's salt of 128 random bits, in hex."""
        ...

    def race(self) -> str:
        """Returns a new race's code: short, speakable, unguessable."""
        ...

    def player(self) -> str:
        """Returns a new player's public id."""
        ...

    def token(self) -> str:
        """Returns a new player's secret."""
        ...


class Meter(Protocol):
    """Counters and distributions, by names that adapters.metrics declares."""

    def count(self, name: str, amount: int = 1) -> None: ...

    def observe(self, name: str, value: float) -> None: ...
