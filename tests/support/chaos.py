"""A bus that loses, repeats, delays and reorders, by seed: all that a bus may do, on purpose."""

from __future__ import annotations

import random
from collections.abc import Callable

from samedeal_server.adapters.bus_local import check_topic
from samedeal_server.ports import Bus

__all__ = ["ChaosBus"]


class ChaosBus:
    """Wraps a bus. What is delayed comes among later messages, or at `settle`.

    Rates are from 0 to 1. Retained messages are never lost, as an owner says them again, but they
    may be repeated, late and out of order like the others.
    """

    def __init__(
        self,
        bus: Bus,
        seed: int,
        *,
        lost: float = 0.2,
        repeated: float = 0.2,
        delayed: float = 0.4,
    ) -> None:
        self._bus = bus
        self._dice = random.Random(seed)
        self._lost = lost
        self._repeated = repeated
        self._delayed = delayed
        self._waiting: list[tuple[str, bytes, bool]] = []
        self.told = 0
        """Messages that were handed to the bus, with repeats."""

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        check_topic(topic)
        message = (topic, payload, retain)
        copies = 0 if not retain and self._roll(self._lost) else 1
        copies += self._roll(self._repeated)
        for _ in range(copies):
            self._waiting.append(message)
        while self._waiting and not self._roll(self._delayed):
            self._release()

    def subscribe(self, pattern: str, receive: Callable[[str, bytes], None]) -> Callable[[], None]:
        return self._bus.subscribe(pattern, receive)

    def forget(self, topic: str) -> None:
        self._bus.forget(topic)

    def hears(self, topic: str) -> bool:
        return self._bus.hears(topic)

    @property
    def is_connected(self) -> bool:
        return self._bus.is_connected

    def on_connected(self, announce: Callable[[], None]) -> Callable[[], None]:
        return self._bus.on_connected(announce)

    def settle(self) -> None:
        """Hands over all that is delayed."""
        while self._waiting:
            self._release()

    def _release(self) -> None:
        chosen = self._waiting.pop(self._dice.randrange(len(self._waiting)))
        self.told += 1
        self._bus.publish(chosen[0], chosen[1], retain=chosen[2])

    def _roll(self, rate: float) -> bool:
        return self._dice.random() < rate
