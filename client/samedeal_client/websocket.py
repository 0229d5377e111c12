"""The real network: the port of `transport` on the `websockets` library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidStatus,
    InvalidURI,
    WebSocketException,
)
from websockets.typing import Subprotocol

from samedeal_protocol.codec import Codec

from .transport import DialFailed, Wire, WireLost

__all__ = ["FRAME_MAX", "dial"]

FRAME_MAX: Final = 8 * 1024 * 1024
"""The largest frame taken from a server: a whole race of boards, or a page of a replay."""

_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
# What a server or a proxy says for the moment only.
_PASSING: Final = (408, 425, 429, 500, 502, 503, 504)


async def dial(url: str, codec: Codec) -> Wire:
    """Opens a WebSocket. Raises `DialFailed`.

    Control-frame pings are off: the protocol has its own, which proxies do not swallow.
    """
    is_near = urlsplit(url).hostname in _LOOPBACK
    try:
        connection = await connect(
            url,
            subprotocols=[Subprotocol(codec.subprotocol)],
            compression=None,
            ping_interval=None,
            max_size=FRAME_MAX,
            open_timeout=10,
            close_timeout=2,
            proxy=None if is_near else True,
        )
    except InvalidURI as fault:
        raise DialFailed(str(fault), may_pass=False) from fault
    except InvalidStatus as fault:
        status = fault.response.status_code
        may_pass = status in _PASSING
        said = "takes nobody for the moment" if may_pass else "is no samedeal server"
        raise DialFailed(f"{url} {said} (HTTP {status})", may_pass=may_pass) from fault
    except TimeoutError as fault:
        raise DialFailed(f"{url} does not answer", may_pass=True) from fault
    except WebSocketException as fault:
        raise DialFailed(f"{url} does not speak WebSocket: {fault}", may_pass=True) from fault
    except OSError as fault:
        raise DialFailed(f"nobody answers at {url}: {fault}", may_pass=True) from fault
    if connection.subprotocol != codec.subprotocol:
        await _part(connection)
        raise DialFailed(f"{url} does not speak {codec.subprotocol}", may_pass=False)
    return _WebSocketWire(connection, codec.is_text)


@dataclass(frozen=True, slots=True)
class _WebSocketWire:
    """A connection of the `websockets` library as a wire."""

    connection: ClientConnection
    is_text: bool

    async def send(self, frames: Sequence[bytes]) -> None:
        try:
            for frame in frames:
                await self.connection.send(frame, text=self.is_text)
        except ConnectionClosed as fault:
            raise WireLost(_close_code(fault)) from fault

    async def receive(self) -> bytes:
        try:
            return await self.connection.recv(decode=False)
        except ConnectionClosed as fault:
            raise WireLost(_close_code(fault)) from fault

    async def close(self) -> None:
        await _part(self.connection)


async def _part(connection: ClientConnection) -> None:
    """Says goodbye and waits for the peer's; who is cancelled meanwhile gives the socket back."""
    try:
        await connection.close()
    finally:
        connection.transport.abort()


def _close_code(fault: ConnectionClosed) -> int | None:
    """The code that the peer sent; a connection that just broke has none."""
    return None if fault.rcvd is None else fault.rcvd.code
