"""Bytes to messages and back, in the protocol's two encodings.

Decoding validates in the same step: what comes out is a whole, well-typed message or `Malformed`.
Decoders and encoders are bound once; binding them at every call costs forty times as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Generic, TypeVar, get_args

import msgspec

from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.errors import ErrorCode, Malformed
from samedeal_protocol.messages import (
    SUBPROTOCOL_JSON,
    SUBPROTOCOL_MSGPACK,
    ClientMessage,
    ServerMessage,
)
from samedeal_protocol.spoken import fault_text

__all__ = ["CODECS", "FRAME_BYTES", "JSON", "MSGPACK", "Codec"]

FRAME_BYTES: Final = 16 * 1024
"""The largest frame that the server takes."""

_M = TypeVar("_M")


class _Envelope(msgspec.Struct):
    """As much of a broken message as an error reply needs."""

    id: int | None = None
    type: object = None


_KINDS: Final = {
    str(kind.__struct_config__.tag): kind
    for union in (ClientMessage, ServerMessage)
    for kind in get_args(union)
}
"""Messages by their types."""


@dataclass(frozen=True, slots=True)
class _Reader(Generic[_M]):
    """One bound decoder, with the faults of what it cannot read put into words."""

    message: msgspec.msgpack.Decoder[_M] | msgspec.json.Decoder[_M]
    envelope: msgspec.msgpack.Decoder[_Envelope] | msgspec.json.Decoder[_Envelope]

    def __call__(self, frame: bytes) -> _M:
        try:
            return self.message.decode(frame)
        except UNREADABLE as fault:
            raise self._fault(frame, str(fault)) from fault

    def _fault(self, frame: bytes, sentence: str) -> Malformed:
        request = None
        try:
            envelope = self.envelope.decode(frame)
        except UNREADABLE:
            return Malformed(ErrorCode.MALFORMED, fault_text(sentence))
        if envelope.id is not None and 1 <= envelope.id < 2**53:
            request = envelope.id
        code = ErrorCode.MALFORMED
        if sentence.startswith("Invalid value") and sentence.endswith("`$.type`"):
            code = ErrorCode.UNKNOWN_TYPE
        elif "length <=" in sentence:
            code = ErrorCode.TOO_LONG
        said = fault_text(sentence, _KINDS.get(str(envelope.type)))
        return Malformed(code, said, request=request)


@dataclass(frozen=True, slots=True)
class Codec:
    """One encoding: its subprotocol, whether its frames are text, and both directions."""

    subprotocol: str
    is_text: bool
    encode: msgspec.msgpack.Encoder | msgspec.json.Encoder
    read_client: _Reader[ClientMessage]
    """A frame from a client; raises `Malformed`."""
    read_server: _Reader[ServerMessage]
    """A frame from the server; raises `Malformed`."""


MSGPACK: Final = Codec(
    SUBPROTOCOL_MSGPACK,
    False,
    msgspec.msgpack.Encoder(),
    _Reader(msgspec.msgpack.Decoder(ClientMessage), msgspec.msgpack.Decoder(_Envelope)),
    _Reader(msgspec.msgpack.Decoder(ServerMessage), msgspec.msgpack.Decoder(_Envelope)),
)
JSON: Final = Codec(
    SUBPROTOCOL_JSON,
    True,
    msgspec.json.Encoder(),
    _Reader(msgspec.json.Decoder(ClientMessage), msgspec.json.Decoder(_Envelope)),
    _Reader(msgspec.json.Decoder(ServerMessage), msgspec.json.Decoder(_Envelope)),
)
CODECS: Final = {codec.subprotocol: codec for codec in (MSGPACK, JSON)}
"""By subprotocol, the preferred first."""
