"""The server as an operator runs it: a process of its own, over a folder of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from samedeal_server.settings import Address
from support.forked import KILL, forked
from support.patience import PATIENCE_S

__all__ = ["Process", "process"]

ROOT = Path(__file__).parents[2]
PACKAGES = os.pathsep.join(
    str(ROOT / package) for package in ("rules", "protocol", "server", "client")
)


@dataclass(slots=True)
class Process:
    """A server process that listens at `address`."""

    address: Address
    running: asyncio.subprocess.Process
    errors: list[str] = field(default_factory=list)
    """What it wrote to standard error, line by line."""
    said: list[str] = field(default_factory=list)
    """What it wrote to standard output after where it listens, line by line."""

    def kill(self) -> None:
        """Ends it at once, as a power cut would."""
        self.running.send_signal(KILL)

    def ask_to_end(self) -> None:
        self.running.send_signal(signal.SIGTERM)

    async def ended(self) -> int:
        """Waits until it is gone; returns its exit code."""
        async with asyncio.timeout(PATIENCE_S):
            return await self.running.wait()


@asynccontextmanager
async def process(data: Path, *options: str) -> AsyncIterator[Process]:
    """Runs a server over the folder `data` until the block ends."""
    running = await asyncio.create_subprocess_exec(
        *forked("samedeal_server"),
        *("serve", "--listen", "127.0.0.1:0", "--data", str(data)),
        *options,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PACKAGES},
    )
    assert running.stdout is not None
    assert running.stderr is not None
    up = Process(Address("", 0), running)

    async def read_errors(stream: asyncio.StreamReader) -> None:
        async for line in stream:
            up.errors.append(line.decode())

    async def read_rest(stream: asyncio.StreamReader) -> None:
        async for line in stream:
            up.said.append(line.decode())

    async with asyncio.TaskGroup() as group:
        group.create_task(read_errors(running.stderr), name="stderr")
        try:
            async with asyncio.timeout(PATIENCE_S):
                while (line := await running.stdout.readline()) and not up.address.port:
                    if found := re.search(rb"ws://([\d.]+):(\d+)", line):
                        up.address = Address(found[1].decode(), int(found[2]))
            assert up.address.port, "".join(up.errors)
            group.create_task(read_rest(running.stdout), name="stdout")
            yield up
        finally:
            with contextlib.suppress(ProcessLookupError):
                running.send_signal(KILL)
            await running.wait()
