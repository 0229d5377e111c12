"""Keeps the ledger up with the store: what has ended, and what was ruled.

Every node counts for itself, from the store alone, and all come to the same numbers. The first
look at a large store takes its time; it is a task of its own, in small steps, with the arithmetic
in a thread, and players notice nothing of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Final

from samedeal_server.boards.finished import finished, read_summary, write_summary
from samedeal_server.ports import Ended, Log, LogUnavailable, Ruling
from samedeal_server.ratings.ledger import Ledger
from samedeal_server.ratings.races import FinishedRace
from samedeal_server.refusals import fault_text

__all__ = ["Keeper", "annulled_by"]

_log = logging.getLogger(__name__)

PAGE: Final = 100
"""Races that are asked of the store at a time."""
AT_ONCE: Final = 20
"""Races that are counted on the loop; more of them are counted in a thread, with all others."""


class Keeper:
    """One node's ledger, and the one task that writes it."""

    def __init__(
        self,
        log: Log,
        spawn: Callable[[Coroutine[None, None, None], str], None],
        *,
        page: int = PAGE,
        at_once: int = AT_ONCE,
    ) -> None:
        """`page` races are asked of the store at a time, up to `at_once` counted on the loop."""
        self.ledger: Ledger | None = None
        """None until the races that ended before the start are counted."""
        self.rulings: list[Ruling] = []
        """All of them, in their order."""
        self._log = log
        self._spawn = spawn
        self._page = page
        self._at_once = at_once
        self._number = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._is_looking = False

    async def look(self) -> None:
        """Returns when all is counted that has ended, or was ruled, by now.

        Who goes away stops nothing. Raises `LogUnavailable`.
        """
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        if not self._is_looking:
            self._is_looking = True
            self._spawn(self._work(), "boards")
        await waiting

    async def follow(self) -> None:
        """Looks, as a duty that is done again and again: a store that is away is no news."""
        try:
            await self.look()
        except LogUnavailable as fault:
            _log.debug("races are not counted now fault=%s", fault)

    async def _work(self) -> None:
        """Looks until nobody waits for a look that begins after they asked."""
        waiting: list[asyncio.Future[None]] = []
        try:
            while self._waiting:
                waiting, self._waiting = self._waiting, []
                try:
                    await self._look()
                except LogUnavailable as fault:
                    _settle(waiting, fault)
                except Exception as fault:
                    _log.error("races cannot be counted fault=%s", fault_text(fault))
                    _settle(waiting, LogUnavailable("races cannot be counted"))
                else:
                    _settle(waiting, None)
        finally:
            self._is_looking = False
            for each in (*waiting, *self._waiting):
                each.cancel()

    async def _look(self) -> None:
        number, fresh = self._number, list[FinishedRace]()
        while ended := await self._log.ended(after=number, limit=self._page):
            fresh += await self._read(ended)
            number = ended[-1].number
        known = self.rulings[-1].number if self.rulings else 0
        rulings = await self._log.rulings(after=known)
        ledger = self.ledger
        if ledger is None or fresh or rulings:
            annulled = annulled_by([*self.rulings, *rulings])
            self.ledger = await self._counted(ledger, fresh, annulled)
        if ledger is None:
            _log.info("races counted races=%d", len(fresh))
        for ruling in rulings:
            how = "annulled" if ruling.is_annulled else "reinstated"
            _log.info("race %s race=%s", how, ruling.race)
        self._number = number
        self.rulings += rulings

    async def _read(self, ended: Sequence[Ended]) -> list[FinishedRace]:
        """Returns what came of races; the store keeps what had to be made of their logs."""
        found: list[FinishedRace] = []
        made: dict[str, bytes] = {}
        for each in ended:
            summary = read_summary(each.summary)
            if summary is None:
                lines = await self._log.read(each.race)
                race = await asyncio.to_thread(finished, each.race, lines)
                made[each.race] = write_summary(race)
            else:
                race = summary.race
            if race is not None and race.entrants:
                found.append(race)
        if made:
            await self._log.summarize(made)
        return found

    async def _counted(
        self, ledger: Ledger | None, fresh: Sequence[FinishedRace], annulled: frozenset[str]
    ) -> Ledger:
        """Returns the ledger with these races more, the same one where few were added."""
        in_order = sorted(fresh, key=lambda each: each.order)
        if (
            ledger is not None
            and len(in_order) <= self._at_once
            and annulled == ledger.left_out
            and all(ledger.is_timely(race) and race.race not in annulled for race in in_order)
        ):
            for race in in_order:
                ledger.add(race)
            return ledger
        races, version = in_order, 0
        if ledger is not None:
            races, version = [*ledger.all_races(), *fresh], ledger.version
        return await asyncio.to_thread(Ledger.of, races, annulled, version=version)


def annulled_by(rulings: Iterable[Ruling]) -> frozenset[str]:
    """Returns the races that count nowhere, as the last ruling about each says."""
    last = {ruling.race: ruling.is_annulled for ruling in rulings}
    return frozenset(race for race, is_annulled in last.items() if is_annulled)


def _settle(waiting: Iterable[asyncio.Future[None]], fault: Exception | None) -> None:
    for each in waiting:
        if each.done():
            continue
        if fault is None:
            each.set_result(None)
        else:
            each.set_exception(fault)
