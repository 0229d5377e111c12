"""What a message costs through each bus: messages a second, and CPU of each who takes part.

One process publishes what a race's progress weighs, another hears it: as fast as it goes, and at
a pace, at which each message wakes a sleeping process. The bus within a process has one subscriber.
Run by itself this is the subscriber.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TypeVar

from bench.processes import Measured
from samedeal_protocol import topics
from samedeal_server.adapters.bus_local import LocalBus
from samedeal_server.adapters.bus_mqtt import MqttBus, opened
from samedeal_server.adapters.metrics import PrometheusMeter
from samedeal_server.settings import Address, Broker

# The tests know how to start a Mosquitto and a NATS server of their own.
sys.path.append(str(Path(__file__).parents[2] / "tests"))

from support.brokers import find_program, mosquitto, nats

__all__ = ["report"]

T = TypeVar("T")

PACE = 500
"""Messages a second where it is not as fast as it goes."""
TURN = 64
"""Messages that are published in one turn of the event loop."""
END = topics.PROGRESS.at(race="end")
MESSAGE = topics.PROGRESS.encode(
    topics.Progress(
        race="k7m2-q9xq-4tbd",
        node="node-a",
        epoch=1,
        seq=1000,
        at=1_800_000_000_000,
        phase="running",
        entrants=tuple(
            topics.ProgressLine(entrant=number, state="racing", home=20, moves=100)
            for number in range(1, 5)
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Round:
    """What one round cost, in nanoseconds of CPU a message."""

    rate: float
    publisher: float
    subscriber: float
    broker: float
    lost: float


def report(rounds: int, *, seconds: float) -> None:
    """Prints a line for each bus."""
    print(f"\nthe bus, {len(MESSAGE)} bytes a message: CPU µs a message (medians of {rounds})")
    print(f"{'':24}{'messages/s':>12}{'publisher':>12}{'subscriber':>12}{'broker':>9}{'lost':>8}")
    _report_local(rounds, seconds)
    for kind, started in (("mosquitto", mosquitto), ("nats-server", nats)):
        if find_program(kind) is None:
            print(f"{kind:24}is not installed")
            continue
        for pace in (None, PACE):
            with TemporaryDirectory() as folder, started(Path(folder)) as running:
                broker = Measured(running.pid, running.port)
                made = [_run(_round(broker, seconds, pace)) for _ in range(rounds)]
            name = kind if pace is None else f"{kind}, {pace}/s"
            print(
                f"{name:24}{median(each.rate for each in made):12,.0f}"
                f"{median(each.publisher for each in made) / 1000:12.0f}"
                f"{median(each.subscriber for each in made) / 1000:12.0f}"
                f"{median(each.broker for each in made) / 1000:9.0f}"
                f"{median(each.lost for each in made):8.1%}"
            )


def _report_local(rounds: int, seconds: float) -> None:
    rate = median(_local_rate(seconds / 3) for _ in range(rounds))
    print(f"{'within the process':24}{rate:12,.0f}{1e6 / rate:12.1f}")


def _local_rate(seconds: float) -> float:
    bus = LocalBus()
    heard: list[int] = []
    bus.subscribe(topics.PROGRESS.pattern, lambda _, payload: heard.append(len(payload)))
    began, until = time.thread_time(), time.monotonic() + seconds
    while time.monotonic() < until:
        for _ in range(1000):
            bus.publish(END, MESSAGE)
    return len(heard) / (time.thread_time() - began)


def _run(errand: Coroutine[None, None, T]) -> T:
    """Runs it in the event loop that the server has."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(errand)
    return uvloop.run(errand)


# --- over a broker -------------------------------------------------------------------------------


async def _round(broker: Measured, seconds: float, pace: int | None) -> Round:
    """Publishes for so many seconds; returns what it cost."""
    hearing = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.brokers", str(broker.port)),
        stdout=asyncio.subprocess.PIPE,
    )
    assert hearing.stdout is not None
    async with _connected(broker.port, "publisher") as bus:
        await hearing.stdout.readline()  # It listens.
        broker_before, before = broker.cpu_ns(), time.process_time_ns()
        sent = await _publish(bus, seconds, pace)
        spent = time.process_time_ns() - before
        ending = asyncio.create_task(hearing.stdout.readline())
        while not ending.done():  # A bus may lose the end as well.
            bus.publish(END, b"")
            await asyncio.wait((ending,), timeout=0.2)
        heard = json.loads(ending.result())
        broker_spent = broker.cpu_ns() - broker_before
    await hearing.wait()
    received = max(1, heard["received"])
    return Round(
        rate=received / heard["seconds"],
        publisher=spent / sent,
        subscriber=heard["cpu"] / received,
        broker=broker_spent / sent,
        lost=1 - received / sent,
    )


async def _publish(bus: MqttBus, seconds: float, pace: int | None) -> int:
    loop = asyncio.get_running_loop()
    topic = topics.PROGRESS.at(race="bench")
    sent = 0
    began = loop.time()
    while (now := loop.time()) < began + seconds or not sent:
        if pace is None:
            for _ in range(TURN if bus.waiting < TURN else 0):
                bus.publish(topic, MESSAGE)
                sent += 1
            await asyncio.sleep(0)
        else:
            bus.publish(topic, MESSAGE)
            sent += 1
            await asyncio.sleep(max(0.0, began + sent / pace - now))
    await bus.settle(10)
    return sent


@contextlib.asynccontextmanager
async def _connected(port: int, name: str) -> AsyncIterator[MqttBus]:
    arrived = asyncio.Event()
    broker = Broker(at=Address("127.0.0.1", port))
    async with opened(broker, node=name, incarnation="1", meter=PrometheusMeter()) as bus:
        bus.on_connected(arrived.set)
        await arrived.wait()
        yield bus


async def _hear(port: int) -> None:
    """Hears everything up to the end, and prints what that cost."""
    ended = asyncio.Event()
    times: list[float] = []

    def hear(topic: str, payload: bytes) -> None:
        if topic == END:
            ended.set()
        elif payload:
            times.append(time.monotonic())

    async with _connected(port, "subscriber") as bus:
        bus.subscribe(topics.PROGRESS.pattern, hear)
        await bus.settle()
        await asyncio.sleep(0.1)
        print("listening", flush=True)
        before = time.process_time_ns()
        await ended.wait()
        spent = time.process_time_ns() - before
    lasted = times[-1] - times[0] if len(times) > 1 else 1.0
    print(json.dumps({"received": len(times), "cpu": spent, "seconds": lasted}), flush=True)


if __name__ == "__main__":
    _run(_hear(int(sys.argv[1])))
