"""The one port: who may open a WebSocket, and all the connections there are.

A request that is no upgrade is a page's, which has as long as `patience` says. An upgrade is
refused in HTTP, with a sentence, for a foreign Origin, for a subprotocol that we do not speak, or
when the server is full. One address with too many connections is let in and closed with a code, so
that the client reads why.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from socket import SO_SNDBUF, SOL_SOCKET
from typing import Final, cast
from urllib.parse import urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from samedeal_protocol.codec import CODECS
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.messages import Notice
from samedeal_server.gateway.connection import Caller, Connection, Surroundings
from samedeal_server.gateway.heads import is_upgrade
from samedeal_server.gateway.patience import PatientConnection
from samedeal_server.gateway.transport import Framing, Link, Receiver
from samedeal_server.gateway.transport_fast import FastConnection, fast_carrier, framed
from samedeal_server.gateway.transport_plain import plain_carrier, unframed
from samedeal_server.settings import Address, Settings

__all__ = ["Gateway", "Pages", "plain_response"]

_log = logging.getLogger(__name__)

Pages = Callable[[Request], Awaitable[Response]]
"""Answers a request that is no upgrade."""

LARGE: Final = 128 * 1024
"""Bytes from which a page counts among the large ones."""
LARGE_PAGES: Final = 32 * 1024 * 1024
"""How many bytes of large pages may wait in memory for visitors to read them."""


def _librarys_log() -> logging.Logger:
    """Returns the log of `websockets`. It has a line for every connection at its info, which is
    our debug; and it must not come to its own debug, where it writes frames out."""
    log = logging.getLogger("samedeal_server.websockets")
    ours = _log.getEffectiveLevel()
    log.setLevel(logging.INFO if ours <= logging.DEBUG else max(logging.WARNING, ours))
    return log


def plain_response(status: HTTPStatus, sentence: str) -> Response:
    """Returns an answer of one line of text."""
    body = f"{sentence}\n".encode()
    headers = Headers(
        {
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, body)


def _come_back(sentence: str, *, seconds: int) -> Response:
    response = plain_response(HTTPStatus.SERVICE_UNAVAILABLE, sentence)
    response.headers["Retry-After"] = str(seconds)
    return response


def _may_come_from(origin: str, host: str, allowed: tuple[str, ...]) -> bool:
    """Says whether a page of `origin` may talk to us, who were called `host`."""
    if origin.lower().rstrip("/") in allowed or "*" in allowed:
        return True
    return urlsplit(origin).netloc.lower() == host.lower() != ""


class Gateway:
    """Everything that is connected now, behind one listening socket."""

    def __init__(
        self,
        settings: Settings,
        around: Surroundings,
        *,
        welcome: Callable[[Connection], Caller],
        pages: Pages,
        own: Callable[[], int] = int,
    ) -> None:
        """`own` says how many programs of the server's own may connect now."""
        self._settings = settings
        self._around = around
        self._welcome = welcome
        self._pages = pages
        self._own = own
        self._origins = tuple(origin.lower().rstrip("/") for origin in settings.origins)
        self._connections: set[Connection] = set()
        self._addresses: Counter[str] = Counter()
        framing: Framing = unframed if settings.transport == "plain" else framed
        self._wires = {
            name: framing(codec.encode.encode, codec.is_text) for name, codec in CODECS.items()
        }
        self._is_closing = False
        self._own_host = ""
        self._visitors: set[PatientConnection] = set()
        """Those whose page is being made or sent."""
        self.unread = 0
        """How many bytes of large pages are on their way."""

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return len(self._connections)

    @asynccontextmanager
    async def listen(self) -> AsyncIterator[tuple[str, int]]:
        """Listens for as long as the block lasts; yields the host and port that were bound."""
        settings = self._settings
        if settings.transport == "plain":
            handler = plain_carrier(
                self._open,
                self._address,
                patience=settings.close_timeout,
                high_water=settings.outbox_high,
            )
            connection_type: type[PatientConnection] = PatientConnection
        else:
            handler = fast_carrier(self._open, self._address, patience=settings.close_timeout)
            connection_type = FastConnection

        made = partial(connection_type, silence=settings.hello_timeout, still=settings.page_timeout)

        async def carry(connection: ServerConnection) -> None:
            # Otherwise the kernel takes some megabytes before we notice that nobody reads.
            sock = connection.transport.get_extra_info("socket")
            if sock is not None:
                sock.setsockopt(SOL_SOCKET, SO_SNDBUF, settings.send_buffer)
            await handler(connection)

        server = await serve(
            carry,
            settings.listen.host,
            settings.listen.port,
            subprotocols=[Subprotocol(name) for name in CODECS],
            compression=None,
            process_request=self._judge,
            server_header=None,
            open_timeout=None,
            ping_interval=None,
            close_timeout=settings.close_timeout,
            max_size=settings.frame_bytes,
            write_limit=settings.outbox_high,
            create_connection=cast("type[ServerConnection]", made),  # "a wrapper or a subclass"
            logger=_librarys_log(),
            backlog=4096,
        )
        try:
            host, port = server.sockets[0].getsockname()[:2]
            self._own_host = Address(str(host), int(port)).reached.host
            yield str(host), int(port)
        finally:
            self._is_closing = True
            await self._shut(server)

    def sweep(self) -> None:
        """Ends the connections that have not greeted, are silent or do not read; counts."""
        self._around.rounds.go(self._around.clock.now())
        post = self._around.post
        self._around.meter.count("requests", post.requests)
        self._around.meter.count("frames_sent", post.frames)
        self._around.meter.count("bytes_sent", post.bytes)
        post.requests = post.frames = post.bytes = 0

    def notify(self, notice: Notice) -> None:
        """Tells every connection."""
        for connection in tuple(self._connections):
            connection.notify(notice)

    def close_all(self, code: CloseCode) -> None:
        """Ends every connection with a code; those that do not answer are cut in time."""
        for connection in tuple(self._connections):
            connection.close(code)

    # --- within ---

    async def _judge(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answers a request that will be no WebSocket; None lets the handshake go on."""
        if not is_upgrade(request):
            self._around.meter.count("pages_served")
            return await self._answered(connection, request)
        refused = self._refuse(request)
        if refused is not None:
            self._around.meter.count("connections_refused")
        return refused

    async def _answered(self, connection: ServerConnection, request: Request) -> Response:
        """Has a page made, and its visitor read it in peace."""
        if not isinstance(connection, PatientConnection):
            raise AssertionError("that is what connections are made of")
        self._visitors.add(connection)
        connection.connection_lost_waiter.add_done_callback(
            lambda _: self._visitors.discard(connection)
        )
        connection.makes_page()
        page = self._afforded(connection, await self._pages(request))
        connection.sends_page(len(page.body or b""))
        return page

    def _afforded(self, connection: ServerConnection, page: Response) -> Response:
        """Returns the page, or that visitors who read slowly have too many large ones already."""
        size = len(page.body or b"")
        if size < LARGE:
            return page
        if self.unread and self.unread + size > LARGE_PAGES:
            return _come_back("Many large pages are being read; try again soon.", seconds=5)
        self.unread += size

        def is_read(_: object) -> None:
            self.unread -= size

        connection.connection_lost_waiter.add_done_callback(is_read)
        return page

    def _refuse(self, request: Request) -> Response | None:
        headers = request.headers
        if self._is_closing:
            return plain_response(HTTPStatus.SERVICE_UNAVAILABLE, "The server is restarting.")
        most = self._settings.max_connections
        if most is not None and len(self._connections) >= most:
            return _come_back(
                "The server has all the connections that it takes; try again in a minute.",
                seconds=60,
            )
        origins = headers.get_all("Origin")
        host = (headers.get_all("Host") or [""])[0]
        if not all(_may_come_from(origin, host, self._origins) for origin in origins):
            return plain_response(
                HTTPStatus.FORBIDDEN,
                "Pages of this Origin may not connect here; the operator can allow it with "
                "--origins.",
            )
        offered = {
            name.strip()
            for value in headers.get_all("Sec-WebSocket-Protocol")
            for name in value.split(",")
        }
        if offered.isdisjoint(CODECS):
            return plain_response(
                HTTPStatus.BAD_REQUEST,
                f"Ask for one of the WebSocket subprotocols {' and '.join(CODECS)}.",
            )
        return None

    def _address(self, connection: ServerConnection) -> str:
        """Returns where a client is: by its socket, or by what our proxy wrote last."""
        name = self._settings.address_header
        if name is not None and connection.request is not None:
            said = connection.request.headers.get_all(name)
            if said:
                return said[-1].rpartition(",")[2].strip()
        peername = connection.remote_address
        return str(peername[0]) if isinstance(peername, tuple) and peername else ""

    def _open(self, link: Link) -> Receiver:
        around = self._around
        connection = Connection(
            link,
            CODECS[link.subprotocol],
            self._wires[link.subprotocol],
            around,
            forget=self._forget,
        )
        self._connections.add(connection)
        self._addresses[link.address] += 1
        around.meter.count("connections")
        if self._addresses[link.address] > self._most_from(link.address):
            around.meter.count("connections_refused")
            connection.close(CloseCode.TOO_MANY_CONNECTIONS)
        else:
            connection.meet(self._welcome(connection))
        return connection

    def _most_from(self, address: str) -> int:
        """Returns how many may come from an address; our own bots from ours besides."""
        most = self._settings.connections_per_address
        return most + self._own() if address == self._own_host else most

    def _forget(self, connection: Connection) -> None:
        """Takes a connection off the books, when its link is gone."""
        if connection in self._connections:
            self._connections.remove(connection)
            self._around.meter.count("connections", -1)
            self._addresses[connection.address] -= 1
            if not self._addresses[connection.address]:
                del self._addresses[connection.address]

    async def _shut(self, server: Server) -> None:
        """Stops listening, closes what is open, and cuts whoever does not answer in time.

        The library's own graceful close can wait for ever for a peer that does not read.
        """
        server.close(close_connections=False)
        self.close_all(CloseCode.RESTARTING)
        for visitor in tuple(self._visitors):
            visitor.hurry()
        await server.wait_closed()
