"""`make cluster`: a race through the proxy goes on when the node that it lives on is killed."""

from __future__ import annotations

import asyncio
import importlib
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import asyncpg
import pytest

import samedeal_client
from conftest import SOAK
from faults.lateness import lateness
from samedeal_client import Run, Terms
from samedeal_protocol.terms import Undo
from samedeal_server.settings import Address
from support.patience import PATIENCE_S
from support.postgres import find_binaries
from support.serving import ROOT, environment

CLUSTER: Final = (sys.executable, str(ROOT / "ops" / "cluster.py"), "--listen", "127.0.0.1:0")
Listening: TypeAlias = Callable[[Address, Sequence[Address]], AbstractAsyncContextManager[Address]]
TAKEOVER_S: Final = 10.0
"""3 to 5 seconds on a machine that has nothing else to do."""


@dataclass
class Cluster:
    """A cluster that runs."""

    running: asyncio.subprocess.Process
    url: str
    """Where players go."""
    store: str
    folder: Path
    pids: Mapping[str, int]

    async def heard(self, what: str) -> str:
        """Returns the next line that has this in it."""
        assert self.running.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            while what not in (line := (await self.running.stdout.readline()).decode()):
                assert line, "the cluster has ended"
        return line

    def end(self, part: str, how: signal.Signals) -> None:
        os.kill(self.pids[part], how)


@asynccontextmanager
async def cluster(home: Path, *arguments: str) -> AsyncIterator[Cluster]:
    if find_binaries() is None:
        pytest.skip("no PostgreSQL here: install postgresql")
    running = await asyncio.create_subprocess_exec(
        *CLUSTER,
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=environment(home),
    )
    try:
        assert running.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            told = ""
            while "kill -9" not in told:
                line = (await running.stdout.readline()).decode()
                if not line and "install mosquitto" in told:
                    pytest.skip("no mosquitto here")
                assert line, told
                told += line
        url, store, folder = (
            re.findall(pattern, told)[0]
            for pattern in (r"ws://\S+", r"postgresql://\S+", r"say is in (\S+)/\*")
        )
        pids = {
            name.strip(): int(pid)
            for name, pid in re.findall(r"^(.{14}) \S+  \(process (\d+)\)$", told, re.MULTILINE)
        }
        yield Cluster(running, url, store, Path(folder), pids)
    finally:
        if running.returncode is None:
            running.send_signal(signal.SIGINT)
            async with asyncio.timeout(PATIENCE_S):
                await running.wait()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def owner(store: str, race: str) -> str:
    connection = await asyncpg.connect(store)
    try:
        return str(
            await connection.fetchval("select owner from samedeal.races where race = $1", race)
        )
    finally:
        await connection.close()


async def play(run: Run, moves: int) -> None:
    """Plays and takes back, so often."""
    done = 0
    async for view in run:
        if done == moves:
            return
        await (run.undo() if done % 2 else run.play(view.legal()[0]))
        done += 1


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder where also PostgreSQL may go, when it is started by root and becomes nobody."""
    with tempfile.TemporaryDirectory() as made:
        os.chmod(made, 0o755)
        yield Path(made) / "cluster"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM][: 2 if SOAK > 1 else 1])
async def test_a_race_outlives_the_node_that_it_lives_on(
    tmp_path: Path, how: signal.Signals
) -> None:
    async with cluster(tmp_path) as up, AsyncExitStack() as stack:
        halls = [
            await stack.enter_async_context(samedeal_client.connect(up.url, name=f"Player {n}"))
            for n in range(3)  # one at each node
        ]
        terms = Terms(game="streets-and-alleys", countdown=0, entrants_min=3, undo=Undo.FREE)
        race = await halls[0].create(terms, seed="cluster")
        runs = [await stack.enter_async_context(hall.join(race)) for hall in halls]
        await asyncio.gather(*(run.ready() for run in runs))
        await asyncio.gather(*(play(run, 50) for run in runs))

        dead = f"node {await owner(up.store, race)}"
        up.end(dead, how)
        ended = time.monotonic()
        async with lateness() as late:
            await asyncio.gather(*(play(run, 2) for run in runs))
        took = time.monotonic() - ended
        assert took < TAKEOVER_S + late.allowed
        code = -9 if how is signal.SIGKILL else 0
        assert f"{dead} has ended (code {code})" in await up.heard("ended")

        await asyncio.gather(*(play(run, 50) for run in runs))
        await asyncio.gather(*(run.give_up() for run in runs))
        assert len(await runs[0].over()) == 3
        report = samedeal_client.verify(await halls[0].replay(race))
        assert report.passed, report.text()
        check = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "samedeal_server", "check", "--store", up.store),
            stdout=asyncio.subprocess.PIPE,
            env=environment(tmp_path),
        )
        told, _ = await check.communicate()
        moves = 3 * (50 + 2 + 50)
        assert int(re.findall(rb"(\d+) events: all in order", told)[0]) > moves
    assert up.running.returncode == 0
    assert [name for name, pid in up.pids.items() if is_alive(pid)] == []
    assert not os.path.exists(up.folder)  # noqa: ASYNC240


async def test_what_is_kept_is_there_the_next_time(tmp_path: Path, folder: Path) -> None:
    async with (
        cluster(tmp_path, "--data", str(folder)) as up,
        samedeal_client.connect(up.url, name="Ann") as hall,
    ):
        token = hall.token
        race = await hall.create(Terms(game="opus"))
    async with (
        cluster(tmp_path, "--data", str(folder)) as up,
        samedeal_client.connect(up.url, token=token) as hall,
    ):
        assert hall.name == "Ann"
        assert [card.race for card in await hall.list()] == [race]


async def test_a_missing_program_is_one_line(tmp_path: Path) -> None:
    running = await asyncio.create_subprocess_exec(
        *CLUSTER,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(tmp_path, PATH=str(tmp_path)),
    )
    out, err = await running.communicate()
    assert (running.returncode, out) == (2, b"")
    assert err == (
        b"cluster: there is no mosquitto_passwd here; install mosquitto "
        b"(apt-get install mosquitto)\n"
    )


# --- the proxy ---------------------------------------------------------------------------------


@asynccontextmanager
async def node(name: str, status: str) -> AsyncIterator[Address]:
    """Something that is as ready as it says, and greets whoever asks for nothing with its name."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readline()
        told = f"HTTP/1.1 {status}\r\n\r\n" if b"/readyz" in asked else f"{name}\n"
        writer.write(told.encode())
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        yield Address(*server.sockets[0].getsockname()[:2])


async def greeted(at: Address) -> str:
    """Returns who greets at an address; nobody is an empty text."""
    reader, writer = await asyncio.open_connection(at.host, at.port)
    writer.write(b"hello\n")
    try:
        return (await reader.readline()).decode().strip()
    except ConnectionResetError:
        return ""
    finally:
        writer.close()


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Listening:
    """What runs the proxy."""
    monkeypatch.syspath_prepend(ROOT / "ops")
    found: Listening = importlib.import_module("proxy").listening
    return found


async def test_players_are_sent_to_ready_nodes_in_turn(listening: Listening) -> None:
    async with (
        node("a", "200 OK") as a,
        node("b", "503 Service Unavailable") as b,
        node("c", "200 OK") as c,
        listening(Address("127.0.0.1", 0), [a, b, c]) as at,
    ):
        by = [await greeted(at) for _ in range(6)]
    assert set(by) == {"a", "c"}


async def test_a_node_that_takes_no_connection_is_passed_over(listening: Listening) -> None:
    async with AsyncExitStack() as stack, node("b", "200 OK") as b:
        a = await stack.enter_async_context(node("a", "200 OK"))
        async with listening(Address("127.0.0.1", 0), [a, b]) as at:
            assert {await greeted(at), await greeted(at)} == {"a", "b"}
            await stack.aclose()
            assert [await greeted(at), await greeted(at)] == ["b", "b"]


async def test_without_a_ready_node_a_connection_ends_at_once(listening: Listening) -> None:
    async with (
        node("a", "503 Service Unavailable") as a,
        listening(Address("127.0.0.1", 0), [a]) as at,
    ):
        assert await greeted(at) == ""
