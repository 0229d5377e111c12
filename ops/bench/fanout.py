"""The crowd: what a race costs that thousands watch, and what its players notice of them.

Four players play at a calm pace, by chance now sooner and now later, as people do; the chances are
the same everywhere. The same run does so in four places in turn, round after round: a race with all
the spectators, a race without any on the same server, and beside them a server that tells as many
connections by `websockets.broadcast`, and that without any. Everybody gets the same bytes. Players
and a bystander who pings are in this process and the crowd is in others that yield to it; each
server has one core and all of these the other. What an event costs a spectator is what a server
spends with them more than without, by the number of events that they were told.

What a spectator costs who never reads is measured on a server of its own.
"""

from __future__ import annotations

import asyncio
import os
import statistics
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter_ns
from typing import Final

from bench.crowd import Crowd
from bench.load import OPEN_LIMITS, SEATS, Asking, Seat, enter_races, script, walk
from bench.processes import Measured, allow_files, peer, samedeal, spawned
from bench.wire import Wire, connect
from samedeal_protocol import messages
from samedeal_protocol.codec import MSGPACK
from samedeal_protocol.terms import Terms, Undo

__all__ = ["report"]

_LIMITS: Final = (*OPEN_LIMITS, "--idle-timeout", "86400", "--max-connections", "100000")
_PATIENT: Final = ("--slow-timeout", "3600")
_SEED: Final = "bench"
_MOVES: Final = 40_000
_REPLY: Final = 160
"""Bytes of the peer's reply; it goes to one connection and hardly counts."""
_PING_S: Final = 0.01
_QUIET_S: Final = 0.15
"""When nothing has come in for so long, all that was sent has come."""
_STALLED: Final = 200
_STALLING_EVENTS: Final = 4000
"""More than the kernel and the server keep for one connection, by far."""
_GOALS: Final = {"cpu": 0.6, "block_ms": 10, "p99": 1.10, "stalled_kib": 256}


Script = Callable[[], bytes | None]
"""Gives one frame after the other, and None behind the last."""


@dataclass(slots=True)
class Round:
    """What one round in one place came to."""

    events: int
    delivered: int
    expected: int
    cpu_ns: int
    wall_ns: int
    latencies: list[float]
    """The players', in milliseconds."""
    longest_ms: float
    """A bystander's longest round trip."""


@dataclass(slots=True)
class Player:
    """A connection that plays at a pace: the next move once the last is answered, and not before
    its time."""

    wire: Wire
    next_frame: Script
    is_reply: Callable[[bytes], bool]
    latencies: list[float] = field(default_factory=list)
    _answered: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.wire.receive = self._receive

    def _receive(self, payload: bytes) -> None:
        if self.is_reply(payload):
            self._answered.set()

    async def ask(self, frame: bytes) -> float:
        """Sends a frame and returns the milliseconds until it was answered."""
        self._answered.clear()
        sent = perf_counter_ns()
        self.wire.send(frame)
        await self._answered.wait()
        return (perf_counter_ns() - sent) / 1e6

    async def play(self, chance: Random, *, begins: float, ends: float, pace: float) -> None:
        """Plays from one instant of the loop's clock to another, about `pace` moves a second."""
        loop, at = asyncio.get_running_loop(), begins + chance.expovariate(pace)
        while at < ends and (frame := self.next_frame()) is not None:
            await asyncio.sleep(at - loop.time())
            self.latencies.append(await self.ask(frame))
            at = max(at + chance.expovariate(pace), loop.time())


class Witness:
    """One spectator whose bytes are counted event by event: those of all others are the same."""

    def __init__(self, wire: Wire) -> None:
        self.events = 0
        self.bytes = 0
        self.size = 0
        self.wire = wire
        wire.receive = self._receive

    def _receive(self, payload: bytes) -> None:
        self.events += 1
        self.size = len(payload)
        self.bytes += self.size + (2 if self.size < 126 else 4)


@dataclass(slots=True)
class Place:
    """Where a round is played. Without a witness nobody watches."""

    server: Measured
    players: list[Player]
    bystander: Player
    crowd: Crowd | None = None
    witness: Witness | None = None

    async def round(self, seconds: float, pace: float, number: int = 0) -> Round:
        """Plays for so many seconds, each player about `pace` moves a second."""
        for player in self.players:
            player.latencies.clear()
        crowd, witness = self.crowd, self.witness
        before = 0 if crowd is None else (await crowd.told())[0]
        events, size = (0, 0) if witness is None else (witness.events, witness.bytes)
        cpu, wall = self.server.cpu_ns(), perf_counter_ns()
        pinging = asyncio.create_task(self._ping(), name="bystander")
        loop = asyncio.get_running_loop()
        begins = loop.time() + 0.05
        await asyncio.gather(
            *(
                player.play(
                    Random(f"{number} {at}"), begins=begins, ends=begins + seconds, pace=pace
                )
                for at, player in enumerate(self.players)
            )
        )
        pinging.cancel()
        after = before if crowd is None else await _settled(crowd)
        cpu, wall = self.server.cpu_ns() - cpu, perf_counter_ns() - wall
        latencies = [each for player in self.players for each in player.latencies]
        longest = max(self.bystander.latencies)
        self.bystander.latencies.clear()
        if crowd is None or witness is None:
            return Round(len(latencies), 0, 0, cpu, wall, latencies, longest)
        events, size = witness.events - events, witness.bytes - size
        delivered = round((after - before) / size * events)
        return Round(events, delivered, events * crowd.count, cpu, wall, latencies, longest)

    async def _ping(self) -> None:
        while True:
            frame = self.bystander.next_frame()
            assert frame is not None
            self.bystander.latencies.append(await self.bystander.ask(frame))
            await asyncio.sleep(_PING_S)


async def _settled(crowd: Crowd) -> int:
    """Returns the bytes of the crowd when no more come in."""
    before, (received, lost) = -1, await crowd.told()
    while received != before:
        await asyncio.sleep(_QUIET_S)
        before, (received, lost) = received, await crowd.told()
    if lost:
        raise RuntimeError(f"{lost} spectators were cut off")
    return received


def _is_ok(payload: bytes) -> bool:
    if payload[1:12] == b"\xa4type\xa5error":
        raise RuntimeError(f"refused: {payload!r}")
    return payload[1:9] == b"\xa4type\xa2ok"


def _is_peers_reply(payload: bytes) -> bool:
    return len(payload) == _REPLY


async def _known(port: int) -> Asking:
    asking = Asking(await connect("127.0.0.1", port, messages.SUBPROTOCOL_MSGPACK))
    await asking(messages.Hello, client="bench", bot=True)
    return asking


async def _watching(port: int, race: str) -> Witness:
    asking = await _known(port)
    await asking(messages.Watch, race=race)
    return Witness(asking.wire)


def _terms(game: str) -> Terms:
    return Terms(
        game=game, countdown=0, entrants_min=SEATS, entrants_max=SEATS, undo=Undo.FREE, limit=86_400
    )


async def _ours(
    server: Measured, game: str, texts: list[str], spectators: int
) -> tuple[Place, Place]:
    """Returns the race that is watched, and the one that is not."""
    entered = await enter_races(server.port, 2 * SEATS, _terms(game), _SEED)
    players = [
        Player(asked.wire, script(asked.request, race, texts), _is_ok) for asked, race in entered
    ]
    asking = await _known(server.port)
    ping = MSGPACK.encode.encode(messages.Ping(id=asking.request + 1))
    bystander = Player(asking.wire, lambda: ping, _is_ok)
    race = entered[0][1]
    witness = await _watching(server.port, race)
    crowd = await Crowd.gathered(server.port, spectators, race=race)
    return (
        Place(server, players[:SEATS], bystander, crowd, witness),
        Place(server, players[SEATS:], bystander),
    )


async def _theirs(server: Measured, spectators: int) -> Place:
    frame = bytes(64)
    players = [
        Player(await connect("127.0.0.1", server.port), lambda: frame, _is_peers_reply)
        for _ in range(SEATS)
    ]
    bystander = Player(
        await connect("127.0.0.1", server.port), lambda: b"ping", lambda payload: len(payload) == 4
    )
    if not spectators:
        return Place(server, players, bystander)
    witness = Witness(await connect("127.0.0.1", server.port))
    crowd = await Crowd.gathered(server.port, spectators)
    return Place(server, players, bystander, crowd, witness)


async def _interleaved(
    game: str, texts: list[str], spectators: int, *, rounds: int, seconds: float, pace: float
) -> None:
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="samedeal-bench-"))
        ours = stack.enter_context(spawned(samedeal(Path(folder), *_LIMITS), core=0))
        watched, alone = await _ours(ours, game, texts, spectators)
        await watched.round(seconds, pace)  # warms up, and shows the size of an event
        assert watched.witness is not None
        event = watched.witness.size
        telling = peer("broadcast", "--reply", str(_REPLY), "--event", str(event))
        theirs = stack.enter_context(spawned(telling, core=0))
        beside = await _theirs(theirs, spectators)
        await beside.round(min(seconds, 1.0), pace)
        bare = stack.enter_context(spawned(telling, core=0))
        beside_alone = await _theirs(bare, 0)
        places = {
            "samedeal": watched,
            "  unwatched": alone,
            "broadcast()": beside,
            "  to nobody": beside_alone,
        }
        taken: dict[str, list[Round]] = {name: [] for name in places}
        for number in range(rounds):
            for name, place in places.items():
                taken[name].append(await place.round(seconds, pace, number))
        _print(spectators, event, taken, seconds=seconds, pace=pace)
        for place in places.values():
            if place.crowd is not None:
                await place.crowd.leave()
            for wire in [place.bystander.wire, *(player.wire for player in place.players)]:
                wire.transport.abort()
            if place.witness is not None:
                place.witness.wire.transport.abort()


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]


def _cost_us(taken: list[Round], alone: list[Round]) -> float:
    """Returns what an event cost a spectator, above what the same moves cost without any."""
    return statistics.median(
        (each.cpu_ns - bare.cpu_ns) / 1000 / max(each.delivered, 1)
        for each, bare in zip(taken, alone, strict=True)
    )


def _print(
    spectators: int, event: int, taken: dict[str, list[Round]], *, seconds: float, pace: float
) -> None:
    rounds = len(taken["samedeal"])
    print(
        f"\n{spectators} spectators of {SEATS} players who make about {pace:g} moves a second each "
        f"(event {event} B); {rounds} rounds of {seconds:g} s"
    )
    print(
        f"{'':<14}{'CPU an event':>13}{'a second':>10}{'cores':>7}{'p50':>11}{'p99':>11}"
        f"{'longest wait':>14}"
    )
    ours, alone, beside, beside_alone = taken.values()
    costs = {"samedeal": _cost_us(ours, alone), "broadcast()": _cost_us(beside, beside_alone)}
    for name, each in taken.items():
        latencies = [latency for one in each for latency in one.latencies]
        delivered, expected = (
            sum(one.delivered for one in each),
            sum(one.expected for one in each),
        )
        cost = f"{costs.get(name, 0):>10.2f} us{delivered / seconds / rounds:>10,.0f}"
        print(
            f"{name:<14}{cost if name in costs else ' ' * 23}"
            f"{statistics.median(one.cpu_ns / one.wall_ns for one in each):>7.2f}"
            f"{_quantile(latencies, 0.5):>8.1f} ms{_quantile(latencies, 0.99):>8.1f} ms"
            f"{statistics.median(one.longest_ms for one in each):>11.1f} ms"
        )
        if delivered < expected:
            print(f"{'':<14}of the events only {delivered / expected:.1%} arrived")
    share = costs["samedeal"] / costs["broadcast()"]
    watched, unwatched = (
        _quantile([latency for one in each for latency in one.latencies], 0.99)
        for each in (ours, alone)
    )
    longest = statistics.median(one.longest_ms for one in ours)
    print(
        f"CPU an event, of broadcast()'s: {share:.2f} (goal: at most {_GOALS['cpu']:.2f}); "
        f"longest wait of a bystander: {longest:.1f} ms (goal: under {_GOALS['block_ms']} ms)\n"
        f"players' p99 beside a race without spectators: {watched / unwatched:.2f} "
        f"(goal: at most {_GOALS['p99']:.2f})"
    )


async def _stalled(game: str, texts: list[str], stalled: int, events: int) -> None:
    """Prints what spectators cost that never read, above what the moves themselves take."""
    with (
        TemporaryDirectory(prefix="samedeal-bench-") as folder,
        spawned(samedeal(Path(folder), *_LIMITS, *_PATIENT), core=0) as server,
    ):
        entered = await enter_races(server.port, SEATS, _terms(game), _SEED)
        scripts = [script(asked.request, race, texts) for asked, race in entered]
        seats = [Seat(asked.wire, give) for (asked, _), give in zip(entered, scripts, strict=True)]
        await _play(seats, scripts, events // 4)
        before = server.resident_kib()
        await _play(seats, scripts, events)
        moves_alone = server.resident_kib() - before
        before = server.resident_kib()
        crowd = await Crowd.gathered(server.port, stalled, race=entered[0][1], stalled=True)
        await _play(seats, scripts, events)
        resident = (server.resident_kib() - before - moves_alone) / stalled
        unsent = server.unsent_kib() / stalled
        print(
            f"\na spectator who never reads: {resident + unsent:.0f} KiB (goal: at most "
            f"{_GOALS['stalled_kib']}), {resident:.0f} in the server, the connection included, "
            f"and {unsent:.0f} in its kernel's queue ({stalled} of them, {events} events)"
        )
        await crowd.leave()
        for seat in seats:
            seat.wire.transport.abort()


async def _play(seats: list[Seat], scripts: list[Script], moves: int) -> None:
    """Plays so many moves, as fast as they are answered."""
    for seat, give in zip(seats, scripts, strict=True):
        seat.next_frame = _some(give, moves // len(seats))
        seat.idle.clear()
        seat.running = True
        seat.send()
    await asyncio.gather(*(seat.idle.wait() for seat in seats))


def _some(give: Script, count: int) -> Script:
    frames = (give() for _ in range(count))
    return lambda: next(frames, None)


def report(game: str, spectators: list[int], *, rounds: int, seconds: float, pace: float) -> None:
    """Prints a table for each number of spectators, and the memory of one who never reads."""
    allow_files()
    if (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, set(range(1, os.cpu_count() or 1)))
    texts = walk(game, _SEED, _MOVES)
    for count in spectators:
        asyncio.run(_interleaved(game, texts, count, rounds=rounds, seconds=seconds, pace=pace))
    stalled = min(_STALLED, max(spectators))
    asyncio.run(_stalled(game, texts, stalled, round(_STALLING_EVENTS * min(1.0, seconds))))
