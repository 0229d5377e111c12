"""One player in one race over the library's ports, with real racing behind them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from samedeal_client import Run, connect
from samedeal_protocol.messages import Played
from samedeal_protocol.terms import Mode, Terms, Undo
from support.races import HOST
from support.scripted import RaceServer, StillTiming, settle

__all__ = ["ASYNC", "LIVE", "Place", "first", "placed", "racing", "through"]

LIVE = Terms(game="forty-thieves", countdown=0, entrants_min=1, undo=Undo.FREE)
ASYNC = Terms(game="forty-thieves", mode=Mode.ASYNC, entrants_min=1)


@dataclass
class Place:
    """One player in one race."""

    server: RaceServer
    timing: StillTiming
    run: Run

    @property
    def moves(self) -> list[str]:
        """What the race has counted of the player's."""
        return self.server.track[HOST].acts


@asynccontextmanager
async def placed(terms: Terms = LIVE, *, seed: str = "friday-night") -> AsyncIterator[Place]:
    server, timing = RaceServer(terms, seed=seed), StillTiming()
    async with (
        connect("test:1", name="Ada", dial=server.dial, timing=timing) as hall,
        hall.join(server.race) as run,
    ):
        yield Place(server, timing, run)


@asynccontextmanager
async def racing(terms: Terms = LIVE, *, seed: str = "friday-night") -> AsyncIterator[Place]:
    async with placed(terms, seed=seed) as place:
        await place.run.ready()
        await settle()
        yield place


async def through(place: Place, play: asyncio.Task[Played]) -> Played:
    """Lets time pass until a play has been answered."""
    await place.timing.advance(10)
    return play.result()


def first(run: Run) -> str:
    assert run.view is not None
    return run.view.legal()[0]
