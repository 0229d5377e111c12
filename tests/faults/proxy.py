"""A proxy on loopback that can go deaf: sockets stay open, and nothing passes any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from samedeal_server.settings import Address

__all__ = ["Proxy", "proxy"]


class Proxy:
    """Passes bytes between clients and `target` until it is frozen; closes too."""

    def __init__(self, target: Address) -> None:
        self.address = Address("127.0.0.1", 0)
        self.connections = 0
        """How many clients have ever connected."""
        self._target = target
        self._may_pass = asyncio.Event()
        self._may_pass.set()
        self._ends = asyncio.Event()

    def freeze(self) -> None:
        """Swallows everything from now on, closes included; every socket stays open."""
        self._may_pass.clear()

    def sever(self) -> None:
        """Closes every socket at last."""
        self._ends.set()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one client."""
        self.connections += 1
        far_reader, far_writer = await asyncio.open_connection(self._target.host, self._target.port)
        passing = [
            asyncio.create_task(self._pass(reader, far_writer), name="to the server"),
            asyncio.create_task(self._pass(far_reader, writer), name="to the client"),
        ]
        ending = asyncio.create_task(self._ends.wait(), name="end")
        try:
            await asyncio.wait({*passing, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*passing, ending):
                task.cancel()
            for each in (writer, far_writer):
                each.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                data = await reader.read(65_536)
            except ConnectionError:
                data = b""
            await self._may_pass.wait()
            if not data:
                return
            writer.write(data)


@asynccontextmanager
async def proxy(target: Address) -> AsyncIterator[Proxy]:
    """Runs a proxy in front of a server; every socket of it is closed when the block ends."""
    made = Proxy(target)
    server = await asyncio.start_server(made.carry, "127.0.0.1", 0)
    made.address = Address("127.0.0.1", server.sockets[0].getsockname()[1])
    try:
        yield made
    finally:
        made.sever()
        server.close()
        await server.wait_closed()
