"""One forge for all fault tests, so that starting a server costs a tenth of a second."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from faults.forge import Forge
from faults.forge import forge as forging


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def forge() -> AsyncIterator[Forge]:
    async with forging() as made:
        yield made
