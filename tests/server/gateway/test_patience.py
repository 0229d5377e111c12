"""A page has time on a slow link; a connection that asks for nothing has none."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

import pytest

from samedeal_server.app import Node, node
from samedeal_server.gateway.answers import Page
from samedeal_server.gateway.patience import SLOWEST, Reading
from samedeal_server.gateway.web import Tree
from support.halls import until
from support.nodes import fakes, settings
from support.patience import PATIENCE_S

SIZE = 12_000_000
SHORT = 0.3
ENDLESS = 3_000.0

carriers = pytest.mark.parametrize("carrier", ["fast", "plain"])


# --- how long, by any clock ----------------------------------------------------------------------


def reading(size: int = 100 * SLOWEST) -> Reading:
    return Reading(size, 1000.0, still=20.0, closing=5.0)


def test_whoever_goes_on_taking_something_is_not_cut() -> None:
    page = reading()
    assert page.until(900, 1000.0) == 1020.0
    assert page.until(800, 1019.0) == 1039.0


def test_whoever_takes_nothing_any_more_is_cut_after_a_while() -> None:
    page = reading()
    page.until(900, 1001.0)
    assert page.until(900, 1019.0) == 1021.0


def test_whoever_takes_a_byte_at_a_time_is_cut_in_the_end() -> None:
    page = reading()
    assert page.until(900, 1010.0) == 1030.0
    assert page.until(899, 1115.0) == 1000.0 + 20 + 100


def test_a_page_that_was_taken_whole_is_waited_for_no_longer_than_to_close() -> None:
    page = reading()
    page.until(900, 1000.0)
    assert page.until(0, 1002.0) == 1007.0
    assert page.until(0, 1006.0) == 1007.0


def test_a_server_that_ends_waits_for_a_page_as_long_as_to_close() -> None:
    page = reading()
    page.hurry(1001.0)
    assert page.until(900, 1001.0) == 1006.0


# --- over sockets --------------------------------------------------------------------------------


@asynccontextmanager
async def serving(carrier: str, **limits: float) -> AsyncIterator[Node]:
    tree = Tree("/s/0/", {"/large": Page(HTTPStatus.OK, b"x" * SIZE, "image/png")}, "")
    chosen = {"hello_timeout": SHORT, "close_timeout": SHORT, **limits}
    async with node(settings(transport=carrier, **chosen), fakes().adapters(), tree=tree) as up:
        yield up


class Visitor:
    """Somebody on a slow link: nothing is taken but by `take`."""

    def __init__(self, up: Node) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 * 1024)
        self._socket.setblocking(False)
        self._up = up
        self._loop = asyncio.get_running_loop()

    async def ask(self, said: bytes = b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n") -> None:
        address = self._up.address
        await self._loop.sock_connect(self._socket, (address.host, address.port))
        await self._loop.sock_sendall(self._socket, said)

    async def take(self, size: int = 64 * 1024) -> bytes:
        async with asyncio.timeout(PATIENCE_S):
            return await self._loop.sock_recv(self._socket, size)

    def send_no_more(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._socket.close()


@carriers
async def test_a_page_on_a_slow_link_is_not_cut_by_the_limit_on_silence(carrier: str) -> None:
    async with serving(carrier, page_timeout=ENDLESS) as up:
        visitor = Visitor(up)
        begun = asyncio.get_running_loop().time()
        await visitor.ask()
        got = len(await visitor.take())
        await until(lambda: asyncio.get_running_loop().time() > begun + 3 * SHORT)
        while part := await visitor.take():
            got += len(part)
        assert got > SIZE
        visitor.close()


@carriers
async def test_a_page_is_sent_whole_to_whoever_sends_no_more(carrier: str) -> None:
    async with serving(carrier) as up:
        visitor = Visitor(up)
        await visitor.ask()
        visitor.send_no_more()
        got = 0
        while part := await visitor.take():
            got += len(part)
        assert got > SIZE
        visitor.close()


@carriers
@pytest.mark.parametrize("sends_no_more", [False, True])
async def test_whoever_takes_nothing_of_a_page_is_cut(carrier: str, sends_no_more: bool) -> None:
    async with serving(carrier, page_timeout=SHORT, hello_timeout=ENDLESS) as up:
        visitor = Visitor(up)
        await visitor.ask()
        if sends_no_more:
            visitor.send_no_more()
        await visitor.take(1)
        assert up.gateway.unread == SIZE
        await until(lambda: up.gateway.unread == 0)
        visitor.close()


@carriers
@pytest.mark.parametrize("said", [b"", b"GET /large HT"])
async def test_a_connection_that_asks_for_nothing_is_cut_as_before(
    carrier: str, said: bytes
) -> None:
    async with serving(carrier, page_timeout=ENDLESS) as up:
        visitor = Visitor(up)
        await visitor.ask(said)
        assert await visitor.take() == b""
        visitor.close()


@carriers
async def test_a_server_ends_though_somebody_reads_a_page_slowly(carrier: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        async with serving(carrier, page_timeout=ENDLESS) as up:
            visitor = Visitor(up)
            await visitor.ask()
            await visitor.take(1)
        visitor.close()
