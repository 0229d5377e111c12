"""A client that speaks and does not read, by hand on a bare socket with a small buffer."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from samedeal_protocol.codec import MSGPACK
from samedeal_protocol.messages import ClientMessage, ServerMessage
from samedeal_server.settings import Address

__all__ = ["Deaf", "deaf", "masked"]

_PATIENCE: Final = 20.0


def masked(payload: bytes, *, first: int = 0x82) -> bytes:
    """Returns one frame as clients must send it, masked with zeros; `first` is its first byte."""
    size = len(payload)
    if size < 126:
        head = bytes((first, 0x80 | size))
    elif size < 65_536:
        head = bytes((first, 0x80 | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((first, 0x80 | 127)) + size.to_bytes(8, "big")
    return head + bytes(4) + payload


class Deaf:
    """One such client. What it was sent waits in the kernels until `read_to_the_close`."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.close_code: int | None = None

    async def say(self, message: ClientMessage) -> None:
        await self.send(masked(MSGPACK.encode.encode(message)))

    async def send(self, data: bytes) -> None:
        """Writes bytes as they are."""
        await asyncio.get_running_loop().sock_sendall(self._sock, data)

    async def read_to_the_close(self) -> list[ServerMessage]:
        """Reads all that was sent, until the server's close frame."""
        messages: list[ServerMessage] = []
        async with asyncio.timeout(_PATIENCE):
            while True:
                first, second = await self._exactly(2)
                size = second & 0x7F
                if size >= 126:
                    size = int.from_bytes(await self._exactly(2 if size == 126 else 8), "big")
                payload = await self._exactly(size)
                if first & 0x0F == 8:
                    self.close_code = int.from_bytes(payload[:2], "big")
                    return messages
                messages.append(MSGPACK.read_server(payload))

    async def _exactly(self, count: int) -> bytes:
        loop, data = asyncio.get_running_loop(), b""
        while len(data) < count:
            more = await loop.sock_recv(self._sock, count - len(data))
            if not more:
                raise EOFError(f"the server cut the link after {data!r}")
            data += more
        return data


@asynccontextmanager
async def deaf(address: Address, *, subprotocol: str = MSGPACK.subprotocol) -> AsyncIterator[Deaf]:
    """Connects and does the handshake."""
    loop = asyncio.get_running_loop()
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.setblocking(False)
        await loop.sock_connect(sock, (address.host, address.port))
        request = (
            f"GET / HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Protocol: {subprotocol}\r\n\r\n"
        )
        await loop.sock_sendall(sock, request.encode())
        answer = b""
        async with asyncio.timeout(_PATIENCE):
            while not answer.endswith(b"\r\n\r\n"):
                answer += await loop.sock_recv(sock, 1)
        assert answer.startswith(b"HTTP/1.1 101 "), answer
        yield Deaf(sock)
