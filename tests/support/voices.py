"""A client over a real socket, in a few lines: it says what it is told and keeps what it hears."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from samedeal_protocol import messages
from samedeal_protocol.codec import MSGPACK, Codec
from samedeal_protocol.messages import ClientMessage, Error, Ok, Reply, ServerMessage
from samedeal_server.settings import Address
from support.patience import PATIENCE_S

__all__ = ["Refusal", "Voice", "greeted", "voice"]

_R = TypeVar("_R")


class Refusal(Exception):
    """The server's reply was an error."""

    def __init__(self, error: Error) -> None:
        super().__init__(f"{error.code}: {error.message}")
        self.error = error
        self.code = error.code


class Voice:
    """One connection. What comes without being asked for lands in `heard`, in order."""

    def __init__(self, connection: ClientConnection, codec: Codec) -> None:
        self.connection = connection
        self.codec = codec
        self.heard: list[ServerMessage] = []
        """Events, snapshots and notices, those that were taken left out."""
        self.frames: list[bytes] = []
        """Every frame as it came."""
        self.welcome: messages.Welcome | None = None
        self._ids = itertools.count(1)
        self._replies: dict[int, asyncio.Future[Ok | Error]] = {}
        self._news = asyncio.Event()
        self.closed = asyncio.Event()

    async def listen(self) -> None:
        """Hears until the connection ends."""
        try:
            async for frame in self.connection:
                raw = frame.encode() if isinstance(frame, str) else frame
                self.frames.append(raw)
                message = self.codec.read_server(raw)
                if isinstance(message, Ok | Error) and message.id in self._replies:
                    self._replies.pop(message.id).set_result(message)
                else:
                    self.heard.append(message)
                    self._news.set()
        except ConnectionClosed:
            pass
        finally:
            self.closed.set()
            self._news.set()
            for waiting in self._replies.values():
                if not waiting.done():
                    waiting.cancel()

    @property
    def close_code(self) -> int | None:
        return self.connection.close_code

    def next_id(self) -> int:
        return next(self._ids)

    async def say(self, message: ClientMessage) -> asyncio.Future[Ok | Error]:
        """Sends a request; returns what will be its reply."""
        reply: asyncio.Future[Ok | Error] = asyncio.get_running_loop().create_future()
        self._replies[message.id] = reply
        raw = self.codec.encode.encode(message)
        await self.connection.send(raw, text=self.codec.is_text)
        return reply

    async def ask(self, message: ClientMessage) -> Reply | None:
        """Sends a request and returns the reply's result; raises `Refusal`."""
        async with asyncio.timeout(PATIENCE_S):
            reply = await (await self.say(message))
        if isinstance(reply, Error):
            raise Refusal(reply)
        return reply.result

    async def get(self, kind: type[_R], message: ClientMessage) -> _R:
        """Like `ask`, for a result of one kind."""
        result = await self.ask(message)
        assert isinstance(result, kind), result
        return result

    async def hear(self, kind: type[_R]) -> _R:
        """Waits for the next message of a kind; what came before it is taken as well."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                while self.heard:
                    message = self.heard.pop(0)
                    if isinstance(message, kind):
                        return message
                assert not self.closed.is_set(), f"closed {self.close_code} before {kind}"
                self._news.clear()
                await self._news.wait()

    async def end(self) -> int | None:
        """Waits for the server to close; returns the close code."""
        async with asyncio.timeout(PATIENCE_S):
            await self.closed.wait()
        return self.close_code

    # --- what is said often ---

    async def hello(
        self,
        name: str | None = None,
        *,
        token: str | None = None,
        bot: bool = False,
        legal: bool = False,
    ) -> messages.Welcome:
        welcome = await self.get(
            messages.Welcome,
            messages.Hello(id=self.next_id(), name=name, token=token, bot=bot, legal=legal),
        )
        self.welcome = welcome
        return welcome

    async def ping(self) -> messages.Pong:
        return await self.get(messages.Pong, messages.Ping(id=self.next_id(), sent=7))

    async def join(self, race: str, *, phrase: str | None = None) -> messages.Snapshot:
        request = messages.Join(id=self.next_id(), race=race, phrase=phrase)
        return await self.get(messages.Snapshot, request)

    async def watch(self, race: str, *, phrase: str | None = None) -> messages.Snapshot:
        request = messages.Watch(id=self.next_id(), race=race, phrase=phrase)
        return await self.get(messages.Snapshot, request)

    async def ready(self, race: str) -> None:
        await self.ask(messages.Ready(id=self.next_id(), race=race))

    async def play(self, race: str, number: int, move: str) -> messages.Played:
        request = messages.Play(id=self.next_id(), race=race, number=number, move=move)
        return await self.get(messages.Played, request)


@asynccontextmanager
async def voice(
    address: Address, *, codec: Codec = MSGPACK, origin: str | None = None
) -> AsyncIterator[Voice]:
    """Connects, and hears in the background until the block ends."""
    headers = {} if origin is None else {"Origin": origin}
    async with connect(
        f"ws://{address}",
        subprotocols=[Subprotocol(codec.subprotocol)],
        compression=None,
        additional_headers=headers,
        ping_interval=None,
        close_timeout=1,
        max_size=None,
    ) as connection:
        speaker = Voice(connection, codec)
        listening = asyncio.create_task(speaker.listen(), name="voice")
        try:
            yield speaker
        finally:
            await connection.close()
            await listening


@asynccontextmanager
async def greeted(
    address: Address,
    name: str | None = None,
    *,
    token: str | None = None,
    bot: bool = False,
    legal: bool = True,
    codec: Codec = MSGPACK,
) -> AsyncIterator[Voice]:
    """Connects and says hello."""
    async with voice(address, codec=codec) as speaker:
        await speaker.hello(name, token=token, bot=bot, legal=legal)
        yield speaker
