"""The server's ports without a world behind them; the store is in `memory`.

`FakeClock.advance` moves time, and `FixedSeeds` is guessable on purpose.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

from samedeal_server.adapters.metrics import COUNTERS, DISTRIBUTIONS, GAUGES
from samedeal_server.ports import (
    Fate,
    Health,
    Hook,
)

__all__ = [
    "EPOCH",
    "FakeClock",
    "FixedSeeds",
    "RecordingHooks",
    "RecordingMeter",
]

EPOCH = 1_800_000_000_000
"""Where fake time starts: milliseconds of UTC in January 2027."""


class FakeClock:
    """A clock that moves when it is told to."""

    def __init__(self, now: int = EPOCH) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def advance(self, ms: int) -> int:
        """Lets milliseconds pass; returns the time then."""
        if ms < 0:
            raise ValueError("a clock never goes back")
        self._now += ms
        return self._now


class FixedSeeds:
    """Numbers everything: seed-1, seed-2, ...; race-1, ...; player-1, ...; token-1, ..."""

    def __init__(self) -> None:
        self._drawn: Counter[str] = Counter()

    def seed(self) -> str:
        return self._next("seed")

    def salt(self) -> str:
        return f"{self._count('salt'):032x}"

    def race(self) -> str:
        return self._next("race")

    def player(self) -> str:
        return self._next("player")

    def token(self) -> str:
        return self._next("token")

    def _next(self, kind: str) -> str:
        return f"{kind}-{self._count(kind)}"

    def _count(self, kind: str) -> int:
        self._drawn[kind] += 1
        return self._drawn[kind]


class RecordingMeter:
    """Remembers what was counted, and knows the declared names only."""

    def __init__(self) -> None:
        self.totals: Counter[str] = Counter()
        self.observed: dict[str, list[float]] = {name: [] for name in DISTRIBUTIONS}

    def count(self, name: str, amount: int = 1) -> None:
        if name not in COUNTERS and name not in GAUGES:
            raise KeyError(name)
        self.totals[name] += amount

    def observe(self, name: str, value: float) -> None:
        self.observed[name].append(value)


class RecordingHooks:
    """Posts to nobody: a test says what became of what was posted, by `settle`."""

    def __init__(self) -> None:
        self.posted: list[tuple[Hook, str, bytes]] = []
        """Everything that was handed over, in order."""
        self.is_full = False
        self._waiting: dict[tuple[str, str], Callable[[Fate, str], None]] = {}
        self._secrets = itertools.count(1)

    def secret(self) -> str:
        return f"whsec_{next(self._secrets):032}"

    def fault(self, url: str) -> str | None:
        return None if url.startswith("https://") else f"{url} is no https URL: give one"

    def post(
        self, hook: Hook, id: str, payload: bytes, *, settled: Callable[[Fate, str], None]
    ) -> bool:
        if self.is_full:
            return False
        self.posted.append((hook, id, payload))
        self._waiting[hook.url, id] = settled
        return True

    def settle(self, fate: Fate = Fate.DELIVERED) -> None:
        """Lets everything that waits come to this."""
        waiting, self._waiting = self._waiting, {}
        for settled in waiting.values():
            settled(fate, fate.value)

    def forget(self, hook: Hook) -> None:
        self._waiting = {key: each for key, each in self._waiting.items() if key[0] != hook.url}

    def health(self, hook: Hook) -> Health:
        return Health(waiting=sum(url == hook.url for url, _ in self._waiting))
