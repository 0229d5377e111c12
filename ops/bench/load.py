"""The load: races of four that play as fast as they are answered, and what that costs the server.

Every player has one move in flight (a closed loop). The same run drives our server, the compiled
build of it (when `make compiled` has made one of these sources), the least that its carrier, rules
and log cost without a race around them, a naive relay of messages of the same sizes and a bare
echo, in turn, round after round, each server on one core and the load on another; what is printed
are medians over the rounds.
"""

from __future__ import annotations

import asyncio
import os
import statistics
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns, process_time_ns

import msgspec

import overlay
from bench.processes import Measured, compiled, least, peer, samedeal, spawned
from bench.wire import Wire, connect
from samedeal_protocol import messages
from samedeal_protocol.codec import MSGPACK
from samedeal_protocol.terms import Terms, Undo
from samedeal_rules import deal, find, move_text
from samedeal_rules.shuffle import order

__all__ = ["OPEN_LIMITS", "SEATS", "Asking", "Seat", "enter_races", "report", "script", "walk"]

SEATS = 4
WALK = 6000
"""Moves that a player can make in all rounds together."""
_OK = b"\xa4type\xa2ok"
_ERROR = b"\xa4type\xa5error"
_SEED = "bench"
_LEAST = {"wire alone": "wire", "and the rules": "rules", "and the log": "log"}
"""What is measured without a race, and what `least.py` calls it."""

OPEN_LIMITS = (
    "--connections-per-address", "100000",
    "--rate", "1000000",
    "--burst", "1000000",
    "--races-per-player", "100000",
    "--max-races", "100000",
    "--log-level", "error",
    "--close-timeout", "0.1",
)  # fmt: skip
"""Server options that take the limits away that a single loopback address would run into.

At its end a server waits for nobody: its clients are in the process that waits for it."""


@dataclass(slots=True)
class Round:
    """What one round on one server came to."""

    cpu_us: float
    rate: float
    p50_ms: float
    p99_ms: float
    load_cores: float


@dataclass(slots=True)
class Seat:
    """One connection that plays: a frame to send next, and what came back."""

    wire: Wire
    next_frame: Callable[[], bytes | None]
    counts_all: bool = False
    sent_at: int = 0
    latencies: list[int] = field(default_factory=list)
    reply_bytes: int = 0
    event_bytes: int = 0
    running: bool = False
    idle: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.wire.receive = self.receive

    def send(self) -> None:
        frame = self.next_frame() if self.running else None
        if frame is None:
            self.idle.set()
            return
        self.sent_at = perf_counter_ns()
        self.wire.send(frame)

    def receive(self, payload: bytes) -> None:
        if self.counts_all or payload[1:9] == _OK:
            self.latencies.append(perf_counter_ns() - self.sent_at)
            self.reply_bytes = len(payload)
            self.send()
        elif payload[1:12] == _ERROR:
            raise RuntimeError(f"refused under load: {msgspec.msgpack.decode(payload)}")
        else:
            self.event_bytes = len(payload)


class Asking:
    """A connection that asks one thing after another and waits for each reply."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.request = 0
        self.reply: asyncio.Future[messages.Ok] | None = None
        self.started: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        wire.receive = self.receive

    def receive(self, payload: bytes) -> None:
        match MSGPACK.read_server(payload):
            case messages.Ok() as ok if self.reply is not None:
                self.reply.set_result(ok)
            case messages.Error() as error if self.reply is not None:
                self.reply.set_exception(RuntimeError(f"{error.code}: {error.message}"))
            case messages.Started():
                self.started.set_result(perf_counter_ns())
            case _:
                pass

    async def __call__(
        self, kind: Callable[..., messages.ClientMessage], **fields: object
    ) -> messages.Ok:
        self.request += 1
        self.reply = asyncio.get_running_loop().create_future()
        self.wire.send(MSGPACK.encode.encode(kind(id=self.request, **fields)))
        return await self.reply


def walk(game_key: str, seed: str, length: int) -> list[str]:
    """Returns a long legal play of the seed's deal that neither wins nor gets stuck."""
    game = find(game_key)
    table = deal(game, seed)
    dice = order(seed, range(4096), purpose="bench")
    texts: list[str] = []
    while len(texts) < length:
        legal = [move for move in table.legal() if game.piles[move.target][0] == "T"]
        if not legal:
            raise ValueError(f"{game_key} cannot be played for ever from {seed!r}")
        move = legal[dice[len(texts) * 7 % 4096] % len(legal)]
        table.play(move)
        texts.append(move_text(game, move))
    return texts


async def enter_races(port: int, players: int, terms: Terms, seed: str) -> list[tuple[Asking, str]]:
    """Connects the players, enters them in races of four and waits until all have started.

    Returns each connection with the code of its race.
    """
    askers: list[tuple[Asking, str]] = []
    for first in range(0, players, SEATS):
        table = [
            Asking(await connect("127.0.0.1", port, messages.SUBPROTOCOL_MSGPACK))
            for _ in range(min(SEATS, players - first))
        ]
        for asking in table:
            await asking(messages.Hello, client="bench", bot=True)
        created = await table[0](messages.Create, terms=terms, seed=seed)
        assert isinstance(created.result, messages.Created)
        race = created.result.race
        for asking in table:
            await asking(messages.Join, race=race)
        for asking in table:
            await asking(messages.Ready, race=race)
        askers += [(asking, race) for asking in table]
    await asyncio.gather(*(asking.started for asking, _ in askers))
    return askers


def script(request: int, race: str, texts: list[str]) -> Callable[[], bytes | None]:
    """Returns what gives the frames that play the moves, and None behind the last one."""
    numbered = enumerate(texts, 1)
    encode = MSGPACK.encode.encode

    def frame() -> bytes | None:
        number, move = next(numbered, (0, ""))
        if not number:
            return None
        return encode(messages.Play(id=request + number, race=race, number=number, move=move))

    return frame


async def _plain_seats(port: int, players: int, frame: bytes, *, counts_all: bool) -> list[Seat]:
    seats = []
    for _ in range(players):
        wire = await connect("127.0.0.1", port)
        seats.append(Seat(wire, lambda: frame, counts_all=counts_all))
    return seats


async def _round(server: Measured, seats: list[Seat], seconds: float) -> Round:
    for seat in seats:
        seat.latencies.clear()
        seat.idle.clear()
        seat.running = True
    cpu, own, start = server.cpu_ns(), process_time_ns(), perf_counter_ns()
    for seat in seats:
        seat.send()
    await asyncio.sleep(seconds)
    for seat in seats:
        seat.running = False
    await asyncio.gather(*(seat.idle.wait() for seat in seats))
    wall = perf_counter_ns() - start
    cpu, own = server.cpu_ns() - cpu, process_time_ns() - own
    latencies = sorted(latency for seat in seats for latency in seat.latencies)
    moves = len(latencies)
    return Round(
        cpu_us=cpu / 1000 / moves,
        rate=moves / wall * 1e9,
        p50_ms=latencies[moves // 2] / 1e6,
        p99_ms=latencies[moves * 99 // 100] / 1e6,
        load_cores=own / wall,
    )


async def _interleaved(game: str, players: int, rounds: int, seconds: float) -> None:
    turns: dict[str, Callable[[], Awaitable[Round]]] = {}
    sizes = 0, 0  # bytes of a reply and of an event, which every build sends alike
    with ExitStack() as stack:

        def take_turns(name: str, server: Measured, seats: list[Seat]) -> None:
            turns[name] = lambda: _round(server, seats, seconds)
            for seat in seats:
                stack.callback(seat.wire.transport.abort)

        for name, command in _builds().items():
            data = Path(stack.enter_context(TemporaryDirectory(prefix="samedeal-bench-")))
            ours = stack.enter_context(spawned(command(data, *OPEN_LIMITS), core=0))
            seats = await _playing_seats(ours.port, game, players)
            await _round(ours, seats, seconds)  # warms up, and shows the sizes of the messages
            sizes = max(s.reply_bytes for s in seats), max(s.event_bytes for s in seats)
            take_turns(name, ours, seats)
        for name, kind in _LEAST.items():
            bare = stack.enter_context(
                spawned(least(kind, "--game", game, "--seed", _SEED, "--seats", str(SEATS)), core=0)
            )
            take_turns(name, bare, await _bare_seats(bare.port, game, players))
        play = script(1000, "k7m2-q9xq-4tbd", ["T10-T12"])()
        assert play is not None
        relaying = peer("relay", "--reply", str(sizes[0]), "--event", str(sizes[1]))
        relay = stack.enter_context(spawned(relaying, core=0))
        take_turns("naive relay", relay, await _relay_seats(relay.port, players, play, sizes[0]))
        echo = stack.enter_context(spawned(peer("echo"), core=0))
        echo_seats = await _plain_seats(echo.port, players, play, counts_all=True)
        take_turns("bare echo", echo, echo_seats)
        taken: dict[str, list[Round]] = {name: [] for name in turns}
        for _ in range(rounds):
            for name, turn in turns.items():
                taken[name].append(await turn())
        _print(players, sizes, taken, seconds)


def _builds() -> dict[str, Callable[..., list[str]]]:
    """Returns the commands of our server: as it is and, when that is there, compiled."""
    return {"samedeal": samedeal} | ({"compiled": compiled} if overlay.is_current() else {})


async def _playing_seats(port: int, game: str, players: int) -> list[Seat]:
    terms = Terms(
        game=game, countdown=0, entrants_min=SEATS, entrants_max=SEATS, undo=Undo.FREE, limit=86_400
    )
    texts = walk(game, _SEED, WALK)
    entered = await enter_races(port, players, terms, _SEED)
    return [Seat(asked.wire, script(asked.request, race, texts)) for asked, race in entered]


async def _bare_seats(port: int, game: str, players: int) -> list[Seat]:
    """Those who play where there is no race to enter."""
    texts = walk(game, _SEED, WALK)
    return [
        Seat(
            await connect("127.0.0.1", port, messages.SUBPROTOCOL_MSGPACK),
            script(0, "k7m2-q9xq-4tbd", texts),
        )
        for _ in range(players)
    ]


async def _relay_seats(port: int, players: int, frame: bytes, reply: int) -> list[Seat]:
    """The relay's replies are told from its events by their size."""
    seats = await _plain_seats(port, players, frame, counts_all=False)
    for seat in seats:

        def receive(payload: bytes, seat: Seat = seat) -> None:
            if len(payload) == reply:
                seat.latencies.append(perf_counter_ns() - seat.sent_at)
                seat.send()

        seat.wire.receive = receive
    return seats


def _print(
    players: int, sizes: tuple[int, int], taken: dict[str, list[Round]], seconds: float
) -> None:
    count = len(taken["samedeal"])
    print(
        f"\n{players} players in races of {SEATS}: one frame in, {SEATS} out a move "
        f"(reply {sizes[0]} B, event {sizes[1]} B); medians of {count} rounds of {seconds:g} s"
    )
    print(f"{'':<14}{'CPU a move':>12}{'a second':>11}{'p50':>10}{'p99':>10}{'load':>11}")
    middle = {}
    for name, each in taken.items():
        middle[name] = Round(
            *(
                statistics.median(getattr(r, column) for r in each)
                for column in ("cpu_us", "rate", "p50_ms", "p99_ms", "load_cores")
            )
        )
        row = middle[name]
        print(
            f"{name:<14}{row.cpu_us:>9.1f} us{row.rate:>11,.0f}{row.p50_ms:>7.1f} ms"
            f"{row.p99_ms:>7.1f} ms{row.load_cores:>5.2f} cores"
        )
    relay, echo = middle.pop("naive relay"), middle.pop("bare echo")
    cpu = ", ".join(f"{name} {row.cpu_us / relay.cpu_us:.2f}" for name, row in middle.items())
    rate = ", ".join(f"{name} {row.rate / echo.rate:.2f}" for name, row in middle.items())
    print(
        f"CPU a move, of the naive relay's: {cpu} (goal: at most 0.50)"
        f"; moves a second, of the bare echo's: {rate} (goal: at least 1.00)"
    )


def report(game: str, players: list[int], *, rounds: int, seconds: float) -> None:
    """Prints a table for each number of players."""
    if (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, set(range(1, os.cpu_count() or 1)))
    if not overlay.is_current():
        print("\nThere is no compiled build of these sources: `make compiled` adds its row")
    for count in players:
        asyncio.run(_interleaved(game, count, rounds, seconds))
