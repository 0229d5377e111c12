"""A way over TCP that can be cut, frozen or slowed, as networks do to servers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from samedeal_server.settings import Address

__all__ = ["Gate", "gate"]


class Gate:
    """Passes bytes between whoever connects and `target`, as long as it is let."""

    def __init__(self, target: Address) -> None:
        self.target = target
        self.address = Address("127.0.0.1", 0)
        self.is_cut = False
        self.is_frozen = False
        self.delay_s = 0.0
        self.ends: set[_End] = set()

    def cut(self) -> None:
        """Breaks every connection, and each new one at once."""
        self.is_cut = True
        self.sever()

    def sever(self) -> None:
        """Breaks every connection; new ones are let through."""
        for end in tuple(self.ends):
            end.break_off()

    def freeze(self) -> None:
        """Lets nothing pass from now on, while every connection stays open and new ones hang."""
        self.is_frozen = True

    def slow(self, seconds: float) -> None:
        """Delivers everything so much later, in each direction."""
        self.delay_s = seconds

    def mend(self) -> None:
        """Lets everything pass again; what a frozen way has swallowed arrives now."""
        self.is_cut = self.is_frozen = False
        self.delay_s = 0.0
        for end in tuple(self.ends):
            end.deliver()


class _End(asyncio.Protocol):
    """One side of a connection that goes through a gate."""

    def __init__(self, gate: Gate, other: _End | None = None) -> None:
        self._gate = gate
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._waiting: deque[tuple[float, bytes]] = deque()
        """What is to be written to this side, and when; nothing for the end of the other."""
        self._dialling: asyncio.Task[None] | None = None
        self._other = other

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._gate.ends.add(self)
        if self._gate.is_cut:
            transport.abort()
        elif self._other is None:
            self._other = _End(self._gate, self)
            self._dialling = self._loop.create_task(self._dial(self._other), name="gate")
        self.deliver()

    async def _dial(self, far: _End) -> None:
        target = self._gate.target
        try:
            await self._loop.create_connection(lambda: far, target.host, target.port)
        except OSError:
            self.break_off()

    def data_received(self, data: bytes) -> None:
        if self._other is not None:
            self._other.take(data)

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._gate.ends.discard(self)
        if self._other is not None:
            self._other.take(b"")

    def take(self, data: bytes) -> None:
        """Has data written to this side when it may pass."""
        delay = self._gate.delay_s
        self._waiting.append((self._loop.time() + delay, data))
        if delay:
            self._loop.call_later(delay, self.deliver)
        else:
            self.deliver()

    def deliver(self) -> None:
        """Writes what may pass by now."""
        transport = self._transport
        if transport is None or self._gate.is_frozen:
            return
        now = self._loop.time()
        while self._waiting and (self._waiting[0][0] <= now or not self._gate.delay_s):
            _, data = self._waiting.popleft()
            if data:
                transport.write(data)
            else:
                transport.close()

    def break_off(self) -> None:
        """Ends this side without a word."""
        if self._transport is not None:
            self._transport.abort()


@asynccontextmanager
async def gate(target: Address) -> AsyncIterator[Gate]:
    """Opens a way to a server; it and everything on it is gone when the block ends."""
    made = Gate(target)
    server = await asyncio.get_running_loop().create_server(lambda: _End(made), "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    made.address = Address(host, port)
    try:
        yield made
    finally:
        made.cut()
        server.close()
        await server.wait_closed()
