"""A client that speaks and does not read, by hand on a bare socket with a small buffer."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from samedeal_protocol.codec import MSGPACK, Codec
from samedeal_protocol.messages import ClientMessage, ServerMessage
from samedeal_server.settings import Address
from support.patience import PATIENCE_S

__all__ = ["Deaf", "deaf", "masked"]


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
    """One such client. What it was sent waits in the kernels until it is read."""

    def __init__(self, sock: socket.socket, codec: Codec) -> None:
        self._sock = sock
        self.codec = codec
        self.close_code: int | None = None
        """From the server's close frame; 1006 when it just cut the link."""

    async def say(self, message: ClientMessage) -> None:
        await self.send(masked(self.codec.encode.encode(message), first=self.first))

    async def send(self, data: bytes) -> None:
        """Writes bytes as they are; nothing happens when the link is cut."""
        with suppress(ConnectionError):
            await asyncio.get_running_loop().sock_sendall(self._sock, data)

    @property
    def first(self) -> int:
        """The first byte of a whole message in this encoding."""
        return 0x81 if self.codec.is_text else 0x82

    async def read(self) -> ServerMessage | None:
        """Returns the next message; None when the server has closed."""
        async with asyncio.timeout(PATIENCE_S):
            while self.close_code is None:
                try:
                    first, payload = await self._frame()
                except (EOFError, ConnectionError):
                    self.close_code = 1006
                    return None
                match first & 0x0F:
                    case 8:
                        self.close_code = int.from_bytes(payload[:2], "big")
                    case 1 | 2:
                        return self.codec.read_server(payload)
                    case _:
                        pass  # A pong.
        return None

    async def read_to_the_close(self) -> list[ServerMessage]:
        """Reads all that was sent, until the server's close frame."""
        messages: list[ServerMessage] = []
        while (message := await self.read()) is not None:
            messages.append(message)
        return messages

    async def _frame(self) -> tuple[int, bytes]:
        first, second = await self._exactly(2)
        size = second & 0x7F
        if size >= 126:
            size = int.from_bytes(await self._exactly(2 if size == 126 else 8), "big")
        return first, await self._exactly(size)

    async def _exactly(self, count: int) -> bytes:
        loop, data = asyncio.get_running_loop(), b""
        while len(data) < count:
            more = await loop.sock_recv(self._sock, count - len(data))
            if not more:
                raise EOFError
            data += more
        return data


@asynccontextmanager
async def deaf(address: Address, *, codec: Codec = MSGPACK) -> AsyncIterator[Deaf]:
    """Connects and does the handshake."""
    loop = asyncio.get_running_loop()
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.setblocking(False)
        await loop.sock_connect(sock, (address.host, address.port))
        request = (
            f"GET / HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Protocol: {codec.subprotocol}\r\n\r\n"
        )
        await loop.sock_sendall(sock, request.encode())
        answer = b""
        async with asyncio.timeout(PATIENCE_S):
            while not answer.endswith(b"\r\n\r\n"):
                answer += await loop.sock_recv(sock, 1)
        assert answer.startswith(b"HTTP/1.1 101 "), answer
        yield Deaf(sock, codec)
