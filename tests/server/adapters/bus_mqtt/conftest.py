"""Brokers for the tests of the bus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support import brokers
from support.brokers import Running


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Running]:
    with brokers.mosquitto(tmp_path) as running:
        yield running


@pytest.fixture(params=["mosquitto", "nats"])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    with {"mosquitto": brokers.mosquitto, "nats": brokers.nats}[request.param](tmp_path) as running:
        yield running
