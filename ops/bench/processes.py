"""The processes that are measured: start, find the address, read the cost, stop."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from overlay import SITE

__all__ = ["Measured", "allow_files", "compiled", "least", "peer", "samedeal", "spawned"]

_ADDRESS = re.compile(r"127\.0\.0\.1:(\d+)")


@dataclass(slots=True)
class Measured:
    """A running server: its process id and its port on loopback."""

    pid: int
    port: int

    def cpu_ns(self) -> int:
        """Returns the nanoseconds that all its threads have run; waiting does not count."""
        total = 0
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError):
                total += int((task / "schedstat").read_text().split()[0])
        return total

    def resident_kib(self) -> int:
        """Returns the resident memory in KiB."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise AssertionError("a process has a resident size")

    def unsent_kib(self) -> float:
        """Returns the KiB that the kernel holds for its peers: sent, but not taken by them."""
        ours, total = f"0100007F:{self.port:04X}", 0
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, _, _, queues, *_ = line.split()
            if local == ours:
                total += int(queues.partition(":")[0], 16)
        return total / 1024


def allow_files() -> None:
    """Lets this process and those it starts open as many files as the system allows them."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextlib.contextmanager
def spawned(command: Sequence[str], *, core: int | None = None) -> Iterator[Measured]:
    """Runs a server that prints its loopback address, on one core if asked, and stops it."""
    with subprocess.Popen(
        list(command), stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            if core is not None and core < (os.cpu_count() or 1):
                os.sched_setaffinity(process.pid, {core})
            assert process.stdout is not None
            for line in process.stdout:
                if found := _ADDRESS.search(line):
                    break
            else:
                raise RuntimeError(f"{' '.join(command)} ended before it listened")
            # The rest of what it says is read and dropped, so that it never blocks on the pipe.
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield Measured(process.pid, int(found[1]))
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()


def peer(kind: str, *options: str) -> list[str]:
    """Returns the command of a peer in `peers.py`."""
    return [sys.executable, str(Path(__file__).with_name("peers.py")), kind, *options]


def least(kind: str, *options: str) -> list[str]:
    """Returns the command of a server that does no more than `least.py` says."""
    return [sys.executable, str(Path(__file__).with_name("least.py")), kind, *options]


def samedeal(data: Path, *options: str) -> list[str]:
    """Returns the command of our own server on a free port; it stops whatever still runs."""
    return [
        sys.executable,
        "-m",
        "samedeal_server",
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        str(data),
        "--drain",
        "0",
        *options,
    ]


def compiled(data: Path, *options: str) -> list[str]:
    """Returns the command of the compiled build of our server."""
    return ["env", f"PYTHONPATH={SITE}", *samedeal(data, *options)]
