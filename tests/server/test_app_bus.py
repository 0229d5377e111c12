"""The server as a process with a broker: what it says there, and that it needs none to serve."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from samedeal_protocol import messages, topics
from samedeal_server import cli
from samedeal_server.adapters.bus_mqtt import opened
from samedeal_server.settings import Broker
from support import brokers
from support.fakes import RecordingMeter
from support.patience import PATIENCE_S
from support.processes import process
from support.voices import greeted

QUIET = ("--log-level", "warning", "--drain", "0", "--node", "a")


class Statuses:
    """What is said of the node, as it comes."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[topics.NodeStatus] = asyncio.Queue()

    def __call__(self, topic: str, payload: bytes) -> None:
        self._queue.put_nowait(topics.STATUS.decode(topic, payload))

    async def until(self, status: str) -> topics.NodeStatus:
        async with asyncio.timeout(PATIENCE_S):
            while (said := await self._queue.get()).status != status:
                pass
            return said


@asynccontextmanager
async def listening(broker: Broker) -> AsyncIterator[Statuses]:
    statuses = Statuses()
    async with opened(broker, node="ear", incarnation="1", meter=RecordingMeter()) as bus:
        bus.subscribe(topics.STATUS.pattern, statuses)
        yield statuses


async def test_a_node_says_that_it_is_up_and_that_it_goes(tmp_path: Path) -> None:
    with brokers.mosquitto(tmp_path) as running:
        bus = ("--bus", f"mqtt://127.0.0.1:{running.port}")
        async with listening(running.broker) as statuses:
            async with process(tmp_path / "data", *QUIET, *bus) as up:
                said = await statuses.until("up")
                assert (said.node, bool(said.incarnation)) == ("a", True)
                up.ask_to_end()
                assert await up.ended() == 0, "".join(up.errors)
            await statuses.until("down")


async def test_the_broker_says_it_when_a_node_is_killed(tmp_path: Path) -> None:
    with brokers.mosquitto(tmp_path) as running:
        bus = ("--bus", f"mqtt://127.0.0.1:{running.port}")
        async with (
            listening(running.broker) as statuses,
            process(tmp_path / "data", *QUIET, *bus) as up,
        ):
            said = await statuses.until("up")
            up.kill()
            assert (await statuses.until("gone")).incarnation == said.incarnation


async def test_a_server_needs_no_broker_to_serve_and_finds_it_when_it_comes(
    tmp_path: Path,
) -> None:
    with brokers.mosquitto(tmp_path) as running:
        running.stop()
        bus = ("--bus", f"mqtt://127.0.0.1:{running.port}")
        async with process(tmp_path / "data", *QUIET, *bus) as up:
            async with greeted(up.address, "Ann") as ann:
                await ann.get(messages.Listed, messages.List(id=ann.next_id()))
                running.start()
                async with listening(running.broker) as statuses:
                    await statuses.until("up")
            up.ask_to_end()
            assert await up.ended() == 0, "".join(up.errors)


def test_a_certificate_that_is_missing_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bus = ("--bus", f"mqtts://127.0.0.1?ca={tmp_path}/none")
    listen = ("--listen", "127.0.0.1:0", "--data", str(tmp_path))
    assert cli.main(("serve", *listen, *bus)) == 2
    assert capsys.readouterr().err.splitlines() == [
        "samedeal-server: --bus: ca, cert or key cannot be read (No such file or directory)"
    ]
