"""The bus within one process: subscribers are called in turn, before `publish` returns.

What a subscriber publishes while it is being told waits until everybody has been told what came
before, so that all subscribers see one order. A subscriber that raises is logged and left behind;
neither the publisher nor the next subscriber notices.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable

__all__ = ["LocalBus", "check_pattern", "check_topic", "covers", "is_exact"]

_log = logging.getLogger(__name__)

Receive = Callable[[str, bytes], None]


def check_topic(topic: str) -> None:
    """Raises `ValueError` for what is no topic to publish on."""
    if not topic or "+" in topic or "#" in topic or "\0" in topic:
        raise ValueError(f"{topic!r} is no topic: it is empty or holds a wildcard")


def check_pattern(pattern: str) -> None:
    """Raises `ValueError` unless `+` stands for whole levels and `#` for the last one only."""
    *before, last = pattern.split("/")
    whole = all("#" not in level and ("+" not in level or level == "+") for level in before)
    if not pattern or not whole or (last not in ("+", "#") and ("+" in last or "#" in last)):
        raise ValueError(f"{pattern!r} is no pattern: + is a whole level, # a whole last one")


def is_exact(pattern: str) -> bool:
    """Says whether a pattern stands for one topic only."""
    return "+" not in pattern and "#" not in pattern


def covers(pattern: str, topic: str) -> bool:
    """Says whether the pattern stands for the topic; `a/#` stands for `a` too, as in MQTT."""
    if pattern == topic:
        return True
    levels = topic.split("/")
    wanted = pattern.split("/")
    if wanted[-1] == "#":
        wanted.pop()
        if len(levels) < len(wanted):
            return False
        levels = levels[: len(wanted)]
    return len(levels) == len(wanted) and all(
        want in ("+", level) for want, level in zip(wanted, levels, strict=True)
    )


class _Subscription:
    """One subscriber; `active` ends when it stops, also in the middle of a delivery."""

    __slots__ = ("active", "pattern", "receive")

    def __init__(self, pattern: str, receive: Receive) -> None:
        self.pattern = pattern
        self.receive = receive
        self.active = True

    def tell(self, topic: str, payload: bytes) -> None:
        try:
            self.receive(topic, payload)
        except Exception:
            _log.exception("a subscriber failed topic=%s pattern=%s", topic, self.pattern)


class LocalBus:
    """Delivers in order, at once, to whoever is subscribed now; belongs to one thread."""

    def __init__(self) -> None:
        self._exact: dict[str, list[_Subscription]] = {}
        self._patterns: list[_Subscription] = []
        self._retained: dict[str, bytes] = {}
        self._waiting: deque[tuple[str, bytes, bool]] = deque()
        self._is_telling = False

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Tells every subscriber of the topic; an empty retained payload clears the topic."""
        check_topic(topic)
        self._waiting.append((topic, payload, retain))
        if self._is_telling:
            return
        self._is_telling = True
        try:
            while self._waiting:
                self._tell(*self._waiting.popleft())
        finally:
            self._is_telling = False

    def subscribe(self, pattern: str, receive: Receive) -> Callable[[], None]:
        """Calls `receive(topic, payload)`, retained messages first; returns the way to stop."""
        check_pattern(pattern)
        subscription = _Subscription(pattern, receive)
        among = self._exact.setdefault(pattern, []) if is_exact(pattern) else self._patterns
        among.append(subscription)
        for topic, payload in list(self._retained.items()):
            if subscription.active and covers(pattern, topic):
                subscription.tell(topic, payload)

        def stop() -> None:
            if not subscription.active:
                return
            subscription.active = False
            among.remove(subscription)
            if is_exact(pattern) and not among:
                self._exact.pop(pattern, None)

        return stop

    def forget(self, topic: str) -> None:
        """Does nothing: what is retained is everybody's."""

    def hears(self, topic: str) -> bool:
        """Whether somebody is subscribed now."""
        return topic in self._exact or any(covers(each.pattern, topic) for each in self._patterns)

    @property
    def is_connected(self) -> bool:
        """Always: there is nothing between publishers and subscribers."""
        return True

    def on_connected(self, announce: Callable[[], None]) -> Callable[[], None]:
        """Calls `announce` now, and never again; returns the way to stop, which does nothing."""
        announce()
        return lambda: None

    def _tell(self, topic: str, payload: bytes, retain: bool) -> None:
        if retain and payload:
            self._retained[topic] = payload
        elif retain:
            self._retained.pop(topic, None)
        for subscription in tuple(self._exact.get(topic, ())):
            if subscription.active:
                subscription.tell(topic, payload)
        for subscription in tuple(self._patterns):
            if subscription.active and covers(subscription.pattern, topic):
                subscription.tell(topic, payload)
