"""What every bus promises. `settle` waits until what was published has arrived.

An adapter over a network joins by adding a harness whose `settle` publishes a mark on a topic of
its own and waits for it. Nothing here asks for exactly one delivery: a bus may repeat.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from samedeal_server.adapters.bus_local import LocalBus
from samedeal_server.adapters.bus_mqtt import opened
from samedeal_server.ports import Bus
from samedeal_server.settings import Broker, gather
from support import brokers
from support.chaos import ChaosBus
from support.fakes import RecordingMeter
from support.patience import PATIENCE_S

MARK = "mark"


@dataclass(frozen=True)
class Harness:
    """A bus under test."""

    bus: Bus
    settle: Callable[[], Awaitable[None]]


@asynccontextmanager
async def local(folder: Path) -> AsyncIterator[Harness]:
    async def settle() -> None:
        """Everything has arrived before `publish` returned."""

    yield Harness(LocalBus(), settle)


@asynccontextmanager
async def connected(broker: Broker) -> AsyncIterator[Harness]:
    marks: asyncio.Queue[bytes] = asyncio.Queue()
    numbers = itertools.count()
    async with opened(broker, node="test", incarnation="1", meter=RecordingMeter()) as bus:
        bus.subscribe(MARK, lambda _, payload: marks.put_nowait(payload))

        async def settle() -> None:
            # Twice, as who hears the one message may say the other.
            for mark in (b"%d" % next(numbers), b"%d" % next(numbers)):
                # What is retained may still be under way when a mark is not.
                await bus.settle(5)
                bus.publish(MARK, mark)
                async with asyncio.timeout(PATIENCE_S):
                    while await marks.get() != mark:
                        pass

        await settle()
        yield Harness(bus, settle)


@asynccontextmanager
async def mosquitto(folder: Path) -> AsyncIterator[Harness]:
    with brokers.mosquitto(folder) as running:
        async with connected(running.broker) as harness:
            yield harness


@asynccontextmanager
async def nats(folder: Path) -> AsyncIterator[Harness]:
    with brokers.nats(folder) as running:
        async with connected(running.broker) as harness:
            yield harness


@asynccontextmanager
async def given(folder: Path) -> AsyncIterator[Harness]:
    """The broker that `SAMEDEAL_TEST_MQTT` names; it is emptied of what is retained."""
    bus = gather({"bus": f"mqtt://{brokers.GIVEN}"}, environment={}).bus
    assert isinstance(bus, Broker)
    async with connected(bus) as harness:
        yield harness
        kept: set[str] = set()
        harness.bus.subscribe("#", lambda topic, _: kept.add(topic))
        await harness.settle()
        for topic in kept:
            harness.bus.publish(topic, b"", retain=True)
        await harness.settle()


BUSES: dict[str, Callable[[Path], AbstractAsyncContextManager[Harness]]] = {
    "local": local,
    "mosquitto": mosquitto,
    "nats": nats,
    **({"given": given} if brokers.GIVEN else {}),
}


@pytest.fixture(params=BUSES)
async def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Harness]:
    async with BUSES[request.param](tmp_path) as harness:
        yield harness


class Heard:
    """A subscriber that remembers, without immediate repeats, what it was told."""

    def __init__(self) -> None:
        self._all: list[tuple[str, bytes]] = []

    def __call__(self, topic: str, payload: bytes) -> None:
        if topic != MARK:
            self._all.append((topic, payload))

    @property
    def messages(self) -> list[tuple[str, bytes]]:
        return [message for message, _ in itertools.groupby(self._all)]


async def test_a_subscriber_hears_its_topic_in_order(harness: Harness) -> None:
    heard = Heard()
    harness.bus.subscribe("a/b", heard)
    for number in range(20):
        harness.bus.publish("a/b", b"%d" % number)
    harness.bus.publish("a/c", b"other")
    await harness.settle()
    assert heard.messages == [("a/b", b"%d" % number) for number in range(20)]


@pytest.mark.parametrize(
    ("pattern", "topic", "is_covered"),
    [
        ("a/b", "a/b", True),
        ("a/b", "a/b/c", False),
        ("a/+/c", "a/b/c", True),
        ("a/+/c", "a/b/d", False),
        ("a/+/c", "a/b/x/c", False),
        ("a/+", "a/b", True),
        ("a/+", "a", False),
        ("a/+", "a/", True),
        ("+/b", "a/b", True),
        ("a/#", "a/b", True),
        ("a/#", "a/b/c", True),
        ("a/#", "a", True),
        ("a/#", "ab/c", False),
        ("#", "a/b/c", True),
        ("+/+/#", "a/b/c/d", True),
    ],
)
async def test_a_pattern_covers_its_topics_and_no_other(
    harness: Harness, pattern: str, topic: str, is_covered: bool
) -> None:
    heard = Heard()
    harness.bus.subscribe(pattern, heard)
    harness.bus.publish(topic, b"x")
    await harness.settle()
    assert heard.messages == ([(topic, b"x")] if is_covered else [])


@pytest.mark.parametrize("pattern", ["a/b", "a/+", "#"])
async def test_where_somebody_is_subscribed_the_bus_hears(harness: Harness, pattern: str) -> None:
    stop = harness.bus.subscribe(pattern, Heard())
    assert harness.bus.hears("a/b")
    stop()


@pytest.mark.parametrize("pattern", ["", "a/b+", "a/#/c", "a/b#", "+a"])
async def test_what_is_no_pattern_is_refused(harness: Harness, pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        harness.bus.subscribe(pattern, Heard())


@pytest.mark.parametrize("topic", ["", "a/+", "a/#"])
async def test_what_is_no_topic_is_refused(harness: Harness, topic: str) -> None:
    with pytest.raises(ValueError, match="topic"):
        harness.bus.publish(topic, b"x")


async def test_a_late_subscriber_hears_what_is_retained_first(harness: Harness) -> None:
    harness.bus.publish("race/1/standings", b"old", retain=True)
    harness.bus.publish("race/1/standings", b"new", retain=True)
    harness.bus.publish("race/1/progress", b"gone")
    await harness.settle()
    heard = Heard()
    harness.bus.subscribe("race/+/standings", heard)
    async with asyncio.timeout(PATIENCE_S):
        # A broker may bring what it kept later than what is published after the subscription.
        while not heard.messages:
            await harness.settle()
            await asyncio.sleep(0)
    harness.bus.publish("race/1/standings", b"newer", retain=True)
    await harness.settle()
    assert heard.messages == [("race/1/standings", b"new"), ("race/1/standings", b"newer")]


async def test_an_empty_retained_message_clears_its_topic(harness: Harness) -> None:
    harness.bus.publish("race/1/standings", b"x", retain=True)
    harness.bus.publish("race/1/standings", b"", retain=True)
    await harness.settle()
    heard = Heard()
    harness.bus.subscribe("race/#", heard)
    await harness.settle()
    assert heard.messages == []


async def test_who_has_stopped_hears_no_more(harness: Harness) -> None:
    heard, other = Heard(), Heard()
    stop = harness.bus.subscribe("a", heard)
    harness.bus.subscribe("a", other)
    harness.bus.publish("a", b"1")
    await harness.settle()
    stop()
    stop()
    harness.bus.publish("a", b"2")
    await harness.settle()
    assert heard.messages == [("a", b"1")]
    assert other.messages == [("a", b"1"), ("a", b"2")]


async def test_a_subscriber_that_raises_harms_nobody(
    harness: Harness, caplog: pytest.LogCaptureFixture
) -> None:
    heard = Heard()

    def broken(topic: str, payload: bytes) -> None:
        raise RuntimeError("broken")

    harness.bus.subscribe("a", broken)
    harness.bus.subscribe("a", heard)
    harness.bus.publish("a", b"1")
    harness.bus.publish("a", b"2")
    await harness.settle()
    assert heard.messages == [("a", b"1"), ("a", b"2")]
    assert "a subscriber failed" in caplog.text


async def test_what_a_subscriber_publishes_comes_after_what_it_heard(harness: Harness) -> None:
    heard = Heard()

    def echo(topic: str, payload: bytes) -> None:
        if payload == b"question":
            harness.bus.publish("a", b"answer")

    harness.bus.subscribe("a", echo)
    harness.bus.subscribe("a", heard)
    harness.bus.publish("a", b"question")
    await harness.settle()
    assert heard.messages == [("a", b"question"), ("a", b"answer")]


async def test_a_subscriber_may_stop_while_it_is_told(harness: Harness) -> None:
    heard = Heard()
    stops: list[Callable[[], None]] = []

    def once(topic: str, payload: bytes) -> None:
        heard(topic, payload)
        stops.pop()()

    stops.append(harness.bus.subscribe("a", once))
    harness.bus.publish("a", b"1")
    harness.bus.publish("a", b"2")
    await harness.settle()
    assert heard.messages == [("a", b"1")]


async def test_whoever_announces_does_so_now_when_there_is_a_connection(harness: Harness) -> None:
    announced: list[str] = []
    assert harness.bus.is_connected
    stop = harness.bus.on_connected(lambda: announced.append("here"))
    stop()
    stop()
    assert announced == ["here"]


async def test_what_is_forgotten_stays_retained_for_others(harness: Harness) -> None:
    heard = Heard()
    harness.bus.publish("a", b"1", retain=True)
    await harness.settle()
    harness.bus.forget("a")
    harness.bus.forget("b")
    harness.bus.subscribe("a", heard)
    await harness.settle()
    assert heard.messages == [("a", b"1")]


# --- what even a bus that does its worst promises ------------------------------------------------


@pytest.fixture(params=range(20))
def chaos(request: pytest.FixtureRequest) -> ChaosBus:
    return ChaosBus(LocalBus(), request.param)


def test_a_bus_at_its_worst_tells_what_was_said_on_its_topic_only(chaos: ChaosBus) -> None:
    heard = Heard()
    chaos.subscribe("a/+", heard)
    for number in range(100):
        chaos.publish("a/b", b"%d" % number)
        chaos.publish("b/b", b"other")
    chaos.settle()
    said = [("a/b", b"%d" % number) for number in range(100)]
    assert set(heard.messages) < set(said)
    assert heard.messages != [message for message in said if message in heard.messages]


def test_a_bus_at_its_worst_brings_what_is_retained_some_time(chaos: ChaosBus) -> None:
    chaos.publish("a", b"1", retain=True)
    chaos.settle()
    heard = Heard()
    chaos.subscribe("a", heard)
    assert heard.messages == [("a", b"1")]


def test_a_bus_at_its_worst_tells_nobody_who_has_stopped(chaos: ChaosBus) -> None:
    heard = Heard()
    stop = chaos.subscribe("a", heard)
    for number in range(100):
        chaos.publish("a", b"%d" % number)
    before = heard.messages
    stop()
    chaos.settle()
    assert heard.messages == before


@pytest.mark.parametrize("topic", ["", "a/+", "a/#"])
def test_a_bus_at_its_worst_refuses_what_is_no_topic(chaos: ChaosBus, topic: str) -> None:
    with pytest.raises(ValueError, match="topic"):
        chaos.publish(topic, b"x")


def test_chaos_is_the_same_for_the_same_seed() -> None:
    def told(seed: int) -> list[tuple[str, bytes]]:
        heard = Heard()
        chaos = ChaosBus(LocalBus(), seed)
        chaos.subscribe("a", heard)
        for number in range(50):
            chaos.publish("a", b"%d" % number)
        chaos.settle()
        return heard.messages

    assert told(1) == told(1)
    assert told(1) != told(2)
