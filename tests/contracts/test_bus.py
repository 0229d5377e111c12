"""What every bus promises. `settle` waits until what was published has arrived.

An adapter over a network joins by adding a harness whose `settle` publishes a mark on a topic of
its own and waits for it. Nothing here asks for exactly one delivery: a bus may repeat.
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import pytest

from samedeal_server.adapters.bus_local import LocalBus
from samedeal_server.ports import Bus


@dataclass(frozen=True)
class Harness:
    """A bus under test."""

    bus: Bus
    settle: Callable[[], Awaitable[None]]


@asynccontextmanager
async def local() -> AsyncIterator[Harness]:
    async def settle() -> None:
        """Everything has arrived before `publish` returned."""

    yield Harness(LocalBus(), settle)


BUSES: dict[str, Callable[[], AbstractAsyncContextManager[Harness]]] = {"local": local}


@pytest.fixture(params=BUSES)
async def harness(request: pytest.FixtureRequest) -> AsyncIterator[Harness]:
    async with BUSES[request.param]() as harness:
        yield harness


class Heard:
    """A subscriber that remembers, without immediate repeats, what it was told."""

    def __init__(self) -> None:
        self._all: list[tuple[str, bytes]] = []

    def __call__(self, topic: str, payload: bytes) -> None:
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
    await harness.settle()
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
