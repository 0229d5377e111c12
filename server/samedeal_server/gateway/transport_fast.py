"""The fast carrier: no coroutine and no copy a message.

`websockets` does the handshake, pings, closing, fragments and whatever breaks the protocol. Its
steps that cost most are left out: whole messages in one frame, which is nearly all that comes, are
unmasked here and go straight to the receiver (`data_received`) instead of through a parser made of
generators and a coroutine that has to be woken, and frames leave as bytes that were built once for
all receivers. None of this is a documented way to extend the library, so its version is pinned and
the plain carrier passes the same tests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import Event, State

from samedeal_protocol.errors import CloseCode
from samedeal_protocol.messages import ServerMessage
from samedeal_server.gateway.patience import PatientConnection
from samedeal_server.gateway.transport import Encode, Opener, Receiver, Wire

try:
    from websockets.speedups import apply_mask
except ImportError:
    from websockets.utils import apply_mask

__all__ = ["FastConnection", "fast_carrier", "framed"]


_TEXT: Final = 0x81
_BINARY: Final = 0x82
_MASKED: Final = 0x80
_TWO_BYTES: Final = 126
_EIGHT_BYTES: Final = 127
"""Lengths that say how many bytes of length follow."""
_NO_LIMIT: Final = 2**62
_WHOLE: Final = (_BINARY, _TEXT)
"""First bytes of frames that are a whole message."""


def framed(encode: Encode, is_text: bool) -> Wire:
    """Returns the way from a message to its one unmasked, final frame (RFC 6455, 5.2)."""
    first = _TEXT if is_text else _BINARY
    short = [bytes((first, size)) for size in range(_TWO_BYTES)]

    def to_frame(message: ServerMessage) -> bytes:
        payload = encode(message)
        size = len(payload)
        if size < _TWO_BYTES:
            return short[size] + payload
        if size < 65536:
            return bytes((first, _TWO_BYTES, size >> 8, size & 0xFF)) + payload
        return bytes((first, _EIGHT_BYTES)) + size.to_bytes(8) + payload

    return to_frame


class FastConnection(PatientConnection):
    """A server connection that gives each message to its receiver as soon as it is parsed."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Takes what the library gives it."""
        super().__init__(*arguments, **named)
        self.receiver: Receiver | None = None
        self._rest = b""
        """The beginning of a frame whose end has not come yet."""
        self._is_handed_over = False
        """The library reads everything from here on: something is wrong, or too large."""
        self._parts: list[bytes] | None = None
        self._is_text = False

    def ended(self) -> None:
        """Tells the receiver, too."""
        super().ended()
        self._tell_end()

    def data_received(self, data: bytes) -> None:
        """Takes bytes as they come. The library is given whole frames only, until the last ones.

        A frame is (RFC 6455, 5.2): FIN and opcode, mask bit and length, more length, mask, payload.
        """
        receiver = self.receiver
        if receiver is None or self._is_handed_over:
            super().data_received(data)
            return
        if self._rest:
            data, self._rest = self._rest + data, b""
        at, end = 0, len(data)
        largest = self.protocol.max_message_size or _NO_LIMIT
        while end - at >= 2:
            first, size, start = data[at], data[at + 1] - _MASKED, at + 6
            if size == _TWO_BYTES:
                if end < at + 4:
                    break
                size, start = int.from_bytes(data[at + 2 : at + 4]), at + 8
            elif size == _EIGHT_BYTES:
                size = largest + 1
            if not 0 <= size <= largest:
                self._is_handed_over = True
                super().data_received(data[at:])
                return
            stop = start + size
            if stop > end:
                break
            if first in _WHOLE and self._parts is None:
                receiver.on_frame(
                    apply_mask(data[start:stop], data[start - 4 : start]), first == _TEXT
                )
            else:
                super().data_received(data[at:stop])
                if self.protocol.state is not State.OPEN:
                    return
            at = stop
        if at < end:
            self._rest = data[at:]

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
        self._tell_end()

    def _tell_end(self) -> None:
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

    def write(self, frames: Sequence[bytes]) -> int:
        connection = self._connection
        if connection.protocol.state is not State.OPEN:
            return 0
        together = frames[0] if len(frames) == 1 else b"".join(frames)
        connection.transport.write(together)
        return len(together)

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
        if connection.protocol.state is not State.OPEN:
            connection.ended()
        try:
            await connection.wait_closed()
        except asyncio.CancelledError:
            connection.transport.abort()
            raise

    return carry
