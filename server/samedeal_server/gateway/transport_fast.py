"""The fast carrier: no coroutine and no copy a message.

`websockets` does the handshake, the parsing, pings and closing. Its two inner steps that cost most
are left out: a frame that has been parsed goes straight to the receiver (`process_event`) instead
of waking a coroutine, and frames leave as bytes that were built once for all receivers. Neither is
a documented way to extend the library, so its version is pinned and the plain carrier passes the
same tests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import Event, State

from samedeal_protocol.errors import CloseCode
from samedeal_server.gateway.transport import Opener, Receiver

__all__ = ["FastConnection", "fast_carrier", "frame"]


def frame(payload: bytes, is_text: bool) -> bytes:
    """Returns the one unmasked, final WebSocket frame that carries `payload` (RFC 6455, 5.2)."""
    size = len(payload)
    first = 0x81 if is_text else 0x82
    if size < 126:
        return bytes((first, size)) + payload
    if size < 65536:
        return bytes((first, 126, size >> 8, size & 0xFF)) + payload
    return bytes((first, 127)) + size.to_bytes(8, "big") + payload


class FastConnection(ServerConnection):
    """A server connection that gives each message to its receiver as soon as it is parsed."""

    receiver: Receiver | None = None
    _parts: list[bytes] | None = None
    _is_text = False

    def process_event(self, event: Event) -> None:
        receiver = self.receiver
        if receiver is None:
            if self.request is None:
                super().process_event(event)
            else:
                # Frames before the handshake was answered: no client of ours does that.
                self.transport.abort()
            return
        if not isinstance(event, Frame) or self.protocol.state is not State.OPEN:
            return
        match event.opcode:
            case Opcode.BINARY | Opcode.TEXT:
                is_text = event.opcode is Opcode.TEXT
                if event.fin:
                    receiver.on_frame(bytes(event.data), is_text)
                else:
                    # The library has checked the order of fragments and limits their sum.
                    self._parts = [bytes(event.data)]
                    self._is_text = is_text
            case Opcode.CONT if self._parts is not None:
                self._parts.append(bytes(event.data))
                if event.fin:
                    payload = b"".join(self._parts)
                    self._parts = None
                    receiver.on_frame(payload, self._is_text)
            case _:
                pass

    def pause_writing(self) -> None:
        super().pause_writing()
        if self.receiver is not None:
            self.receiver.on_clogged()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.receiver is not None:
            self.receiver.on_drained()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        receiver, self.receiver = self.receiver, None
        if receiver is not None:
            receiver.on_close()


class FastLink:
    """The link over a `FastConnection`."""

    __slots__ = ("_connection", "_patience", "address", "subprotocol")

    def __init__(self, connection: FastConnection, address: str, patience: float) -> None:
        self._connection = connection
        self._patience = patience
        self.address = address
        self.subprotocol = connection.subprotocol or ""

    def write(self, frames: Sequence[bytes]) -> None:
        connection = self._connection
        if connection.protocol.state is State.OPEN:
            connection.transport.write(frames[0] if len(frames) == 1 else b"".join(frames))

    def close(self, code: CloseCode) -> None:
        connection = self._connection
        if connection.protocol.state is not State.OPEN:
            return
        connection.protocol.send_close(code.number, code.reason)
        connection.send_data()
        # A peer that answers goes away by itself; aborting a transport twice does nothing.
        connection.loop.call_later(self._patience, connection.transport.abort)

    def abort(self) -> None:
        self._connection.transport.abort()


def fast_carrier(
    opener: Opener, address: Callable[[ServerConnection], str], *, patience: float
) -> Callable[[ServerConnection], Awaitable[None]]:
    """Returns the handler for `websockets` that opens fast links.

    `address` says where a client is; `patience` is how many seconds a peer has to answer a close
    frame. The server must be made with `create_connection=FastConnection`.
    """

    async def carry(connection: ServerConnection) -> None:
        assert isinstance(connection, FastConnection)
        connection.receiver = opener(FastLink(connection, address(connection), patience))
        try:
            await connection.wait_closed()
        except asyncio.CancelledError:
            connection.transport.abort()
            raise

    return carry
