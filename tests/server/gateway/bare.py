"""A WebSocket by hand: the handshake, and frames as bytes."""

from __future__ import annotations

import asyncio

from samedeal_protocol.codec import MSGPACK
from samedeal_server.app import Node
from samedeal_server.settings import Address
from support.patience import PATIENCE_S

__all__ = ["handshake", "masked", "received", "shaken"]


def handshake(address: Address) -> bytes:
    """Returns what a client says first."""
    return (
        f"GET / HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Protocol: {MSGPACK.subprotocol}\r\n\r\n"
    ).encode()


async def shaken(node: Node) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connects and shakes hands, for a test that sends bytes of its own."""
    reader, writer = await asyncio.open_connection(node.address.host, node.address.port)
    writer.write(handshake(node.address))
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    return reader, writer


def masked(payload: bytes, first: int = 0x82, mask: bytes = b"\x01\x02\x03\x04") -> bytes:
    """Returns a client's frame."""
    size = len(payload)
    if size < 126:
        head = bytes((first, 0x80 | size))
    elif size < 65_536:
        head = bytes((first, 0x80 | 126)) + size.to_bytes(2)
    else:
        head = bytes((first, 0x80 | 127)) + size.to_bytes(8)
    body = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
    return head + mask + body


async def received(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Reads one frame of the server's."""
    async with asyncio.timeout(PATIENCE_S):
        first, size = await reader.readexactly(2)
        if size == 126:
            size = int.from_bytes(await reader.readexactly(2))
        return first, await reader.readexactly(size)
