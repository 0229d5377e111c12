"""One attempt: resolve, look at the addresses, connect to one of them, post, read the head.

Whatever the receiver does, it is over after `TIMEOUT_S`, has read `HEAD_BYTES` at most, and comes
to an `Answer`. What an answer says is for the host and the log: no address, no path.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from http import HTTPStatus
from typing import Final

import h11

from samedeal_server.adapters.webhooks.addresses import is_near, is_public
from samedeal_server.adapters.webhooks.outgoing import Answer
from samedeal_server.adapters.webhooks.urls import Target

__all__ = ["HEAD_BYTES", "TIMEOUT_S", "Resolve", "SystemResolver", "post", "tls_context"]

TIMEOUT_S: Final = 15.0
"""For all of an attempt."""
CONNECT_S: Final = 5.0
"""For each address, with the handshake."""
GOODBYE_S: Final = 1.0
"""How long a receiver may take to answer the end of TLS."""
HEAD_BYTES: Final = 16_384
"""The largest head of an answer, with whatever came before it. Its body is not read."""
ADDRESSES_MAX: Final = 4
"""How many of a name's addresses are tried."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host; raises `OSError` or `UnicodeError`."""


class _Failed(Exception):
    """The attempt is over; the message is what the answer says."""


class SystemResolver:
    """Resolves by the system, in a few threads of its own: slow names delay nobody but hooks."""

    def __init__(self, *, threads: int = 4) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="hook-names")

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        look = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        found = await asyncio.get_running_loop().run_in_executor(self._threads, look)
        return list(dict.fromkeys(str(each[4][0]) for each in found))

    def close(self) -> None:
        """Starts nothing more, and waits for nothing that has started."""
        self._threads.shutdown(wait=False, cancel_futures=True)


@cache
def tls_context() -> ssl.SSLContext:
    """Returns what trusts whom the system trusts, and checks names.

    Whom the system trusts is read once in a process: there are hundreds.
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


async def post(
    target: Target,
    headers: Sequence[tuple[str, str]],
    body: bytes,
    *,
    resolve: Resolve,
    tls: ssl.SSLContext,
    may_be_near: bool = False,
    within_s: float = TIMEOUT_S,
) -> Answer:
    """Posts once and returns what came of it.

    With `may_be_near` the target may also be this machine or in a private network. Host, length and
    `connection` are added to the headers.
    """
    try:
        async with asyncio.timeout(within_s):
            addresses = await _addresses(target, resolve, may_be_near=may_be_near)
            reader, writer = await _connected(target, addresses, tls)
            try:
                answer = await _exchanged(target, headers, body, reader, writer)
            except BaseException:
                writer.transport.abort()
                raise
            writer.close()
            return answer
    except _Failed as failed:
        return Answer(None, str(failed))
    except TimeoutError:
        return Answer(None, f"no answer within {within_s:g} seconds")
    except h11.RemoteProtocolError:
        return Answer(None, "what came back is no answer in HTTP/1.1")
    except OSError:
        return Answer(None, "the connection was lost before there was an answer")


async def _addresses(target: Target, resolve: Resolve, *, may_be_near: bool) -> Sequence[str]:
    try:
        addresses = await resolve(target.host, target.port)
    except (OSError, UnicodeError):
        raise _Failed("the host's name cannot be resolved") from None
    if not addresses:
        raise _Failed("the host's name cannot be resolved")
    # One that is not public is enough: who gives such a mixture hopes that we take the wrong one.
    for address in addresses:
        if is_public(address):
            if not target.is_tls:
                raise _Failed("the host is one of the public internet: give its URL with https://")
        elif not (may_be_near and is_near(address)):
            raise _Failed(
                "the host's name stands for an address that is not of the public internet"
            )
    return addresses


async def _connected(
    target: Target, addresses: Sequence[str], tls: ssl.SSLContext
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    fault = "the host cannot be reached"
    for address in addresses[:ADDRESSES_MAX]:
        # Only what is already an address gets here; and it is said again that it is not a name.
        connecting = asyncio.open_connection(
            address,
            target.port,
            limit=HEAD_BYTES,
            flags=socket.AI_NUMERICHOST,
            ssl=tls if target.is_tls else None,
            server_hostname=target.host if target.is_tls else None,
            ssl_handshake_timeout=CONNECT_S if target.is_tls else None,
            ssl_shutdown_timeout=GOODBYE_S if target.is_tls else None,
        )
        try:
            async with asyncio.timeout(CONNECT_S):
                return await connecting
        except ssl.SSLCertVerificationError as wrong:
            fault = f"the host's certificate cannot be trusted: {wrong.verify_message}"
        except ssl.SSLError:
            fault = "the host does not speak TLS as it should"
        except OSError:
            fault = "the host cannot be reached"
    raise _Failed(fault)


async def _exchanged(
    target: Target,
    headers: Sequence[tuple[str, str]],
    body: bytes,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> Answer:
    connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_BYTES)
    request = h11.Request(
        method="POST",
        target=target.path,
        headers=[
            ("host", target.authority),
            *headers,
            ("content-length", str(len(body))),
            ("connection", "close"),
        ],
    )
    for part in (request, h11.Data(data=body), h11.EndOfMessage()):
        writer.write(connection.send(part) or b"")
    await writer.drain()
    left = HEAD_BYTES
    while True:
        event = connection.next_event()
        if isinstance(event, h11.Response):
            return _answer(event)
        if event is h11.NEED_DATA:
            if left <= 0:
                raise _Failed("the head of the answer is too long")
            received = await reader.read(min(left, 4_096))
            left -= len(received)
            connection.receive_data(received)


def _answer(response: h11.Response) -> Answer:
    status = response.status_code
    try:
        said = f"answered {status} {HTTPStatus(status).phrase}"
    except ValueError:
        said = f"answered {status}"
    if 300 <= status <= 399:
        said += ": redirects are not followed, so give the URL where it leads"
    asked = next((value for name, value in response.headers if name == b"retry-after"), b"")
    return Answer(status, said, int(asked) if asked.isdigit() and len(asked) < 10 else 0)
