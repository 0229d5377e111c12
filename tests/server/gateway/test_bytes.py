"""Bytes as the network cuts them and as clients must not send them; peers who end it and stay."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from samedeal_protocol import messages
from samedeal_protocol.codec import MSGPACK
from samedeal_protocol.messages import Ok
from samedeal_protocol.terms import Terms
from samedeal_server.app import Node
from server.gateway.bare import masked, received, shaken
from support.halls import until
from support.nodes import Fakes, running
from support.patience import PATIENCE_S
from support.voices import greeted


@pytest.mark.parametrize("piece", [1, 3, 7, 50, 10_000])
async def test_frames_may_come_in_any_pieces(up: Node, piece: int) -> None:
    long = messages.Hello(id=1, name="Ann", client="c" * 60)
    stream = masked(MSGPACK.encode.encode(long))
    stream += masked(b"beat", 0x89)
    stream += b"".join(
        masked(MSGPACK.encode.encode(messages.Ping(id=number, sent=number)))
        for number in range(2, 12)
    )
    ping = MSGPACK.encode.encode(messages.Ping(id=12, sent=12))
    stream += masked(ping[:4], 0x02) + masked(b"", 0x89) + masked(ping[4:], 0x80)
    stream += masked(ping, 0x82)
    reader, writer = await shaken(up)
    for at in range(0, len(stream), piece):
        writer.write(stream[at : at + piece])
        await writer.drain()
        if piece < 50:
            await asyncio.sleep(0)
    answers: list[messages.ServerMessage] = []
    while len(answers) < 13:
        first, payload = await received(reader)
        if first == 0x82:
            answers.append(MSGPACK.read_server(payload))
        else:
            assert (first, payload) in {(0x8A, b"beat"), (0x8A, b"")}
    ids = [each.id for each in answers if isinstance(each, Ok)]
    assert ids == [*range(1, 13), 12]
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (b"\x82\x02ab", 1002),  # not masked
        (masked(b"ab", 0xC2), 1002),  # a reserved bit
        (masked(b"ab", 0x83), 1002),  # a reserved opcode
        (masked(b"ab", 0x80), 1002),  # the end of nothing
        (masked(b"a", 0x02) + masked(b"b", 0x82), 1002),  # a message within a message
        (b"\x82\xff" + (2**62).to_bytes(8) + b"\0\0\0\0", 1009),
        (masked(b"x" * 17_000), 1009),
    ],
    ids=["unmasked", "reserved-bit", "opcode", "continuation", "nested", "huge", "large"],
)
async def test_what_breaks_the_websocket_protocol_is_closed(
    up: Node, bad: bytes, code: int
) -> None:
    reader, writer = await shaken(up)
    hello = masked(MSGPACK.encode.encode(messages.Hello(id=1)))
    writer.write(hello + bad)
    closed = 0
    while closed == 0:
        first, payload = await received(reader)
        if first == 0x88:
            closed = int.from_bytes(payload[:2])
    assert closed == code
    writer.close()
    async with greeted(up.address) as ann:
        assert (await ann.ping()).sent == 7


# --- peers who end it and stay -------------------------------------------------------------------

ENDS = {
    "close": bytes((0x88, 0x80)) + bytes(4),
    "too-large": bytes((0x82, 0xFF)) + (1 << 20).to_bytes(8) + bytes(4),
    "reserved-opcode": bytes((0x83, 0x80)) + bytes(4),
    "reserved-bits": bytes((0xF2, 0x80)) + bytes(4),
    "unmasked": bytes((0x82, 0x01, 0x00)),
    "stray-continuation": bytes((0x80, 0x80)) + bytes(4),
}


@pytest.mark.parametrize("end", ENDS)
async def test_who_ends_a_connection_and_does_not_go_is_cut_off(
    carrier: str, world: Fakes, end: str
) -> None:
    async with running(world, transport=carrier, close_timeout=0.2) as node:
        reader, writer = await shaken(node)
        await until(lambda: node.gateway.connections == 1)
        writer.write(ENDS[end])
        await until(lambda: node.gateway.connections == 0)
        async with asyncio.timeout(PATIENCE_S):
            with contextlib.suppress(ConnectionResetError):
                await reader.read()  # to the end of the connection, not only to the close frame
        writer.transport.abort()


@pytest.mark.parametrize("end", ENDS)
async def test_shutting_down_does_not_wait_for_who_ended_it_and_stayed(
    carrier: str, world: Fakes, end: str
) -> None:
    loop = asyncio.get_running_loop()
    async with running(world, transport=carrier, close_timeout=1) as node:
        _, writer = await shaken(node)
        await until(lambda: node.gateway.connections == 1)
        writer.write(ENDS[end])
        await until(lambda: node.gateway.connections == 0)
        began = loop.time()
    assert loop.time() - began < 10
    writer.transport.abort()


async def test_an_entrant_who_says_goodbye_and_stays_connected_is_away(
    carrier: str, world: Fakes
) -> None:
    async with (
        running(world, transport=carrier, close_timeout=0.2) as node,
        greeted(node.address, "Ann") as ann,
    ):
        terms = Terms(game="opus", entrants_min=1)
        created = await ann.get(messages.Created, messages.Create(id=9, terms=terms))
        await ann.join(created.race)
        async with greeted(node.address, "Ben") as ben:
            await ben.join(created.race)
            ben.connection.transport.pause_reading()
            ben.connection.transport.write(ENDS["close"])
            await ann.hear(messages.Away)
            ben.connection.transport.abort()
