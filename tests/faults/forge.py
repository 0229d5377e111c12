"""Server processes that start in a blink: forked off one that has imported everything.

A server here is the real command in a process of its own; only the second that Python needs to
import it is spent once instead of a hundred times. `Trap` makes one die by its own hand just before
or just after a certain write of the log.

Run as a program, this file is the process that forks.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from samedeal_server.settings import Address

__all__ = ["LOUD", "Forge", "Forged", "Trap", "forge"]

_ROOT: Final = Path(__file__).parents[2]
_PACKAGES: Final = ("rules", "protocol", "server", "client", "tests")
_LOADED: Final = (
    "uvloop",
    "samedeal_server.app",
    "samedeal_server.adapters.log_postgres",
    "samedeal_server.adapters.bus_mqtt",
)
"""What the command imports only when it serves, or needs."""
_DEADLINE: Final = 60.0
LOUD: Final = ("--rate", "100000", "--burst", "100000", "--chat-per-minute", "100000")
"""No limits on rates."""


@dataclass(frozen=True, slots=True)
class Trap:
    """Kills the server at its n-th append (1 is the first) `before` or after it is durable."""

    append: int
    before: bool


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
        os.kill(self.pid, signal.SIGKILL)

    def ask_to_end(self) -> None:
        os.kill(self.pid, signal.SIGTERM)

    def resident(self) -> int:
        """Returns how many bytes of memory it holds."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) * 1024


class Forge:
    """Starts servers, and tells when they have ended."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._asking = asyncio.Lock()

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
        listen = f"127.0.0.1:{port}"
        order = {
            "arguments": ["serve", "--listen", listen, "--data", str(data), *options],
            "errors": str(errors),
            "trap": None if trap is None else [trap.append, trap.before],
            "ahead": ahead_ms * 1_000_000,
            "quiet": not is_awaited,
        }
        async with self._asking:
            started_at = time.monotonic()
            self._say(order)
            pid = int(await self._heard(rb"forged (\d+)"))
            if is_awaited:
                port = int(await self._heard(rb"serves at ws://[\d.]+:(\d+)"))
        return Forged(pid, Address("127.0.0.1", port), errors, started_at)

    async def ended(self, server: Forged) -> int:
        """Waits until a server is gone; returns its exit code, negative for a signal."""
        async with self._asking:
            self._say({"await": server.pid})
            return int(await self._heard(rb"ended (-?\d+)"))

    async def kill(self, server: Forged) -> None:
        """Ends a server at once and waits until it is gone."""
        server.kill()
        await self.ended(server)

    def _say(self, order: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")

    async def _heard(self, pattern: bytes) -> bytes:
        assert self._process.stdout is not None
        async with asyncio.timeout(_DEADLINE):
            while line := await self._process.stdout.readline():
                if found := re.search(pattern, line):
                    return found[1]
        raise AssertionError("the forge has broken")


@asynccontextmanager
async def forge() -> AsyncIterator[Forge]:
    """Runs a forge; whatever it has started is gone when the block ends."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("SAMEDEAL_")}
    packages = os.pathsep.join(str(_ROOT / package) for package in _PACKAGES)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**kept, "PYTHONPATH": packages},
    )
    try:
        yield Forge(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_DEADLINE):
                await process.wait()


# --- the process that forks ----------------------------------------------------------------------


def main() -> None:
    """Forks a server for every order that comes in, until there are no more."""
    from samedeal_server import cli

    for module in _LOADED:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
    alive: set[int] = set()
    for line in sys.stdin:
        order = json.loads(line)
        if "await" in order:
            pid = order["await"]
            _, status = os.waitpid(pid, 0)
            alive.discard(pid)
            _tell(f"ended {os.waitstatus_to_exitcode(status)}")
            continue
        pid = os.fork()
        if pid == 0:
            _become(order["errors"], is_quiet=order["quiet"])
            if order["trap"] is not None:
                _lay(Trap(*order["trap"]))
            if order["ahead"]:
                _set_clock(order["ahead"])
            code = cli.main(order["arguments"])
            sys.stdout.flush()
            os._exit(code)
        alive.add(pid)
        _tell(f"forged {pid}")
    for pid in alive:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _tell(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def _become(errors: str, *, is_quiet: bool) -> None:
    """Gives a server that was just forked the files of a process of its own."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    if is_quiet:
        os.dup2(nothing, 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)


def _lay(trap: Trap) -> None:
    """Has the server use a log that kills it."""
    from samedeal_server import app
    from samedeal_server.adapters.log_sqlite import SqliteLog
    from samedeal_server.ports import Entry

    left = trap.append

    class Mortal(SqliteLog):
        async def append(self, entries: Sequence[Entry], *, over: Sequence[str] = ()) -> None:
            nonlocal left
            left -= 1
            if left == 0 and trap.before:
                os.kill(os.getpid(), signal.SIGKILL)
            await super().append(entries, over=over)
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    # Nothing else runs in this process: it was made to be that server.
    app.__dict__["SqliteLog"] = Mortal


def _set_clock(ahead: int) -> None:
    """Has the server read a wall clock that is so many nanoseconds ahead."""
    from samedeal_server import app
    from samedeal_server.adapters.clock import SystemClock

    class Ahead(SystemClock):
        def __init__(self, *, floor: int) -> None:
            super().__init__(floor=floor, wall=lambda: time.time_ns() + ahead)

    app.__dict__["SystemClock"] = Ahead


if __name__ == "__main__":
    main()
