"""What a server costs and does besides moves: memory a connection, start skew, recovery time."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns

from bench.load import OPEN_LIMITS, SEATS, Asking, enter_races, walk
from bench.processes import samedeal, spawned
from bench.wire import connect
from samedeal_protocol import events, messages
from samedeal_protocol.terms import Terms, Undo
from samedeal_rules import RULES_VERSION
from samedeal_rules.shuffle import SHUFFLE_VERSION, commitment
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.ports import Entry

__all__ = ["report_memory", "report_recovery", "report_skew"]

_TERMS = Terms(
    game="forty-thieves", countdown=0, entrants_min=SEATS, entrants_max=SEATS, undo=Undo.FREE
)


async def _memory(connections: int) -> None:
    with (
        TemporaryDirectory(prefix="samedeal-bench-") as folder,
        spawned(samedeal(Path(folder), *OPEN_LIMITS)) as server,
    ):
        before = server.resident_kib()
        wires = []
        for _ in range(connections):
            wire = await connect("127.0.0.1", server.port, messages.SUBPROTOCOL_MSGPACK)
            await Asking(wire)(messages.Hello, client="bench", bot=True)
            wires.append(wire)
        idle = server.resident_kib() - before
        before = server.resident_kib()
        entered = await enter_races(server.port, connections, _TERMS, "bench")
        racing = server.resident_kib() - before
        print(
            f"memory a connection: {idle / connections:.1f} KiB idle after hello, "
            f"{racing / connections:.1f} KiB with a seat in a race of {SEATS} that has started "
            f"({connections} connections each)"
        )
        for wire in (*wires, *(asking.wire for asking, _ in entered)):
            wire.transport.abort()


async def _skew(races: int, entrants: int) -> None:
    terms = Terms(game="forty-thieves", countdown=0, entrants_min=entrants, entrants_max=entrants)
    spreads = []
    with (
        TemporaryDirectory(prefix="samedeal-bench-") as folder,
        spawned(samedeal(Path(folder), *OPEN_LIMITS), core=0) as server,
    ):
        for _ in range(races):
            askers = []
            for _ in range(entrants):
                wire = await connect("127.0.0.1", server.port, messages.SUBPROTOCOL_MSGPACK)
                askers.append(Asking(wire))
                await askers[-1](messages.Hello, client="bench", bot=True)
            created = await askers[0](messages.Create, terms=terms)
            assert isinstance(created.result, messages.Created)
            race = created.result.race
            for asking in askers:
                await asking(messages.Join, race=race)
            for asking in askers:
                await asking(messages.Ready, race=race)
            arrivals = await asyncio.gather(*(asking.started for asking in askers))
            spreads.append((max(arrivals) - min(arrivals)) / 1e6)
            for asking in askers:
                asking.wire.transport.abort()
    spreads.sort()
    print(
        f"start skew between {entrants} entrants of a race: median {statistics.median(spreads):.2f}"
        f" ms, largest {spreads[-1]:.2f} ms ({races} races)"
    )


def _lines(race: str, at: int, moves: list[str], *, is_over: bool) -> list[bytes]:
    """Returns the log of a small race: two entrants, one of whom plays the moves."""
    seed, salt = "bench", "00" * 16
    log: list[events.Event] = [
        events.Opened(
            at=at,
            race=race,
            terms=Terms(game="streets-and-alleys", entrants_max=2, limit=86_400, undo=Undo.FREE),
            rules=RULES_VERSION,
            deal=SHUFFLE_VERSION,
            seed=seed,
            salt=salt,
            commitment=commitment(seed, salt),
            host="p-bench",
            host_name="bench",
        ),
        *(
            events.Entered(at=at, entrant=n, player=f"p-{race}-{n}", name=f"{race}-{n}", bot=True)
            for n in (1, 2)
        ),
        *(events.Readied(at=at, entrant=n) for n in (1, 2)),
        events.CountdownBegan(at=at, starts=at),
        events.Started(at=at),
        *(
            events.Played(at=at, entrant=1, number=number, move=move)
            for number, move in enumerate(moves, 1)
        ),
    ]
    if is_over:
        log.append(events.Cancelled(at=at, reason="the bench needs a race that is over"))
    return [events.to_line(event) for event in log]


async def _write_races(folder: Path, running: int, over: int, moves: list[str]) -> None:
    now = time.time_ns() // 1_000_000
    log = await SqliteLog.open(folder)
    for number in range(running + over):
        race, is_over = f"bench-{number}", number >= running
        lines = _lines(race, now, moves, is_over=is_over)
        first = Entry(race, 1, lines[0])
        await log.open_race(first, opened_at=now, is_listed=True, phrase_hash=None)
        rest = [Entry(race, seq, line) for seq, line in enumerate(lines[1:], 2)]
        await log.append(rest, over=[race] if is_over else [])
    await log.alive(now)
    await log.close()


def report_memory(connections: int) -> None:
    """Prints the growth of resident memory a connection, idle and with a seat in a race."""
    asyncio.run(_memory(connections))


def report_skew(races: int, entrants: int = 8) -> None:
    """Prints how far apart the entrants of a race get the start, as one client process sees it."""
    asyncio.run(_skew(races, entrants))


def report_recovery(races: int) -> None:
    """Prints how long a server takes from its start until it listens, over a log of races."""
    moves = walk("streets-and-alleys", "bench", 40)
    for running in (races // 100, races):
        with TemporaryDirectory(prefix="samedeal-bench-") as folder:
            asyncio.run(_write_races(Path(folder), running, races - running, moves))
            start = perf_counter_ns()
            with spawned(samedeal(Path(folder), *OPEN_LIMITS)):
                took = (perf_counter_ns() - start) / 1e9
        print(
            f"recovery: {took:.2f} s from process start to listening, over {races:,} logged races "
            f"of {len(moves)} moves, {running:,} of them running"
        )
