"""What waits for the broker: passing messages up to a bound, and the newest of retained topics.

When too much waits, the oldest passing messages go. Of a retained topic only the newest value is
kept, and it is kept after it has been handed over as well: a broker that was restarted may have
forgotten it, so `repeat` makes all of them due again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

__all__ = ["Outgoing"]


class Outgoing:
    """Two queues: retained topics first, then passing messages, each in its order.

    `dropped` is called with how many passing messages had to go. `emptied` is how many cleared
    topics are remembered, to be cleared again in a broker that has them from an older disk.
    """

    def __init__(
        self, *, messages: int, size: int, emptied: int, dropped: Callable[[int], None]
    ) -> None:
        self._most = messages
        self._most_bytes = size
        self._most_emptied = emptied
        self._dropped = dropped
        self._passing: deque[tuple[str, bytes]] = deque()
        self._bytes = 0
        self._retained: dict[str, bytes] = {}
        self._emptied: dict[str, None] = {}
        self._due: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._passing) + len(self._due)

    @property
    def has_retained(self) -> bool:
        """Whether a retained topic is due."""
        return bool(self._due)

    @property
    def has_passing(self) -> bool:
        return bool(self._passing)

    def put(self, topic: str, payload: bytes) -> None:
        """Adds a passing message; the oldest make room for it."""
        self._passing.append((topic, payload))
        self._bytes += len(payload)
        dropped = 0
        while len(self._passing) > self._most or self._bytes > self._most_bytes:
            self.take()
            dropped += 1
        if dropped:
            self._dropped(dropped)

    def take(self) -> tuple[str, bytes]:
        """Returns the oldest passing message; raises `IndexError` when there is none."""
        topic, payload = self._passing.popleft()
        self._bytes -= len(payload)
        return topic, payload

    def retain(self, topic: str, payload: bytes) -> None:
        """Makes this the newest value of a retained topic; an empty one clears it."""
        self.forget(topic)
        if payload:
            self._retained[topic] = payload
        else:
            self._emptied[topic] = None
            while len(self._emptied) > self._most_emptied:
                self.forget(next(iter(self._emptied)))
        self._due[topic] = None

    def forget(self, topic: str) -> None:
        """Says nothing more on a retained topic: neither its value nor that it is cleared."""
        self._retained.pop(topic, None)
        self._emptied.pop(topic, None)
        self._due.pop(topic, None)

    def take_retained(self) -> tuple[str, bytes]:
        """Returns the retained topic that has been due for longest; raises `StopIteration`."""
        topic = next(iter(self._due))
        del self._due[topic]
        return topic, self._retained.get(topic, b"")

    def say_again(self, topic: str) -> None:
        """Makes a retained topic due again, unless it has been forgotten."""
        if topic in self._retained or topic in self._emptied:
            self._due[topic] = None

    def repeat(self) -> None:
        """Makes every retained topic due again, those that are cleared first."""
        self._due = dict.fromkeys((*self._emptied, *self._retained))
