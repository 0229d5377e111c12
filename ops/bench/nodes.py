"""What it costs to be one of several nodes, and how long their races stand still when one dies.

Races of four play as fast as they are answered: on one server with SQLite, then among three nodes
that share a PostgreSQL and a Mosquitto, by players at their races' own node and by players at
another, whose moves travel over the bus. Everything runs on this machine, the load as well, so that
three nodes show what a move costs, and not what three machines do.

Then the node that owns a race is killed, again and again; what counts is the time from there to the
next answer of a player at another node.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, perf_counter_ns

import msgspec

from bench.load import OPEN_LIMITS, SEATS, Asking, Seat, script, walk
from bench.processes import Measured, samedeal, spawned
from bench.wire import connect
from samedeal_protocol import messages
from samedeal_protocol.codec import MSGPACK
from samedeal_protocol.terms import Terms, Undo

# The tests know how to start a PostgreSQL and a Mosquitto of their own.
sys.path.append(str(Path(__file__).parents[2] / "tests"))

from support.brokers import mosquitto
from support.postgres import database, find_binaries, own_cluster

__all__ = ["report"]

_NAMES = ("a", "b", "c")
_PLAYERS = 40
_SEED = "bench"
_AGAIN_S = 0.05
"""After how long a player asks again who was told that it cannot be now."""
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class _Figures:
    """Of one round."""

    rate: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    """Of all the servers, a move."""


# --- nodes ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Nodes:
    """Three nodes that can be started one by one."""

    store: str
    bus: str
    folder: Path
    stack: ExitStack
    running: dict[str, Measured]

    def start(self, name: str) -> Measured:
        """Starts a node, also again."""
        data = self.folder / name
        data.mkdir(exist_ok=True)
        options = ("--node", name, "--store", self.store, "--bus", self.bus, *OPEN_LIMITS)
        node = self.stack.enter_context(spawned(samedeal(data, *options)))
        self.running[name] = node
        return node

    def kill(self, name: str) -> None:
        """Ends a node as a power cut would."""
        os.kill(self.running.pop(name).pid, signal.SIGKILL)


@asynccontextmanager
async def _three() -> AsyncIterator[_Nodes]:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="samedeal-bench-")))
        cluster = stack.enter_context(own_cluster())
        store = await stack.enter_async_context(database(cluster))
        broker = stack.enter_context(mosquitto(folder))
        processes = stack.enter_context(ExitStack())
        nodes = _Nodes(store, f"mqtt://127.0.0.1:{broker.port}", folder, processes, {})
        for name in _NAMES:
            nodes.start(name)
        yield nodes


@contextmanager
def _alone() -> Iterator[Measured]:
    with (
        TemporaryDirectory(prefix="samedeal-bench-") as folder,
        spawned(samedeal(Path(folder), *OPEN_LIMITS)) as server,
    ):
        yield server


async def _entered(game: str, opened_at: int, ports: Sequence[int]) -> list[tuple[Asking, str]]:
    """Opens a race at one port, and enters players at the others until it has started."""
    terms = Terms(
        game=game, countdown=0, entrants_min=len(ports), undo=Undo.FREE, limit=86_400, grace=3600
    )
    host = await _greeted(opened_at)
    created = await host(messages.Create, terms=terms, seed=_SEED)
    assert isinstance(created.result, messages.Created)
    race = created.result.race
    players = [await _greeted(port) for port in ports]
    for player in players:
        await player(messages.Join, race=race)
    for player in players:
        await player(messages.Ready, race=race)
    await asyncio.gather(*(player.started for player in players))
    host.wire.transport.abort()
    return [(player, race) for player in players]


async def _greeted(port: int) -> Asking:
    asking = Asking(await connect("127.0.0.1", port, messages.SUBPROTOCOL_MSGPACK))
    await asking(messages.Hello, client="bench", bot=True)
    return asking


# --- moves ---------------------------------------------------------------------------------------


async def _seats(game: str, opened_at: int, played_at: int) -> list[Seat]:
    """Returns players in races of four, at one node, of races that another may own."""
    texts = walk(game, _SEED, 6000)
    seats = []
    for _ in range(0, _PLAYERS, SEATS):
        for player, race in await _entered(game, opened_at, [played_at] * SEATS):
            seats.append(Seat(player.wire, script(player.request, race, texts)))
    return seats


async def _round(servers: Sequence[Measured], seats: Sequence[Seat], seconds: float) -> _Figures:
    for seat in seats:
        seat.latencies.clear()
        seat.idle.clear()
        seat.running = True
    cpu, began = sum(server.cpu_ns() for server in servers), perf_counter_ns()
    for seat in seats:
        seat.send()
    await asyncio.sleep(seconds)
    for seat in seats:
        seat.running = False
    await asyncio.gather(*(seat.idle.wait() for seat in seats))
    wall = perf_counter_ns() - began
    cpu = sum(server.cpu_ns() for server in servers) - cpu
    latencies = sorted(latency for seat in seats for latency in seat.latencies)
    moves = len(latencies)
    return _Figures(
        rate=moves / wall * 1e9,
        p50_ms=latencies[moves // 2] / 1e6,
        p99_ms=latencies[moves * 99 // 100] / 1e6,
        cpu_us=cpu / 1000 / moves,
    )


async def _measure(game: str, *, rounds: int, seconds: float) -> None:
    print(
        f"nodes: {_PLAYERS} players in races of {SEATS}, one move under way for each; "
        f"medians of {rounds} rounds of {seconds:g} s"
    )
    print(f"{'':<24}{'moves/s':>10}{'p50':>12}{'p99':>12}{'CPU a move':>14}")
    with _alone() as server:
        seats = await _seats(game, server.port, server.port)
        await _print("one, SQLite", [server], seats, rounds=rounds, seconds=seconds)
    async with _three() as nodes:
        servers = list(nodes.running.values())
        for name, played_at in (("three, at the owner", 0), ("three, at another", 1)):
            seats = await _seats(game, servers[0].port, servers[played_at].port)
            await _print(name, servers, seats, rounds=rounds, seconds=seconds)
        took = sorted([await _outage(nodes, game, _NAMES[at % 3]) for at in range(rounds)])
    print(
        f"fail-over after kill -9, of {rounds} kills: median {median(took):.1f} s, "
        f"shortest {took[0]:.1f} s, longest {took[-1]:.1f} s"
    )


async def _print(
    name: str,
    servers: Sequence[Measured],
    seats: Sequence[Seat],
    *,
    rounds: int,
    seconds: float,
) -> None:
    await _round(servers, seats, seconds / 2)  # warms up
    found = [await _round(servers, seats, seconds) for _ in range(rounds)]
    for seat in seats:
        seat.wire.transport.abort()
    print(
        f"{name:<24}{median(each.rate for each in found):>10,.0f}"
        f"{median(each.p50_ms for each in found):>9.1f} ms"
        f"{median(each.p99_ms for each in found):>9.1f} ms"
        f"{median(each.cpu_us for each in found):>11.0f} us"
    )


# --- fail-over -----------------------------------------------------------------------------------


class _Patient:
    """A player who makes one move after the other, each again and again until it counts."""

    def __init__(self, asking: Asking, race: str, texts: Sequence[str]) -> None:
        self.answered_at = 0.0
        self.answers = 0
        self.wire = asking.wire
        self.wire.receive = self._receive
        self._request = asking.request
        self._race = race
        self._texts = texts
        self._news = asyncio.Event()

    def play(self) -> None:
        """Makes the next move, or the last one again."""
        if self.wire.transport.is_closing():
            return
        self._request += 1
        number = self.answers + 1
        move = self._texts[self.answers]
        play = messages.Play(id=self._request, race=self._race, number=number, move=move)
        self.wire.send(MSGPACK.encode.encode(play))

    def _receive(self, payload: bytes) -> None:
        message = msgspec.msgpack.decode(payload)
        if message.get("id") != self._request:
            return
        if message["type"] == "ok":
            self.answers += 1
            self.answered_at = perf_counter()
            self._news.set()
        asyncio.get_running_loop().call_later(_AGAIN_S, self.play)

    async def reach(self, answers: int) -> None:
        """Waits until so many moves have been answered."""
        async with asyncio.timeout(_PATIENCE_S):
            while self.answers < answers:
                self._news.clear()
                await self._news.wait()


async def _outage(nodes: _Nodes, game: str, name: str) -> float:
    """Kills the node that a race was opened on; returns for how many seconds nobody could play."""
    ports = [node.port for other, node in nodes.running.items() if other != name]
    entered = await _entered(game, nodes.running[name].port, ports)
    texts = walk(game, _SEED, 6000)
    players = [_Patient(asking, race, texts) for asking, race in entered]
    for player in players:
        player.play()
    for player in players:
        await player.reach(5)
    nodes.kill(name)
    began = perf_counter()
    # What was under way may be answered yet.
    await asyncio.gather(*(player.reach(player.answers + 2) for player in players))
    took = max(player.answered_at for player in players) - began
    for player in players:
        player.wire.transport.abort()
    nodes.start(name)
    return took


def report(game: str, *, rounds: int, seconds: float) -> None:
    """Prints a line for each way to play, and how long fail-over takes over `rounds` kills."""
    if (
        find_binaries() is None
        or shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin") is None
    ):
        print("nodes: PostgreSQL or Mosquitto is missing here; install postgresql and mosquitto")
        return
    asyncio.run(_measure(game, rounds=rounds, seconds=seconds))
