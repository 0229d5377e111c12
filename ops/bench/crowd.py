"""Spectators by the thousand, in a process of their own: what they cost shows nowhere else.

    python -m bench.crowd PORT COUNT [--race RACE] [--stalled]

Connects, watches the race (without one it just listens to whatever comes), and says `ready`. Then
it answers every line with the bytes that have come in and the connections that were lost, and ends
with its input. The stalled ones read nothing once they watch.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from typing import Final

from bench.load import Asking
from bench.processes import allow_files
from bench.wire import Wire, connect
from samedeal_protocol import messages

__all__ = ["Crowd"]

_TOGETHER: Final = 50
"""Spectators that arrive at a time."""
_NICE: Final = 10


class _Sink(asyncio.BufferedProtocol):
    """Takes the bytes of all connections, and does nothing but count them."""

    def __init__(self) -> None:
        self.bytes = 0
        self.lost = 0
        self._scrap = bytearray(1 << 18)

    def get_buffer(self, sizehint: int) -> bytearray:
        return self._scrap

    def buffer_updated(self, nbytes: int) -> None:
        self.bytes += nbytes

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost += 1


async def _arrive(port: int, race: str | None) -> Wire:
    if race is None:
        return await connect("127.0.0.1", port)
    wire = await connect("127.0.0.1", port, messages.SUBPROTOCOL_MSGPACK)
    asking = Asking(wire)
    await asking(messages.Hello, client="bench", bot=True)
    await asking(messages.Watch, race=race)
    return wire


async def _run(port: int, count: int, race: str | None, *, stalled: bool) -> None:
    sink = _Sink()
    for first in range(0, count, _TOGETHER):
        arriving = [_arrive(port, race) for _ in range(min(_TOGETHER, count - first))]
        for wire in await asyncio.gather(*arriving):
            wire.transport.set_protocol(sink)
            if stalled:
                wire.transport.pause_reading()
    print("ready", flush=True)
    loop, end = asyncio.get_running_loop(), asyncio.Event()

    def answer() -> None:
        if os.read(sys.stdin.fileno(), 4096):
            print(sink.bytes, sink.lost, flush=True)
        else:
            loop.remove_reader(sys.stdin)
            end.set()

    loop.add_reader(sys.stdin, answer)
    await end.wait()


class Crowd:
    """A running crowd, as the process that measures knows it."""

    def __init__(self, process: asyncio.subprocess.Process, count: int) -> None:
        self._process = process
        self.count = count

    @classmethod
    async def gathered(
        cls, port: int, count: int, *, race: str | None = None, stalled: bool = False
    ) -> Crowd:
        """Starts a crowd and waits until all of it is there."""
        command = [sys.executable, "-m", "bench.crowd", str(port), str(count)]
        command += [] if race is None else ["--race", race]
        command += ["--stalled"] if stalled else []
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        crowd = cls(process, count)
        if await crowd._heard() != "ready":
            raise RuntimeError("the crowd did not arrive")
        return crowd

    async def told(self) -> tuple[int, int]:
        """Returns how many bytes have come in, and how many connections were lost."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"?\n")
        received, lost = (await self._heard()).split()
        return int(received), int(lost)

    async def leave(self) -> None:
        """Ends the process and waits for its end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    async def _heard(self) -> str:
        assert self._process.stdout is not None
        return (await self._process.stdout.readline()).decode().strip()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--race")
    parser.add_argument("--stalled", action="store_true")
    options = parser.parse_args()
    allow_files()
    os.nice(_NICE)
    running = _run(options.port, options.count, options.race, stalled=options.stalled)
    try:
        import uvloop
    except ImportError:
        asyncio.run(running)
    else:
        uvloop.run(running)
