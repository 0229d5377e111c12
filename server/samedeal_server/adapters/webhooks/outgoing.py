"""What waits to be posted: whose turn it is, what an answer means, and when to try again.

A hook has one attempt under way at a time. While its receiver is in trouble (no answer, 5xx, too
many requests, a redirect) everything for it waits, in order; what it refuses (another 4xx) goes to
the end, so that it holds up nothing else. Either way the hook rests, longer after every failure in
a row, and each rest is cut or stretched by chance, so that hooks that failed together do not come
back together. After a day a delivery is given up.

Nothing here reads a clock, and chance is a parameter. Instants are milliseconds of UTC.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from samedeal_server.ports import Fate, Health, Hook

__all__ = [
    "PATIENCE_MS",
    "RESTS_S",
    "USUAL",
    "Answer",
    "Bounds",
    "Delivery",
    "Outgoing",
    "Verdict",
]

PATIENCE_MS: Final = 24 * 3_600_000
"""How long a delivery is tried."""
RESTS_S: Final = (5, 30, 120, 600, 1800, 3600)
"""How long a hook rests after one failure, after two in a row, and so on; then always the last."""
_CHANCE: Final = 0.2
"""By which part a rest is shorter or longer at most."""


class Verdict(Enum):
    """What an answer means."""

    DELIVERED = "delivered"
    REFUSED = "refused"
    TROUBLE = "trouble"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Answer:
    """What an attempt came to."""

    status: int | None
    """The receiver's; None if it did not come to one."""
    said: str
    """For the host and the log: never an address, a path or a secret."""
    retry_after_s: int = 0
    """How long the receiver asks to be left alone."""

    @property
    def verdict(self) -> Verdict:
        match self.status:
            case int(status) if 200 <= status <= 299:
                return Verdict.DELIVERED
            case 410:
                return Verdict.GONE
            case 408 | 425 | 429:
                return Verdict.TROUBLE
            case int(status) if 400 <= status <= 499:
                return Verdict.REFUSED
            case _:
                return Verdict.TROUBLE


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much may wait, be under way, and weigh."""

    waiting_per_hook: int = 256
    waiting: int = 2_048
    under_way: int = 32
    payload_bytes: int = 32_768


USUAL: Final = Bounds()


@dataclass(frozen=True, slots=True, eq=False)
class Delivery:
    """Something to be posted."""

    hook: Hook
    id: str
    payload: bytes = field(repr=False)
    posted_at: int
    settled: Callable[[Fate, str], None] = field(repr=False)


@dataclass(slots=True)
class _Line:
    """What waits for one hook, never nothing; the first is the next, or under way."""

    waiting: deque[Delivery]
    is_under_way: bool = False
    failures: int = 0
    """In a row."""
    rests_until: int = 0
    said: str = ""
    """The last answer."""


class Outgoing:
    """Everything that waits. `chance` returns numbers from 0 to 1."""

    def __init__(self, *, chance: Callable[[], float], bounds: Bounds = USUAL) -> None:
        self._chance = chance
        self._bounds = bounds
        self._lines: dict[Hook, _Line] = {}
        self._waiting = 0
        self._under_way = 0

    def add(self, delivery: Delivery) -> bool:
        """Has it wait; False when too many do already, in all or for this hook."""
        line = self._lines.get(delivery.hook)
        waiting = 0 if line is None else len(line.waiting)
        if waiting >= self._bounds.waiting_per_hook or self._waiting >= self._bounds.waiting:
            return False
        if line is None:
            line = self._lines[delivery.hook] = _Line(deque())
        line.waiting.append(delivery)
        self._waiting += 1
        return True

    def due(self, now: int) -> list[Delivery]:
        """Returns what to try now; each is under way until `settle` is called with it.

        The hooks that have rested longest come first.
        """
        free = self._bounds.under_way - self._under_way
        rested = [line for line in self._lines.values() if not line.is_under_way]
        rested.sort(key=lambda line: max(line.rests_until, line.waiting[0].posted_at))
        chosen = [line for line in rested if line.rests_until <= now][:free]
        for line in chosen:
            line.is_under_way = True
        self._under_way += len(chosen)
        return [line.waiting[0] for line in chosen]

    def next_due(self) -> int | None:
        """Returns from when on `due` has something to say; None if not before the next `settle`."""
        if self._under_way >= self._bounds.under_way:
            return None
        idle = (line for line in self._lines.values() if not line.is_under_way)
        return min((line.rests_until for line in idle), default=None)

    def settle(
        self, delivery: Delivery, answer: Answer, *, now: int
    ) -> list[tuple[Delivery, Fate]]:
        """Notes the answer to what was under way; returns what became of whom, if anything did."""
        self._under_way -= 1
        line = self._lines.get(delivery.hook)
        if line is None or line.waiting[0] is not delivery:
            return []  # forgotten meanwhile
        line.is_under_way = False
        line.said = answer.said
        match answer.verdict:
            case Verdict.DELIVERED:
                line.failures = 0
                line.rests_until = now
                return self._take(delivery.hook, [delivery], Fate.DELIVERED)
            case Verdict.GONE:
                return self._take(delivery.hook, [*line.waiting], Fate.GONE)
            case Verdict.REFUSED:
                line.waiting.rotate(-1)
            case Verdict.TROUBLE:
                pass
        line.failures += 1
        line.rests_until = now + self._rest_ms(line.failures, answer.retry_after_s)
        old = [each for each in line.waiting if now - each.posted_at >= PATIENCE_MS]
        return self._take(delivery.hook, old, Fate.GIVEN_UP)

    def forget(self, hook: Hook) -> None:
        """Drops what waits for the hook; the answer to what is under way is of no more interest."""
        line = self._lines.pop(hook, None)
        if line is not None:
            self._waiting -= len(line.waiting)

    def health(self, hook: Hook) -> Health:
        """Returns how it goes; of a hook for which nothing waits there is nothing to say."""
        line = self._lines.get(hook)
        if line is None:
            return Health()
        return Health(waiting=len(line.waiting), failures=line.failures, said=line.said)

    def _rest_ms(self, failures: int, asked_s: int) -> int:
        usual = RESTS_S[min(failures, len(RESTS_S)) - 1]
        rest = max(usual, min(asked_s, RESTS_S[-1]))
        return round(1000 * rest * (1 + _CHANCE * (2 * self._chance() - 1)))

    def _take(self, hook: Hook, settled: list[Delivery], fate: Fate) -> list[tuple[Delivery, Fate]]:
        waiting = self._lines[hook].waiting
        for each in settled:
            waiting.remove(each)
        self._waiting -= len(settled)
        if not waiting:
            del self._lines[hook]
        return [(each, fate) for each in settled]
