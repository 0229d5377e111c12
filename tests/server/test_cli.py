"""The command samedeal-server: one line for whatever can be put right, and its exit codes."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import asyncpg
import pytest

from samedeal_client.client import DEFAULT_URL
from samedeal_protocol.events import to_line
from samedeal_protocol.terms import Terms
from samedeal_server import cli
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.ports import Entry
from samedeal_server.racing.commands import GiveUp
from samedeal_server.settings import SETTINGS, Address
from support.forked import forked
from support.patience import PATIENCE_S
from support.postgres import database
from support.races import Track
from support.serving import environment


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Returns the exit code and what was written to standard output and error."""
    try:
        code = cli.main(arguments)
    except SystemExit as stop:  # argparse ends --help and --version so
        code = int(stop.code or 0)
    written = capsys.readouterr()
    return code, written.out, written.err


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Runs a command that must fail with one line; returns the line."""
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("samedeal-server: ")
    assert err.count("\n") == 1
    return err.removeprefix("samedeal-server: ").rstrip()


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Runs `samedeal-server serve`; yields the process and the address that it printed."""
    server = subprocess.Popen(
        [*forked("samedeal_server"), "serve", "--listen", "127.0.0.1:0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    with server:
        try:
            line = server.stdout.readline()
            found = re.search(r"ws://([0-9.:]+)", line)
            if found is None:
                server.kill()
                raise AssertionError(f"{line!r}: {server.communicate()}")
            yield server, found[1]
        finally:
            server.kill()


# --- the command line --------------------------------------------------------------------------


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert "samedeal-server serve --listen 127.0.0.1:8642 --data data" in out


def test_help_of_serve_lists_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "serve", "--help")
    assert code == 0
    told = " ".join(out.split())
    for setting in SETTINGS:
        assert f"{setting.flag} {setting.shape}" in told
        assert setting.example in told


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--version")
    assert code == 0
    assert re.fullmatch(r"samedeal-server \S+\n", out)


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys)
    assert code == 2
    assert "examples:" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("serve", "--lisen", "x"), "--lisen is not understood; did you mean --listen?"),
        (("serve", "--lis=x"), "--lis is not understood; did you mean --listen?"),
        (("serve", "x"), "x is not understood; see `samedeal-server serve --help`"),
        (("serve", "--listen", "x"), "--listen: 'x' is not HOST:PORT, such as 127.0.0.1:8642"),
        (("serve", "--drain", "x"), "--drain: 'x' is not a number from 0 to 86400"),
        (("check", "--datta", "x"), "--datta is not understood; did you mean --data?"),
    ],
)
def test_a_wrong_flag_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str
) -> None:
    assert refusal(capsys, *arguments) == sentence


def test_a_wrong_command_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'serv' is not understood; there are 'serve', 'check'" in refusal(capsys, "serv")


def test_a_flag_without_a_value_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "expected one argument; see" in refusal(capsys, "serve", "--listen")


def test_a_bad_file_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "samedeal.toml"
    file.write_text("drian = 1\n")
    sentence = refusal(capsys, "serve", "--config", str(file))
    assert sentence == f"{file}: drian is no setting; did you mean drain?"


# --- serve -------------------------------------------------------------------------------------


def test_the_printed_command_may_leave_out_what_the_client_takes_by_itself() -> None:
    assert f"ws://{cli.CLIENTS_DEFAULT}" == DEFAULT_URL


def test_a_port_in_use_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        sentence = refusal(capsys, "serve", "--listen", taken, "--data", str(tmp_path))
    assert sentence == f"{taken} is in use; stop what listens there, or choose another --listen"


def test_a_foreign_address_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sentence = refusal(capsys, "serve", "--listen", "192.0.2.1:0", "--data", str(tmp_path))
    assert sentence == "192.0.2.1:0 is no address of this machine; choose another --listen"


async def test_a_store_that_falls_silent_at_the_start_is_one_line(tmp_path: Path) -> None:
    serve = ("serve", "--node", "a", "--listen", "127.0.0.1:0", "--store")
    async with database() as url:
        other = await asyncpg.connect(url)
        await other.execute("begin; lock table samedeal.nodes")
        running = await asyncio.create_subprocess_exec(
            *(*forked("samedeal_server"), *serve, url),
            env=environment(tmp_path),
            stderr=asyncio.subprocess.PIPE,
        )
        _, told = await running.communicate()
        await other.close()
    assert running.returncode == 2
    fault = "the store fails at the start (no answer from the database in 3 s)"
    assert [line for line in told.decode().splitlines() if " WARNING " not in line] == [
        f"samedeal-server: {fault}; try again"
    ]


def test_a_folder_that_cannot_be_made_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    data = tmp_path / "file" / "data"
    sentence = refusal(capsys, "serve", "--listen", "127.0.0.1:0", "--data", str(data))
    assert sentence == (
        f"the data folder {data} cannot be made (Not a directory); choose another --data"
    )


def test_a_folder_in_use_is_one_line(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path)):
        second = subprocess.run(
            [*forked("samedeal_server"), "serve", "--data", str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
        )
    assert second.returncode == 2
    assert second.stderr == (
        f"samedeal-server: another samedeal-server uses {tmp_path}; "
        "stop it, or choose another --data\n"
    )


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order(tmp_path: Path, how: signal.Signals) -> None:
    with serving("--data", str(tmp_path)) as (server, address):
        host, _, port = address.rpartition(":")
        socket.create_connection((host, int(port)), timeout=5).close()
        server.send_signal(how)
        _, written = server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 0
    assert "Traceback" not in written


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")
def test_a_server_serves_though_what_it_says_cannot_be_written(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "samedeal_server")
    serve = ("serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "data"))
    with open("/dev/full", "wb") as full:
        with subprocess.Popen([*command, *serve], stdout=full, stderr=subprocess.PIPE) as server:
            assert server.stderr is not None
            address = next(
                line.rpartition(b"=")[2].strip().decode()
                for line in server.stderr
                if b"listening address=" in line
            )
            with urlopen(f"http://{address}/healthz", timeout=PATIENCE_S) as answer:
                assert answer.status == 200
            server.send_signal(signal.SIGTERM)
            assert b"Traceback" not in server.stderr.read()
        assert server.returncode == 0
        check = [*command, "check", "--data", str(tmp_path / "data")]
        told = subprocess.run(check, stdout=full, stderr=subprocess.PIPE)
    said = b"samedeal-server: No space left on device; make room on the disk\n"
    assert (told.returncode, told.stderr) == (1, said)


def test_the_address_and_the_next_step_are_printed(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path)) as (server, address):
        server.send_signal(signal.SIGTERM)
        assert server.stdout is not None
        out = server.stdout.read()
    assert f"    samedeal play --server ws://{address}\n" in out
    assert (
        f"    samedeal tournament new --format swiss --game forty-thieves --server ws://{address}\n"
        in out
    )


def test_the_next_step_names_the_command_by_the_path_that_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "samedeal").touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "samedeal-server"), "serve"])
    cli.announce(Address("127.0.0.1", 8642))
    assert f"\n    {tmp_path}/samedeal play\n" in capsys.readouterr().out
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    cli.announce(Address("127.0.0.1", 8642))
    assert "\n    samedeal play\n" in capsys.readouterr().out


@pytest.mark.parametrize(("level", "has_line"), [("info", False), ("debug", True)])
def test_a_connection_has_a_line_in_the_log_at_debug_only(
    tmp_path: Path, level: str, has_line: bool
) -> None:
    with serving("--data", str(tmp_path), "--log-level", level) as (server, address):
        urlopen(f"http://{address}/healthz").close()
        server.send_signal(signal.SIGTERM)
        _, written = server.communicate(timeout=PATIENCE_S)
    assert ("samedeal_server.websockets" in written) is has_line


def test_settings_come_from_the_environment_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAMEDEAL_DATA", str(tmp_path / "here"))
    with serving():
        assert (tmp_path / "here" / "samedeal.db").is_file()


# --- check -------------------------------------------------------------------------------------


@pytest.fixture
async def store(tmp_path: Path) -> Path:
    """A store with one race that is over."""
    track = Track(Terms(game="opus"))
    track.start("ann", "bob")
    track.do(GiveUp("ann"), after=1000)
    track.do(GiveUp("bob"), after=1000)
    log = await SqliteLog.open(tmp_path)
    first, *rest = [Entry("race-1", seq, to_line(each)) for seq, each in enumerate(track.log, 1)]
    await log.open_race(first, opened_at=track.opened.at, is_listed=True, phrase_hash=None)
    await log.append(rest, over=["race-1"])
    await log.close()
    return tmp_path


def test_a_store_in_order_exits_with_0(capsys: pytest.CaptureFixture[str], store: Path) -> None:
    code, out, _ = run(capsys, "check", "--data", str(store))
    assert (code, out) == (0, "1 races, 10 events: all in order\n")


def test_a_store_that_was_touched_exits_with_1(
    capsys: pytest.CaptureFixture[str], store: Path
) -> None:
    connection = sqlite3.connect(store / "samedeal.db")
    connection.execute("update events set line = replace(line, 'Ann', 'Eve') where seq = 2")
    connection.commit()
    connection.close()
    code, out, _ = run(capsys, "check", "--data", str(store))
    assert code == 1
    assert out == (
        "race race-1: its events are not those that were stored: the hash chain differs\n"
        "1 races, 10 events: 1 NOT in order\n"
    )


def test_a_running_server_can_be_checked(capsys: pytest.CaptureFixture[str], store: Path) -> None:
    with serving("--data", str(store)):
        code, out, _ = run(capsys, "check", "--data", str(store))
    assert (code, out) == (0, "1 races, 10 events: all in order\n")


def test_no_store_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sentence = refusal(capsys, "check", "--data", str(tmp_path))
    assert sentence == (
        f"there is no {tmp_path / 'samedeal.db'}; name a server's folder with --data"
    )


def test_a_reader_who_has_seen_enough_is_no_fault(store: Path) -> None:
    ran = subprocess.run(
        f"{sys.executable} -m samedeal_server serve --help | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ),
    )
    assert ran.stderr == ""
