"""The command as a process at a terminal of its own."""

from __future__ import annotations

import codecs
import contextlib
import os
import pty
import select
import signal
import sys
import time

from support.patience import PATIENCE_S

__all__ = ["Screen"]


class Screen:
    """A process at a terminal of its own."""

    def __init__(self, arguments: list[str], env: dict[str, str]) -> None:
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.execve(sys.executable, arguments, env)
        self.shown = ""
        # A character may come in two parts.
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def wait_for(self, text: str) -> None:
        """Reads until the text has been shown."""
        until = time.monotonic() + PATIENCE_S
        while text not in self.shown:
            assert time.monotonic() < until, f"{text!r} is not in:\n{self.shown}"
            if not self._read():
                break
        assert text in self.shown, self.shown

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def end(self) -> int:
        """Reads to the end; returns the exit code."""
        while self._read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._fd)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._fd], [], [], PATIENCE_S)
        assert ready, self.shown
        with contextlib.suppress(OSError):
            if chunk := os.read(self._fd, 1 << 16):
                self.shown += self._decoder.decode(chunk)
                return True
        return False
