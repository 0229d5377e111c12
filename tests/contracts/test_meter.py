"""What every meter promises."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samedeal_server.adapters.metrics import COUNTERS, DISTRIBUTIONS, GAUGES, PrometheusMeter
from samedeal_server.ports import Meter
from support.fakes import RecordingMeter

METERS: dict[str, Callable[[], Meter]] = {
    "prometheus": PrometheusMeter,
    "recording": RecordingMeter,
}


@pytest.fixture(params=METERS)
def meter(request: pytest.FixtureRequest) -> Meter:
    return METERS[request.param]()


def test_every_declared_name_is_counted(meter: Meter) -> None:
    for name in (*COUNTERS, *GAUGES):
        meter.count(name)
        meter.count(name, 41)
    for name in DISTRIBUTIONS:
        meter.observe(name, 0.25)


def test_a_gauge_goes_down(meter: Meter) -> None:
    meter.count("connections")
    meter.count("connections", -1)


def test_a_name_that_nobody_declared_is_refused(meter: Meter) -> None:
    with pytest.raises(KeyError):
        meter.count("no_such_name")
    with pytest.raises(KeyError):
        meter.observe("no_such_name", 1.0)
