"""A WebSocket client that costs next to nothing, so that the server's cost can be seen.

It speaks the opening handshake and unfragmented frames of any length, masks with a zero key
(which leaves the payload as it is) and answers pings. It is for measuring on loopback only.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Callable
from typing import cast

__all__ = ["Wire", "connect", "framed"]

_BINARY = 0x82
_OPCODE = 0x0F
_CLOSE, _PING, _PONG = 0x8, 0x9, 0xA


def framed(payload: bytes, first: int = _BINARY) -> bytes:
    """Returns the payload as one masked client frame (the mask is zero)."""
    size = len(payload)
    if size < 126:
        head = bytes((first, 0x80 | size))
    elif size < 65536:
        head = bytes((first, 0x80 | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((first, 0x80 | 127)) + size.to_bytes(8, "big")
    return head + b"\0\0\0\0" + payload


class Wire(asyncio.Protocol):
    """One connection; `receive` gets every message's payload as it arrives."""

    def __init__(self, host: str, subprotocol: str | None) -> None:
        self.receive: Callable[[bytes], None] = lambda payload: None
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.transport: asyncio.Transport
        self._buffer = b""
        self._host = host
        self._subprotocol = subprotocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # The transports of uvloop do not inherit from those of asyncio.
        self.transport = transport = cast("asyncio.Transport", transport)
        lines = [
            "GET / HTTP/1.1",
            f"Host: {self._host}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            "Sec-WebSocket-Version: 13",
        ]
        if self._subprotocol is not None:
            lines.append(f"Sec-WebSocket-Protocol: {self._subprotocol}")
        transport.write(("\r\n".join(lines) + "\r\n\r\n").encode())

    def data_received(self, data: bytes) -> None:
        data = self._buffer + data if self._buffer else data
        if not self.opened.done():
            head, split, data = data.partition(b"\r\n\r\n")
            if not split:
                self._buffer = head
                return
            if b" 101 " not in head.split(b"\r\n", 1)[0]:
                self.opened.set_exception(ConnectionError(head.decode(errors="replace")))
                return
            self.opened.set_result(None)
        at, end = 0, len(data)
        while end - at >= 2:
            size, start = data[at + 1], at + 2
            if size == 126:
                start += 2
                size = int.from_bytes(data[at + 2 : start], "big")
            elif size == 127:
                start += 8
                size = int.from_bytes(data[at + 2 : start], "big")
            if end < start + size:
                break
            opcode = data[at] & _OPCODE
            payload = data[start : start + size]
            at = start + size
            if opcode == _PING:
                self.transport.write(framed(payload, 0x80 | _PONG))
            elif opcode == _CLOSE:
                self.transport.close()
            else:
                self.receive(payload)
        self._buffer = data[at:]

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(exc or ConnectionError("closed in the handshake"))
        if not self.closed.done():
            self.closed.set_result(None)

    def send(self, payload: bytes) -> None:
        """Sends one binary message."""
        self.transport.write(framed(payload))


async def connect(host: str, port: int, subprotocol: str | None = None) -> Wire:
    """Opens a connection and returns it when the handshake is done."""
    loop = asyncio.get_running_loop()
    _, wire = await loop.create_connection(lambda: Wire(f"{host}:{port}", subprotocol), host, port)
    await wire.opened
    return wire
