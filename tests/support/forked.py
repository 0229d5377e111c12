"""Our commands as processes that start at once: forked off one that has imported everything.

What runs is the real command, in a process of its own with its own arguments, folder, environment
and files, to the interpreter's end; only the half second that Python needs to import it is spent
once and not a hundred times. How a process begins is tested with `python -m`.

    command = [*forked("samedeal_client"), "games"]     # for subprocess, a shell, or a terminal

Run as a program, this file is the process that forks.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import marshal
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FrameType, ModuleType
from typing import Final

from samedeal_client.cli.command import parser
from samedeal_server.adapters.webhooks import posting
from samedeal_server.gateway import web

__all__ = ["KILL", "door", "forked"]

_ROOT: Final = Path(__file__).parents[2]
_PACKAGES: Final = ("rules", "protocol", "server", "client", "tests")
_STAND_IN: Final = Path(__file__).with_name("stand_in.py")
_LOADED: Final = (
    "uvloop",
    "websockets.asyncio.client",
    "samedeal_server.app",
    "samedeal_server.adapters.log_postgres",
    "samedeal_server.adapters.bus_mqtt",
)
"""What our commands import only when they get that far."""
_READY: Final = b"ready\n"

KILL: Final = signal.SIGUSR1
"""Ends such a process at once, as SIGKILL does; that itself would reach who stands in for it."""


def forked(module: str) -> list[str]:
    """Returns the words that start `python -m module`, for one of our modules, in a blink.

    The process ends when who started it is killed, and soon after SIGKILL; `KILL` is waited for.
    """
    return [sys.executable, "-I", "-S", str(_STAND_IN), door(), module]


@cache
def door() -> str:
    """Starts this process's forge, which ends with it; returns the path of its socket.

    Whoever orders a process there (`stand_in.order`) is sent its number, and at last its status.
    """
    folder = Path(tempfile.mkdtemp(prefix="samedeal-forge-"))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SAMEDEAL_")}
    path = os.pathsep.join(str(_ROOT / package) for package in _PACKAGES)
    forge = subprocess.Popen(
        [sys.executable, "-P", str(Path(__file__)), str(folder / "socket")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**kept, "PYTHONPATH": path},
        start_new_session=True,  # Ctrl-C is for the tests
    )
    assert forge.stdout is not None
    assert forge.stdout.readline() == _READY

    def end() -> None:
        forge.communicate()
        shutil.rmtree(folder)

    atexit.register(end)
    return str(folder / "socket")


# --- the process that forks ----------------------------------------------------------------------


def main(path: str) -> None:
    """Forks a process for everybody who asks; in each of those it runs what was asked for."""
    parser()  # has loaded every command
    for module in _LOADED:
        importlib.import_module(module)
    web.client_tree()
    posting.tls_context()
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as entry:
        entry.bind(path)
        entry.listen(64)
        os.write(1, _READY)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        asked_for = _await_orders(entry)
    if asked_for is not None:
        atexit.register(_leave_whole)
        runpy.run_module(asked_for, run_name="__main__", alter_sys=True)


_LEFT: Final[dict[str, ModuleType]] = {}


def _leave_whole() -> None:
    """Has the interpreter's end not take apart, one by one, all modules that were imported."""
    _LEFT.update(sys.modules)
    sys.modules.clear()


def _await_orders(entry: socket.socket) -> str | None:
    """Returns in every process that is forked, with the module that it is to run.

    In the process itself it returns nothing, when who started it is gone.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how keepers end
    while True:
        readable, _, _ = select.select([0, entry.fileno()], [], [])
        if 0 in readable:
            return None
        there, _ = entry.accept()
        with there:
            if os.fork() == 0:
                return _keep(there)


def _keep(there: socket.socket) -> str:
    """Forks the process and stays beside it: signals come in, how it ended goes out."""

    def tell_end(_number: int, _frame: FrameType | None) -> None:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid:
            with suppress(OSError):
                there.sendall(status.to_bytes(4, "big"))
            os._exit(0)

    size, files, _, _ = socket.recv_fds(there, 4, 3)
    order = there.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
    signal.signal(signal.SIGCHLD, tell_end)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        return _become(files, *marshal.loads(order))
    for file in files:
        os.close(file)
    with suppress(OSError):
        there.sendall(pid.to_bytes(4, "big"))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    while number := there.recv(1):
        os.kill(pid, signal.SIGKILL if number[0] == KILL else number[0])
    os.kill(pid, signal.SIGKILL)  # who stood in for it has been killed
    while True:
        signal.pause()


def _become(
    files: Sequence[int], words: Sequence[str], folder: str, environment: Mapping[str, str]
) -> str:
    """Gives a process that was just forked what it was started with; returns its module."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    at_once = bool(environment.get("PYTHONUNBUFFERED"))
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", 1 if at_once or os.isatty(1) else -1, closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    module, *sys.argv[1:] = words
    return module


if __name__ == "__main__":
    main(sys.argv[1])
