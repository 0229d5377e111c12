"""The plain carrier: `websockets` as its documentation shows it.

One coroutine a connection reads with `async for`; another sends with `await`. It costs about
twice the CPU of the fast carrier and leans on nothing that the library does not promise.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

from samedeal_protocol.errors import CloseCode
from samedeal_server.gateway.patience import PatientConnection
from samedeal_server.gateway.transport import Encode, Opener, Receiver, Wire

__all__ = ["PlainLink", "plain_carrier", "unframed"]


def unframed(encode: Encode, is_text: bool) -> Wire:
    """Returns the encoder as it is: the library builds the frames."""
    return encode


class PlainLink:
    """The link over an ordinary connection: a queue that one coroutine empties."""

    def __init__(
        self, connection: ServerConnection, address: str, patience: float, high_water: int
    ) -> None:
        self._connection = connection
        self._patience = patience
        self._high_water = high_water
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._wake = asyncio.Event()
        self._close_code: CloseCode | None = None
        self._is_clogged = False
        self.receiver: Receiver | None = None
        self.address = address
        self.subprotocol = connection.subprotocol or ""
        self._is_text = self.subprotocol.endswith(".json")

    def write(self, frames: Sequence[bytes]) -> int:
        if self._close_code is not None:
            return 0
        size = sum(map(len, frames))
        self._queue.extend(frames)
        self._queued += size
        self._wake.set()
        if self._queued > self._high_water and not self._is_clogged:
            self._is_clogged = True
            if self.receiver is not None:
                self.receiver.on_clogged()
        return size

    def close(self, code: CloseCode) -> None:
        if self._close_code is None:
            self._close_code = code
            self._wake.set()
            # Aborting a transport twice does nothing.
            self._connection.loop.call_later(self._patience, self._connection.transport.abort)

    def abort(self) -> None:
        self._connection.transport.abort()

    async def send_all(self) -> None:
        """Sends what is written until the link is closed, then closes it."""
        try:
            while self._queue or self._close_code is None:
                if not self._queue:
                    self._wake.clear()
                    await self._wake.wait()
                    continue
                message = self._queue.popleft()
                await self._connection.send(message, text=self._is_text)
                self._queued -= len(message)
                if self._is_clogged and self._queued <= self._high_water // 4:
                    self._is_clogged = False
                    if self.receiver is not None:
                        self.receiver.on_drained()
            await self._connection.close(self._close_code.number, self._close_code.reason)
        except ConnectionClosed:
            pass


def plain_carrier(
    opener: Opener,
    address: Callable[[ServerConnection], str],
    *,
    patience: float,
    high_water: int,
) -> Callable[[ServerConnection], Awaitable[None]]:
    """Returns the handler for `websockets` that opens plain links.

    `address` says where a client is; `patience` is how many seconds a peer has to answer a close
    frame; above `high_water` unsent bytes a link counts as clogged.
    """

    async def carry(connection: ServerConnection) -> None:
        link = PlainLink(connection, address(connection), patience, high_water)
        receiver = link.receiver = opener(link)
        if (
            isinstance(connection, PatientConnection)
            and connection.protocol.state is not State.OPEN
        ):
            connection.ended()
        try:
            async with asyncio.TaskGroup() as group:
                sender = group.create_task(link.send_all(), name=f"send {link.address}")
                try:
                    async for message in connection:
                        if isinstance(message, str):
                            receiver.on_frame(message.encode(), True)
                        else:
                            receiver.on_frame(message, False)
                except ConnectionClosed:
                    pass
                sender.cancel()
        finally:
            receiver.on_close()

    return carry
