"""Those who do not read: they are spared a while and closed, and cost nobody else anything."""

from __future__ import annotations

import asyncio
import socket

from samedeal_protocol import messages
from samedeal_protocol.codec import MSGPACK
from samedeal_protocol.terms import Terms
from samedeal_server.app import Node
from server.gateway.bare import handshake, masked
from support.halls import until
from support.nodes import Fakes, running
from support.voices import greeted

TERMS = Terms(game="opus", entrants_min=1)


async def deaf(node: Node, race: str | None = None) -> socket.socket:
    """Connects a client that never reads: raw, with a small receive buffer."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(sock, (node.address.host, node.address.port))
    await loop.sock_sendall(sock, handshake(node.address))
    await until(lambda: node.gateway.connections > 0)
    await asyncio.sleep(0.05)
    await say(sock, messages.Hello(id=1))
    if race is not None:
        await say(sock, messages.Watch(id=2, race=race))
        await asyncio.sleep(0.05)
    return sock


async def say(sock: socket.socket, message: messages.ClientMessage) -> None:
    frame = masked(MSGPACK.encode.encode(message))
    await asyncio.get_running_loop().sock_sendall(sock, frame)


async def test_a_client_that_asks_and_never_reads_is_closed_and_costs_little(
    carrier: str, world: Fakes
) -> None:
    async with (
        running(
            world, transport=carrier, rate=1e6, burst=10**6, outbox_limit=65_536, send_buffer=8192
        ) as node,
        greeted(node.address, "Ann") as ann,
    ):
        created = await ann.get(messages.Created, messages.Create(id=9, terms=TERMS))
        stuck = await deaf(node)
        for number in range(3, 1500):
            await say(stuck, messages.Watch(id=number, race=created.race))
        await until(lambda: world.meter.totals["slow_readers_closed"] == 1)
        assert (await ann.ping()).sent == 7
        stuck.close()


async def test_a_spectator_that_never_reads_is_spared_and_then_closed(
    carrier: str, world: Fakes
) -> None:
    async with (
        running(
            world, transport=carrier, chat_per_minute=10**6, send_buffer=8192, outbox_high=8192
        ) as node,
        greeted(node.address, "Ann") as ann,
    ):
        created = await ann.get(messages.Created, messages.Create(id=9, terms=TERMS))
        await ann.join(created.race)
        stuck = await deaf(node, created.race)
        text = "x" * 300
        for _ in range(300):
            world.clock.advance(10)
            await ann.ask(messages.Chat(id=ann.next_id(), race=created.race, text=text))
        assert world.meter.totals["slow_readers_closed"] == 0
        world.clock.advance(10_000)
        await ann.ping()
        node.gateway.sweep()
        assert world.meter.totals["slow_readers_closed"] == 1
        await until(lambda: node.gateway.connections == 1)
        stuck.close()


async def test_shutting_down_does_not_wait_for_a_client_that_never_reads(
    carrier: str, world: Fakes
) -> None:
    loop = asyncio.get_running_loop()
    async with running(
        world, transport=carrier, rate=1e6, burst=10**6, send_buffer=8192, outbox_high=8192
    ) as node:
        async with greeted(node.address, "Ann") as ann:
            created = await ann.get(messages.Created, messages.Create(id=9, terms=TERMS))
            stuck = await deaf(node)
            for number in range(3, 300):
                await say(stuck, messages.Watch(id=number, race=created.race))
            await ann.ping()
        began = loop.time()
    assert loop.time() - began < 3
    stuck.close()
