"""PostgreSQL for tests: a throw-away cluster a process, and a fresh database a test.

The binaries are those on the PATH or Debian's; without any the test is skipped. `SAMEDEAL_TEST_PG`
names a server to use instead, with the right to create databases. PostgreSQL refuses to run as
root, so then it runs as nobody. A cluster dies with the process that started it.
"""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from samedeal_server.adapters.log_postgres import migrate
from samedeal_server.settings import Address
from support.brokers import free_port

__all__ = ["Cluster", "database", "empty_database", "find_binaries", "own_cluster"]

ENVIRONMENT = "SAMEDEAL_TEST_PG"
START_S = 60.0
_PREFIX = "samedeal-pg-"
_KEPT = Path(__file__).parents[2] / ".pytest_cache"

_prctl = getattr(ctypes.CDLL(None), "prctl", None)  # Linux alone has it
_PR_SET_PDEATHSIG = 1
_numbers = count(1)


class Cluster:
    """A PostgreSQL server of our own, on loopback; whoever makes it must `remove` it."""

    def __init__(self, binaries: Path, *, fsync: bool) -> None:
        """Makes the cluster and starts it."""
        self._binaries = binaries
        self._user = "nobody" if os.getuid() == 0 else None
        where = _memory() if not fsync else Path(tempfile.gettempdir())
        _sweep(where)
        self._folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=where))
        if self._user is not None:
            shutil.chown(self._folder, self._user)
        self.address = Address("127.0.0.1", free_port())
        self.url = f"postgresql://samedeal@{self.address}/postgres"
        self._fsync = fsync
        self._process: subprocess.Popen[bytes] | None = None
        _initialize(self._data, binaries, self._user)
        self._launch()
        self._await_ready()

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    async def start(self) -> None:
        """Starts the server again and returns when it takes connections."""
        self._launch()
        await asyncio.to_thread(self._await_ready)

    def _launch(self) -> None:
        """Makes the process; it dies with the thread that does this."""
        options: dict[str, object] = {
            "listen_addresses": self.address.host,
            "port": self.address.port,
            "unix_socket_directories": self._folder,
            "fsync": "on" if self._fsync else "off",
            "max_connections": 200,
        }
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    self._binaries / "postgres",
                    *("-D", self._data),
                    *(f"--{name}={value}" for name, value in options.items()),
                ],
                user=self._user,
                cwd="/",
                stdout=log,
                stderr=log,
                preexec_fn=_die_with_parent,
                start_new_session=True,  # Ctrl-C is for the tests
            )

    def crash(self) -> None:
        """Ends the server as `pg_ctl stop -m immediate` does: nothing is tidied up."""
        self._stop(signal.SIGQUIT)

    def stop(self) -> None:
        """Ends the server as `pg_ctl stop -m fast` does."""
        self._stop(signal.SIGINT)

    def freeze(self) -> None:
        """Stops every process of the server as it is; connections stay open, and new ones hang."""
        for pid in self._pids():
            os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Lets a frozen server go on."""
        for pid in self._pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def remove(self) -> None:
        """Ends the server and deletes everything of it."""
        self.crash()
        shutil.rmtree(self._folder)

    def _pids(self) -> list[int]:
        if self._process is None:
            return []
        pid = self._process.pid
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
        except OSError:
            return []  # it has just ended
        return [pid, *map(int, children.split())]

    def _stop(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self.thaw()  # what is frozen would not hear it
            self._process.wait(START_S)
            self._process = None

    def _await_ready(self) -> None:
        """Asks again and again, since the server tells nobody when it is ready."""
        asked = [f"{self._binaries}/pg_isready", "-q", "-h", self.address.host]
        deadline = time.monotonic() + START_S
        while subprocess.run([*asked, "-p", str(self.address.port)]).returncode:
            if time.monotonic() > deadline or self._process is None or self._process.poll():
                raise RuntimeError((self._folder / "log").read_text("utf-8"))
            time.sleep(0.02)


def _initialize(data: Path, binaries: Path, user: str | None) -> None:
    """Makes what `initdb` does, which is a second's work, as a copy of what it once made here."""
    asked = [str(binaries / "postgres"), "--version"]
    version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()[2]
    kept = _KEPT / f"postgres-{version}"
    if not kept.exists():
        initdb: list[str | Path] = [
            binaries / "initdb",
            "-D",
            data,
            "-U",
            "samedeal",
            "-A",
            "trust",
            "-E",
            "UTF8",
        ]
        subprocess.run(
            [*initdb, "--locale=C", "--no-sync"],
            user=user,
            cwd="/",
            stdout=subprocess.DEVNULL,
            check=True,
        )
        _KEPT.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_KEPT) as made, suppress(OSError):
            # Another process may have been sooner.
            shutil.copytree(data, Path(made) / "data").rename(kept)
        return
    shutil.copytree(kept, data)
    if user is not None:
        owner = pwd.getpwnam(user).pw_uid
        for folder, _, files in os.walk(data):
            for each in (folder, *(os.path.join(folder, name) for name in files)):
                os.chown(each, owner, -1)


def _memory() -> Path:
    """Returns a folder in memory with room enough, where making a database is ten times as fast."""
    memory = Path("/dev/shm")
    has_room = memory.is_dir() and shutil.disk_usage(memory).free > 2**30
    return memory if has_room else Path(tempfile.gettempdir())


def _sweep(where: Path) -> None:
    """Deletes what killed processes have left."""
    for folder in where.glob(f"{_PREFIX}*-*"):
        try:
            os.kill(int(folder.name.removeprefix(_PREFIX).partition("-")[0]), 0)
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)
        except (PermissionError, ValueError):
            continue


def _die_with_parent() -> None:
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)


def find_binaries() -> Path | None:
    """Returns the folder of PostgreSQL's binaries."""
    on_path = shutil.which("initdb")
    found = [Path(on_path)] if on_path else sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].resolve().parent if found else None


def _binaries() -> Path:
    """Returns the folder of PostgreSQL's binaries, or skips the test."""
    found = find_binaries()
    if found is None:
        pytest.skip(f"no PostgreSQL here: install postgresql, or name one in {ENVIRONMENT}")
    return found


@cache
def _server() -> str:
    """Returns the URL of the server that this process's tests share."""
    named = os.environ.get(ENVIRONMENT)
    if named:
        return named
    cluster = Cluster(_binaries(), fsync=False)
    atexit.register(cluster.remove)
    return cluster.url


def _named(url: str, database: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{database}"))


async def _administer(server: str, statement: str) -> None:
    connection = await asyncpg.connect(server)
    try:
        if statement.startswith("create database") and connection.get_server_version() >= (15,):
            statement += " strategy file_copy"  # half the work of writing a log of it
        await connection.execute(statement)
    finally:
        await connection.close()


_templates: dict[str, str] = {}
"""The migrated database that others are copied from, by server."""


async def _template(server: str) -> str:
    if server not in _templates:
        name = f"samedeal_template_{os.getpid()}"
        await _administer(server, f"drop database if exists {name}")
        await _administer(server, f"create database {name}")
        await migrate(_named(server, name))
        _templates[server] = name
        if os.environ.get(ENVIRONMENT):
            atexit.register(_drop_template, server, name)
    return _templates[server]


def _drop_template(server: str, name: str) -> None:
    asyncio.run(_administer(server, f"drop database if exists {name} with (force)"))


@asynccontextmanager
async def _made(server: str, template: str) -> AsyncIterator[str]:
    name = f"samedeal_test_{os.getpid()}_{next(_numbers)}"
    await _administer(server, f"create database {name} template {template}")
    try:
        yield _named(server, name)
    finally:
        await _administer(server, f"drop database {name} with (force)")


@asynccontextmanager
async def empty_database() -> AsyncIterator[str]:
    """Makes a database with nothing in it; yields its URL."""
    async with _made(_server(), "template0") as url:
        yield url


@asynccontextmanager
async def database(cluster: Cluster | None = None) -> AsyncIterator[str]:
    """Makes a database with our newest schema, in the shared cluster or another; yields its URL."""
    server = _server() if cluster is None else cluster.url
    async with _made(server, await _template(server)) as url:
        yield url


@contextmanager
def own_cluster() -> Iterator[Cluster]:
    """Starts a cluster that writes to the disk in earnest, for a test that crashes it."""
    cluster = Cluster(_binaries(), fsync=True)
    try:
        yield cluster
    finally:
        cluster.remove()
