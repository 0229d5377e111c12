"""A whole server in the test's own event loop, over fakes and a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from samedeal_server.adapters.bus_local import LocalBus
from samedeal_server.adapters.leases_local import LocalLeases
from samedeal_server.app import Adapters, Node, node
from samedeal_server.settings import Address, Settings
from support.fakes import FakeClock, FixedSeeds, RecordingHooks, RecordingMeter
from support.memory import MemoryLog

__all__ = ["Fakes", "fakes", "running", "settings"]


@dataclass(frozen=True, slots=True)
class Fakes:
    """The world of a test. Hand the same one to the next server and it is a restart."""

    log: MemoryLog
    clock: FakeClock
    seeds: FixedSeeds
    meter: RecordingMeter
    bus: LocalBus
    hooks: RecordingHooks = field(default_factory=RecordingHooks)

    @property
    def leases(self) -> LocalLeases:
        """Those of the only server there is, anew for each."""
        return LocalLeases(self.log, "local")

    def adapters(self) -> Adapters:
        return Adapters(
            log=self.log,
            leases=self.leases,
            bus=self.bus,
            clock=self.clock,
            seeds=self.seeds,
            meter=self.meter,
            hooks=self.hooks,
        )


def fakes() -> Fakes:
    return Fakes(MemoryLog(), FakeClock(), FixedSeeds(), RecordingMeter(), LocalBus())


def settings(**changes: object) -> Settings:
    """Settings on a free port, with a short patience for peers that do not answer."""
    base = Settings(listen=Address("127.0.0.1", 0), close_timeout=0.5, rate=1000.0, burst=1000)
    return replace(base, **changes)  # type: ignore[arg-type]  # one test, one setting


@asynccontextmanager
async def running(world: Fakes, **changes: object) -> AsyncIterator[Node]:
    """Runs a server over the fakes."""
    async with node(settings(**changes), world.adapters()) as up:
        yield up
