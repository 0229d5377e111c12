"""Real brokers on free loopback ports: Mosquitto from the system, NATS from a wheel.

Where the program is missing the test is skipped, which is a failure in CI. `SAMEDEAL_TEST_MQTT`
names a broker that runs already, as `HOST:PORT`; the contract suite then asks it as well.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

import pytest

from samedeal_server.settings import Address, Broker
from support.patience import PATIENCE_S

__all__ = [
    "GIVEN",
    "Running",
    "find_program",
    "free_port",
    "mosquitto",
    "mosquitto_with",
    "nats",
    "nats_cluster",
    "program",
]

GIVEN = os.environ.get("SAMEDEAL_TEST_MQTT")
"""The HOST:PORT of a broker that runs already."""


def find_program(name: str) -> str | None:
    """Returns the path of a program; None where there is none."""
    beside = Path(sys.executable).parent
    path = os.pathsep.join((str(beside), os.environ.get("PATH", ""), "/usr/sbin", "/usr/bin"))
    return shutil.which(name, path=path)


def program(name: str) -> str:
    """Returns the path of a program; skips the test where there is none."""
    found = find_program(name)
    if found is None:
        pytest.skip(f"needs {name}")
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(slots=True)
class Running:
    """A broker that this test has started, and may end."""

    command: Sequence[str]
    log: Path
    port: int
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def broker(self) -> Broker:
        """Where it is, for somebody without a name there."""
        return Broker(at=Address("127.0.0.1", self.port))

    @property
    def pid(self) -> int:
        return self.processes[-1].pid

    def start(self) -> None:
        """Starts it, again after it has ended, and returns when it listens."""
        with self.log.open("ab") as log:
            self.processes.append(
                subprocess.Popen(self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            )
        _listening(self.port, self.processes[-1], self.log)

    def kill(self) -> None:
        """Ends it at once."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Lets it end as an operator would."""
        self._end(signal.SIGTERM)

    def freeze(self) -> None:
        """Keeps it from doing anything, while its connections stay open."""
        self.processes[-1].send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.processes[-1].send_signal(signal.SIGCONT)

    def _end(self, how: signal.Signals) -> None:
        process = self.processes[-1]
        process.send_signal(signal.SIGCONT)
        process.send_signal(how)
        process.wait(PATIENCE_S)


def _listening(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Returns when somebody listens on the port."""
    attempts = int(PATIENCE_S / 0.02)
    for _ in range(attempts):
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.02)  # until it ends, or for the next look
    raise AssertionError(f"{log.name}: {log.read_text('utf-8', 'replace')[-2000:]}")


@contextmanager
def _running(command: Sequence[str], log: Path, port: int) -> Iterator[Running]:
    running = Running(command, log, port)
    try:
        running.start()
        yield running
    finally:
        for process in running.processes:
            if process.poll() is None:
                process.kill()
            process.wait()


# --- Mosquitto -----------------------------------------------------------------------------------


@contextmanager
def mosquitto(folder: Path) -> Iterator[Running]:
    """Runs a Mosquitto that lets everybody do everything."""
    port = free_port()
    conf = f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n"
    fast = "max_queued_messages 100000\nset_tcp_nodelay true\n"
    with mosquitto_with(folder, f"{conf}{fast}", port=port) as running:
        yield running


@contextmanager
def mosquitto_with(folder: Path, conf: str, *, port: int) -> Iterator[Running]:
    """Runs a Mosquitto with a configuration of the caller's, which listens on the port."""
    file = folder / f"mosquitto-{port}.conf"
    # Started by root it would become a user that may not read the test's files.
    user = "user root\n" if hasattr(os, "geteuid") and os.geteuid() == 0 else ""
    file.write_text(f"{user}{conf}", "utf-8")
    command = (program("mosquitto"), "-c", str(file))
    with _running(command, folder / f"mosquitto-{port}.log", port) as running:
        yield running


# --- NATS ----------------------------------------------------------------------------------------


@contextmanager
def nats(folder: Path) -> Iterator[Running]:
    """Runs one NATS server with its MQTT gateway."""
    port = free_port()
    conf = _nats_conf(folder, "n1", port)
    with _running((program("nats-server"), "-c", str(conf)), folder / "n1.log", port) as running:
        yield running


@contextmanager
def nats_cluster(folder: Path, size: int = 3) -> Iterator[list[Running]]:
    """Runs a cluster of NATS servers, each with an MQTT gateway."""
    server = program("nats-server")
    ports = [free_port() for _ in range(size)]
    routes = [free_port() for _ in range(size)]
    monitors = [free_port() for _ in range(size)]
    with contextlib.ExitStack() as stack:
        cluster: list[Running] = []
        each_of = zip(ports, routes, monitors, strict=True)
        for number, (port, route, monitor) in enumerate(each_of, 1):
            urls = ", ".join(f"nats://127.0.0.1:{each}" for each in routes)
            conf = _nats_conf(
                folder,
                f"n{number}",
                port,
                f'cluster {{ name: "c", listen: "127.0.0.1:{route}", routes: [{urls}] }}\n'
                f'http: "127.0.0.1:{monitor}"\n',
            )
            command = (server, "-c", str(conf))
            log = folder / f"n{number}.log"
            cluster.append(stack.enter_context(_running(command, log, port)))
        for monitor, running in zip(monitors, cluster, strict=True):
            _healthy(monitor, running)
        yield cluster


def _healthy(port: int, running: Running) -> None:
    """Returns when a server of a cluster has found the others, and its store a leader."""
    for _ in range(int(PATIENCE_S / 0.05)):
        with contextlib.suppress(OSError), urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.processes[-1].wait(0.05)  # until it ends, or for the next look
    raise AssertionError(running.log.read_text("utf-8", "replace")[-2000:])


def _nats_conf(folder: Path, name: str, port: int, more: str = "") -> Path:
    conf = folder / f"{name}.conf"
    conf.write_text(
        f'server_name: {name}\nlisten: "127.0.0.1:{free_port()}"\n'
        f'jetstream {{ store_dir: "{folder / name}" }}\n'
        f'mqtt {{ listen: "127.0.0.1:{port}" }}\n{more}',
        "utf-8",
    )
    return conf
