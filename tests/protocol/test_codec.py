"""Bytes that are no message: each is refused with a code, and no bytes do anything else."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_protocol.codec import CODECS, FRAME_BYTES, JSON, MSGPACK, Codec
from samedeal_protocol.errors import ErrorCode, Malformed
from samedeal_protocol.messages import SUBPROTOCOL_JSON, SUBPROTOCOL_MSGPACK
from support.frames import CLIENT

BOTH = pytest.mark.parametrize("codec", CODECS.values(), ids=["msgpack", "json"])


def refused(codec: Codec, value: object) -> Malformed:
    frame = codec.encode.encode(value)
    with pytest.raises(Malformed) as caught:
        codec.read_client(frame)
    return caught.value


@BOTH
@pytest.mark.parametrize(
    ("value", "code", "request_id"),
    [
        ({"type": "ready", "id": 1}, ErrorCode.MALFORMED, 1),
        ({"type": "ready", "id": 0, "race": "r"}, ErrorCode.MALFORMED, None),
        ({"type": "ready", "id": 2**53, "race": "r"}, ErrorCode.MALFORMED, None),
        ({"type": "ready", "id": "1", "race": "r"}, ErrorCode.MALFORMED, None),
        ({"type": "ready", "id": 1.5, "race": "r"}, ErrorCode.MALFORMED, None),
        ({"type": "ready", "race": "r"}, ErrorCode.MALFORMED, None),
        ({"type": "ready", "id": 1, "race": ""}, ErrorCode.MALFORMED, 1),
        ({"type": "fly", "id": 7}, ErrorCode.UNKNOWN_TYPE, 7),
        ({"id": 7}, ErrorCode.MALFORMED, 7),
        ({"type": "welcome", "id": 3}, ErrorCode.UNKNOWN_TYPE, 3),
        ({"type": "chat", "id": 4, "race": "r", "text": "x" * 301}, ErrorCode.TOO_LONG, 4),
        ({"type": "play", "id": 5, "race": "r", "number": 0, "move": "draw"}, "malformed", 5),
        ({"type": "play", "id": 5, "race": "r", "number": 1, "move": "d" * 17}, "too-long", 5),
        ({"type": "create", "id": 6, "terms": {"game": "opus", "mode": "blitz"}}, "malformed", 6),
        ({"type": "create", "id": 6, "terms": {}}, ErrorCode.MALFORMED, 6),
        ([], ErrorCode.MALFORMED, None),
        (None, ErrorCode.MALFORMED, None),
        ("hello", ErrorCode.MALFORMED, None),
    ],
)
def test_what_is_no_message_is_refused_by_code(
    codec: Codec, value: object, code: ErrorCode | str, request_id: int | None
) -> None:
    fault = refused(codec, value)
    assert fault.code.code == (code if isinstance(code, str) else code.code)
    assert fault.request == request_id
    assert fault.sentence


@BOTH
@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"type": "leaderboard", "id": 1, "limit": 0}, "limit: from 1 to 100"),
        ({"type": "leaderboard", "id": 1, "limit": 101}, "limit: from 1 to 100"),
        ({"type": "daily", "id": 1, "offset": -1}, "offset: from 0 to "),
        (
            {"type": "league", "id": 1, "limit": "all"},
            "limit: wanted is a whole number, not a text",
        ),
        ({"type": "ready", "id": 1}, "race is missing"),
        ({"type": "chat", "id": 1, "race": "r", "text": ""}, "text: it is empty"),
        ({"type": "create", "id": 1, "terms": {"game": "opus", "limit": 9}}, "terms.limit: from "),
    ],
)
def test_what_is_wrong_is_said_as_people_say_it(codec: Codec, value: object, sentence: str) -> None:
    said = refused(codec, value).sentence
    assert said.startswith(sentence)
    assert "`" not in said


@BOTH
def test_whatever_its_type_is_made_of_a_message_is_answered_by_its_id(codec: Codec) -> None:
    for odd in (5, None, ["ready"], {"type": "ready"}):
        assert refused(codec, {"type": odd, "id": 7}).request == 7


@BOTH
@given(frame=st.binary(max_size=200))
def test_any_bytes_are_a_message_or_malformed(codec: Codec, frame: bytes) -> None:
    with suppress(Malformed):
        codec.read_client(frame)


@BOTH
@given(data=st.data())
def test_a_spoilt_frame_is_a_message_or_malformed(codec: Codec, data: st.DataObject) -> None:
    message = data.draw(st.sampled_from(list(CLIENT.values())))
    frame = bytearray(codec.encode.encode(message))
    at = data.draw(st.integers(0, len(frame) - 1))
    frame[at] = data.draw(st.integers(0, 255))
    with suppress(Malformed):
        codec.read_client(bytes(frame[: data.draw(st.integers(0, len(frame)))]))


@BOTH
def test_deep_nesting_is_refused_and_harms_nobody(codec: Codec) -> None:
    deep = "[" * 8000
    frame = deep.encode() if codec.is_text else b"\x91" * 8000
    with pytest.raises(Malformed):
        codec.read_client(frame)


def test_an_unknown_field_may_hold_anything() -> None:
    nested: object = 1
    for _ in range(50):
        nested = [nested]
    frame = json.dumps({"type": "mine", "id": 4, "extra": nested}).encode()
    assert JSON.read_client(frame) == CLIENT["mine"]


@BOTH
def test_every_request_fits_into_a_frame(codec: Codec) -> None:
    assert max(len(codec.encode.encode(message)) for message in CLIENT.values()) < FRAME_BYTES


def test_msgpack_is_preferred() -> None:
    assert list(CODECS) == [SUBPROTOCOL_MSGPACK, SUBPROTOCOL_JSON]
    assert not MSGPACK.is_text
    assert JSON.is_text
