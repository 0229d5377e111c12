"""A server over fakes, on either carrier."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from samedeal_server.app import Node
from support.nodes import Fakes, fakes, running


@pytest.fixture(params=["fast", "plain"])
def carrier(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def world() -> Fakes:
    return fakes()


@pytest.fixture
async def up(carrier: str, world: Fakes) -> AsyncIterator[Node]:
    async with running(world, transport=carrier) as node:
        yield node
