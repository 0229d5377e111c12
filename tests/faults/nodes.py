"""Several servers that share a broker and a database, as processes, and everything they can suffer.

Each node's ways to the broker and to the database go through gates of its own. Clients come by an
address that the fleet tells them: their own node's, or while that is gone any living one's, as a
balancer in front of the nodes would have it. Whatever the fleet does to a node is written down with
the instant, by the clock that the servers and the database read.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from faults.forge import LOUD, Forge, Forged
from faults.gates import Gate, gate
from samedeal_server.settings import Address
from support.brokers import Running, mosquitto

__all__ = ["EVERY", "MUTE_MS", "Fault", "Fleet", "Member", "fleet"]

NAMES: Final = ("a", "b", "c")
EVERY: Final = "*"
MUTE_MS: Final = 6_000.0
"""How long a node without the bus may keep races in which others' players are."""
OPTIONS: Final = (
    *LOUD,
    *("--connections-per-address", "100000", "--races-per-player", "100000"),
    *("--max-races", "100000", "--ring", "1000000", "--log-level", "info", "--drain", "1"),
    *("--close-timeout", "1", "--metrics-listen", "off"),
)
NEVER: Final = (
    "Traceback", "race failed", "unreadable", "duty failed", "telling failed", "tick failed",
    "another server took", "announcement failed",
)  # fmt: skip
"""What no node may ever write to its log, whatever is done to it."""

_WITNESS: Final = """
create table public.witness (
    number bigint generated always as identity primary key,
    race text not null, seq bigint not null, epoch bigint not null, life text not null
);
create function public.bear_witness() returns trigger language plpgsql as $$
begin
    insert into public.witness (race, seq, epoch, life)
    select new.race, new.seq, r.epoch, r.owner || ' ' || r.incarnation
    from samedeal.races as r where r.race = new.race;
    return new;
end $$;
create trigger bear_witness after insert on samedeal.events
for each row execute function public.bear_witness();
"""
"""Notes of every event by whom and under which claim it was appended."""


@dataclass(slots=True)
class Fault:
    """What was done to a node, and when: milliseconds of UTC."""

    what: str
    node: str
    since: float
    grace_ms: float = 0.0
    """For how long after it the node may have served its races yet."""
    until: float | None = None

    @property
    def last(self) -> float:
        """When the node may have served last."""
        return self.since + self.grace_ms


@dataclass(slots=True)
class Member:
    """One node: its process, if it lives, and its ways."""

    name: str
    data: Path
    to_broker: Gate
    to_database: Gate
    url: str
    server: Forged | None = None
    port: int = 0
    is_open: bool = False
    """Whether new clients are sent to it."""

    @property
    def errors(self) -> str:
        """What its processes wrote to standard error."""
        log = self.data / "server.log"
        return log.read_text() if log.exists() else ""


@dataclass(slots=True)
class Fleet:
    """The nodes, by name."""

    forge: Forge
    store: str
    broker: Running
    members: dict[str, Member] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    dice: random.Random = field(default_factory=lambda: random.Random(1))
    _anybody: asyncio.Event = field(default_factory=asyncio.Event)

    @staticmethod
    def now() -> float:
        """Returns milliseconds of UTC."""
        return time.time() * 1000

    # --- where clients go ----------------------------------------------------------------------

    async def address(self, home: str) -> Address:
        """Returns where a client of that node connects now; waits until there is one."""
        while True:
            member = self.members[home]
            if not member.is_open:
                others = [each for each in self.members.values() if each.is_open]
                if not others:
                    self._anybody.clear()
                    await self._anybody.wait()
                    continue
                member = self.dice.choice(others)
            return Address("127.0.0.1", member.port)

    def named(self, port: int) -> str:
        """Returns the name of the node that listens on a port."""
        return next(name for name, each in self.members.items() if each.port == port)

    # --- what befalls nodes --------------------------------------------------------------------

    async def start(self, name: str) -> None:
        """Starts a node, on the same port as before; returns when it listens."""
        member = self.members[name]
        member.server = await self.forge.start(
            member.data,
            *("--node", name, "--store", member.url, "--bus", f"mqtt://{member.to_broker.address}"),
            *OPTIONS,
            port=member.port,
        )
        member.port = member.server.address.port
        self._open(member)

    async def kill(self, name: str) -> Fault:
        """Ends a node as a power cut would."""
        member = self.members[name]
        member.is_open = False
        assert member.server is not None
        fault = self._note("kill", name)
        await self.forge.kill(member.server)
        member.server = None
        return fault

    async def stop(self, name: str) -> Fault:
        """Asks a node to end and waits until it has."""
        member = self.members[name]
        member.is_open = False
        assert member.server is not None
        fault = self._note("stop", name)
        member.server.ask_to_end()
        assert await self.forge.ended(member.server) == 0
        member.server = None
        fault.until = self.now()
        fault.grace_ms = fault.until - fault.since
        return fault

    def freeze(self, name: str) -> Fault:
        """Stops a node's process as it is: its clients hang, and new ones are sent elsewhere."""
        member = self.members[name]
        member.is_open = False
        assert member.server is not None
        os.kill(member.server.pid, signal.SIGSTOP)
        return self._note("freeze", name)

    def thaw(self, name: str, fault: Fault) -> None:
        """Lets a frozen node go on."""
        member = self.members[name]
        assert member.server is not None
        os.kill(member.server.pid, signal.SIGCONT)
        fault.until = self.now()
        self._open(member)

    def part_from_broker(self, name: str, *, hangs: bool) -> Fault:
        """Takes a node's way to the broker away: its connections break, or hang."""
        self.members[name].is_open = False
        _close(self.members[name].to_broker, hangs=hangs)
        return self._note("no broker", name, grace_ms=MUTE_MS)

    def part_from_database(self, name: str, *, hangs: bool) -> Fault:
        """Takes a node's way to the database away: its connections break, or hang."""
        self.members[name].is_open = False
        _close(self.members[name].to_database, hangs=hangs)
        return self._note("no database", name)

    def mend(self, fault: Fault) -> None:
        """Gives a node its ways back."""
        member = self.members[fault.node]
        member.to_broker.mend()
        member.to_database.mend()
        fault.until = self.now()
        self._open(member)

    def note(self, what: str, *, grace_ms: float = 0.0) -> Fault:
        """Writes down what befalls all nodes alike."""
        return self._note(what, EVERY, grace_ms=grace_ms)

    def _note(self, what: str, name: str, *, grace_ms: float = 0.0) -> Fault:
        fault = Fault(what, name, self.now(), grace_ms)
        self.faults.append(fault)
        return fault

    def _open(self, member: Member) -> None:
        member.is_open = True
        self._anybody.set()

    # --- afterwards ----------------------------------------------------------------------------

    async def owners(self) -> dict[str, str]:
        """Returns the owner of every race that has one, as the database says."""
        connection = await asyncpg.connect(self.store)
        try:
            rows = await connection.fetch(
                "select race, owner from samedeal.races where owner is not null"
            )
        finally:
            await connection.close()
        return {row[0]: row[1] for row in rows}

    def look_at_logs(self) -> None:
        """No node has written what none may."""
        for member in self.members.values():
            lines = member.errors.splitlines()
            bad = [line for line in lines if any(word in line for word in NEVER)]
            assert not bad, f"node {member.name}: {bad[:5]}"


def _close(way: Gate, *, hangs: bool) -> None:
    if hangs:
        way.freeze()
    else:
        way.cut()


def _through(url: str, way: Address) -> str:
    """Returns the database's URL by way of a gate."""
    parts = urlsplit(url)
    user = f"{parts.username}@" if parts.username else ""
    return urlunsplit(parts._replace(netloc=f"{user}{way}"))


@asynccontextmanager
async def fleet(
    forge: Forge, folder: Path, store: str, *, names: Sequence[str] = NAMES
) -> AsyncIterator[Fleet]:
    """Runs nodes on the database `store`, with a broker of their own, until the block ends."""
    connection = await asyncpg.connect(store)
    try:
        await connection.execute(_WITNESS)
    finally:
        await connection.close()
    parts = urlsplit(store)
    assert parts.hostname is not None
    assert parts.port is not None
    database = Address(parts.hostname, parts.port)
    async with AsyncExitStack() as stack:
        broker = stack.enter_context(mosquitto(folder))
        whole = Fleet(forge, store, broker)
        for name in names:
            data = folder / name
            data.mkdir()
            to_database = await stack.enter_async_context(gate(database))
            whole.members[name] = Member(
                name,
                data,
                await stack.enter_async_context(gate(Address("127.0.0.1", broker.port))),
                to_database,
                _through(store, to_database.address),
            )
        try:
            for name in names:
                await whole.start(name)
            yield whole
        finally:
            for member in whole.members.values():
                if member.server is not None:
                    await forge.kill(member.server)
