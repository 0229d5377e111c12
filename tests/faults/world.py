"""One server's whole life, as one folder and one port see it: killed, and started again."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from faults.forge import Forge, Forged
from samedeal_server.settings import Address
from support.patience import PATIENCE_S

__all__ = ["Life", "World"]


@dataclass(slots=True)
class Life:
    """One process, from its start to its end: milliseconds of UTC, by the world's clock."""

    forked: float
    listened: float | None = None
    """When it was known to listen; None for one that was killed while it started."""
    ended: float | None = None


class World:
    """A server that dies and comes back, for clients that wait until it is up."""

    def __init__(self, forge: Forge, data: Path, *options: str) -> None:
        self.data = data
        self.lives: list[Life] = []
        self.is_up = asyncio.Event()
        self._forge = forge
        self._options = options
        self._server: Forged | None = None
        self._ahead = 0
        self._port = 0
        self._heard = 0
        self._wanted = 0
        self._enough = asyncio.Event()

    @property
    def address(self) -> Address:
        """Where the server listens, also while it is down."""
        return Address("127.0.0.1", self._port)

    @property
    def errors(self) -> str:
        """Everything that any of the processes wrote to standard error."""
        return (self.data / "server.log").read_text()

    def now(self) -> float:
        """Returns milliseconds of UTC, by the clock that the servers read."""
        return time.time() * 1000 + self._ahead

    def let_pass(self, ms: int) -> None:
        """Lets time pass while the server is down."""
        assert not self.is_up.is_set()
        self._ahead += ms

    async def start(self) -> None:
        """Starts the server, on the same port as before."""
        life = Life(self.now())
        self.lives.append(life)
        server = await self._forge.start(
            self.data, *self._options, port=self._port, ahead_ms=self._ahead
        )
        life.listened = self.now()
        self._server = server
        self._port = server.address.port
        self.is_up.set()

    async def start_and_kill(self, seconds: float) -> None:
        """Starts the server and kills it so soon that it may not have come to listen."""
        life = Life(self.now())
        self.lives.append(life)
        server = await self._forge.start(
            self.data, *self._options, port=self._port, ahead_ms=self._ahead, is_awaited=False
        )
        await asyncio.sleep(seconds)
        life.ended = self.now()
        await self._forge.kill(server)

    async def kill(self) -> None:
        """Kills the server and waits until it is gone."""
        self.is_up.clear()
        self.lives[-1].ended = self.now()
        assert self._server is not None
        await self._forge.kill(self._server)

    def ask_to_end(self) -> None:
        """Sends SIGTERM."""
        assert self._server is not None
        self._server.ask_to_end()

    async def ended(self) -> int:
        """Waits until the server has gone by itself; returns its exit code."""
        assert self._server is not None
        code = await self._forge.ended(self._server)
        self.is_up.clear()
        self.lives[-1].ended = self.now()
        return code

    def resident(self) -> int:
        """Returns how many bytes of memory the server holds."""
        assert self._server is not None
        return self._server.resident()

    def heard(self) -> None:
        """Notes that a client has had a frame."""
        self._heard += 1
        if self._heard >= self._wanted:
            self._enough.set()

    async def busy(self, frames: int) -> None:
        """Waits until clients have had so many frames more, or `wake`."""
        self._wanted = self._heard + frames
        self._enough.clear()
        async with asyncio.timeout(PATIENCE_S):
            await self._enough.wait()

    def wake(self) -> None:
        """Ends a `busy`: somebody will hear no more."""
        self._enough.set()
