"""What docs/operations.md shows is what happens: its commands run, its files are read.

`console` blocks run in order beside a real server, with what they print compared; `...` in what is
shown stands for anything. Names of machines, and ports, are the test's own.
"""

from __future__ import annotations

import asyncio
import configparser
import io
import os
import re
import shlex
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import asyncpg
import pytest
import yaml

import samedeal_client
from samedeal_client import Terms
from samedeal_server import cli
from samedeal_server.adapters.log_postgres import leases, log, migrate, schema
from samedeal_server.adapters.metrics import PrometheusMeter
from samedeal_server.app import RENEW_S
from samedeal_server.rooms import tenure
from samedeal_server.settings import Settings
from support.brokers import free_port, program
from support.documents import agrees, blocks
from support.forked import forked
from support.postgres import database, empty_database
from support.processes import Process, process
from support.serving import ROOT, environment

PAGE: Final = (ROOT / "docs" / "operations.md").read_text("utf-8")
STORE: Final = "postgresql://samedeal:PASSWORD@db.example.org/samedeal"
STORES: Final = STORE.replace("db.example.org", "db.example.org,db2.example.org")
COMPOSE: Final = ["docker", "compose", "--file", "ops/compose.yml"]
QUIET: Final = ("--drain", "0", "--log-level", "warning")


def block(language: str) -> str:
    (only,) = blocks(PAGE, language)
    return only.text


def examples() -> Iterator[tuple[str, str]]:
    """Yields each command and what is shown after it."""
    for each in blocks(PAGE, "console"):
        for part in re.split(r"^\$ ", each.text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """The environment of the page's commands."""
    command = tmp_path / "bin" / "samedeal-server"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.join(forked("samedeal_server"))} "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return environment(tmp_path, PATH=path)


async def printed(command: str, folder: Path, surroundings: dict[str, str]) -> str:
    """Returns what a shell command prints; it must succeed."""
    running = await asyncio.create_subprocess_exec(
        *("bash", "-o", "pipefail", "-c", command),
        cwd=folder,
        env=surroundings,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        out, err = await running.communicate()
    assert (running.returncode, err) == (0, b""), f"{command}\n{err.decode()}"
    return out.decode()


@asynccontextmanager
async def busy(data: Path, *options: str) -> AsyncIterator[Process]:
    """A server with two players, each the host of a race."""
    async with process(data, *QUIET, *options) as up, AsyncExitStack() as stack:
        for name in ("Ann", "Ben"):
            hall = await stack.enter_async_context(
                samedeal_client.connect(f"ws://{up.address}", name=name)
            )
            await hall.create(Terms(game="opus"))
        yield up


# --- commands ----------------------------------------------------------------------------------


async def test_commands_print_what_the_page_shows(
    tmp_path: Path, surroundings: dict[str, str]
) -> None:
    program("curl")
    metrics = f"127.0.0.1:{free_port()}"
    async with (
        empty_database() as url,
        busy(tmp_path / "data", "--metrics-listen", metrics) as up,
    ):
        ours = {
            STORES: url.replace("@", "@127.0.0.1:1,"),
            STORE: url,
            "10.0.0.11:8642": str(up.address),
            "127.0.0.1:8643": metrics,
        }
        for command, shown in examples():
            for theirs, own in ours.items():
                command = command.replace(theirs, own)
            happened = await printed(command, tmp_path, surroundings)
            assert agrees(shown, happened), f"$ {command}\n{happened}\nshown:\n{shown}"


async def test_the_line_for_cron_backs_up(tmp_path: Path, surroundings: dict[str, str]) -> None:
    (line,) = re.findall(r"^15 4 \* \* \* (.*)$", PAGE, re.MULTILINE)
    line = line.replace(r"\%", "%").replace("/backup", str(tmp_path))
    line = line.replace("/var/lib/samedeal", str(tmp_path / "data"))
    async with busy(tmp_path / "data"):
        told = await printed(line, tmp_path, surroundings)
    assert re.fullmatch(rf"2 races, .*: in {tmp_path}/samedeal-[0-9-]{{10}}\.gz\n", told)


async def test_the_question_about_nodes_is_answered(tmp_path: Path) -> None:
    async with database() as url, busy(tmp_path, "--node", "a", "--store", url):
        connection = await asyncpg.connect(url)
        rows = await connection.fetch(block("sql"))
        await connection.close()
    assert [(row["node"], row["is_alive"], row["races"]) for row in rows] == [("a", True, 2)]
    # Whether it has its bus, a node tells with its first renewal, a moment after its start.
    assert "has_bus" in rows[0]


async def test_a_database_may_be_migrated_while_nodes_serve(tmp_path: Path) -> None:
    async with database() as url, busy(tmp_path, "--node", "a", "--store", url):
        assert await migrate(url) == []


def shell_lines() -> list[list[str]]:
    return [shlex.split(line) for each in blocks(PAGE, "sh") for line in each.text.splitlines()]


async def test_the_broker_s_files_are_written_as_shown(
    tmp_path: Path, surroundings: dict[str, str]
) -> None:
    program("openssl")
    (line,) = [line for line in shell_lines() if line[0] == "python"]
    line = [sys.executable, *line[1:2], str(tmp_path / "broker"), *line[3:]]
    await printed(shlex.join(line), ROOT, surroundings)
    assert {"acl", "ca.pem", "a.key", "b.url"} <= set(os.listdir(tmp_path / "broker"))


def test_nodes_start_as_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for line in shell_lines():
        if line[0] == "export":
            name, _, value = line[1].partition("=")
            monkeypatch.setenv(name, value.replace("db.example.org", "127.0.0.1:1"))
    (serve,) = [line for line in shell_lines() if line[0] == "samedeal-server"]
    assert cli.main(serve[1:]) == 2
    assert "127.0.0.1:1/samedeal cannot be reached" in capsys.readouterr().err


def composing(command: str) -> list[list[str]]:
    """Returns what is shown for a command of `docker compose`, each without what all begin with."""
    lines = [line for line in shell_lines() if line[0] == "docker"]
    assert all(line[:4] == COMPOSE for line in lines)
    return [line[5:] for line in lines if line[4] == command]


def test_containers_are_looked_at_and_made_anew_by_the_names_that_they_have() -> None:
    services = yaml.safe_load((ROOT / COMPOSE[-1]).read_text("utf-8"))["services"]
    for command in ("logs", "up"):
        named = {word for line in composing(command) for word in line if not word.startswith("--")}
        assert named == {"a", "b", "c"}
        assert named <= services.keys()


async def test_containers_back_up_and_restore_as_shown(
    tmp_path: Path, surroundings: dict[str, str]
) -> None:
    """What `run` has its container do is done here, in the order of the page."""
    (tmp_path / "backups").mkdir()
    done: list[str] = []
    async with (
        database() as old,
        empty_database() as new,
        busy(tmp_path / "data", "--node", "a", "--store", old),
    ):
        ours = {**surroundings, "SAMEDEAL_STORE": old}
        for line in composing("run"):
            words = [each for each in line if each not in ("--volume", "$PWD/backups:/backups")]
            assert words[:2] == ["--rm", "migrate"]
            command = shlex.join(words[2:] or ["migrate"]).replace("/backups", "backups")
            if command == "migrate":
                ours["SAMEDEAL_STORE"] = new
            await printed(f"samedeal-server {command}", tmp_path, ours)
            done.append(command.split()[0])
    assert done == ["backup", "check", "migrate", "restore", "check", "migrate"]


# --- files -------------------------------------------------------------------------------------


def test_the_unit_starts_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # as its document says
    unit.read_file(io.StringIO(block("ini")))
    service = unit["Service"]
    no_folder = tmp_path / "file" / "data"
    no_folder.parent.write_text("")
    path, *arguments = service["ExecStart"].split()
    assert Path(path).name == "samedeal-server"
    assert cli.main([*arguments, "--data", str(no_folder)]) == 2
    assert f"{no_folder} cannot be made" in capsys.readouterr().err
    default = Settings()
    assert int(service["TimeoutStopSec"]) > default.drain + default.close_timeout


def test_rules_ask_for_what_is_counted() -> None:
    (group,) = yaml.safe_load(block("yaml"))["groups"]
    asked = {name for rule in group["rules"] for name in re.findall(r"samedeal_\w+", rule["expr"])}
    page = PrometheusMeter().page()
    counted = set(re.findall(r"^(samedeal_\w+)", page, re.MULTILINE))
    assert asked <= counted
    assert set(re.findall(r"`(samedeal_\w+)`", PAGE)) <= counted


def test_figures_are_those_of_the_program() -> None:
    default = Settings()
    assert f"{default.drain:g}\nseconds to end (`--drain`)" in PAGE
    assert f"After {tenure.ALONE_S:g} s it gives up races" in PAGE
    assert f"sends its players away after {tenure.LAPSED_S:g} s" in PAGE
    assert leases.TTL_MS / 1000 + 2 * RENEW_S < 5  # a dead node's races stand still for 3 to 5 s
    assert log._LINKS + 1 == 5
    assert "A node holds five connections" in PAGE
    assert f"**PostgreSQL** ({schema.OLDEST} or newer" in PAGE
    assert default.idle_timeout < 75
    assert "for at least 75 seconds" in PAGE


def test_every_link_leads_somewhere() -> None:
    for document in ("docs/operations.md", "docs/design.md", "README.md"):
        file = ROOT / document
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text("utf-8")):
            assert (file.parent / target).exists(), target


def test_the_page_can_be_found() -> None:
    assert "](docs/operations.md)" in (ROOT / "README.md").read_text("utf-8")
    assert "](operations.md)" in (ROOT / "docs" / "design.md").read_text("utf-8")
