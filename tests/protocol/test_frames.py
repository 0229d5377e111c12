"""The bytes on the wire: golden frames, and an independent MessagePack that must agree."""

from __future__ import annotations

import json
from types import UnionType
from typing import get_args

import msgpack
import pytest

from samedeal_protocol import messages
from samedeal_protocol.codec import CODECS, JSON, MSGPACK, Codec
from samedeal_protocol.messages import ClientMessage, Ok, Reply, ServerMessage
from support.cases import case
from support.frames import CLIENT, FRAMES, SERVER

ENDINGS = {JSON.subprotocol: "json", MSGPACK.subprotocol: "msgpack"}
SAMPLES = [("client", name) for name in CLIENT] + [("server", name) for name in SERVER]
BOTH = pytest.mark.parametrize("codec", CODECS.values(), ids=["msgpack", "json"])


def sample(side: str, name: str) -> ClientMessage | ServerMessage:
    return CLIENT[name] if side == "client" else SERVER[name]


def read(codec: Codec, side: str, frame: bytes) -> ClientMessage | ServerMessage:
    return codec.read_client(frame) if side == "client" else codec.read_server(frame)


def golden(codec: Codec, side: str, name: str) -> bytes:
    return (FRAMES / side / f"{name}.{ENDINGS[codec.subprotocol]}").read_bytes()


def packed(value: object) -> bytes:
    """By a MessagePack that is not msgspec's."""
    frame = msgpack.Packer().pack(value)
    assert isinstance(frame, bytes)
    return frame


@BOTH
def test_the_golden_frame_is_what_is_sent(codec: Codec) -> None:
    for side, name in SAMPLES:
        with case(side, name):
            assert codec.encode.encode(sample(side, name)) == golden(codec, side, name)


@BOTH
def test_the_golden_frame_is_understood(codec: Codec) -> None:
    for side, name in SAMPLES:
        with case(side, name):
            assert read(codec, side, golden(codec, side, name)) == sample(side, name)


def test_both_encodings_say_the_same() -> None:
    for side, name in SAMPLES:
        with case(side, name):
            unpacked = msgpack.unpackb(golden(MSGPACK, side, name))
            assert unpacked == json.loads(golden(JSON, side, name))


def test_another_messagepack_is_understood() -> None:
    for side, name in SAMPLES:
        with case(side, name):
            value = json.loads(golden(JSON, side, name))
            backwards = dict(reversed(value.items()))
            assert read(MSGPACK, side, packed(backwards)) == sample(side, name)


@BOTH
def test_unknown_fields_are_ignored(codec: Codec) -> None:
    for side, name in SAMPLES:
        with case(side, name):
            value = {**json.loads(golden(JSON, side, name)), "of_version_9": [1, {"a": None}]}
            frame = json.dumps(value).encode() if codec.is_text else packed(value)
            assert read(codec, side, frame) == sample(side, name)


@pytest.mark.parametrize("union", [ClientMessage, Reply, ServerMessage], ids=["c", "r", "s"])
def test_every_message_has_a_golden_frame(union: UnionType) -> None:
    shown: set[type] = {type(message) for message in [*CLIENT.values(), *SERVER.values()]}
    shown |= {type(message.result) for message in SERVER.values() if isinstance(message, Ok)}
    assert [kind.__name__ for kind in get_args(union) if kind not in shown] == []


def test_no_golden_frame_is_left_over() -> None:
    wanted = {FRAMES / side / f"{name}.{end}" for side, name in SAMPLES for end in ENDINGS.values()}
    assert set(FRAMES.glob("*/*")) == wanted


def test_fields_at_their_default_are_left_out() -> None:
    assert json.loads(golden(JSON, "client", "hello.plain")) == {"type": "hello", "id": 1}


def test_tags_are_the_class_names_with_dashes() -> None:
    for kind in get_args(ClientMessage):
        tag = kind.__struct_config__.tag
        assert tag.replace("-", "") == kind.__name__.lower()
    assert messages.GiveUp.__struct_config__.tag == "give-up"
