"""The real network under a client, against a peer that does as it likes."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from samedeal_client.websocket import dial
from samedeal_protocol.codec import MSGPACK
from support.patience import PATIENCE_S


async def test_a_wire_whose_farewell_is_broken_off_is_given_back_all_the_same() -> None:
    """Who was cancelled while the peer had not answered the close left the socket open.

    So did a program that ends, which cancels its tasks once more and waits for none of them.
    """
    has_begun, is_given_back = asyncio.Event(), asyncio.Event()

    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Welcomes a client, and answers nothing any more."""
        protocol = ServerProtocol(subprotocols=[Subprotocol(MSGPACK.subprotocol)])
        protocol.receive_data(await reader.readuntil(b"\r\n\r\n"))
        [request] = protocol.events_received()
        assert isinstance(request, Request)
        protocol.send_response(protocol.accept(request))
        writer.writelines(protocol.data_to_send())
        with suppress(ConnectionError):
            await reader.readexactly(1)
            has_begun.set()
            await reader.read()
        is_given_back.set()
        writer.close()

    async with await asyncio.start_server(deaf, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        wire = await dial(f"ws://{host}:{port}", MSGPACK)
        farewell = asyncio.create_task(wire.close())
        await has_begun.wait()
        farewell.cancel()
        with pytest.raises(asyncio.CancelledError):
            await farewell
        async with asyncio.timeout(PATIENCE_S):
            await is_given_back.wait()
