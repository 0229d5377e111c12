"""A link that keeps back what a client says, until it is let go: a slow network without waiting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

__all__ = ["SlowLink", "slow_link"]


class SlowLink:
    """An address in front of a server's."""

    def __init__(self, url: str) -> None:
        self._host, _, port = url.removeprefix("ws://").partition(":")
        self._port = int(port)
        self._goes = asyncio.Event()
        self._goes.set()
        self._ends: list[asyncio.Event] = []
        self.url = ""

    def hold(self) -> None:
        """Keeps back what is said from now on."""
        self._goes.clear()

    def release(self) -> None:
        """Lets it through, in its order."""
        self._goes.set()

    async def through(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carries one connection; both of its ends are closed, whatever becomes of either."""
        end = asyncio.Event()
        self._ends.append(end)
        async with AsyncExitStack() as stack:
            stack.callback(end.set)
            stack.push_async_callback(_close, writer)
            near, far = await asyncio.open_connection(self._host, self._port)
            stack.push_async_callback(_close, far)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pipe(reader, far, is_held=True))
                group.create_task(self._pipe(near, writer, is_held=False))

    async def ended(self) -> None:
        """Waits until every connection is closed at both of its ends."""
        self.release()
        for end in self._ends:
            await end.wait()

    async def _pipe(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_held: bool
    ) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(4096):
                if is_held:
                    await self._goes.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


@asynccontextmanager
async def slow_link(url: str) -> AsyncIterator[SlowLink]:
    """Puts a link in front of the server."""
    link = SlowLink(url)
    server = await asyncio.start_server(link.through, "127.0.0.1", 0)
    async with server:
        link.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield link
        await link.ended()
