"""Makes events durable in groups, and lets out what rests on them only then.

One append is in flight at a time; whatever gathers meanwhile is the next group. When the append
has returned, the group's effects run in the order in which they were added. An effect without
events of its own (a refusal, a snapshot, the answer to a repeated move) rests on whatever its race
has not yet made durable, so it waits for that.

When an append fails nobody knows what was stored. The races in it are lost: everything of theirs
that waits fails, and whoever is told by `on_lost` forgets them and reads them again. Where the log
can tell that only some of them are in conflict, only these are lost, and the others appended again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from samedeal_server.ports import Entry, Log, LogConflict, Meter
from samedeal_server.refusals import fault_text

__all__ = ["Committer", "Effect"]

_log = logging.getLogger(__name__)


class Effect(Protocol):
    """What is to happen once its race is durable up to here."""

    def run(self) -> None: ...

    def fail(self) -> None:
        """The events it rests on may not have been stored."""
        ...


class _Group:
    """Events for one append, and what waits for it."""

    __slots__ = ("effects", "entered", "entries", "over", "races")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.over: list[str] = []
        self.entered: list[tuple[str, str]] = []
        self.effects: list[tuple[str | None, Effect]] = []
        self.races: set[str] = set()

    def fail(self, races: set[str]) -> None:
        """Takes out everything of these races, and fails their effects."""
        failed = [effect for race, effect in self.effects if race is None or race in races]
        self.effects = [(race, each) for race, each in self.effects if race and race not in races]
        self.entries = [entry for entry in self.entries if entry.race not in races]
        self.over = [race for race in self.over if race not in races]
        self.entered = [(player, race) for player, race in self.entered if race not in races]
        self.races -= races
        for effect in failed:
            effect.fail()


class Committer:
    """The one way from a race's events to the log."""

    def __init__(
        self,
        log: Log,
        meter: Meter,
        *,
        seconds: Callable[[], float],
        limit: int,
        on_lost: Callable[[set[str]], None],
    ) -> None:
        self._log = log
        self._meter = meter
        self._seconds = seconds
        self._limit = limit
        self._on_lost = on_lost
        self._gathering = _Group()
        self._flying: _Group | None = None
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.is_full = False
        """Whether so much waits that requests must be refused."""
        self.is_failing = False
        """Whether the last append failed."""
        self.has_news = False
        """Whether anything was stored since somebody set this back."""

    @property
    def is_writing(self) -> bool:
        """Whether an append is in flight: somebody waits for it."""
        return self._flying is not None

    def add(
        self,
        race: str,
        entries: Sequence[Entry],
        effect: Effect,
        *,
        is_over: bool = False,
        entered: str | None = None,
    ) -> None:
        """Has a race's next events stored, and `effect` run then.

        `entered` is a player for whom the race shall be found again.
        """
        group = self._gathering
        group.entries += entries
        group.races.add(race)
        group.effects.append((race, effect))
        if len(group.entries) >= self._limit:
            self.is_full = True
        if is_over:
            group.over.append(race)
        if entered is not None:
            group.entered.append((entered, race))
        if not self._wake.is_set():
            self._wake.set()
            self._idle.clear()

    def after(self, race: str | None, effect: Effect) -> None:
        """Runs `effect` when all that the race has brought forth is durable: perhaps at once.

        Without a race, it waits for everything.
        """
        for group in (self._gathering, self._flying):
            if group is None:
                continue
            if race in group.races or (race is None and group.races):
                group.effects.append((race, effect))
                return
        effect.run()

    async def flush(self) -> None:
        """Returns when everything that was added is durable, or lost."""
        await self._idle.wait()

    async def run(self) -> None:
        """Appends until cancelled."""
        while True:
            await self._wake.wait()
            while self._gathering.races or self._gathering.effects:
                await self._append()
            self._wake.clear()
            self._idle.set()

    async def _append(self) -> None:
        group = self._flying = self._gathering
        self._gathering = _Group()
        self.is_full = False
        began = self._seconds()
        try:
            while True:
                try:
                    await self._store(group)
                    break
                except LogConflict as conflict:
                    if not conflict.races & group.races:
                        raise
                    self._lose(group, set(conflict.races), conflict)
        except Exception as fault:
            # Also a fault that no log should raise: the races are read again, and that tells.
            self.is_failing = True
            self._lose(group, set(group.races), fault)
            return
        finally:
            self._flying = None
        self.is_failing = False
        self.has_news = True
        self._meter.count("events_appended", len(group.entries))
        self._meter.observe("append_events", len(group.entries))
        self._meter.observe("append_seconds", self._seconds() - began)
        for _, effect in group.effects:
            try:
                effect.run()
            except Exception as fault:
                _log.error("telling failed fault=%s", fault_text(fault))

    async def _store(self, group: _Group) -> None:
        if not group.entries and not group.over:
            return
        if not group.entered:
            await self._log.append(group.entries, over=group.over)
            return
        # Together, so that the store can make them durable by one write.
        outcomes = await asyncio.gather(
            self._log.append(group.entries, over=group.over),
            *(self._log.enter(player, race) for player, race in group.entered),
            return_exceptions=True,
        )
        for fault in outcomes:
            if fault is not None:
                raise fault

    def _lose(self, group: _Group, races: set[str], fault: Exception) -> None:
        self._meter.count("appends_failed")
        # Races go to other nodes whenever a node is stopped: no failure of ours, nor of the log.
        level = logging.INFO if isinstance(fault, LogConflict) else logging.ERROR
        _log.log(level, "append failed races=%d fault=%s", len(races), type(fault).__name__)
        group.fail(races)
        self._gathering.fail(races)
        self._on_lost(races)
