"""The command, run in this process or as one of its own, against one server for all these tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from samedeal_client.cli import main
from samedeal_server.app import Node
from support.forked import forked
from support.nodes import Fakes, running
from support.serving import environment, serving

__all__ = ["Piped", "Run", "Typed"]

Run = Callable[..., tuple[int, str, str]]
"""Runs the command here; returns its exit code, what it printed, and what it said of faults."""
Typed = Callable[..., list[str]]
"""Runs the command here with lines on its standard input; returns the lines that it printed."""
Piped = Callable[..., subprocess.CompletedProcess[str]]
"""Runs the command as a process, with lines on its standard input."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server's address."""
    data = tmp_path_factory.mktemp("server")
    with serving(data, "--rate", "10000", "--burst", "10000") as address:
        yield address


@pytest_asyncio.fixture
async def node(world: Fakes, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Node]:
    """A server over the module's `world`, where the command goes unless it is told otherwise."""
    async with running(world) as up:
        monkeypatch.setenv("SAMEDEAL_SERVER", f"ws://{up.address}")
        yield up


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Run]:
    """The command in this process, with a home of its own, no input and no server in sight."""
    for name in [name for name in os.environ if name.startswith("SAMEDEAL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SAMEDEAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SAMEDEAL_SERVER", "ws://127.0.0.1:1")
    nothing = tmp_path / "nothing"
    nothing.touch()
    with nothing.open() as source:
        monkeypatch.setattr(sys, "stdin", source)
        yield lambda *arguments: _command(arguments, capsys)


def _command(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def typed(run: Run, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """The command in this process, ending well, with typed lines."""

    def command(*arguments: str, lines: str = "") -> list[str]:
        read, write = os.pipe()
        os.write(write, lines.encode())
        os.close(write)
        with os.fdopen(read, "rb") as source, monkeypatch.context() as for_now:
            for_now.setattr(sys, "stdin", source)
            code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        return out.splitlines()

    return command


@pytest.fixture
def piped(tmp_path: Path) -> Piped:
    """The command as a process whose input and output are pipes."""

    def command(*arguments: str, lines: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*forked("samedeal_client"), *arguments],
            input=lines,
            cwd=tmp_path,
            env=environment(tmp_path / "home", **more),
            capture_output=True,
            text=True,
            timeout=60,
        )

    return command
