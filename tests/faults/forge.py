"""Servers that start in a blink (`support.forked`), and can be killed, stopped and looked at.

A server here is the real command in a process of its own. `Trap` makes one die by its own hand just
before or just after a certain write of the log.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from faults.trapped import Trap
from samedeal_server.settings import Address
from support.forked import door
from support.stand_in import order

__all__ = ["LOUD", "Forge", "Forged", "Trap", "forge"]

_DEADLINE: Final = 60.0
LOUD: Final = ("--rate", "100000", "--burst", "100000", "--chat-per-minute", "100000")
"""No limits on rates."""


@dataclass(slots=True)
class Forged:
    """A server process that was started, and perhaps listens."""

    pid: int
    address: Address
    errors: Path
    """The file that its standard error is appended to."""
    started_at: float
    """When it was asked for, by `time.monotonic`."""

    def kill(self) -> None:
        """Ends it at once, as a power cut would; `Forge.ended` waits for that."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def ask_to_end(self) -> None:
        os.kill(self.pid, signal.SIGTERM)

    def resident(self) -> int:
        """Returns how many bytes of memory it holds."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) * 1024


@dataclass(frozen=True, slots=True)
class _Ends:
    """What is open to a server: its keeper, who kills it when we are gone, and what it says."""

    keeper: asyncio.StreamReader
    to_keeper: asyncio.StreamWriter
    said: asyncio.StreamReader
    from_server: asyncio.ReadTransport

    def close(self) -> None:
        self.to_keeper.transport.abort()
        self.from_server.close()


class Forge:
    """Starts servers, and tells when they have ended."""

    def __init__(self) -> None:
        self._alive: dict[int, tuple[Forged, _Ends]] = {}

    async def start(
        self,
        data: Path,
        *options: str,
        port: int = 0,
        trap: Trap | None = None,
        ahead_ms: int = 0,
        is_awaited: bool = True,
    ) -> Forged:
        """Starts a server over the folder; returns when it listens, or at once.

        Its wall clock is so many milliseconds ahead of this machine's.
        """
        errors = data / "server.log"
        words = [
            *("faults.trapped", "" if trap is None else trap.text(), str(ahead_ms)),
            *("serve", "--listen", f"127.0.0.1:{port}", "--data", str(data)),
            *("--max-connections", "1000"),  # wherever tests run, so many files may be open
            *options,
        ]
        started_at = time.monotonic()
        pid, keeper, said = _ordered(words, errors)
        server = Forged(pid, Address("127.0.0.1", port), errors, started_at)
        self._alive[pid] = server, (ends := await _opened(keeper, said))
        if is_awaited:
            async with asyncio.timeout(_DEADLINE):
                server.address = Address("127.0.0.1", await _listens(ends.said))
        return server

    async def ended(self, server: Forged) -> int:
        """Waits until a server is gone; returns its exit code, negative for a signal."""
        _, ends = self._alive.pop(server.pid)
        async with asyncio.timeout(_DEADLINE):
            status = await ends.keeper.readexactly(4)
        ends.close()
        return os.waitstatus_to_exitcode(int.from_bytes(status, "big"))

    async def kill(self, server: Forged) -> None:
        """Ends a server at once and waits until it is gone."""
        server.kill()
        await self.ended(server)

    async def close(self) -> None:
        """Ends whatever has been started and is still there."""
        for server, _ in tuple(self._alive.values()):
            await self.kill(server)


def _ordered(words: list[str], errors: Path) -> tuple[int, socket.socket, BinaryIO]:
    """Has a process made that runs a module.

    Returns its id, the socket to its keeper, and the pipe of what it says.
    """
    kept = {name: text for name, text in os.environ.items() if not name.startswith("SAMEDEAL_")}
    said, says = os.pipe()
    keeper = socket.socket(socket.AF_UNIX)
    with open(os.devnull, "rb") as nothing, open(says, "wb") as out, errors.open("ab") as log:
        keeper.connect(door())
        files = (nothing.fileno(), out.fileno(), log.fileno())
        pid = order(keeper, words, folder=os.getcwd(), environment=kept, files=files)
    return pid, keeper, os.fdopen(said, "rb")


async def _opened(keeper: socket.socket, said: BinaryIO) -> _Ends:
    output = asyncio.StreamReader()
    from_server, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(output), said
    )
    return _Ends(*await asyncio.open_unix_connection(sock=keeper), output, from_server)


async def _listens(said: asyncio.StreamReader) -> int:
    """Waits until a server says where it listens; returns its port."""
    async for line in said:
        if found := re.search(rb"serves at ws://[\d.]+:(\d+)", line):
            return int(found[1])
    raise AssertionError("the server ended before it listened")


@asynccontextmanager
async def forge() -> AsyncIterator[Forge]:
    """Yields a forge; whatever it has started is gone when the block ends."""
    made = Forge()
    try:
        yield made
    finally:
        await made.close()
