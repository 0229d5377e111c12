"""One server for all these tests; each of them plays under names of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.serving import serving


@pytest.fixture(scope="package")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server's address."""
    data = tmp_path_factory.mktemp("server")
    with serving(data, "--rate", "10000", "--burst", "10000") as address:
        yield address
