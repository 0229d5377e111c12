"""Every finished race in its order, and the ratings and records that follow from them.

Races are counted by the instant of their end, and then by their code, whatever order they become
known in: so every node, every restart and every recomputation comes to the same numbers. One that
becomes known late has those behind it taken back and counted again. An annulled race is kept aside
and counts nowhere.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from .book import Book, Rated, rate, take_back
from .model import V1, Model
from .races import FinishedRace
from .records import Records

__all__ = ["KEPT", "Ledger"]

KEPT: Final = 10
"""Of each player so many last changes are remembered."""
_RETURN: Final = 50
"""So many races can be taken back for one that is late."""


class Ledger:
    """All that is counted. Written by `add` alone."""

    def __init__(self, model: Model = V1) -> None:
        self.book = Book(model)
        self.records = Records()
        self.annulled: dict[str, FinishedRace] = {}
        """By code, the races that count nowhere."""
        self.left_out: frozenset[str] = frozenset()
        """The codes of those that shall count nowhere, whether they are here or not."""
        self.version = 0
        """Grows with every race."""
        self._races: list[FinishedRace] = []
        self._by_code: dict[str, FinishedRace] = {}
        self._history: deque[Rated] = deque(maxlen=_RETURN)
        """What the last of the races did."""
        self._recent: dict[str, deque[Rated]] = {}
        self._listed: dict[str, list[FinishedRace]] = {}
        """By player, the races that anybody may be told of, in their order."""

    @classmethod
    def of(
        cls, races: Iterable[FinishedRace], annulled: Collection[str] = (), *, version: int = 0
    ) -> Ledger:
        """Returns the ledger of these races, which may come in any order.

        `annulled` are the codes of those that count nowhere; codes of others are passed over.
        Versions are counted on from `version`.
        """
        ledger = cls()
        ledger.left_out = frozenset(annulled)
        for race in sorted(races, key=_order):
            if race.race in annulled:
                ledger.annulled[race.race] = race
            else:
                ledger.add(race)
        ledger.version = version + 1
        return ledger

    def __contains__(self, race: str) -> bool:
        return race in self._by_code or race in self.annulled

    @property
    def races(self) -> Sequence[FinishedRace]:
        """The races that count, in their order."""
        return self._races

    def all_races(self) -> list[FinishedRace]:
        """Returns the races that count and those that do not, in no order."""
        return [*self._races, *self.annulled.values()]

    def race(self, code: str) -> FinishedRace | None:
        """Returns a race that counts."""
        return self._by_code.get(code)

    def changes(self, player: str) -> Sequence[Rated]:
        """Returns the last races that changed a player's ratings, the oldest first."""
        return tuple(self._recent.get(player, ()))

    def listed(self, player: str) -> Sequence[FinishedRace]:
        """Returns the races that count in which a player began and that anybody may be told of."""
        return self._listed.get(player, ())

    def is_timely(self, race: FinishedRace) -> bool:
        """Says whether `add` can take the race: not so many ended after it that are counted."""
        return self._late(race) <= len(self._history)

    def add(self, race: FinishedRace) -> None:
        """Counts one race more.

        Raises:
            ValueError: the race is there already, or it is too late: make the ledger anew.
        """
        if race.race in self:
            raise ValueError(f"race {race.race} is there twice")
        late = self._late(race)
        if late > len(self._history):
            raise ValueError(f"race {race.race} is too late")
        self.version += 1
        for _ in range(late):
            self._take_back(self._history.pop())
        insort(self._races, race, key=_order)
        self._by_code[race.race] = race
        self.records.add(race)
        if race.listed:
            for entrant in race.entrants:
                insort(self._listed.setdefault(entrant.player, []), race, key=_order)
        for each in self._races[-late - 1 :]:
            self._rate(each)

    def _late(self, race: FinishedRace) -> int:
        """Returns how many races that are counted ended after this one."""
        return len(self._races) - bisect(self._races, race.order, key=_order)

    def _rate(self, race: FinishedRace) -> None:
        rated = rate(self.book, race)
        self._history.append(rated)
        for player in {change.player for change in rated.changes}:
            self._recent.setdefault(player, deque(maxlen=KEPT)).append(rated)

    def _take_back(self, rated: Rated) -> None:
        take_back(self.book, rated)
        for player in {change.player for change in rated.changes}:
            recent = self._recent[player]
            if recent and recent[-1] is rated:  # older ones than are remembered are gone already
                recent.pop()


def _order(race: FinishedRace) -> tuple[int, str]:
    return race.order
