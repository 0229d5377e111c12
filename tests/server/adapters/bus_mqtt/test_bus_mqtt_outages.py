"""A broker that goes away, freezes and comes back: nobody here notices."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from samedeal_server.adapters.bus_mqtt import opened
from samedeal_server.adapters.bus_mqtt.bus import PORTION, WAITING
from server.adapters.bus_mqtt.ears import Ear, Totals, bus
from support import brokers
from support.brokers import Running


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
