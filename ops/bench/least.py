"""The least that a move costs: our carrier, codec, rules and log in a straight line, and no race.

Each connection plays one and the same deal, in rooms of `seats` in the order of arrival, and every
move has its reply and its events as in a race. What the server costs beyond this is what makes a
race of it: players, terms, clocks, undo, viewers, faults. `wire` answers with constants, `rules`
plays every move, `log` makes it durable, too.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import uvloop
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from samedeal_protocol import events, messages
from samedeal_protocol.codec import MSGPACK
from samedeal_rules import Table, deal, find, parse_move
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.gateway.outbox import Outbox, Post
from samedeal_server.gateway.transport import Link
from samedeal_server.gateway.transport_fast import FastConnection, fast_carrier, framed
from samedeal_server.ports import Entry

__all__: list[str] = []

KINDS = ("wire", "rules", "log")
_WIRE = framed(MSGPACK.encode.encode, False)
_NEVER_S = 1e6


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Room:
    """Those who are told of each other's moves."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.seq = 1
        self.seats: list[Seat] = []


class Seat:
    """A connection that plays."""

    def __init__(self, room: Room, table: Table | None, outbox: Outbox, leave: Leaving) -> None:
        self.room = room
        self.table = table
        self.outbox = outbox
        self.number = len(room.seats) + 1
        self.moves = 0
        self.began = now_ms()
        self._leave = leave
        room.seats.append(self)

    def on_frame(self, payload: bytes, is_text: bool) -> None:
        asked = MSGPACK.read_client(payload)
        assert isinstance(asked, messages.Play)
        now = now_ms()
        room, table = self.room, self.table
        room.seq += 1
        self.moves += 1
        steps: tuple[str, ...] = (asked.move,)
        home, status, digest, line = 3, "playing", "0123456789abcdef", b""
        if table is not None:
            table.play(parse_move(table.game, asked.move))
            home, status, digest = table.home, table.status.value, table.view_digest()
            steps = table.last().steps
            done = events.Played(at=now, entrant=self.number, number=asked.number, move=asked.move)
            line = events.to_line(done)
        played = messages.Played(
            race=asked.race, seq=room.seq, at=now, number=asked.number, moves=(asked.move,),
            steps=steps, digest=digest, home=home, status=status, undoable=True,
            elapsed_ms=now - self.began, penalty_ms=0,
        )  # fmt: skip
        progressed = messages.Progressed(
            race=asked.race, seq=room.seq, at=now, entrant=self.number, home=home,
            moves=self.moves, penalty_ms=0,
        )  # fmt: skip
        reply = _WIRE(messages.Ok(id=asked.id, result=played))
        self._leave.add(Entry(room.code, room.seq, line, 0), (self, reply, _WIRE(progressed)))

    def told(self, reply: bytes, event: bytes) -> None:
        """Lets the reply and the others' event leave."""
        self.outbox.put(reply)
        for seat in self.room.seats:
            if seat is not self:
                seat.outbox.put(event)

    def on_clogged(self) -> None: ...

    def on_drained(self) -> None: ...

    def on_close(self) -> None: ...


class Leaving:
    """What leaves at once, or when it is durable."""

    def __init__(self, log: SqliteLog | None) -> None:
        self._log = log
        self._entries: list[Entry] = []
        self._told: list[tuple[Seat, bytes, bytes]] = []
        self._wake = asyncio.Event()

    def add(self, entry: Entry, told: tuple[Seat, bytes, bytes]) -> None:
        if self._log is None:
            seat, reply, event = told
            seat.told(reply, event)
            return
        self._entries.append(entry)
        self._told.append(told)
        self._wake.set()

    async def run(self, log: SqliteLog) -> None:
        """Appends in groups until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            entries, told = self._entries, self._told
            self._entries, self._told = [], []
            await log.append(entries)
            for seat, reply, event in told:
                seat.told(reply, event)


@contextlib.asynccontextmanager
async def opened(kind: str, rooms: list[Room]) -> AsyncIterator[Leaving]:
    """Runs what lets replies leave; with a log that knows the rooms, where one is asked for."""
    if kind != "log":
        yield Leaving(None)
        return
    with TemporaryDirectory(prefix="samedeal-bench-") as folder:
        log = await SqliteLog.open(Path(folder))
        for room in rooms:
            await log.open_race(Entry(room.code, 1, b"{}", 0), opened_at=0, is_listed=True,
                                phrase_hash=None)  # fmt: skip
        leaving = Leaving(log)
        running = asyncio.create_task(leaving.run(log))
        try:
            yield leaving
        finally:
            running.cancel()
            await log.close()


async def run(arguments: argparse.Namespace) -> None:
    loop = asyncio.get_running_loop()
    post = Post(loop.call_soon, loop.call_later)
    rooms = [Room(f"k7m2-q9xq-{number:04}") for number in range(arguments.rooms)]
    game = find(arguments.game)

    async with opened(arguments.kind, rooms) as leaving:

        def seated(link: Link) -> Seat:
            room = next(room for room in rooms if len(room.seats) < arguments.seats)
            outbox = Outbox(link, post, limit=2**40, overflow=link.abort, spared=link.abort)
            table = None if arguments.kind == "wire" else deal(game, arguments.seed)
            return Seat(room, table, outbox, leaving)

        carry = fast_carrier(seated, lambda connection: "", patience=1)
        made = partial(FastConnection, silence=_NEVER_S, still=_NEVER_S)
        subprotocols = [Subprotocol(messages.SUBPROTOCOL_MSGPACK)]
        async with serve(
            carry, "127.0.0.1", 0, subprotocols=subprotocols, compression=None, ping_interval=None,
            create_connection=cast("type[ServerConnection]", made),
        ) as server:  # fmt: skip
            port = next(iter(server.sockets)).getsockname()[1]
            gc.disable()
            print(f"listening on 127.0.0.1:{port}", flush=True)
            await loop.create_future()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--rooms", type=int, default=250)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--game", default="beleaguered-castle")
    parser.add_argument("--seed", default="bench")
    with contextlib.suppress(KeyboardInterrupt):
        uvloop.run(run(parser.parse_args()))
