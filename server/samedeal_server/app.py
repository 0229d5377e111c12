"""The composition root: adapters, hall and gateway put together, and the order of their days.

`node` is a whole server as a context manager, for tests and for whoever embeds one. `serve` is
what the command runs: a node until a signal comes, then a drain.

    start   open the store, set the clock behind nothing it knows, take up what was running, listen
    drain   open nothing new, tell everybody, give running races their time
    stop    make everything durable, close every connection as restarting, close the store
"""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from samedeal_protocol.messages import Notice
from samedeal_server.adapters.house_bots import open_house_bots
from samedeal_server.adapters.metrics import PrometheusMeter, serve_metrics
from samedeal_server.adapters.open_files import allow
from samedeal_server.adapters.seeds import SecretSeeds
from samedeal_server.adapters.webhooks import open_webhooks
from samedeal_server.cups import Cups
from samedeal_server.gateway.connection import Connection, Limits, Surroundings
from samedeal_server.gateway.listener import Gateway
from samedeal_server.gateway.outbox import Post
from samedeal_server.gateway.pages import respond
from samedeal_server.gateway.press import Press
from samedeal_server.gateway.reels import Reels
from samedeal_server.gateway.rounds import Rounds
from samedeal_server.gateway.web import Tree, client_tree
from samedeal_server.outside import bus_of, store_of
from samedeal_server.ports import (
    Bus,
    Clock,
    Hooks,
    HouseBots,
    Leases,
    Log,
    Meter,
    Seeds,
    Superseded,
)
from samedeal_server.refusals import fault_text
from samedeal_server.rooms.caller import Caller
from samedeal_server.rooms.hall import Hall
from samedeal_server.settings import Address, Settings

__all__ = ["Adapters", "Node", "node", "serve"]

_log = logging.getLogger(__name__)

BEAT_S: Final = 0.5
"""How often the server notes that it lives: no outage is taken for longer than it was."""
SWEEP_S: Final = 0.5
CENSUS_S: Final = 5.0
FLUSH_S: Final = 0.1
"""How often the world is told how races go."""
RENEW_S: Final = 0.5
"""How often a node's lease is renewed, and orphaned races are claimed."""
LOOK_S: Final = 2.0
"""How often a node looks at what it owns, and at who else lives."""
POLL_S: Final = 1.0
"""How often followed races are read from the log while there is no bus."""
COUNT_S: Final = 1.0
"""How often the store is asked what has ended, to be counted for ratings and leaderboards."""
FEED_S: Final = 0.05
"""How often other nodes get the log's new lines of races in which none of theirs play."""
GC_THRESHOLDS: Final = (50_000, 20, 50)
"""Rarely: a collection of the oldest generation stops everybody for a moment."""
WAITING_ERRANDS: Final = 256
"""Messages that may wait on a connection behind one that needs the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapters:
    """The world outside, as the server is to see it."""

    log: Log
    leases: Leases
    bus: Bus
    clock: Clock
    seeds: Seeds
    meter: Meter
    hooks: Hooks
    house_bots: HouseBots | None = None
    """Bots of our own, if we have any."""


@dataclass(frozen=True, slots=True)
class Node:
    """A server that runs."""

    address: Address
    """Where it listens, with the port that it really has."""
    hall: Hall
    gateway: Gateway

    async def drain(self, seconds: float) -> None:
        """Opens nothing new, says so, and returns when no race runs or the time is up."""
        self.gateway.notify(
            Notice(
                code="draining",
                message="The server is about to restart. Running races go on afterwards.",
                in_ms=int(seconds * 1000),
            )
        )
        self.hall.world.status("draining", races=self.hall.races)
        try:
            async with asyncio.timeout(seconds):
                await self.hall.drain()
        except TimeoutError:
            _log.info("drain ended with races running races=%d", self.hall.running)


@asynccontextmanager
async def node(
    settings: Settings, adapters: Adapters, *, tree: Tree | None = None
) -> AsyncIterator[Node]:
    """Runs a server for as long as the block lasts; with the browser client's `tree`, if any.

    At the end everything is made durable and every connection is closed as restarting. Raises an
    `ExceptionGroup` around an `OSError` when the address cannot be listened on.
    """
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        errands: set[asyncio.Task[None]] = set()

        def spawn(errand: Coroutine[None, None, None], title: str) -> None:
            task = group.create_task(errand, name=title)
            errands.add(task)
            task.add_done_callback(errands.discard)

        hall = Hall(
            settings,
            log=adapters.log,
            bus=adapters.bus,
            clock=adapters.clock,
            seeds=adapters.seeds,
            meter=adapters.meter,
            leases=adapters.leases,
            spawn=spawn,
            annex=partial(Cups, hooks=adapters.hooks),
            house_bots=adapters.house_bots,
        )
        around = Surroundings(
            limits=_limits(settings),
            clock=adapters.clock,
            meter=adapters.meter,
            post=Post(loop.call_soon, loop.call_later, yields=lambda: hall.committer.is_writing),
            rounds=Rounds(),
            call_soon=loop.call_soon,
            spawn=spawn,
        )

        def welcome(connection: Connection) -> Caller:
            return Caller(hall, connection)

        gateway = Gateway(
            settings,
            around,
            welcome=welcome,
            pages=partial(respond, hall=hall, tree=tree, reels=Reels(Press(spawn))),
            own=lambda: hall.invitations.taken,
        )
        every = partial(_every, meter=adapters.meter)
        duties = [
            group.create_task(hall.committer.run(), name="committer"),
            group.create_task(hall.keep_time(), name="clockwork"),
            group.create_task(every(BEAT_S, hall.beat), name="heartbeat"),
            group.create_task(every(FLUSH_S, _plain(hall.world.flush)), name="world"),
            group.create_task(every(FLUSH_S, _plain(hall.annex.flush)), name="tournaments"),
            group.create_task(every(SWEEP_S, _plain(gateway.sweep)), name="sweep"),
            group.create_task(every(CENSUS_S, _plain(hall.census)), name="census"),
            group.create_task(every(CENSUS_S, _plain(hall.look_after_house)), name="house"),
            group.create_task(every(COUNT_S, hall.boards.keeper.follow), name="count"),
        ]
        if hall.is_shared:
            federation = hall.federation
            duties += [
                group.create_task(every(RENEW_S, federation.tenure.renew), name="lease"),
                group.create_task(every(LOOK_S, federation.look), name="look"),
                group.create_task(every(POLL_S, federation.feeds.poll), name="poll"),
                group.create_task(every(LOOK_S, hall.annex.look), name="look at tournaments"),
                group.create_task(every(FEED_S, _plain(federation.feeds.flush)), name="feed"),
            ]
        try:
            began = loop.time()
            taken_up = await hall.recover()
            adapters.meter.observe("recovery_seconds", loop.time() - began)
            if taken_up:
                _log.info("races taken up races=%d", taken_up)
            # What is here now stays: no collection needs to look at it again.
            gc.collect()
            gc.freeze()
            async with gateway.listen() as (host, port):
                address = Address(host, port)
                if adapters.house_bots is not None:
                    back = adapters.house_bots.opens(f"ws://{address.reached}", hall.players.door)
                    hall.invitations.come_back(back, hall.clock.now())
                hall.world.status("up", races=hall.races)
                try:
                    yield Node(address, hall, gateway)
                finally:
                    await hall.close()
            hall.world.status("down", races=hall.races)
        finally:
            for task in (*duties, *errands):
                task.cancel()


def _seats(settings: Settings) -> Path | None:
    """Returns where the house's seats are kept: beside the races, where those are a file."""
    return settings.data / "house-seats.json" if settings.store == "sqlite" else None


async def serve(
    settings: Settings,
    *,
    started: Callable[[Address], None],
    draining: Callable[[int], None] = lambda _: None,
    signals: tuple[signal.Signals, ...] = (signal.SIGTERM, signal.SIGINT),
) -> None:
    """Serves until a signal, drains, and returns; a second signal ends the drain.

    `started` is called once it listens, `draining` with how many races the drain waits for.

    Raises:
        OSError: the address cannot be listened on.
        CannotOpen: the store cannot be opened.
        Superseded: another server took this node's name.
        BadSettings: a certificate for the bus cannot be read.
    """
    gc.set_threshold(*GC_THRESHOLDS)
    async with AsyncExitStack() as stack:
        log, leases, clock = await stack.enter_async_context(store_of(settings))
        meter = PrometheusMeter()
        bus = bus_of(settings, clock, meter, incarnation=leases.incarnation)
        adapters = Adapters(
            log=log,
            leases=leases,
            bus=await stack.enter_async_context(bus),
            clock=clock,
            seeds=SecretSeeds(),
            meter=meter,
            hooks=await stack.enter_async_context(
                open_webhooks(clock=clock, meter=meter, may_be_near=settings.webhooks == "private")
            ),
            house_bots=(
                await stack.enter_async_context(open_house_bots(kept=_seats(settings)))
                if settings.house_bots
                else None
            ),
        )
        if settings.metrics_listen is not None:
            at = settings.metrics_listen
            await stack.enter_async_context(serve_metrics(meter, host=at.host, port=at.port))
        settings = replace(settings, max_connections=allow(settings.max_connections))
        running = await stack.enter_async_context(node(settings, adapters, tree=client_tree()))
        told = _Signals(signals)
        stack.enter_context(told)
        _log.info("listening address=%s", running.address)
        started(running.address)
        superseded = running.hall.federation.tenure.superseded
        await _first_of(told.first(), superseded.wait())
        if not superseded.is_set():
            _log.info("draining, which a second signal ends seconds=%g", settings.drain)
            draining(running.hall.running)
            await _first_of(running.drain(settings.drain), told.second())
    if superseded.is_set():
        raise Superseded(
            f"another samedeal-server runs as node {settings.node}; give each its own --node"
        )


async def _first_of(*ways: Coroutine[None, None, object]) -> None:
    """Returns when one of them does, and ends the others."""
    tasks = [asyncio.create_task(way) for way in ways]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class _Signals:
    """Counts the signals that ask the server to end."""

    def __init__(self, signals: tuple[signal.Signals, ...]) -> None:
        self._signals = signals
        self._loop = asyncio.get_running_loop()
        self._asked = (asyncio.Event(), asyncio.Event())

    def __enter__(self) -> None:
        for each in self._signals:
            self._loop.add_signal_handler(each, self._ask)

    def __exit__(self, *fault: object) -> None:
        for each in self._signals:
            self._loop.remove_signal_handler(each)

    async def first(self) -> None:
        await self._asked[0].wait()

    async def second(self) -> None:
        await self._asked[1].wait()

    def _ask(self) -> None:
        self._asked[1 if self._asked[0].is_set() else 0].set()


async def _every(seconds: float, duty: Callable[[], Awaitable[None]], *, meter: Meter) -> None:
    """Does a duty again and again until cancelled; one that fails is logged and done again."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + seconds
        await asyncio.sleep(seconds)
        meter.observe("loop_lag_seconds", max(0.0, loop.time() - due))
        try:
            await duty()
        except Exception as fault:
            _log.error("duty failed fault=%s", fault_text(fault))


def _plain(duty: Callable[[], None]) -> Callable[[], Awaitable[None]]:
    async def do() -> None:
        duty()

    return do


def _limits(settings: Settings) -> Limits:
    return Limits(
        requests_per_second=settings.rate,
        burst=settings.burst,
        flood=int(settings.burst * settings.flood_factor),
        faults=settings.max_faults,
        waiting=WAITING_ERRANDS,
        hello_ms=int(settings.hello_timeout * 1000),
        idle_ms=int(settings.idle_timeout * 1000),
        slow_ms=int(settings.slow_timeout * 1000),
        outbox_bytes=settings.outbox_limit,
    )
