"""The time, from one look at the wall clock and then from a counter that only goes forward.

The wall clock is read once, when the clock is made. Whatever happens to it afterwards (a jump of
an hour, a leap second, somebody's `date -s`) moves nobody's race. What the store knew last is a
floor, so that a server started with a wrong wall clock does not go back behind its own log.
"""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["SystemClock"]


class SystemClock:
    """Milliseconds of UTC at the start, plus those that have passed since.

    `floor` is the last instant that the store knows of; the clock never reads less. `wall` and
    `steady` are read in nanoseconds.
    """

    def __init__(
        self,
        *,
        floor: int = 0,
        wall: Callable[[], int] = time.time_ns,
        steady: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._steady = steady
        self._zero = steady()
        self._start = max(wall() // 1_000_000, floor)

    def now(self) -> int:
        """Returns milliseconds of UTC; never goes back."""
        return self._start + (self._steady() - self._zero) // 1_000_000
