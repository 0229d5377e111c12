"""A real server for tests of bots, started as a process and stopped again.

    async with samedeal_client.testing.server() as url:
        await run_bot(url, my_bot, race=...)

`ServerProcess` is the same for tests that kill the server and start it again on its port.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

__all__ = ["ServerFailed", "ServerProcess", "server"]

_ADDRESS: Final = re.compile(rb"\bws://[^\s/]+:(\d+)")
_START_S: Final = 30.0
_STOP_S: Final = 15.0


class ServerFailed(Exception):
    """The server did not start; the text has what it said."""


class ServerProcess:
    """One `samedeal-server serve` on a loopback port of its own, over a data folder that stays."""

    def __init__(self, data: Path, *, arguments: Sequence[str] = ()) -> None:
        self.data = data
        self.arguments = tuple(arguments)
        self.port = 0
        self.log = data / "server.log"
        self._process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        """Where it listens, also while it is down."""
        return f"ws://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Starts it, on the same port as before. Raises `ServerFailed`."""
        self.data.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "samedeal_server", "serve"),
                *("--listen", f"127.0.0.1:{self.port}", "--data", str(self.data)),
                *self.arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        self._process = process
        try:
            async with asyncio.timeout(_START_S):
                self.port = await _port_of(process)
        except (TimeoutError, ServerFailed):
            await self.kill()
            said = self.log.read_text("utf-8", "replace")[-2000:]
            raise ServerFailed(f"samedeal-server did not start:\n{said}") from None

    async def stop(self) -> None:
        """Ends it as an operator would, by SIGTERM; kills it if that takes too long."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            async with asyncio.timeout(_STOP_S):
                await process.wait()
        except TimeoutError:
            await self.kill()

    async def kill(self) -> None:
        """Ends it as a power cut would."""
        process = self._process
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()


async def _port_of(process: asyncio.subprocess.Process) -> int:
    """Waits for the line that says where the server listens."""
    if process.stdout is None:
        raise AssertionError("the process was started with a pipe")
    async for line in process.stdout:
        match = _ADDRESS.search(line)
        if match is not None:
            return int(match[1])
    raise ServerFailed


@asynccontextmanager
async def server(*, data: Path | None = None, arguments: Sequence[str] = ()) -> AsyncIterator[str]:
    """Starts a server on a free loopback port and yields its ws:// address.

    Without `data`, a temporary folder is used and removed. `arguments` follow `serve`'s own.
    Raises `ServerFailed`.
    """
    with tempfile.TemporaryDirectory(prefix="samedeal-") as temporary:
        process = ServerProcess(data or Path(temporary), arguments=("--drain", "0", *arguments))
        await process.start()
        try:
            yield process.url
        finally:
            await process.stop()
