"""The access rules of our Mosquitto: strangers read what is public, nodes speak for themselves."""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from samedeal_protocol import topics
from samedeal_server.adapters.bus_mqtt import MqttBus, opened
from samedeal_server.settings import Broker, gather
from support import brokers
from support.fakes import RecordingMeter
from support.patience import PATIENCE_S
from support.serving import ROOT, environment

OPS = ROOT / "ops" / "mosquitto"
NODES = ("node-a", "node-b")
PUBLIC = (topics.PROGRESS.at(race="r1"), topics.STANDINGS.at(race="r1"), topics.WATCH.at(race="r1"))
INTERNAL = (
    topics.OWNER.at(race="r1"),
    topics.LOG.at(race="r1", node="node-a"),
    topics.STATUS.at(node="node-a"),
    topics.COMMAND.at(to="node-b", node="node-a"),
    topics.REPLY.at(to="node-b", node="node-a"),
)
END = topics.PROGRESS.at(race="end")


def access(folder: Path, *words: str) -> None:
    """Runs the script that writes rules, and passwords or certificates."""
    brokers.program("openssl" if "--host" in words else "mosquitto_passwd")
    script = [sys.executable, str(OPS / "access.py"), str(folder), *words]
    subprocess.run(script, env=environment(folder), check=True, capture_output=True)


def conf(name: str, folder: Path, port: int) -> str:
    """Returns one of our configurations with the test's paths and port."""
    text = (OPS / name).read_text("utf-8").replace("/etc/mosquitto/samedeal", str(folder))
    lines = [line for line in text.splitlines() if not line.startswith("listener")]
    return "\n".join((f"listener {port} 127.0.0.1", *lines, ""))


def url(folder: Path, user: str, port: int) -> Broker:
    """Returns the broker as the user's file names it, on the test's port."""
    text = (folder / f"{user}.url").read_text("utf-8").strip()
    broker = gather({"bus": text}, environment={}).bus
    assert isinstance(broker, Broker)
    return replace(broker, at=replace(broker.at, port=port))


@asynccontextmanager
async def bus(broker: Broker, node: str) -> AsyncIterator[tuple[MqttBus, RecordingMeter]]:
    meter = RecordingMeter()
    async with opened(broker, node=node, incarnation="1", meter=meter) as opening:
        arrived = asyncio.Event()
        opening.on_connected(arrived.set)
        async with asyncio.timeout(PATIENCE_S):
            await arrived.wait()
        yield opening, meter


async def heard(listener: MqttBus, speaker: MqttBus, said: tuple[str, ...]) -> set[str]:
    """Returns the topics that the one hears when the other speaks on them."""
    ears: set[str] = set()
    ends: set[bytes] = set()
    ended = asyncio.Event()

    def hear(topic: str, number: bytes) -> None:
        ears.add(topic)
        if topic == END:
            ends.add(number)
            # Of the first that comes, the subscription may have missed the beginning.
            if len(ends) > 1:
                ended.set()

    stop = listener.subscribe("#", hear)
    await listener.settle()
    for number in itertools.count():
        if ended.is_set():
            break
        # The subscription may still be on its way.
        for topic in (*said, END):
            speaker.publish(topic, b"%d" % number)
        await speaker.settle()
        await asyncio.sleep(0)
    stop()
    return ears - {END}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    folder = tmp_path_factory.mktemp("plain")
    access(folder, *NODES)
    port = brokers.free_port()
    text = conf("mosquitto.conf", folder, port)
    with brokers.mosquitto_with(folder, text, port=port):
        yield folder, port


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    folder = tmp_path_factory.mktemp("tls")
    access(folder, "--host", "127.0.0.1", *NODES)
    port = brokers.free_port()
    text = conf("mosquitto-tls.conf", folder, port)
    with brokers.mosquitto_with(folder, text, port=port):
        yield folder, port


def test_the_rules_that_are_shown_are_those_that_are_written(tmp_path: Path) -> None:
    access(tmp_path, "--rules", *NODES)
    assert (OPS / "acl").read_text("utf-8") == (tmp_path / "acl").read_text("utf-8")


def test_passwords_are_hashed_and_theirs_alone_to_read(plain: tuple[Path, int]) -> None:
    folder, port = plain
    broker = url(folder, "node-a", port)
    assert broker.password is not None
    assert broker.password not in (folder / "passwd").read_text("utf-8")
    for file in (folder / "passwd", folder / "acl", folder / "node-a.url"):
        assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("who", ["stranger", "spectator", "monitor"])
async def test_who_is_no_node_can_say_nothing(plain: tuple[Path, int], who: str) -> None:
    folder, port = plain
    broker = url(folder, "node-a", port)
    outsider = replace(broker, user=None, password=None)
    if who != "stranger":
        outsider = url(folder, who, port)
    async with bus(broker, "node-a") as (node, _), bus(outsider, who) as (other, meter):
        ears: set[str] = set()
        node.subscribe("#", lambda topic, _: ears.add(topic))
        await node.settle()
        said = (
            *PUBLIC,
            *INTERNAL,
            topics.STATUS.at(node=who),
            topics.COMMAND.at(to="node-a", node=who),
        )
        for topic in said:
            other.publish(topic, b"forged", retain=True)
        await other.settle(5)
        assert await heard(node, node, ()) == set()
        assert ears == {END}
        assert meter.totals["bus_refused"] == len(said)


@pytest.mark.parametrize("who", ["stranger", "spectator"])
async def test_who_is_no_node_reads_what_is_public_only(plain: tuple[Path, int], who: str) -> None:
    folder, port = plain
    broker = url(folder, "node-a", port)
    outsider = replace(broker, user=None, password=None)
    if who != "stranger":
        outsider = url(folder, who, port)
    async with bus(broker, "node-a") as (node, _), bus(outsider, who) as (other, _):
        assert await heard(other, node, (*PUBLIC, *INTERNAL)) == set(PUBLIC)


async def test_the_monitor_reads_the_brokers_figures_and_no_race(plain: tuple[Path, int]) -> None:
    folder, port = plain
    ears: set[str] = set()

    async def figures() -> None:
        """Returns when the broker has told its version, and so all that it told before."""
        arrived = asyncio.Event()
        monitor.subscribe("$SYS/broker/version", lambda *_: arrived.set())
        async with asyncio.timeout(PATIENCE_S):
            await arrived.wait()

    async with (
        bus(url(folder, "node-a", port), "node-a") as (node, _),
        bus(url(folder, "monitor", port), "monitor") as (monitor, _),
    ):
        monitor.subscribe("samedeal/#", lambda topic, _: ears.add(topic))
        await figures()
        await heard(node, node, (*PUBLIC, *INTERNAL))
        await figures()
    assert ears == set()


async def refused(broker: Broker, caplog: pytest.LogCaptureFixture) -> str:
    """Returns what is logged when a broker cannot be used."""
    async with opened(broker, node="a", incarnation="1", meter=RecordingMeter()) as other:
        async with asyncio.timeout(PATIENCE_S):
            while not caplog.records:
                await asyncio.to_thread(lambda: None)
        assert not other.is_connected
    return caplog.text


async def test_a_wrong_password_is_refused(
    plain: tuple[Path, int], caplog: pytest.LogCaptureFixture
) -> None:
    folder, port = plain
    wrong = replace(url(folder, "node-a", port), password="guess")
    assert "Not authorized" in await refused(wrong, caplog)


@pytest.mark.parametrize("with_tls", [False, True], ids=["plain", "tls"])
async def test_a_node_speaks_in_its_own_name_only(
    request: pytest.FixtureRequest, with_tls: bool
) -> None:
    folder, port = request.getfixturevalue("tls" if with_tls else "plain")
    forged = (
        topics.LOG.at(race="r1", node="node-b"),
        topics.STATUS.at(node="node-b"),
        topics.COMMAND.at(to="node-a", node="node-b"),
        topics.REPLY.at(to="node-a", node="node-b"),
    )
    honest = (
        topics.STATUS.at(node="node-a"),
        topics.COMMAND.at(to="node-b", node="node-a"),
        topics.REPLY.at(to="node-b", node="node-a"),
        *PUBLIC,
        topics.OWNER.at(race="r1"),
        topics.LOG.at(race="r1", node="node-a"),
    )
    async with (
        bus(url(folder, "node-a", port), "node-a") as (node, _),
        bus(url(folder, "node-b", port), "node-b") as (other, _),
    ):
        assert await heard(other, node, (*honest, *forged)) == set(honest)
        # What node-b never hears might yet have been said: its owner listens, too.
        assert await heard(node, node, forged) == set()


async def test_the_largest_message_passes_the_broker(plain: tuple[Path, int]) -> None:
    folder, port = plain
    async with (
        bus(url(folder, "node-a", port), "node-a") as (node, _),
        bus(url(folder, "node-b", port), "node-b") as (other, _),
    ):
        lengths: asyncio.Queue[int] = asyncio.Queue()
        other.subscribe("#", lambda _, payload: lengths.put_nowait(len(payload)))
        await other.settle()
        async with asyncio.timeout(PATIENCE_S):
            while lengths.empty():  # the subscription may still be on its way
                node.publish(topics.LOG.at(race="r1", node="node-a"), bytes(topics.PAYLOAD_BYTES))
                await node.settle()
                await asyncio.sleep(0)
        assert lengths.get_nowait() == topics.PAYLOAD_BYTES


async def test_a_node_reads_no_other_inbox(plain: tuple[Path, int]) -> None:
    folder, port = plain
    theirs = (
        topics.COMMAND.at(to="node-c", node="node-a"),
        topics.REPLY.at(to="node-c", node="node-a"),
    )
    async with (
        bus(url(folder, "node-a", port), "node-a") as (node, _),
        bus(url(folder, "node-b", port), "node-b") as (other, _),
    ):
        assert await heard(other, node, theirs) == set()


# --- TLS -----------------------------------------------------------------------------------------


async def test_a_right_certificate_is_let_in(tls: tuple[Path, int]) -> None:
    folder, port = tls
    async with bus(url(folder, "spectator", port), "spectator") as (spectator, _):
        assert spectator.is_connected


async def test_no_certificate_is_refused(
    tls: tuple[Path, int], caplog: pytest.LogCaptureFixture
) -> None:
    folder, port = tls
    bare = replace(url(folder, "node-a", port), cert=None, key=None)
    assert "bus away" in await refused(bare, caplog)


async def test_a_certificate_of_another_authority_is_refused(
    tls: tuple[Path, int], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder, port = tls
    access(tmp_path, "--host", "127.0.0.1", *NODES)
    theirs = url(tmp_path, "node-a", port)
    assert "bus away" in await refused(replace(theirs, ca=folder / "ca.pem"), caplog)


async def test_a_broker_of_another_authority_is_refused(
    tls: tuple[Path, int], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder, port = tls
    access(tmp_path, "--host", "127.0.0.1", *NODES)
    ours = url(folder, "node-a", port)
    text = await refused(replace(ours, ca=tmp_path / "ca.pem"), caplog)
    assert "CERTIFICATE_VERIFY_FAILED" in text


async def test_a_broker_of_another_name_is_refused(
    tls: tuple[Path, int], caplog: pytest.LogCaptureFixture
) -> None:
    folder, port = tls
    ours = url(folder, "node-a", port)
    named = replace(ours, at=replace(ours.at, host="localhost"))
    assert "Hostname mismatch" in await refused(named, caplog)
