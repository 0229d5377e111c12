"""The house: a server's own bots, in a process beside it.

    python -m samedeal_client.house ws://127.0.0.1:8642

It takes orders on its standard input, a JSON line each, and reports on its standard output
(`samedeal_protocol.house`); it ends when its input does. For each order a bot connects as bots do,
enters the race, plays it out at its own pace and waits a while for a rematch, unless it is told to
go. Once no person races any more it plays without pauses. A bot whose seat is free again is who
sits down next: a house has no more players than it ever needed at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import random
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import msgspec

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.house import Beat, FromHouse, Go, Order, Report, ToHouse
from samedeal_protocol.terms import Mode

from .bots import BOTS, be_ready, play_out
from .client import Hall, connect
from .errors import ClientError, Refused
from .run import Run

__all__ = ["KINDS", "House", "Kind", "main", "pace"]

_log = logging.getLogger(__name__)

LOBBY_S: Final = 1800.0
"""How long a bot waits for a race to start."""
REMATCH_S: Final = 60.0
"""How long it stays for a rematch."""
NAMES_TRIED: Final = 20
NICE: Final = 5
"""How much the bots' thinking gives way to the server's work."""
_SPREAD: Final = 0.4
_RACING: Final = ("racing", "hidden")

_told: Final = msgspec.json.Decoder[ToHouse](ToHouse)


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the bots, as people meet it."""

    title: str
    """What its players are called, with a number."""
    pace_ms: int


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "random": Kind("House Random", 700),
        "greedy": Kind("House Greedy", 900),
        "patient": Kind("House Patient", 1500),
    }
)
"""By the names of `BOTS`."""


def pace(ms: int, *, seed: str) -> Callable[[], float]:
    """Returns what says how many seconds to take over the next move: `ms` in the mean.

    A person mostly plays a little faster than that, and now and then stops to think.
    """
    chance = random.Random(seed)
    return lambda: ms / 1000 * chance.lognormvariate(-(_SPREAD**2) / 2, _SPREAD)


class House:
    """The bots of one server, at `url`; `tell` takes their reports."""

    def __init__(self, url: str, tell: Callable[[Report], None]) -> None:
        self._url = url
        self._tell = tell
        self._free: defaultdict[str, list[str]] = defaultdict(list)
        """By kind, the tokens of those who sit nowhere."""
        self._numbers: defaultdict[str, int] = defaultdict(int)
        self._stays: dict[int, asyncio.Timeout] = {}
        """By seat, how long its bot stays at its race."""

    async def sit(self, order: Order) -> None:
        """Has a bot sit where it is told, until there is nothing left to play."""
        reason = "done"
        try:
            async with self._somebody(order) as hall:
                race: str | None = order.race
                while race is not None:
                    race = await self._play(hall, order, race)
        except ClientError as fault:
            reason = fault.code if isinstance(fault, Refused) else type(fault).__name__
        except Exception:
            # One bot's fault must not end the others: it is logged, and its seat is given back.
            _log.exception("a bot has failed race=%s bot=%s", order.race, order.bot)
            reason = "failed"
        self._tell(Report(seat=order.seat, left=reason))

    def call_off(self, seat: int) -> None:
        """Has a bot end its race and go; one that is between two races does not hear it."""
        stay = self._stays.get(seat)
        if stay is not None and not stay.expired():
            stay.reschedule(asyncio.get_running_loop().time())

    # --- who -----------------------------------------------------------------------------------

    @asynccontextmanager
    async def _somebody(self, order: Order) -> AsyncIterator[Hall]:
        """Connects as whoever the seat is of, else as one who is free, else as somebody new."""
        free = self._free[order.bot]
        token = order.token or (free.pop() if free else None)
        async with AsyncExitStack() as stack:
            hall = await self._greeted(stack, order, token)
            self._tell(Report(seat=order.seat, player=hall.player, token=hall.token))
            try:
                yield hall
            finally:
                free.append(hall.token)

    async def _greeted(self, stack: AsyncExitStack, order: Order, token: str | None) -> Hall:
        bot = order.bot
        for _ in range(NAMES_TRIED):
            name = self._name(bot) if token is None else None
            shown = token or order.door
            try:
                return await stack.enter_async_context(
                    connect(self._url, name=name, token=shown, bot=True, client="samedeal-house")
                )
            except Refused as refused:
                if refused.code != ErrorCode.NAME_TAKEN.code:
                    raise
                # Those of before a restart are there still. Counting on would find out each.
                self._numbers[bot] = random.randrange(100, 10_000)
        raise ClientError(f"no name was free for a {bot} bot")

    def _name(self, bot: str) -> str:
        self._numbers[bot] += 1
        return f"{KINDS[bot].title} {self._numbers[bot]}"

    # --- what ----------------------------------------------------------------------------------

    async def _play(self, hall: Hall, order: Order, race: str) -> str | None:
        """Plays a race; returns the code of the rematch, if one is opened in time."""
        async with hall.join(race, phrase=order.phrase) as run:
            self._tell(Report(seat=order.seat, race=race))
            try:
                async with asyncio.timeout(LOBBY_S) as stay:
                    self._stays[order.seat] = stay
                    return await self._stay(hall, run, order, stay)
            except TimeoutError:
                await _part(run)
                return None
            finally:
                del self._stays[order.seat]

    async def _stay(self, hall: Hall, run: Run, order: Order, stay: asyncio.Timeout) -> str | None:
        """Plays a race that was entered; returns the code of its rematch."""
        seed = f"{run.race}/{hall.name}"
        every = pace(order.pace_ms or KINDS[order.bot].pace_ms, seed=seed)
        is_live = run.terms.mode is Mode.LIVE
        if is_live:
            await be_ready(run)
        stay.reschedule(None)
        await play_out(run, BOTS[order.bot](seed), pace=lambda: every() if _is_met(run) else 0.0)
        if not is_live:
            return None
        await run.over()
        if run.phase == "cancelled":
            return None
        self._tell(Report(seat=order.seat, waits=True))
        stay.reschedule(asyncio.get_running_loop().time() + REMATCH_S)
        async for _ in run.changes():
            if run.rematch_race is not None:
                return run.rematch_race
        return None


def _is_met(run: Run) -> bool:
    """Returns whether a person still races, or may yet begin; of a blind race that is not known."""
    if run.terms.mode is Mode.ASYNC:
        return True
    return any(not each.bot and each.state in _RACING for each in run.entrants.values())


async def _part(run: Run) -> None:
    """Ends a bot's race, so that nobody waits for it."""
    if run.is_done:
        return
    if run.view is None:
        await run.leave()
    else:
        await run.give_up()


# --- the process -------------------------------------------------------------------------------


def _say(message: FromHouse) -> None:
    # Whoever reads no more has ended, and our input ends with them.
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
        sys.stdout.buffer.flush()


async def _serve(url: str) -> None:
    """Takes orders until there can be no more."""
    orders = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    house = House(url, _say)
    async with asyncio.TaskGroup() as seats:
        sitting: set[asyncio.Task[None]] = set()
        async for line in orders:
            match _told.decode(line):
                case Order() as order:
                    task = seats.create_task(house.sit(order), name=f"seat {order.seat}")
                    sitting.add(task)
                    task.add_done_callback(sitting.discard)
                case Go(seat=seat):
                    house.call_off(seat)
                case Beat() as beat:
                    _say(beat)
        for task in sitting:
            task.cancel()


def main() -> int:
    """Runs the house; the server's address is the one argument."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s")
    os.nice(NICE)
    asyncio.run(_serve(sys.argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
