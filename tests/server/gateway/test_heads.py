"""Of a request its head is read; what follows it disturbs nothing."""

from __future__ import annotations

import asyncio
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_protocol.codec import JSON
from samedeal_server.gateway.heads import Head
from support.nodes import fakes, running
from support.patience import PATIENCE_S

ASKED = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
POSTED = b"POST /healthz HTTP/1.1\r\nHost: x\r\n"
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    b"Sec-WebSocket-Protocol: " + JSON.subprotocol.encode() + b"\r\n\r\n"
)
BODY = b"Content-Length: 5\r\n"
CHUNKED = b"transfer-encoding: chunked\r\n"


# --- without a socket ----------------------------------------------------------------------------


@given(st.binary(max_size=40), st.lists(st.integers(0, 120), max_size=6))
def test_the_head_is_taken_without_its_body_however_it_comes(
    behind: bytes, cuts: list[int]
) -> None:
    said = POSTED + BODY + CHUNKED + b"Accept: a\r\n\r\n" + behind
    head, taken, begin = Head(), b"", 0
    for cut in [*sorted(cuts), len(said)]:
        taken, begin = taken + head.take(said[begin:cut]), max(begin, cut)
    assert taken == POSTED + b"Accept: a\r\n\r\n"
    assert head.is_whole
    assert head.is_passed == (behind != b"")


def test_no_more_is_kept_than_a_line_may_have() -> None:
    head = Head()
    taken = sum(len(head.take(b"x" * 1000)) for _ in range(100))
    assert 100_000 - taken <= 8192


# --- over sockets --------------------------------------------------------------------------------


async def told(carrier: str, *parts: bytes, is_last: bool = False) -> bytes:
    """Returns all that a server says to these bytes, until it closes; `is_last` ends our half."""
    async with running(fakes(), transport=carrier) as up:
        reader, writer = await asyncio.open_connection(up.address.host, up.address.port)
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0)
        if is_last:
            writer.write_eof()
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await reader.read()
        except ConnectionResetError:
            return b""
        finally:
            writer.close()


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([ASKED + ASKED], b"200"),
        ([ASKED + b"\x00\xffnothing"], b"200"),
        ([ASKED, b"\x81\x00" * 50_000], b"200"),
        ([ASKED[:-2] + BODY + b"\r\nhello"], b"200"),
        ([ASKED[:-2] + BODY + b"\r\n", b"hello"], b"200"),
        ([ASKED[:-2] + CHUNKED + b"\r\n5\r\nhello\r\n0\r\n\r\n"], b"200"),
        ([POSTED + BODY + b"\r\nhello"], b"405"),
    ],
    ids=["two", "bytes", "many", "body", "body-later", "chunks", "post"],
)
async def test_the_first_request_is_answered_whatever_follows_it(
    carrier: str, parts: list[bytes], status: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        answer = await told(carrier, *parts)
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert answer.count(b"HTTP/1.1") == 1
    assert b"\r\nConnection: close\r\n" in answer
    assert caplog.messages == []


@pytest.mark.parametrize("parts", [[ASKED], [ASKED[:30], ASKED[30:]], [ASKED + ASKED]])
async def test_whoever_asks_and_sends_no_more_is_answered(carrier: str, parts: list[bytes]) -> None:
    answer = await told(carrier, *parts, is_last=True)
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"\r\n\r\nok\n")


@pytest.mark.parametrize("parts", [[], [ASKED[:-2]], [UPGRADE]], ids=["nothing", "half", "upgrade"])
async def test_whoever_sends_no_more_before_a_page_was_asked_for_is_let_go(
    carrier: str, parts: list[bytes], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert b"HTTP/1.1 200" not in await told(carrier, *parts, is_last=True)
    assert caplog.messages == []


@pytest.mark.parametrize("origin", [b"", b"Origin: https://elsewhere.example\r\n"])
async def test_whoever_sends_frames_before_they_may_is_cut_off_without_a_fuss(
    carrier: str, origin: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        answer = await told(carrier, UPGRADE[:-2] + origin + b"\r\n" + b"\xff" * 100)
    assert b"HTTP/1.1 101" not in answer
    assert caplog.messages == []
