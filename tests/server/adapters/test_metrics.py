"""The page of numbers, and its listener."""

from __future__ import annotations

import asyncio
import re
import socket
from contextlib import suppress
from pathlib import Path

import pytest
import uvloop

import samedeal_server
from samedeal_server.adapters.metrics import (
    COUNTERS,
    DISTRIBUTIONS,
    GAUGES,
    PrometheusMeter,
    serve_metrics,
)


async def ask(port: int, request: bytes) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer.decode()


def test_every_declared_name_is_counted_somewhere() -> None:
    package = Path(samedeal_server.__path__[0])
    sources = "".join(
        module.read_text("utf-8") for module in package.rglob("*.py") if module.name != "metrics.py"
    )
    assert [
        name for name in (*COUNTERS, *GAUGES, *DISTRIBUTIONS) if f'"{name}"' not in sources
    ] == []


def test_a_counter_stands_on_the_page_with_its_meaning() -> None:
    meter = PrometheusMeter()
    meter.count("moves_played", 3)
    page = meter.page()
    assert f"# HELP samedeal_moves_played_total {COUNTERS['moves_played']}\n" in page
    assert "# TYPE samedeal_moves_played_total counter\nsamedeal_moves_played_total 3\n" in page


def test_a_gauge_stands_on_the_page_without_total() -> None:
    meter = PrometheusMeter()
    meter.count("connections", 3)
    meter.count("connections", -1)
    assert "\nsamedeal_connections 2\n" in meter.page()


def test_the_buckets_of_a_distribution_add_up() -> None:
    meter = PrometheusMeter()
    for value in (0.0004, 0.001, 0.3, 99.0):
        meter.observe("append_seconds", value)
    page = meter.page()
    assert 'samedeal_append_seconds_bucket{le="0.0005"} 1\n' in page
    assert 'samedeal_append_seconds_bucket{le="0.001"} 2\n' in page
    assert 'samedeal_append_seconds_bucket{le="0.5"} 3\n' in page
    assert 'samedeal_append_seconds_bucket{le="+Inf"} 4\n' in page
    assert "samedeal_append_seconds_count 4\n" in page
    assert re.search(r"samedeal_append_seconds_sum 99\.301\d*\n", page)


def test_every_line_of_the_page_is_of_the_text_format() -> None:
    sample = re.compile(r'samedeal_[a-z_]+(\{le="[0-9.e+-]+(Inf)?"\})? [0-9.e+-]+')
    for line in PrometheusMeter().page().splitlines():
        assert line.startswith(("# HELP samedeal_", "# TYPE samedeal_")) or sample.fullmatch(line)


LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.mark.parametrize("loop", LOOPS)
def test_metrics_are_served(loop: str) -> None:
    meter = PrometheusMeter()
    meter.count("moves_played")

    async def scrape() -> str:
        async with serve_metrics(meter, host="127.0.0.1", port=0) as port:
            assert port is not None
            return await ask(port, b"GET /metrics HTTP/1.1\r\n\r\n")

    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        head, _, body = runner.run(scrape()).partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4")
    assert f"Content-Length: {len(body.encode())}\r\n" in head
    assert body == meter.page()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
        (b"\x16\x03\x01\r\n\r\n", "405 Method Not Allowed"),
        (b"GET /" + b"x" * 9000, "404 Not Found"),
    ],
)
async def test_whatever_else_is_asked_is_refused(request_: bytes, status: str) -> None:
    async with serve_metrics(PrometheusMeter(), host="127.0.0.1", port=0) as port:
        assert port is not None
        assert (await ask(port, request_)).startswith(f"HTTP/1.1 {status}\r\n")


async def test_a_head_request_gets_no_body() -> None:
    async with serve_metrics(PrometheusMeter(), host="127.0.0.1", port=0) as port:
        assert port is not None
        assert (await ask(port, b"HEAD /metrics HTTP/1.1\r\n\r\n")).endswith("\r\n\r\n")


async def test_who_asks_nothing_is_cut_off() -> None:
    async with serve_metrics(PrometheusMeter(), host="127.0.0.1", port=0, patience=0.05) as port:
        assert port is not None
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()
        with suppress(ConnectionResetError):
            await writer.wait_closed()


async def test_a_port_in_use_is_a_warning_only(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        async with serve_metrics(PrometheusMeter(), host="127.0.0.1", port=taken) as port:
            assert port is None
    assert "choose another --metrics-listen" in caplog.text
