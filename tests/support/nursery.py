"""Servers that start in no time: forked from a process that has everything imported already.

Run as a script it reads one line of arguments after the other and forks a server for each;
`Nursery` is the test's side of that. What is forked is the command itself, and is killed as such.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path

from samedeal_server import cli
from samedeal_server.settings import Address

__all__ = ["Nursery", "nursery"]

ROOT = Path(__file__).parents[2]
PACKAGES = ("rules", "protocol", "server", "client", "tests")


class Nursery:
    """The process that forks servers."""

    def __init__(self, parent: asyncio.subprocess.Process) -> None:
        self._parent = parent

    async def server(self, data: Path, *options: str) -> tuple[int, Address]:
        """Starts a server over a folder; returns its process id and where it listens."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        asked = ["serve", "--listen", "127.0.0.1:0", "--data", str(data), *options]
        self._parent.stdin.write(json.dumps(asked).encode() + b"\n")
        pid = 0
        async with asyncio.timeout(30):
            async for line in self._parent.stdout:
                words = line.decode().split()
                if words[:1] == ["pid"]:
                    pid = int(words[1])
                elif pid and (url := next((w for w in words if w.startswith("ws://")), None)):
                    host, _, port = url.removeprefix("ws://").rstrip("/").rpartition(":")
                    return pid, Address(host, int(port))
        raise AssertionError("no server came of it")


@asynccontextmanager
async def nursery() -> AsyncIterator[Nursery]:
    """Runs the forking process; all its servers are killed in the end."""
    parent = await asyncio.create_subprocess_exec(
        sys.executable,
        __file__,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(ROOT / package) for package in PACKAGES),
        },
        start_new_session=True,
    )
    try:
        yield Nursery(parent)
    finally:
        os.killpg(parent.pid, signal.SIGKILL)
        await parent.wait()


def main() -> None:
    """Forks a server for each line of arguments."""
    # The command imports the rest only when it serves; here it is to be there before the fork.
    import_module("samedeal_server.app")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in iter(sys.stdin.readline, ""):
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            sys.exit(cli.main(json.loads(line)))
        sys.stdout.write(f"pid {pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
