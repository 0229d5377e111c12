"""What every clock promises."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samedeal_server.adapters.clock import SystemClock
from samedeal_server.ports import Clock
from support.fakes import FakeClock

CLOCKS: dict[str, Callable[[], Clock]] = {"system": SystemClock, "fake": FakeClock}


@pytest.fixture(params=CLOCKS)
def clock(request: pytest.FixtureRequest) -> Clock:
    return CLOCKS[request.param]()


def test_time_is_whole_milliseconds_of_this_century(clock: Clock) -> None:
    assert 1_700_000_000_000 < clock.now() < 4_000_000_000_000


def test_time_never_goes_back(clock: Clock) -> None:
    readings = [clock.now() for _ in range(1000)]
    assert readings == sorted(readings)
