"""A server may have as many files open as its connections need, or says that it may not."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from resource import RLIM_INFINITY

import pytest

from samedeal_server.adapters.open_files import SPARE, kept, raised
from support.patience import PATIENCE_S
from support.processes import PACKAGES

ENVIRONMENT = {**os.environ, "PYTHONPATH": PACKAGES}


@pytest.mark.parametrize(
    ("soft", "hard", "needed", "asked"),
    [
        (1024, 4096, 2000, 2000),
        (1024, 1500, 2000, 1500),
        (1024, RLIM_INFINITY, 2000, 2000),
        (3000, 4096, 2000, 3000),
        (RLIM_INFINITY, RLIM_INFINITY, 2000, RLIM_INFINITY),
    ],
)
def test_the_limit_is_raised_as_far_as_needed_and_allowed(
    soft: int, hard: int, needed: int, asked: int
) -> None:
    assert raised(soft, hard, needed) == asked


@pytest.mark.parametrize(
    ("files", "connections"),
    [(RLIM_INFINITY, 20_000), (21_000, 20_000), (4096, 3096), (1024, 512), (100, 50)],
)
def test_where_nobody_says_how_many_a_server_takes_what_it_has_files_for(
    files: int, connections: int
) -> None:
    assert kept(files) == connections


@pytest.mark.parametrize(
    ("connections", "taken", "is_enough"),
    [(200, 200, True), (201, 201, False), (None, 600, True)],
)
def test_a_hard_limit_is_told_of_if_more_was_asked_for_and_else_kept(
    connections: int | None, taken: int, is_enough: bool
) -> None:
    most = 200 + SPARE
    program = (
        "import resource\n"
        "from samedeal_server.adapters.open_files import allow\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, (100, {most}))\n"
        f"print(allow({connections}))\n"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    said = subprocess.run(
        [sys.executable, "-c", program],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == f"{taken}\n({most}, {most})\n"
    assert ("or lower --max-connections" in said.stderr) == (not is_enough)
    assert len(said.stderr.splitlines()) == (0 if is_enough else 1)


async def test_requests_that_never_end_leave_room_for_others(tmp_path: Path) -> None:
    serve = "exec {} -m samedeal_server serve --listen 127.0.0.1:0 --max-connections 500 --data {}"
    running = await asyncio.create_subprocess_shell(
        f"ulimit -S -n 100; {serve.format(sys.executable, tmp_path)}",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=ENVIRONMENT,
    )
    assert running.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            line = (await running.stdout.readline()).decode()
            host, _, port = line.split("ws://")[1].split()[0].partition(":")
            with ExitStack() as held:
                for _ in range(200):
                    idle = socket.create_connection((host, int(port)))
                    held.enter_context(idle)
                    idle.sendall(b"GET / HTTP/1.1\r\n")
                reader, writer = await asyncio.open_connection(host, int(port))
                writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                assert (await reader.readline()).startswith(b"HTTP/1.1 200")
                writer.close()
    finally:
        running.terminate()
        await running.wait()
