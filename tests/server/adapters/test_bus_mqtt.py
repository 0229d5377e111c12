"""The bus over a broker that is away, slow, forgetful or unfriendly: nobody here notices."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_server.adapters.bus_local import covers
from samedeal_server.adapters.bus_mqtt import MqttBus, opened
from samedeal_server.adapters.bus_mqtt.bus import PORTION, WAITING
from samedeal_server.adapters.bus_mqtt.filters import Interests, disjoint, overlap
from samedeal_server.adapters.bus_mqtt.link import Link, LinkLost
from samedeal_server.adapters.bus_mqtt.outgoing import Outgoing
from samedeal_server.settings import Address, BadSettings, Broker
from support import brokers
from support.brokers import Running
from support.fakes import RecordingMeter

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


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Running]:
    with brokers.mosquitto(tmp_path) as running:
        yield running


@pytest.fixture(params=["mosquitto", "nats"])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    with {"mosquitto": brokers.mosquitto, "nats": brokers.nats}[request.param](tmp_path) as running:
        yield running


# --- a broker that goes away --------------------------------------------------------------------


@pytest.mark.parametrize("how", [Running.kill, Running.stop], ids=["kill -9", "SIGTERM"])
async def test_subscriptions_and_retained_state_come_back_with_the_broker(
    broker: Running, how: Callable[[Running], None]
) -> None:
    meter, ear, late = Totals(), Ear(), Ear()
    async with bus(broker.broker, meter) as ours:
        ours.subscribe("a/+", ear)
        ours.publish("a/kept", b"1", retain=True)
        ours.publish("a/kept", b"2", retain=True)
        await ear.hear(b"2")
        how(broker)
        await meter.reach("bus_connected", 0)
        assert not ours.is_connected
        ours.publish("a/kept", b"3", retain=True)
        broker.start()
        await meter.reach("bus_reconnects", 1)
        await ear.hear(b"3")
        ours.publish("a/b", b"on")
        await ear.hear(b"on")
        async with bus(broker.broker, node="b") as other:
            other.subscribe("a/kept", late)
            await late.hear(b"3")
    assert late.all == [("a/kept", b"3")]


async def test_a_topic_that_was_cleared_meanwhile_is_cleared_when_the_broker_is_back(
    tmp_path: Path,
) -> None:
    meter, ear = Totals(), Ear()
    keeping = f"persistence true\npersistence_location {tmp_path}/\n"
    conf = "listener {port} 127.0.0.1\nallow_anonymous true\n" + keeping
    port = brokers.free_port()
    with brokers.mosquitto_with(tmp_path, conf.format(port=port), port=port) as running:
        async with bus(running.broker, meter) as ours:
            ours.publish("a", b"1", retain=True)
            await ours.settle()
            running.stop()
            await meter.reach("bus_connected", 0)
            ours.publish("a", b"", retain=True)
            running.start()
            await meter.reach("bus_connected", 1)
            await ours.settle()
            ours.subscribe("#", ear)
            ours.publish("b", b"end")
            await ear.hear(b"end")
    assert ear.all == [("b", b"end")]


async def test_a_stream_goes_on_in_order_after_a_restart(mosquitto: Running) -> None:
    meter, ear = Totals(), Ear()
    async with bus(mosquitto.broker, meter) as ours:
        ours.subscribe("a", ear)
        numbers = itertools.count()
        for round_of in range(3):
            for _ in range(200):
                ours.publish("a", b"%d" % next(numbers))
                await asyncio.sleep(0)
            if round_of == 1:
                mosquitto.kill()
                mosquitto.start()
        await meter.reach("bus_reconnects", 1)
        ours.publish("a", b"end")
        await ear.hear(b"end")
    heard = [int(payload) for _, payload in ear.all[:-1]]
    assert heard == sorted(set(heard))
    assert set(range(200)) <= set(heard)
    lost = 600 - len(heard)
    # What was in a socket when the broker died is lost without anybody knowing.
    assert lost >= meter.totals["bus_dropped"]


async def test_a_frozen_broker_is_given_up_and_found_again(mosquitto: Running) -> None:
    meter, ear = Totals(), Ear()
    async with bus(mosquitto.broker, meter, keepalive=1) as ours:
        ours.subscribe("a", ear)
        ours.publish("a", b"before")
        await ear.hear(b"before")
        mosquitto.freeze()
        ours.publish("a", b"1", retain=True)
        await meter.reach("bus_connected", 0)
        ours.publish("a", b"2", retain=True)
        mosquitto.thaw()
        await meter.reach("bus_reconnects", 1)
        await ear.hear(b"2")
    assert len(asyncio.all_tasks()) == 1


async def test_a_frozen_broker_makes_nobody_wait_nor_memory_grow(mosquitto: Running) -> None:
    meter = Totals()
    kibibyte = b"x" * 1024
    async with bus(mosquitto.broker, meter) as ours:
        mosquitto.freeze()
        turns = 0
        for number in range(20_000):
            ours.publish(f"a/{number}", kibibyte)
            if number % 10 == 0:
                await asyncio.sleep(0)  # a turn of the loop, whatever the broker does
                turns += 1
        assert turns == 2_000
        assert len(ours._outgoing) == WAITING
        assert meter.totals["bus_dropped"] > 10_000
        mosquitto.thaw()


async def test_publishing_hands_over_a_portion_a_turn_and_nothing_at_once(
    mosquitto: Running,
) -> None:
    async with bus(mosquitto.broker) as ours:
        for number in range(1_000):
            ours.publish("a", b"%d" % number)
        assert len(ours._outgoing) == 1_000
        await asyncio.sleep(0)
        assert len(ours._outgoing) >= 1_000 - PORTION
        await ours.settle(10)
        assert len(ours._outgoing) == 0


async def test_without_a_broker_the_newest_messages_wait_and_the_others_are_counted(
    mosquitto: Running,
) -> None:
    meter, ear = Totals(), Ear()
    mosquitto.stop()
    async with (
        opened(mosquitto.broker, node="a", incarnation="1", meter=meter) as ours,
    ):
        ours.subscribe("#", ear)
        for number in range(WAITING + 100):
            ours.publish("a", b"%d" % number)
        for number in range(WAITING):
            ours.publish("kept", b"k%d" % number, retain=True)
        assert meter.totals == Counter(bus_dropped=100)
        mosquitto.start()
        await ear.hear(b"%d" % (WAITING + 99))
    passing = [payload for topic, payload in ear.all if topic == "a"]
    assert passing == [b"%d" % number for number in range(100, WAITING + 100)]
    assert [message for message in ear.all if message[0] == "kept"] == [
        ("kept", b"k%d" % (WAITING - 1))
    ]


async def test_the_end_does_not_wait_for_a_broker_that_is_away(mosquitto: Running) -> None:
    mosquitto.stop()
    meter = Totals()
    async with opened(mosquitto.broker, node="a", incarnation="1", meter=meter) as ours:
        ours.publish("a", b"1")
    assert len(asyncio.all_tasks()) == 1


async def test_what_is_said_last_arrives(mosquitto: Running) -> None:
    ear = Ear()
    async with bus(mosquitto.broker, node="b") as other:
        other.subscribe("a", ear)
        async with bus(mosquitto.broker) as ours:
            for number in range(500):
                ours.publish("a", b"%d" % number)
        await ear.hear(b"499")
    assert len(ear.all) == 500


# --- a broker that behaves oddly ----------------------------------------------------------------


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


def link(broker: Broker, *, version: str = "5") -> Link:
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
        async with asyncio.timeout(20):
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


# --- wills ----------------------------------------------------------------------------------------


async def test_the_broker_says_when_somebody_is_gone_without_goodbye(broker: Running) -> None:
    ear = Ear()
    async with bus(broker.broker) as ours:
        ours.subscribe("gone", ear)
        lost = link(broker.broker, version="3.1.1")
        await lost.open()
        lost.throw_away()
        await ear.hear(b"a")


async def test_a_goodbye_keeps_the_will_from_being_told(broker: Running) -> None:
    ear = Ear()
    async with bus(broker.broker) as ours:
        ours.subscribe("gone", ear)
        leaving = link(broker.broker, version="3.1.1")
        await leaving.open()
        await leaving.close()
        ours.publish("gone", b"end")
        await ear.hear(b"end")
    assert ear.all == [("gone", b"end")]


async def test_two_incarnations_of_a_node_leave_each_other_alone(broker: Running) -> None:
    meters = Totals(), Totals()
    ear = Ear()
    async with (
        opened(broker.broker, node="a", incarnation="1", meter=meters[0]) as one,
        opened(broker.broker, node="a", incarnation="2", meter=meters[1]) as two,
    ):
        for meter in meters:
            await meter.reach("bus_connected", 1)
        one.subscribe("a", ear)
        await one.settle()
        for number in range(50):
            two.publish("a", b"%d" % number)
            await two.settle()
        await ear.hear(b"49")
    assert [meter.totals["bus_reconnects"] for meter in meters] == [0, 0]


# --- subscriptions --------------------------------------------------------------------------------


async def test_overlapping_subscribers_hear_each_message_once(broker: Running) -> None:
    ears = {pattern: Ear() for pattern in ("a/b", "a/+", "+/b", "a/#", "#")}
    async with bus(broker.broker) as ours:
        for pattern, ear in ears.items():
            ours.subscribe(pattern, ear)
        for number in range(20):
            ours.publish("a/b", b"%d" % number)
        for ear in ears.values():
            await ear.hear(b"19")
    expected = [("a/b", b"%d" % number) for number in range(20)]
    assert {pattern: ear.all for pattern, ear in ears.items()} == dict.fromkeys(ears, expected)


async def test_what_is_retained_is_told_to_newcomers_only(broker: Running) -> None:
    ears = [Ear() for _ in range(4)]
    async with bus(broker.broker) as ours:
        for number in range(3):
            ours.publish(f"kept/{number}", b"k%d" % number, retain=True)
        await ours.settle()
        await kept(broker.broker, "kept/+", 3)
        for ear in ears:
            ours.subscribe("kept/+", ear)
            await ear.hear(b"k2")
    # The last newcomer's may still reach the one before.
    assert len(ears[0].all) <= 6
    assert all(len(set(ear.all)) == 3 for ear in ears)


async def test_what_is_retained_comes_whatever_others_do_meanwhile(broker: Running) -> None:
    ear = Ear()
    async with bus(broker.broker) as ours:
        for number in range(500):
            ours.publish(f"kept/{number}", b"k%d" % number, retain=True)
        await ours.settle(20)
        ours.subscribe("kept/+", ear)
        for number in range(20):
            stop = ours.subscribe(f"other/{number}", Ear())
            await asyncio.sleep(0)
            stop()
            await asyncio.sleep(0)
        await ear.hear_topics(500)


async def test_when_the_wider_subscriber_stops_the_narrower_still_hears(broker: Running) -> None:
    wide, narrow = Ear(), Ear()
    async with bus(broker.broker) as ours:
        stop = ours.subscribe("a/#", wide)
        ours.subscribe("a/b", narrow)
        ours.publish("a/b", b"1")
        await narrow.hear(b"1")
        stop()
        ours.publish("a/b", b"2")
        await narrow.hear(b"2")
    assert wide.all == [("a/b", b"1")]
    # While the one subscription takes the other's place a message may come twice.
    assert [message for message, _ in itertools.groupby(narrow.all)] == [
        ("a/b", b"1"),
        ("a/b", b"2"),
    ]


async def test_announcements_are_made_on_every_connection(mosquitto: Running) -> None:
    meter, ear = Totals(), Ear()
    numbers = itertools.count()
    async with bus(mosquitto.broker, meter) as ours:
        ours.subscribe("a", ear)
        stop = ours.on_connected(lambda: ours.publish("a", b"%d" % next(numbers)))
        ours.on_connected(lambda: None)
        await ear.hear(b"0")
        mosquitto.kill()
        mosquitto.start()
        await ear.hear(b"1")
        stop()
        stop()
        mosquitto.kill()
        mosquitto.start()
        await meter.reach("bus_reconnects", 2)
    assert next(numbers) == 2


async def test_a_topic_that_is_forgotten_is_not_said_again(mosquitto: Running) -> None:
    meter, ear = Totals(), Ear()
    async with bus(mosquitto.broker, meter) as ours:
        ours.publish("a", b"1", retain=True)
        ours.publish("b", b"2", retain=True)
        await ours.settle()
        ours.forget("a")
        mosquitto.kill()
        mosquitto.start()
        await meter.reach("bus_reconnects", 1)
        await ours.settle()
        ours.subscribe("+", ear)
        await ear.hear(b"2")
    assert ear.all == [("b", b"2")]


@pytest.mark.parametrize("topic", ["a b", "a\nb", "ä", "a" * 257])
async def test_topics_that_make_brokers_hang_up_are_refused(topic: str) -> None:
    ours = MqttBus(Broker(at=Address("127.0.0.1", 1)), identifier="a", meter=Totals())
    with pytest.raises(ValueError, match="topic"):
        ours.publish(topic, b"x")


async def test_too_large_a_message_is_dropped_and_counted() -> None:
    meter = Totals()
    ours = MqttBus(Broker(at=Address("127.0.0.1", 1)), identifier="a", meter=meter)
    ours.publish("a", b"x" * 600_000)
    assert meter.totals["bus_dropped"] == 1


# --- a cluster ------------------------------------------------------------------------------------


@pytest.mark.timeout(300)
async def test_a_cluster_of_brokers_survives_the_death_of_one(tmp_path: Path) -> None:
    ear, late = Ear(), Ear()
    with brokers.nats_cluster(tmp_path) as (first, second, third):
        async with (
            bus(second.broker, node="b") as two,
            bus(third.broker, node="c") as three,
        ):
            three.subscribe("a/+", ear)
            async with asyncio.timeout(120):
                while not ear.all:
                    # What is said while the cluster still finds itself may be lost.
                    two.publish("a/kept", b"1", retain=True)
                    await two.settle()
                    await asyncio.sleep(0.1)
            first.kill()
            numbers = itertools.count()
            async with asyncio.timeout(60):
                while len(ear.all) < 100:
                    # Who was connected may be thrown out while the cluster finds a leader.
                    two.publish("a/b", b"%d" % next(numbers))
                    await two.settle()
                    await asyncio.sleep(0.005)
            two.publish("a/kept", b"2", retain=True)
            await ear.hear(b"2")
            three.subscribe("a/kept", late)
            await late.hear(b"2")
    heard = [int(payload) for topic, payload in ear.all if topic == "a/b"]
    assert heard == sorted(set(heard))


# --- the parts by themselves ----------------------------------------------------------------------

LEVELS = st.lists(st.sampled_from("ab+"), min_size=1, max_size=4)
PATTERNS = st.builds(
    lambda levels, tail: "/".join((*levels, *tail)), LEVELS, st.sampled_from([(), ("#",)])
)
TOPICS = [
    "/".join(levels) for size in range(1, 6) for levels in itertools.product("abc", repeat=size)
]


@given(patterns=st.lists(PATTERNS, max_size=6))
def test_filters_cover_what_is_wanted_and_each_topic_once(patterns: list[str]) -> None:
    filters = disjoint(patterns)
    for topic in TOPICS:
        covering = [each for each in filters if covers(each, topic)]
        assert len(covering) <= 1
        if any(covers(pattern, topic) for pattern in patterns):
            assert covering


@given(one=PATTERNS, other=PATTERNS)
def test_patterns_overlap_if_a_topic_is_in_both(one: str, other: str) -> None:
    both = any(covers(one, topic) and covers(other, topic) for topic in TOPICS)
    assert overlap(one, other) == overlap(other, one) == both


@given(added=st.lists(PATTERNS, max_size=6), removed=st.integers(0, 6))
def test_interests_are_those_that_are_left(added: list[str], removed: int) -> None:
    interests = Interests()
    for pattern in added:
        interests.add(pattern)
    for pattern in added[:removed]:
        interests.remove(pattern)
    left = added[removed:]
    assert all(pattern in interests for pattern in left)
    for topic in TOPICS:
        covering = [each for each in interests.filters() if covers(each, topic)]
        assert len(covering) <= 1
        assert bool(covering) >= any(covers(pattern, topic) for pattern in left)


def outgoing(*, messages: int = 3, size: int = 100) -> tuple[Outgoing, list[int]]:
    dropped: list[int] = []
    return Outgoing(messages=messages, size=size, emptied=2, dropped=dropped.append), dropped


def test_the_oldest_passing_messages_make_room() -> None:
    queue, dropped = outgoing()
    for number in range(5):
        queue.put("a", b"%d" % number)
    queue.put("a", b"x" * 99)
    assert dropped == [1, 1, 2]
    assert [queue.take()[1] for _ in range(2)] == [b"4", b"x" * 99]


def test_of_a_retained_topic_the_newest_is_due_once() -> None:
    queue, _ = outgoing()
    for payload in (b"1", b"2"):
        queue.retain("a", payload)
    assert len(queue) == 1
    assert queue.take_retained() == ("a", b"2")
    queue.repeat()
    assert queue.take_retained() == ("a", b"2")


def test_cleared_topics_are_remembered_up_to_a_bound() -> None:
    queue, _ = outgoing()
    for topic in ("a", "b", "c"):
        queue.retain(topic, b"1")
        queue.retain(topic, b"")
    queue.repeat()
    assert [queue.take_retained() for _ in range(len(queue))] == [("b", b""), ("c", b"")]
