"""Places for stores, and a backup, for all tests of backups."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path

import pytest

from server.backup.stores import Made, Place, back_up, fill
from support.postgres import database


@pytest.fixture
async def made(tmp_path: Path) -> AsyncIterator[Made]:
    """Makes places for stores of a kind."""
    async with AsyncExitStack() as stack:
        folders = (tmp_path / f"store-{number}" for number in count(1))

        async def make(kind: str) -> Place:
            url = None if kind == "sqlite" else await stack.enter_async_context(database())
            return Place(next(folders), url)

        yield make


@pytest.fixture
async def backup(tmp_path: Path) -> Path:
    """A backup of what `fill` stores."""
    place = Place(tmp_path / "source")
    await fill(place)
    file = tmp_path / "backup.gz"
    back_up(place, file)
    return file
