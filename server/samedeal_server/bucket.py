"""A token bucket: so many at once, so many a second."""

from __future__ import annotations

from collections import OrderedDict

__all__ = ["Bucket", "Buckets"]


class Bucket:
    """Holds `burst` tokens when full and gains `rate` a second. Times are milliseconds.

    A token is taken even when there is none, so that whoever does not wait sinks deeper: `debt`
    says how deep.
    """

    __slots__ = ("_at", "_burst", "_level", "_rate")

    def __init__(self, *, rate: float, burst: int, now: int) -> None:
        self._rate = rate / 1000
        self._burst = float(burst)
        self._level = float(burst)
        self._at = now

    def take(self, now: int) -> bool:
        """Takes a token; False when there was none."""
        level = self._level + (now - self._at) * self._rate
        if level > self._burst:
            level = self._burst
        self._at = now
        self._level = level - 1
        return level >= 1

    @property
    def debt(self) -> float:
        """Tokens that were taken though there were none."""
        return max(0.0, -self._level)

    @property
    def wait_ms(self) -> int:
        """Milliseconds until the next token."""
        return max(1, int((1 - self._level) / self._rate) + 1)


class Buckets:
    """A bucket for everybody, by any name; those that were asked for last, `kept` at most."""

    def __init__(self, *, rate: float, burst: int, kept: int) -> None:
        self._rate = rate
        self._burst = burst
        self._kept = kept
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def of(self, name: str, now: int) -> Bucket:
        """Returns somebody's bucket; a new one is full."""
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = Bucket(rate=self._rate, burst=self._burst, now=now)
        self._buckets.move_to_end(name)
        if len(self._buckets) > self._kept:
            self._buckets.popitem(last=False)
        return bucket
