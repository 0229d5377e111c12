"""What the server is measured beside: an echo, a naive relay and a broadcast, as documented.

Each is the plain `websockets` server of a tutorial: `async for message in websocket` and
`await websocket.send(...)`. The relay sends what a race sends: for every move in, a reply to its
sender and an event to each of the others in the room, of the sizes that it is told. The broadcast
is one room, told by the library's own means for a crowd; small messages it echoes.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

__all__: list[str] = []

SMALL = 16
"""Bytes below which the broadcast takes a message for a ping."""


async def echo(websocket: ServerConnection) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for message in websocket:
            await websocket.send(message)


class Relay:
    """Rooms of `seats`, filled in the order of arrival."""

    def __init__(self, seats: int, reply: int, event: int) -> None:
        self.seats = seats
        self.reply = bytes(reply)
        self.event = bytes(event)
        self.rooms: list[list[ServerConnection]] = [[]]

    async def __call__(self, websocket: ServerConnection) -> None:
        if len(self.rooms[-1]) == self.seats:
            self.rooms.append([])
        room = self.rooms[-1]
        room.append(websocket)
        with contextlib.suppress(ConnectionClosed):
            async for _ in websocket:
                await websocket.send(self.reply)
                for other in room:
                    if other is not websocket:
                        await other.send(self.event)


class Broadcast:
    """One room, told of everything by `websockets.broadcast`."""

    def __init__(self, reply: int, event: int) -> None:
        self.reply = bytes(reply)
        self.event = bytes(event)
        self.room: set[ServerConnection] = set()

    async def __call__(self, websocket: ServerConnection) -> None:
        self.room.add(websocket)
        with contextlib.suppress(ConnectionClosed):
            async for message in websocket:
                if len(message) < SMALL:
                    await websocket.send(message)
                else:
                    await websocket.send(self.reply)
                    broadcast(self.room, self.event)
        self.room.discard(websocket)


def handler_of(arguments: argparse.Namespace) -> Callable[[ServerConnection], Awaitable[None]]:
    match arguments.kind:
        case "echo":
            return echo
        case "relay":
            return Relay(arguments.seats, arguments.reply, arguments.event)
        case _:
            return Broadcast(arguments.reply, arguments.event)


async def run(arguments: argparse.Namespace) -> None:
    handler = handler_of(arguments)
    async with serve(handler, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        print(f"listening on 127.0.0.1:{port}", flush=True)
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("echo", "relay", "broadcast"))
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--reply", type=int, default=160, help="bytes of a reply")
    parser.add_argument("--event", type=int, default=90, help="bytes of an event")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        try:
            import uvloop
        except ImportError:
            asyncio.run(run(options))
        else:
            uvloop.run(run(options))
