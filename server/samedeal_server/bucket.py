"""A token bucket: so many at once, so many a second."""

from __future__ import annotations

__all__ = ["Bucket"]


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
