"""What goes over the bus: wills, subscriptions, what is retained and refused; also in a cluster."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest

from samedeal_server.adapters.bus_mqtt import MqttBus, opened
from samedeal_server.settings import Address, Broker
from server.adapters.bus_mqtt.ears import Ear, Totals, bus, kept, link
from support import brokers
from support.brokers import Running


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
