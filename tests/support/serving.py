"""A real server as a process, for tests of commands that are processes themselves."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.forked import forked
from support.patience import PATIENCE_S

__all__ = ["ROOT", "environment", "serving"]

ROOT = Path(__file__).parent.parent.parent
_START_LINES = 20


def environment(home: Path, **more: str) -> dict[str, str]:
    """Returns the environment of a command: our packages, a home of its own, nobody's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SAMEDEAL_")}
    packages = (str(ROOT / part) for part in ("rules", "protocol", "server", "client"))
    ours = {"PYTHONPATH": os.pathsep.join(packages), "SAMEDEAL_HOME": str(home)}
    return {**kept, **ours, **more}


@contextmanager
def serving(data: Path, *arguments: str) -> Iterator[str]:
    """Serves on a free port and yields the ws:// address; the data stays."""
    command = [*forked("samedeal_server"), "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        [*command, "--data", str(data), "--drain", "0", "--log-level", "warning", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(data),
        text=True,
    ) as process:
        try:
            yield _address(process)
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE_S)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for _ in range(_START_LINES):
        if found := re.search(r"ws://[^\s/]+", process.stdout.readline()):
            return found[0]
    raise AssertionError("the server has not said where it listens")
