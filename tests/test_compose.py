"""ops/compose.yml agrees with the program, the configurations and the files that it puts together.

No engine is needed: what it says is read, and held to what settings, ports and paths really are.
The proxy's configuration runs, in front of a real node.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
import yaml
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

import samedeal_client
from samedeal_client.transport import DialFailed
from samedeal_client.websocket import dial
from samedeal_protocol.codec import JSON
from samedeal_protocol.errors import CloseCode
from samedeal_server import app, cli
from samedeal_server.gateway.web import read_tree
from samedeal_server.settings import Broker, Settings, gather
from support.brokers import free_port, program
from support.nodes import fakes
from support.nodes import settings as in_process
from support.patience import PATIENCE_S
from support.processes import process
from support.serving import ROOT, environment
from support.trees import planted

OPS: Final = ROOT / "ops"
TEXT: Final = (OPS / "compose.yml").read_text("utf-8")
PROXY: Final = (OPS / "haproxy" / "haproxy.cfg").read_text("utf-8")
BROKER: Final = (OPS / "mosquitto" / "mosquitto-tls.conf").read_text("utf-8")
DOCKERFILE: Final = (OPS / "Dockerfile").read_text("utf-8")
NODES: Final = ("a", "b", "c")


def composed() -> dict[str, Any]:
    """What an engine makes of the file, with the variables that its head has one set."""
    given = {"SAMEDEAL_USER": "1000:1000", "SAMEDEAL_PASSWORD": "secret"}
    text = re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: given[found[1]], TEXT)
    assert "$" not in re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    composed: dict[str, Any] = yaml.safe_load(text)
    return composed


SERVICES: Final = composed()["services"]


def settings(service: str) -> Settings:
    return gather({}, environment=SERVICES[service]["environment"])


def mounted(service: str) -> dict[str, str]:
    """The paths inside that a service is given, with where each comes from."""
    volumes = [each.split(":") for each in SERVICES[service].get("volumes", [])]
    return {inside: source for source, inside, *_ in volumes}


def written_into(text: str, word: str) -> list[str]:
    return re.findall(rf"^\s*{word} (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize("node", NODES)
def test_a_node_has_settings_that_the_program_takes(node: str) -> None:
    found = settings(node)
    assert (found.node, str(found.listen)) == (node, "0.0.0.0:8642")
    assert found.address_header == "X-Forwarded-For"
    assert found.store == "postgresql://samedeal:secret@postgres:5432/samedeal"


@pytest.mark.parametrize("node", NODES)
def test_a_node_finds_the_broker_and_has_its_certificate(node: str) -> None:
    bus = settings(node).bus
    assert isinstance(bus, Broker)
    assert bus.is_tls
    assert bus.at.host in SERVICES
    assert [str(bus.at.port)] == written_into(BROKER, "listener")
    files = mounted(node)
    assert [files[str(path)] for path in (bus.ca, bus.cert, bus.key)] == [
        "./secrets/ca.pem",
        f"./secrets/{node}.pem",
        f"./secrets/{node}.key",
    ]


def test_the_database_is_what_the_nodes_ask_for() -> None:
    made = SERVICES["postgres"]["environment"]
    store = settings("a").store
    assert store == (
        f"postgresql://{made['POSTGRES_USER']}:{made['POSTGRES_PASSWORD']}@postgres:5432/"
        f"{made['POSTGRES_DB']}"
    )
    assert settings("migrate").store == store
    assert SERVICES["migrate"]["command"] == ["migrate"]


def test_nodes_start_when_the_tables_are_there_and_stop_before_the_broker() -> None:
    for node in NODES:
        assert SERVICES[node]["depends_on"] == {
            "migrate": {"condition": "service_completed_successfully"},
            "mosquitto": {"condition": "service_started"},
        }


def test_a_node_has_time_to_drain() -> None:
    default = Settings()
    for node in NODES:
        seconds = int(SERVICES[node]["stop_grace_period"].removesuffix("s"))
        assert seconds > default.drain + default.close_timeout


def test_only_the_proxy_can_be_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    (outside,) = SERVICES["proxy"]["ports"]
    assert written_into(PROXY, "bind") == [f":{outside.split(':')[1]}"]


def test_the_proxy_knows_every_node() -> None:
    port = settings("a").listen.port
    assert written_into(PROXY, "server") == [f"{node} {node}:{port}" for node in NODES]


def test_the_broker_has_every_file_that_its_configuration_names() -> None:
    named = re.findall(r"/etc/mosquitto/samedeal/\S+", BROKER)
    assert set(named) <= mounted("mosquitto").keys()
    assert "/mosquitto/config/mosquitto.conf" in mounted("mosquitto")


def told(folder: Path) -> subprocess.CompletedProcess[str]:
    """Does in a folder what the head has one do once, without the set-up of .venv."""
    program("openssl")
    head = TEXT.partition("\nname:")[0]
    lines = re.findall(r"^# {5}(.*)$", head.partition("# Then,")[0], re.MULTILINE)
    assert lines.pop(0) == "make setup"
    script = "\n".join(lines).replace(".venv/bin/python", sys.executable)
    (folder / "ops").mkdir(exist_ok=True)
    if not (folder / "ops" / "mosquitto").exists():
        (folder / "ops" / "mosquitto").symlink_to(OPS / "mosquitto")
    command = ["sh", "-c", script]
    return subprocess.run(
        command, cwd=folder, env=environment(folder), text=True, capture_output=True
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    done = told(folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "ops"


def test_every_file_that_is_mounted_is_here_or_made_as_the_head_says(made: Path) -> None:
    for service in SERVICES:
        for source in mounted(service).values():
            if source.startswith("./secrets/"):
                assert (made / source).is_file()
            elif source.startswith("."):
                assert (OPS / source).is_file()


def test_what_is_secret_is_readable_by_the_user_that_the_parts_run_as_and_nobody_else(
    made: Path,
) -> None:
    given = dict(line.split("=") for line in (made / ".env").read_text().splitlines())
    assert set(given) == {"SAMEDEAL_USER", "SAMEDEAL_PASSWORD"}
    # A Mosquitto that is started as root becomes somebody else, who cannot read its key.
    assert not given["SAMEDEAL_USER"].startswith("0:")
    assert (made / ".env").stat().st_mode & 0o077 == 0
    for service in ("mosquitto", *NODES):
        for source in mounted(service).values():
            file = (made / source).stat()
            if source.endswith(".key"):
                assert f"{file.st_uid}" == given["SAMEDEAL_USER"].partition(":")[0]
                assert file.st_mode & 0o077 == 0


def test_the_head_done_twice_leaves_the_database_its_password(made: Path) -> None:
    before = (made / ".env").read_text()
    assert told(made.parent).returncode != 0
    assert (made / ".env").read_text() == before


def test_one_service_builds_the_image_that_all_nodes_run() -> None:
    # Built by several, an engine says that the image already exists, and brings nothing up.
    assert [name for name, service in SERVICES.items() if "build" in service] == ["migrate"]
    assert {SERVICES[name]["image"] for name in (*NODES, "migrate")} == {"samedeal"}


def test_no_volume_is_left_behind_by_what_keeps_nothing() -> None:
    (data,) = written_into(DOCKERFILE, "VOLUME")
    for node in (*NODES, "migrate"):
        assert SERVICES[node]["tmpfs"] == [data]
    # As the images of the broker declare them.
    assert SERVICES["mosquitto"]["tmpfs"] == ["/mosquitto/data", "/mosquitto/log"]


# --- the image ---------------------------------------------------------------------------------


def test_the_image_has_all_that_the_build_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    copied = [word for line in written_into(DOCKERFILE, "COPY") for word in line.split()[:-1]]
    assert all((ROOT / each).exists() for each in copied)
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {package.partition("/")[0] for package in wheel["packages"]}
    needed |= {wheel["hooks"]["custom"]["path"], project["project"]["readme"]}
    needed |= {"pyproject.toml", *project["project"]["license-files"]}
    assert needed == set(copied)
    let_in = re.findall(r"^!(.*)$", (OPS / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    assert sorted(let_in) == sorted(copied)


def test_the_image_runs_a_command_that_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    (entry,), (command,) = (
        yaml.safe_load(written_into(DOCKERFILE, word)[0]) for word in ("ENTRYPOINT", "CMD")
    )
    assert scripts[entry] == "samedeal_server.cli:main"
    with pytest.raises(SystemExit, match="0"):
        cli.main([command, "--help"])
    assert "usage: samedeal-server serve" in capsys.readouterr().out
    (variables,) = written_into(DOCKERFILE, "ENV")
    found = gather({}, environment=dict(each.split("=") for each in variables.split()))
    assert [str(found.listen.port)] == written_into(DOCKERFILE, "EXPOSE")
    assert [str(found.data)] == written_into(DOCKERFILE, "VOLUME")


# --- the proxy ---------------------------------------------------------------------------------


@asynccontextmanager
async def proxied(folder: Path, nodes: dict[str, str]) -> AsyncIterator[str]:
    """Runs the proxy as it is configured, but for names and ports; yields where it listens."""
    port = free_port()
    text = PROXY.replace("bind :8642", f"bind 127.0.0.1:{port}")
    for name, address in nodes.items():
        text = text.replace(f"{name}:8642", address)
    file = folder / "haproxy.cfg"
    file.write_text(text, "utf-8")
    running = await asyncio.create_subprocess_exec(
        *(program("haproxy"), "-W", "-db", "-f", str(file)),  # as the image does
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not await is_ready(port):
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.02):
                        raise AssertionError(f"haproxy has ended: {await running.wait()}")
        yield f"ws://127.0.0.1:{port}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            running.send_signal(signal.Signals[SERVICES["proxy"]["stop_signal"]])
        try:
            async with asyncio.timeout(PATIENCE_S):
                await running.wait()
        except TimeoutError:
            running.kill()
            await running.wait()
            raise AssertionError("it waits for connections, which do not end") from None


async def is_ready(port: int) -> bool:
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.write(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    answer = await reader.read()
    writer.close()
    return b" 200 " in answer.partition(b"\r\n")[0]


async def test_the_proxy_stops_at_once_while_players_are_connected(tmp_path: Path) -> None:
    async with process(tmp_path / "a", *QUIET) as a, AsyncExitStack() as stack:
        nodes = {"a": str(a.address), "b": "127.0.0.1:1", "c": "127.0.0.1:1"}
        url = await stack.enter_async_context(proxied(tmp_path, nodes))
        player = await connect(url, subprotocols=[Subprotocol("samedeal.v1.json")])
        await stack.aclose()
        with pytest.raises(ConnectionClosed):
            await player.recv()


QUIET: Final = ("--drain", "0", "--log-level", "error", "--address-header", "X-Forwarded-For")


async def test_players_come_through_the_proxy_to_a_node_that_lives(tmp_path: Path) -> None:
    async with process(tmp_path / "b", *QUIET) as b:
        nodes = {"a": f"127.0.0.1:{free_port()}", "b": str(b.address), "c": "127.0.0.1:1"}
        async with (
            proxied(tmp_path, nodes) as url,
            samedeal_client.connect(url, name="Ann") as ann,
            samedeal_client.connect(url, name="Ben") as ben,
        ):
            race = await ann.create(samedeal_client.Terms(game="opus"))
            assert [card.race for card in await ben.list()] == [race]


async def test_players_who_find_no_node_behind_the_proxy_are_told_that_it_passes(
    tmp_path: Path,
) -> None:
    async with process(tmp_path / "a", *QUIET) as a:
        nodes = {"a": str(a.address), "b": "127.0.0.1:1", "c": "127.0.0.1:1"}
        async with proxied(tmp_path, nodes) as url:
            a.kill()
            await a.ended()
            with pytest.raises(DialFailed, match="takes nobody for the moment") as refused:
                await dial(url, JSON)
    assert refused.value.may_pass


async def test_nobody_can_say_at_the_proxy_that_they_are_elsewhere(tmp_path: Path) -> None:
    async with process(tmp_path / "a", *QUIET, "--connections-per-address", "1") as a:
        nodes = {"a": str(a.address), "b": "127.0.0.1:1", "c": "127.0.0.1:1"}
        async with (
            proxied(tmp_path, nodes) as url,
            claiming(url, "192.0.2.1"),
            claiming(url, "192.0.2.2") as second,
        ):
            with pytest.raises(ConnectionClosed) as closed:
                await second.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == CloseCode.TOO_MANY_CONNECTIONS.number


async def test_nodes_of_two_releases_serve_the_pages_of_both(tmp_path: Path) -> None:
    trees = [
        read_tree(planted(tmp_path / name, **{"words.js": f"export const c = '{name}';"}))
        for name in ("old", "new")
    ]
    async with (
        app.node(in_process(), fakes().adapters(), tree=trees[0]) as a,
        app.node(in_process(), fakes().adapters(), tree=trees[1]) as b,
    ):
        nodes = {"a": str(a.address), "b": str(b.address), "c": "127.0.0.1:1"}
        async with proxied(tmp_path, nodes) as url:

            def get(path: str) -> int:
                try:
                    with urlopen(
                        f"http{url.removeprefix('ws')}{path}", timeout=PATIENCE_S
                    ) as answer:
                        return int(answer.status)
                except HTTPError as refused:
                    with refused:
                        return refused.code

            for tree in trees:
                assert tree is not None
                for _ in range(4):
                    assert await asyncio.to_thread(get, f"{tree.base}words.js") == 200
            assert await asyncio.to_thread(get, "/s/000000000000/words.js") == 404


def claiming(url: str, address: str) -> connect:
    """A connection of somebody who claims to come through a proxy, from an address."""
    return connect(
        url,
        subprotocols=[Subprotocol("samedeal.v1.json")],
        additional_headers={"X-Forwarded-For": address},
    )
