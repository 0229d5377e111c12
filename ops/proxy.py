"""A small TCP proxy in front of several nodes: one address for players, whichever nodes live.

Connections go round robin to the nodes whose /readyz answers 200; a node that refuses one is passed
over. A connection ends when either side ends it: the player's program then comes again, and lands
at another node. For trying things out; several machines deserve a grown-up proxy (compose.yml).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

from samedeal_server.settings import Address

__all__ = ["Proxy", "listening"]

LOOK_S: Final = 0.5
"""How often each node is asked whether it is ready."""
PATIENCE_S: Final = 1.0
"""How long a node may take to answer, or to take a connection."""
_ASK: Final = b"GET /readyz HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\n\r\n"


class Proxy:
    """Passes connections on. Every task of it belongs to the group."""

    def __init__(self, nodes: Sequence[Address], group: asyncio.TaskGroup) -> None:
        self._nodes = list(nodes)
        self._group = group
        self._ready: frozenset[Address] = frozenset()
        self._turn = 0
        self._carrying: set[asyncio.Task[None]] = set()

    async def look(self) -> None:
        """Asks every node whether it is ready."""
        answers = await asyncio.gather(*map(_is_ready, self._nodes))
        self._ready = frozenset(
            node for node, is_ready in zip(self._nodes, answers, strict=True) if is_ready
        )

    async def keep_looking(self) -> None:
        """Asks them again and again, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            await self.look()

    def end(self) -> None:
        """Ends every connection."""
        for task in self._carrying:
            task.cancel()

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Takes a connection."""
        task = self._group.create_task(self._carry(reader, writer), name="proxied connection")
        self._carrying.add(task)
        task.add_done_callback(self._carrying.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if node := await self._connected():
                await asyncio.gather(_pump(reader, node[1]), _pump(node[0], writer))
        finally:
            writer.close()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        """Returns a connection to the node whose turn it is, or to the next that takes one."""
        self._turn += 1
        turn = self._turn % len(self._nodes)
        for node in self._nodes[turn:] + self._nodes[:turn]:
            if node in self._ready:
                with suppress(OSError):
                    async with asyncio.timeout(PATIENCE_S):
                        return await asyncio.open_connection(node.host, node.port)
                self._ready -= {node}  # until it is looked at again
        return None


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Passes bytes on until there are no more; then the other direction ends as well."""
    try:
        with suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
    finally:
        writer.close()


async def _is_ready(node: Address) -> bool:
    try:
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection(node.host, node.port)
            try:
                writer.write(_ASK)
                return b" 200 " in await reader.readline()
            finally:
                writer.close()
    except OSError:  # TimeoutError is one
        return False


@asynccontextmanager
async def listening(at: Address, nodes: Sequence[Address]) -> AsyncIterator[Address]:
    """Listens for as long as the block lasts; yields the address, with the port it really has.

    Raises an `ExceptionGroup` around an `OSError` when the address cannot be listened on.
    """
    async with asyncio.TaskGroup() as group:
        proxy = Proxy(nodes, group)
        await proxy.look()
        server = await asyncio.start_server(proxy.accept, at.host, at.port)
        looking = group.create_task(proxy.keep_looking(), name="readiness")
        try:
            yield Address(*server.sockets[0].getsockname()[:2])
        finally:
            server.close()
            looking.cancel()
            proxy.end()
