"""A real server for tests of bots, started as a process and stopped again.

async with samedeal_client.testing.server() as url:
    await run_bot(url, my_bot, race=...)
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

__all__ = ["server"]


def server(
    *, data: Path | None = None, arguments: Sequence[str] = ()
) -> AbstractAsyncContextManager[str]:
    """Starts `samedeal-server` on a free loopback port and yields its ws:// address.

    Without `data`, a temporary folder is used and removed. `arguments` follow `serve`'s own.
    """
    raise NotImplementedError
