"""Three nodes on this machine, with all that several need: `make cluster`.

Starts a PostgreSQL, a Mosquitto with the rules of ops/mosquitto, the nodes a, b and c, and a small
proxy in front of them; says where they are. Ctrl-C stops everything and throws it away, unless
--data names a folder to keep it in. Nothing that ends is started again: kill what you like, and see
what players notice of it (docs/operations.md).
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mosquitto.access import write_passwords, write_rules
from proxy import listening
from samedeal_server.adapters.log_postgres import CannotOpen, migrate
from samedeal_server.cli import CLIENTS_DEFAULT
from samedeal_server.settings import ENVIRONMENT, Address, BadSettings, gather

NODES: Final = ("a", "b", "c")
START_S: Final = 60.0
STOP_S: Final = 20.0
_SYSTEM: Final = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""Where Debian keeps servers; not on everybody's path."""
_DEBIANS: Final = "/usr/lib/postgresql"
_CONFIGURATION: Final = Path(__file__).parent / "mosquitto" / "mosquitto.conf"


class Refused(Exception):
    """The cluster cannot be started; the message is one line that says what to do."""


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default=CLIENTS_DEFAULT,
        help="where players connect (default: %(default)s)",
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="keep everything in this folder")
    asked = parser.parse_args()
    try:
        at = gather({"listen": asked.listen}, environment={}).listen
    except BadSettings as fault:
        parser.error(str(fault))
    try:
        with _folder(asked.data) as folder:
            asyncio.run(_run(at, folder, is_kept=asked.data is not None))
    except Refused as refusal:
        print(f"cluster: {refusal}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, asyncio.CancelledError):
        return 0
    return 0


@contextmanager
def _folder(named: Path | None) -> Iterator[Path]:
    """Yields the folder that everything is in."""
    mode = 0o711 if _is_root() else 0o700  # PostgreSQL will not be root, and must get through
    if named is not None:
        named.mkdir(mode=mode, parents=True, exist_ok=True)
        yield named.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="samedeal-cluster-") as made:
        os.chmod(made, mode)
        yield Path(made)


async def _run(at: Address, folder: Path, *, is_kept: bool) -> None:
    """Starts everything, and runs until it is cancelled or nothing is left that runs."""
    task = asyncio.current_task()
    assert task is not None  # this one
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    programs = _Programs.found()
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        database = await enter(_postgres(folder, programs))
        broker = await enter(_mosquitto(folder, programs))
        nodes = [await enter(_node(name, folder, database, broker)) for name in NODES]
        parts = (database, broker, *nodes)
        try:
            at = await enter(listening(at, [node.address for node in nodes]))
        except* OSError:
            raise Refused(f"{at} is in use; choose another --listen") from None
        _tell(at, parts, folder if is_kept else None)
        async with asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(part.told(), name=f"end of {part.name}")
    print("nothing runs any more", flush=True)


def _tell(at: Address, parts: Sequence[_Part], kept: Path | None) -> None:
    server = "" if str(at) == CLIENTS_DEFAULT else f" --server ws://{at}"
    print(f"players go to  ws://{at}  and http://{at}/, from where a proxy sends them on:")
    for part in parts:
        print(f"{part.name:<14} {part.url}  (process {part.process.pid})")
    print(f"What they say is in {parts[0].log.parent}/*.log")
    print(f"Everything stays in {kept}" if kept else "Everything is thrown away at the end")
    print("Next, in other terminals (Ctrl-C here stops everything):")
    print(f"    {_player()} play --game forty-thieves --against greedy{server}")
    print(f"    kill -9 {parts[-1].process.pid}", flush=True)


def _player() -> str:
    """Returns what to type for `samedeal`."""
    beside = Path(sys.executable).with_name("samedeal")
    if not beside.exists() or shutil.which("samedeal") == str(beside):
        return "samedeal"
    return os.path.relpath(beside)


# --- programs ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Programs:
    """What must be installed."""

    initdb: str
    postgres: str
    pg_isready: str
    mosquitto: str

    @classmethod
    def found(cls) -> _Programs:
        """Finds them; raises `Refused`."""
        folders = sorted(Path(_DEBIANS).glob("*/bin"), key=lambda path: path.parent.name)

        def of_postgres(name: str) -> str:
            return _program(name, "postgresql", *map(str, reversed(folders)))

        _program("mosquitto_passwd", "mosquitto")
        return cls(
            initdb=of_postgres("initdb"),
            postgres=of_postgres("postgres"),
            pg_isready=of_postgres("pg_isready"),
            mosquitto=_program("mosquitto", "mosquitto"),
        )


def _program(name: str, package: str, *folders: str) -> str:
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *folders, *_SYSTEM))
    found = shutil.which(name, path=path)
    if found is None:
        raise Refused(f"there is no {name} here; install {package} (apt-get install {package})")
    return found


@dataclass(frozen=True, slots=True)
class _Part:
    """One of the processes."""

    name: str
    url: str
    process: asyncio.subprocess.Process
    log: Path

    @property
    def address(self) -> Address:
        host, _, port = self.url.rpartition("/")[2].rpartition(":")
        return Address(host, int(port))

    async def told(self) -> None:
        """Says so when it has ended."""
        code = await self.process.wait()
        print(f"{self.name} has ended (code {code}); see {self.log}", flush=True)

    def failed(self) -> Refused:
        said = self.log.read_text("utf-8", "replace").strip().splitlines() or ["nothing"]
        return Refused(f"{self.name} did not start; it said: {said[-1]}")


@asynccontextmanager
async def _part(
    name: str,
    url: str,
    command: Sequence[str],
    log: Path,
    *,
    stop: signal.Signals = signal.SIGTERM,
    user: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> AsyncIterator[_Part]:
    """Runs a process for as long as the block lasts."""
    with log.open("ab") as said:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            user=user,
            env=environment,
            start_new_session=True,  # Ctrl-C is for us: we stop the nodes before their database
            preexec_fn=_die_with_parent,
        )
    try:
        yield _Part(name, url, process, log)
    finally:
        if process.returncode is None:
            process.send_signal(stop)
            try:
                await asyncio.wait_for(process.wait(), STOP_S)
            except TimeoutError:
                process.kill()
                await process.wait()


_prctl = getattr(ctypes.CDLL(None), "prctl", None)  # Linux alone has it
_PR_SET_PDEATHSIG: Final = 1


def _die_with_parent() -> None:
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _is_root() -> bool:
    return os.geteuid() == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


# --- what is started ---------------------------------------------------------------------------


@asynccontextmanager
async def _postgres(folder: Path, programs: _Programs) -> AsyncIterator[_Part]:
    """Runs a database with our tables in it."""
    user = "nobody" if _is_root() else None  # PostgreSQL refuses to be root
    home, data = folder / "postgres", folder / "postgres" / "data"
    if not data.exists():
        await _make_database(home, programs, user)
    port, password = _free_port(), (home / "password").read_text("ascii")
    options = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": ""}
    command = (programs.postgres, "-D", str(data), *(f"--{k}={v}" for k, v in options.items()))
    url = f"postgresql://samedeal:{password}@127.0.0.1:{port}/postgres"
    log = folder / "postgres.log"
    async with _part("PostgreSQL", url, command, log, stop=signal.SIGINT, user=user) as part:
        ready = (programs.pg_isready, "-q", "-h", "127.0.0.1", "-p", str(port))
        while await _code(*ready):
            if part.process.returncode is not None:
                raise part.failed()
            await asyncio.sleep(0.05)
        try:
            await migrate(url)
        except CannotOpen as fault:
            raise Refused(str(fault)) from fault
        yield part


async def _make_database(home: Path, programs: _Programs, user: str | None) -> None:
    password = _make_password(home, user)
    command = (programs.initdb, "-D", str(home / "data"), "-U", "samedeal", "-E", "UTF8")
    quiet = ("--locale=C", "-A", "scram-sha-256", f"--pwfile={password}")
    if await _code(*command, *quiet, user=user):
        shutil.rmtree(home / "data", ignore_errors=True)
        who = "" if user is None else f" as {user}"
        raise Refused(f"initdb cannot make a database in {home}{who}; choose another --data")


def _make_password(home: Path, user: str | None) -> Path:
    """Makes the folder of a database, and writes its password there."""
    home.mkdir(exist_ok=True)
    password = home / "password"
    password.touch(0o600)
    password.write_text(secrets.token_urlsafe(18), "ascii")
    if user is not None:
        for each in (home, password):
            shutil.chown(each, user)
    return password


async def _code(*command: str, user: str | None = None) -> int:
    """Runs a command without a word; returns its exit code."""
    null = asyncio.subprocess.DEVNULL
    running = await asyncio.create_subprocess_exec(
        *command, stdin=null, stdout=null, stderr=null, user=user, cwd="/"
    )
    try:
        return await running.wait()
    finally:
        if running.returncode is None:  # Ctrl-C: it shall leave nothing half made
            running.terminate()
            await running.wait()


@asynccontextmanager
async def _mosquitto(folder: Path, programs: _Programs) -> AsyncIterator[_Part]:
    """Runs a broker with the rules of ops/mosquitto, and writes what each node is to say there."""
    home = folder / "mosquitto"
    home.mkdir(exist_ok=True)
    port = _free_port()
    write_rules(home, NODES)
    passwords = write_passwords(home, (*NODES, "spectator", "monitor"))
    for name in NODES:
        url = home / f"{name}.url"
        url.touch(0o600)
        url.write_text(f"mqtt://{name}:{passwords[name]}@127.0.0.1:{port}", "ascii")
    text = _CONFIGURATION.read_text("utf-8").replace("listener 1883", f"listener {port}")
    text = text.replace("/etc/mosquitto/samedeal", str(home))
    # Started by root it would become a user that may not read these files.
    (home / "conf").write_text(f"user root\n{text}" if _is_root() else text, "utf-8")
    command = (programs.mosquitto, "-c", str(home / "conf"))
    log = folder / "mosquitto.log"
    async with _part("Mosquitto", f"mqtt://127.0.0.1:{port}", command, log) as part:
        yield part


@asynccontextmanager
async def _node(name: str, folder: Path, database: _Part, broker: _Part) -> AsyncIterator[_Part]:
    """Runs a node; returns when it takes players."""
    ours = {
        "NODE": name,
        "STORE": database.url,
        "BUS": (broker.log.parent / "mosquitto" / f"{name}.url").read_text("ascii"),
        "CONNECTIONS_PER_ADDRESS": "20000",  # all players come from the proxy
        "DRAIN": "0",
    }
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ENVIRONMENT)}
    environment = kept | {f"{ENVIRONMENT}{key}": value for key, value in ours.items()}
    address = f"127.0.0.1:{_free_port()}"
    command = (sys.executable, "-m", "samedeal_server", "serve", "--listen", address)
    log = folder / f"{name}.log"
    async with _part(
        f"node {name}", f"ws://{address}", command, log, environment=environment
    ) as part:
        while not await _answers(part.address):
            if part.process.returncode is not None:
                raise part.failed()
            await asyncio.sleep(0.05)
        yield part


async def _answers(address: Address) -> bool:
    """Whether somebody listens."""
    try:
        _, writer = await asyncio.open_connection(address.host, address.port)
    except OSError:
        return False
    writer.close()
    return True


if __name__ == "__main__":
    sys.exit(main())
