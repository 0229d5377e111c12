"""Times and days as they stand, one race more at a time.

A race, or a page of a board, costs no more for the races that came before. Races may come in any
order: nothing that is kept depends on it. Times come from races that were played and verified,
rated or not, alone or not, and from finishers only.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping
from dataclasses import dataclass, field

from samedeal_protocol.events import EntrantState

from .boards import Best, Streak, TimeLine, day_of, streak
from .races import Ending, FinishedRace

__all__ = ["Records", "streaks_of"]


@dataclass(frozen=True, slots=True, order=True)
class _Time:
    """One time; better ones are smaller, as `Best` is."""

    elapsed_ms: int
    done_at: int
    race: str
    player: str
    made_in: FinishedRace = field(compare=False)


class _Table:
    """Each player's best time of some."""

    __slots__ = ("by_player", "times")

    def __init__(self) -> None:
        self.by_player: dict[str, _Time] = {}
        self.times: list[_Time] = []
        """The best first."""

    def take(self, made: _Time) -> None:
        before = self.by_player.get(made.player)
        if before is not None:
            if before <= made:
                return
            del self.times[bisect_left(self.times, before)]
        insort(self.times, made)
        self.by_player[made.player] = made

    def place(self, time: _Time) -> int:
        return bisect_left(self.times, time.elapsed_ms, key=lambda each: each.elapsed_ms) + 1


_EMPTY = _Table()


class Records:
    """Each player's best times, and the days on which they finished. Days begin at 0:00 UTC."""

    def __init__(self) -> None:
        self._games: dict[tuple[bool, str], _Table] = {}
        """By whether bots, and by game."""
        self._deals: dict[tuple[bool, str, str], _Table] = {}
        """The same, by deal as well."""
        self._days: dict[bool, dict[str, frozenset[int]]] = {False: {}, True: {}}
        self._looks: dict[tuple[str, str], dict[str, list[tuple[int, str]]]] = {}
        """By game and deal, and by player: where in the order of races they had it before them."""

    def add(self, race: FinishedRace) -> None:
        """Takes one race in; hand over each once."""
        looks = self._looks.setdefault((race.game, race.deal), {})
        for each in race.entrants:
            insort(looks.setdefault(each.player, []), race.order)
        if not race.verified or race.ending is not Ending.PLAYED:
            return
        for each in race.entrants:
            if each.state is not EntrantState.FINISHED or each.elapsed_ms is None:
                continue
            made = _Time(each.elapsed_ms, each.done_at, race.race, each.player, race)
            self._games.setdefault((each.bot, race.game), _Table()).take(made)
            self._deals.setdefault((each.bot, race.game, race.deal), _Table()).take(made)
            players, day = self._days[each.bot], day_of(each.done_at)
            days = players.get(each.player, frozenset())
            if day not in days:
                players[each.player] = days | {day}

    def count(self, game: str, deal: str | None = None, *, bots: bool = False) -> int:
        """Returns how many players have a time in a game, or on one deal of it."""
        return len(self._table(game, deal, bots).times)

    def fastest(
        self,
        game: str,
        deal: str | None = None,
        *,
        bots: bool = False,
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[TimeLine, ...]:
        """Returns each player's best time in a game, or on one deal of it, the fastest first.

        Lines that share a place stand in the order in which their times were made.
        """
        table = self._table(game, deal, bots)
        end = None if limit is None else offset + limit
        lines = table.times[offset:end]
        return tuple([TimeLine(table.place(time), self._best(time)) for time in lines])

    def personal_bests(self, player: str, *, bots: bool = False) -> tuple[Best, ...]:
        """Returns a player's best time in every game that the player has finished, by game."""
        found = [
            self._best(table.by_player[player])
            for (is_bots, _), table in self._games.items()
            if is_bots == bots and player in table.by_player
        ]
        return tuple(sorted(found, key=lambda each: each.game))

    def days(self, *, bots: bool = False) -> dict[str, frozenset[int]]:
        """Returns the days on which each player finished, as they are known now."""
        return dict(self._days[bots])

    def _table(self, game: str, deal: str | None, bots: bool) -> _Table:
        if deal is None:
            return self._games.get((bots, game), _EMPTY)
        return self._deals.get((bots, game, deal), _EMPTY)

    def _best(self, time: _Time) -> Best:
        race = time.made_in
        looks = self._looks[race.game, race.deal][time.player]
        return Best(
            elapsed_ms=time.elapsed_ms,
            done_at=time.done_at,
            race=time.race,
            game=race.game,
            player=time.player,
            attempt=bisect_left(looks, race.order) + 1,
        )


def streaks_of(days: Mapping[str, frozenset[int]], now: int) -> tuple[Streak, ...]:
    """Returns the streaks of all who ever finished, the longest that still goes on first.

    `days` are those in which the players finished, not those in which the races were over.
    """
    today = day_of(now)
    found = [streak(player, sorted(each), today) for player, each in days.items()]
    return tuple(sorted(found, key=lambda each: (-each.current, -each.longest, each.player)))
