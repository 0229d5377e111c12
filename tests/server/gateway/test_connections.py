"""Real sockets on loopback: every way in, every refusal, every way out, on both carriers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from http import HTTPStatus

import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from samedeal_protocol import messages
from samedeal_protocol.codec import CODECS, JSON, MSGPACK, Codec
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.messages import Error, Ok
from samedeal_server.app import Node, node
from samedeal_server.gateway.answers import Page
from samedeal_server.gateway.web import Tree
from samedeal_server.rooms.hall import Hall
from support.halls import until
from support.nodes import Fakes, running, settings
from support.patience import PATIENCE_S
from support.voices import Refusal, greeted, voice


@pytest.mark.parametrize("codec", list(CODECS.values()), ids=list(CODECS))
async def test_both_encodings_are_spoken(up: Node, codec: Codec) -> None:
    async with greeted(up.address, codec=codec) as ann:
        assert ann.connection.subprotocol == codec.subprotocol
        assert (await ann.ping()).sent == 7


async def test_compression_is_not_negotiated(up: Node) -> None:
    async with connect(
        f"ws://{up.address}", subprotocols=[Subprotocol(MSGPACK.subprotocol)]
    ) as connection:
        assert connection.response is not None
        assert "Sec-WebSocket-Extensions" not in connection.response.headers


@pytest.mark.parametrize("offered", [None, ["chat"]])
async def test_other_subprotocols_are_refused_with_a_sentence(
    up: Node, offered: list[Subprotocol] | None
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"ws://{up.address}", subprotocols=offered)
    assert refused.value.response.status_code == 400
    assert b"samedeal.v1.msgpack and samedeal.v1.json" in (refused.value.response.body or b"")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://evil.example", 403),
        ("null", 403),
        ("https://play.example.org", None),
        ("http://{address}", None),
        (None, None),
    ],
)
async def test_origins_are_checked(
    carrier: str, world: Fakes, origin: str | None, status: int | None
) -> None:
    async with running(world, transport=carrier, origins=("https://play.example.org",)) as node:
        said = origin and origin.format(address=node.address)
        try:
            async with voice(node.address, origin=said) as speaker:
                await speaker.hello()
            got = None
        except InvalidStatus as refused:
            got = refused.response.status_code
        assert got == status


async def test_a_full_server_says_so_over_http(carrier: str, world: Fakes) -> None:
    async with running(world, transport=carrier, max_connections=1) as node:
        async with greeted(node.address):
            with pytest.raises(InvalidStatus) as refused:
                async with voice(node.address):
                    pass
            assert refused.value.response.status_code == 503
        await until(lambda: node.gateway.connections == 0)
        async with greeted(node.address):
            pass


async def test_pages_are_served_on_the_same_port(up: Node) -> None:
    reader, writer = await asyncio.open_connection(up.address.host, up.address.port)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"ok\n")


async def test_large_pages_that_nobody_reads_do_not_pile_up(carrier: str, world: Fakes) -> None:
    files = {
        "/large": Page(HTTPStatus.OK, b"x" * 20_000_000, "image/png"),
        "/small": Page(HTTPStatus.OK, b"x" * 1000, "image/png"),
    }
    tree = Tree("/s/0/", files, "")
    async with node(settings(transport=carrier), world.adapters(), tree=tree) as up:

        async def asked(path: str) -> tuple[asyncio.StreamWriter, bytes]:
            reader, writer = await asyncio.open_connection(up.address.host, up.address.port)
            writer.write(f"GET {path} HTTP/1.1\r\n\r\n".encode())
            status = await reader.readexactly(12)
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # it reads as well
            return writer, status[-3:]

        visitors = [await asked(path) for path in ("/large", "/large", "/small")]
        assert [status for _, status in visitors] == [b"200", b"503", b"200"]
        for writer, _ in visitors:
            writer.transport.abort()
        await until(lambda: up.gateway.unread == 0)
        writer, status = await asked("/large")
        assert status == b"200"
        writer.transport.abort()


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 2000 + b"\r\n",
        b"\x00" * 4096,
    ],
)
async def test_whatever_is_no_request_takes_nothing_down(up: Node, garbage: bytes) -> None:
    reader, writer = await asyncio.open_connection(up.address.host, up.address.port)
    writer.write(garbage)
    writer.write_eof()
    try:
        async with asyncio.timeout(PATIENCE_S):
            await reader.read()
    except ConnectionResetError:
        pass
    writer.close()
    async with greeted(up.address) as ann:
        assert (await ann.ping()).sent == 7


# --- hello -------------------------------------------------------------------------------------


async def test_hello_comes_first_and_once(up: Node) -> None:
    async with voice(up.address) as ann:
        with pytest.raises(Refusal, match="hello-first"):
            await ann.ping()
        await ann.hello("Ann")
        with pytest.raises(Refusal, match="hello-again"):
            await ann.hello("Ann")


async def test_who_does_not_say_hello_in_time_is_closed(up: Node, world: Fakes) -> None:
    async with voice(up.address) as ann:
        await until(lambda: up.gateway.connections == 1)
        world.clock.advance(5000)
        up.gateway.sweep()
        assert await ann.end() == CloseCode.NO_HELLO.number


async def test_another_protocol_number_is_refused_and_closed(up: Node) -> None:
    async with voice(up.address) as ann:
        with pytest.raises(Refusal, match="bad-protocol"):
            await ann.ask(messages.Hello(id=1, protocol=2))
        assert await ann.end() == CloseCode.NO_HELLO.number


async def test_a_guest_keeps_name_and_races_by_the_token(up: Node) -> None:
    async with greeted(up.address, "Ann") as ann:
        assert ann.welcome is not None
        token = ann.welcome.token
    async with voice(up.address) as again:
        welcome = await again.hello(token=token)
        assert (welcome.name, welcome.token) == ("Ann", None)
        assert welcome.player == ann.welcome.player


# --- frames ------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["text-on-msgpack", "binary-on-json"])
async def test_the_wrong_kind_of_frame_is_closed(up: Node, codec: Codec) -> None:
    async with greeted(up.address, codec=codec) as ann:
        await ann.connection.send(b"{}", text=not codec.is_text)
        assert await ann.end() == CloseCode.BAD_FRAME.number


@pytest.mark.parametrize("in_fragments", [False, True], ids=["whole", "in-fragments"])
async def test_a_frame_that_is_too_large_is_closed(up: Node, in_fragments: bool) -> None:
    async with greeted(up.address) as ann:
        await ann.connection.send([b"x" * 9000] * 2 if in_fragments else b"x" * 16_385)
        assert await ann.end() == CloseCode.TOO_BIG.number


async def test_a_message_may_come_in_fragments_with_pings_between(up: Node) -> None:
    async with greeted(up.address) as ann:
        request = MSGPACK.encode.encode(messages.Ping(id=50, sent=3))
        reply: asyncio.Future[Ok | Error] = asyncio.get_running_loop().create_future()
        ann._replies[50] = reply

        async def parts() -> AsyncIterator[bytes]:
            yield request[:3]
            await ann.connection.ping()
            yield request[3:5]
            yield request[5:]

        await ann.connection.send(parts())
        assert isinstance(await reply, Ok)
        await (await ann.connection.ping())


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\xc1", "malformed"),
        (b"", "malformed"),
        (msgspec.msgpack.encode([1, 2]), "malformed"),
        (msgspec.msgpack.encode({"type": "ping"}), "malformed"),
        (msgspec.msgpack.encode({"type": "ping", "id": 0}), "malformed"),
        (msgspec.msgpack.encode({"type": "ping", "id": "5"}), "malformed"),
        (msgspec.msgpack.encode({"type": "dance", "id": 5}), "unknown-type"),
        (msgspec.msgpack.encode({"type": "play", "id": 5, "race": "r", "number": -1}), "malformed"),
        (
            msgspec.msgpack.encode({"type": "chat", "id": 5, "race": "r", "text": "x" * 301}),
            "too-long",
        ),
    ],
)
async def test_what_is_no_message_is_refused_with_a_code(up: Node, frame: bytes, code: str) -> None:
    async with greeted(up.address) as ann:
        await ann.connection.send(frame)
        refused = await ann.hear(Error)
        assert (refused.code, refused.retry) == (code, "never")
        assert (await ann.ping()).sent == 7


async def test_too_many_malformed_messages_are_closed(up: Node) -> None:
    async with greeted(up.address) as ann:
        for _ in range(11):
            await ann.connection.send(b"\xc1")
        assert await ann.end() == CloseCode.TOO_MANY_FAULTS.number
        assert len([each for each in ann.heard if isinstance(each, Error)]) == 11


async def test_unknown_fields_are_ignored(up: Node) -> None:
    async with greeted(up.address) as ann:
        raw = msgspec.msgpack.encode({"type": "ping", "id": 77, "sent": 1, "mood": "fine"})
        reply: asyncio.Future[Ok | Error] = asyncio.get_running_loop().create_future()
        ann._replies[77] = reply
        await ann.connection.send(raw)
        assert isinstance(await reply, Ok)


# --- rates and numbers -------------------------------------------------------------------------


async def test_too_many_requests_are_refused_with_when_to_come_back(
    carrier: str, world: Fakes
) -> None:
    async with (
        running(world, transport=carrier, rate=10.0, burst=5) as node,
        greeted(node.address) as ann,
    ):
        for _ in range(4):
            await ann.ping()
        with pytest.raises(Refusal) as refused:
            await ann.ping()
        assert refused.value.code == "rate-limited"
        assert refused.value.error.after_ms is not None
        world.clock.advance(refused.value.error.after_ms + 100)
        assert (await ann.ping()).sent == 7


async def test_flooding_is_closed(carrier: str, world: Fakes) -> None:
    async with (
        running(world, transport=carrier, rate=10.0, burst=5, flood_factor=2.0) as node,
        greeted(node.address) as ann,
    ):
        for number in range(1, 40):
            await ann.connection.send(MSGPACK.encode.encode(messages.Ping(id=number)))
        assert await ann.end() == CloseCode.FLOODING.number


async def test_one_address_has_so_many_connections_at_most(carrier: str, world: Fakes) -> None:
    async with running(world, transport=carrier, connections_per_address=2) as node:
        async with greeted(node.address), greeted(node.address) as second:
            async with voice(node.address) as third:
                assert await third.end() == CloseCode.TOO_MANY_CONNECTIONS.number
            assert (await second.ping()).sent == 7
        await until(lambda: node.gateway.connections == 0)
        async with greeted(node.address):
            pass


async def test_behind_a_proxy_addresses_are_told_by_its_header(carrier: str, world: Fakes) -> None:
    async with running(
        world, transport=carrier, connections_per_address=1, address_header="X-Forwarded-For"
    ) as node:
        subprotocols = [Subprotocol(MSGPACK.subprotocol)]
        url = f"ws://{node.address}"
        async with (
            connect(
                url,
                subprotocols=subprotocols,
                additional_headers={"X-Forwarded-For": "10.0.0.1, 192.0.2.1"},
            ) as one,
            connect(
                url,
                subprotocols=subprotocols,
                additional_headers={"X-Forwarded-For": "10.0.0.1, 192.0.2.2"},
            ) as two,
        ):
            hello = MSGPACK.encode.encode(messages.Hello(id=1))
            for each in (one, two):
                await each.send(hello)
                await each.recv()


async def test_who_says_nothing_is_closed_as_idle(up: Node, world: Fakes) -> None:
    async with greeted(up.address) as quiet, greeted(up.address) as ann:
        for _ in range(3):
            world.clock.advance(20_000)
            await ann.ping()
            up.gateway.sweep()
        assert await quiet.end() == CloseCode.IDLE.number
        assert (await ann.ping()).sent == 7


async def test_messages_that_follow_an_errand_are_answered_after_it_and_in_order(
    up: Node,
) -> None:
    async with voice(up.address) as ann:
        requests: list[messages.ClientMessage] = [messages.Hello(id=1, name="Ann")]
        requests += [messages.Ping(id=number, sent=number) for number in range(2, 30)]
        replies = [await ann.say(request) for request in requests]
        answers = await asyncio.gather(*replies)
        results = [answer.result for answer in answers if isinstance(answer, Ok)]
        assert isinstance(results[0], messages.Welcome)
        sent = [pong.sent for pong in results[1:] if isinstance(pong, messages.Pong)]
        assert sent == list(range(2, 30))
        order = [MSGPACK.read_server(frame) for frame in ann.frames]
        assert [each.id for each in order if isinstance(each, Ok)] == list(range(1, 30))


async def test_a_fault_of_ours_is_answered_internal_and_the_connection_lives(
    up: Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def listed(self: Hall) -> tuple[messages.RaceCard, ...]:
        raise RuntimeError("KH QD secret")

    async with greeted(up.address) as ann:
        monkeypatch.setattr(Hall, "listed", listed)
        with caplog.at_level(logging.ERROR), pytest.raises(Refusal, match="internal"):
            await ann.ask(messages.List(id=ann.next_id()))
        assert (await ann.ping()).sent == 7
    assert "RuntimeError" in caplog.text
    assert "KH QD" not in caplog.text


async def test_a_restart_closes_everybody_as_restarting(carrier: str, world: Fakes) -> None:
    async with running(world, transport=carrier) as node:
        speaking = voice(node.address)
        ann = await speaking.__aenter__()
        await ann.hello("Ann")
    assert await ann.end() == CloseCode.RESTARTING.number
    await speaking.__aexit__(None, None, None)
