"""A bus over a broker, one connection to it, and ears and meters for which a test can wait."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from samedeal_server.adapters.bus_mqtt import MqttBus, opened
from samedeal_server.adapters.bus_mqtt.link import Link
from samedeal_server.settings import Broker
from support.fakes import RecordingMeter

__all__ = ["Ear", "Message", "Totals", "bus", "kept", "link"]

Message = tuple[str, bytes]


class Totals(RecordingMeter):
    """A meter for which one can wait."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = asyncio.Event()

    def count(self, name: str, amount: int = 1) -> None:
        super().count(name, amount)
        self._changed.set()

    async def reach(self, name: str, amount: int) -> None:
        async with asyncio.timeout(60):
            while self.totals[name] != amount:
                self._changed.clear()
                await self._changed.wait()


class Ear:
    """A subscriber whose messages one can wait for."""

    def __init__(self) -> None:
        self.all: list[Message] = []
        self._queue: asyncio.Queue[Message] = asyncio.Queue()

    def __call__(self, topic: str, payload: bytes) -> None:
        self.all.append((topic, payload))
        self._queue.put_nowait((topic, payload))

    async def hear(self, payload: bytes) -> None:
        """Returns when the payload has come, whatever came before it."""
        async with asyncio.timeout(60):
            while (await self._queue.get())[1] != payload:
                pass

    async def hear_topics(self, amount: int) -> None:
        """Returns when something has come on so many topics."""
        async with asyncio.timeout(60):
            while len({topic for topic, _ in self.all}) < amount:
                await self._queue.get()


@asynccontextmanager
async def bus(
    broker: Broker, meter: Totals | None = None, *, node: str = "a", keepalive: int = 5
) -> AsyncIterator[MqttBus]:
    """A bus that has been connected."""
    meter = meter or Totals()
    async with opened(
        broker, node=node, incarnation="1", meter=meter, keepalive=keepalive
    ) as opening:
        await meter.reach("bus_connected", 1)
        yield opening


async def kept(broker: Broker, pattern: str, amount: int) -> None:
    """Returns when a newcomer is told so many retained messages.

    NATS acknowledges what it keeps a little before it tells newcomers of it.
    """
    async with asyncio.timeout(60):
        while True:
            ear = Ear()
            async with bus(broker, node="scout") as scout:
                scout.subscribe(pattern, ear)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await ear.hear_topics(amount)
                    return


def link(broker: Broker, *, version: str = "5") -> Link:
    """One connection by itself, with a will."""
    return Link(
        broker,
        version=version,
        identifier="link-1",
        will=("gone", b"a"),
        keepalive=5,
        tls=None,
        receive=lambda topic, payload, is_retained: None,
        progress=lambda: None,
        refused=lambda topic: None,
        lost=lambda: None,
    )
