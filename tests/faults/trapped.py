"""The server command with a log that kills it, and a wall clock that is ahead.

python -m faults.trapped "3 before" 60000 serve --data DIR ...
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from samedeal_server import cli, outside
from samedeal_server.adapters.clock import SystemClock
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.ports import Entry

__all__ = ["Trap"]


@dataclass(frozen=True, slots=True)
class Trap:
    """Kills the server at its n-th append (1 is the first) `before` or after it is durable."""

    append: int
    before: bool

    def text(self) -> str:
        """Returns it as the command takes it."""
        return f"{self.append} {'before' if self.before else 'after'}"

    @classmethod
    def parse(cls, text: str) -> Trap:
        append, when = text.split()
        return cls(int(append), when == "before")


def _lay(trap: Trap) -> None:
    """Has the server use a log that kills it."""
    left = trap.append

    class Mortal(SqliteLog):
        async def append(self, entries: Sequence[Entry], *, over: Sequence[str] = ()) -> None:
            nonlocal left
            left -= 1
            if left == 0 and trap.before:
                os.kill(os.getpid(), signal.SIGKILL)
            await super().append(entries, over=over)
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    # Nothing else runs in this process: it was made to be that server.
    outside.__dict__["SqliteLog"] = Mortal


def _set_clock(ahead_ns: int) -> None:
    """Has the server read a wall clock that is so many nanoseconds ahead."""

    class Ahead(SystemClock):
        def __init__(self, *, floor: int) -> None:
            super().__init__(floor=floor, wall=lambda: time.time_ns() + ahead_ns)

    outside.__dict__["SystemClock"] = Ahead


def main(trap: str, ahead_ms: str, *command: str) -> int:
    """Runs the command and returns its exit code."""
    if trap:
        _lay(Trap.parse(trap))
    if ahead := int(ahead_ms):
        _set_clock(ahead * 1_000_000)
    return cli.main(command)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
