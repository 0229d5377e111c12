"""Connecting to a broker that is slow, unfriendly, old, closed to us or not to be found."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from samedeal_server.adapters.bus_mqtt import MqttBus, opened
from samedeal_server.adapters.bus_mqtt.link import LinkLost
from samedeal_server.settings import Address, BadSettings, Broker
from server.adapters.bus_mqtt.ears import Ear, Totals, bus, link
from support import brokers
from support.brokers import Running
from support.patience import PATIENCE_S


@asynccontextmanager
async def odd_broker(answer: bytes | None) -> AsyncIterator[tuple[Broker, asyncio.Event]]:
    """Listens; gives every connection an answer and closes it, or keeps it open without one."""
    reached = asyncio.Event()
    writers: list[asyncio.StreamWriter] = []

    async def meet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.set()
        writers.append(writer)
        if answer is not None:
            writer.write(answer)
            writer.close()

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    async with server:
        yield Broker(at=Address("127.0.0.1", server.sockets[0].getsockname()[1])), reached
        for writer in writers:
            writer.close()
        await asyncio.gather(*(each.wait_closed() for each in writers), return_exceptions=True)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x20\x7f"])
async def test_an_attempt_ends_at_once_when_the_broker_closes(answer: bytes) -> None:
    async with odd_broker(answer) as (at, _):
        before = asyncio.get_running_loop().time()
        with pytest.raises(LinkLost):
            await link(at).open()
        assert asyncio.get_running_loop().time() - before < 2.5
        await asyncio.sleep(0)
        assert not [task for task in asyncio.all_tasks() if task.get_name() == "bus keepalive"]


async def test_an_attempt_that_is_cancelled_leaves_nothing(mosquitto: Running) -> None:
    async with odd_broker(None) as (at, reached):
        attempt = link(at)
        opening = asyncio.create_task(attempt.open())
        await reached.wait()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        for _ in range(3):
            await asyncio.sleep(0)
        assert attempt._client.socket() is None
        assert not [task for task in asyncio.all_tasks() if task.get_name() == "bus keepalive"]


async def test_a_subscription_ends_at_once_when_the_broker_goes() -> None:
    connections: asyncio.Queue[float] = asyncio.Queue()
    ends: asyncio.Queue[None] = asyncio.Queue()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.put_nowait(asyncio.get_running_loop().time())
        await reader.read(1024)
        writer.write(b"\x20\x03\x00\x00\x00")  # You are connected.
        await reader.read(1)  # The subscription begins; it is never answered.
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        ends.put_nowait(None)

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    at = Broker(at=Address("127.0.0.1", server.sockets[0].getsockname()[1]))
    async with server, opened(at, node="a", incarnation="1", meter=Totals()) as ours:
        ours.subscribe("a", Ear())
        async with asyncio.timeout(PATIENCE_S):
            first, second = await connections.get(), await connections.get()
            await ends.get()
            await ends.get()
    for _ in range(connections.qsize()):
        await ends.get()
    assert second - first < 2.5


async def test_a_broker_without_mqtt_5_is_spoken_to_in_the_older(tmp_path: Path) -> None:
    with brokers.nats(tmp_path) as running:
        async with bus(running.broker) as ours:
            assert ours.is_connected
        with pytest.raises(LinkLost):
            await link(running.broker).open()
        older = link(running.broker, version="3.1.1")
        await older.open()
        await older.close()


async def logged(caplog: pytest.LogCaptureFixture) -> None:
    """Returns when something has been logged, looking at every turn of the loop."""
    async with asyncio.timeout(60):
        while not caplog.records:
            await asyncio.to_thread(lambda: None)


@pytest.mark.parametrize("version", ["5", "3.1.1"])
async def test_the_version_may_be_set(mosquitto: Running, version: str) -> None:
    ear = Ear()
    async with bus(replace(mosquitto.broker, version=version)) as ours:
        ours.subscribe("a", ear)
        ours.publish("a", b"1")
        await ear.hear(b"1")


async def test_a_password_is_in_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    meter = Totals()
    port = brokers.free_port()
    with brokers.mosquitto_with(
        tmp_path, f"listener {port} 127.0.0.1\nallow_anonymous false\n", port=port
    ) as running:
        caplog.set_level("DEBUG")
        named = replace(running.broker, user="node-a", password="secret-word")
        async with opened(named, node="a", incarnation="1", meter=meter) as ours:
            await logged(caplog)
            assert not ours.is_connected
    assert "node-a@127.0.0.1" in caplog.text
    assert "secret-word" not in caplog.text
    assert meter.totals["bus_connected"] == 0


async def test_certificates_that_are_missing_are_named_at_the_start() -> None:
    at = Broker(at=Address("127.0.0.1", 1), is_tls=True, ca=Path("/nowhere"))
    with pytest.raises(BadSettings, match="--bus: ca, cert or key cannot be read"):
        MqttBus(at, identifier="a", meter=Totals())


async def test_a_name_that_cannot_be_found_is_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    at = Broker(at=Address("no..name", 1))
    async with opened(at, node="a", incarnation="1", meter=Totals()):
        await logged(caplog)
    assert "bus away" in caplog.text
