"""Times and days as they stand, one race more at a time.

What comes out is what `boards` makes of all races at once; here a race costs no more for those that
came before it. Races may come in any order: nothing that is kept depends on it, and the attempts,
which do, are counted when they are told.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field

from samedeal_protocol.events import EntrantState

from .boards import Best, Streak, TimeLine, day_of, fastest, ranked_times, streak, streaks_in_order
from .races import Ending, FinishedRace

__all__ = ["Records"]


@dataclass(frozen=True, slots=True, order=True)
class _Time:
    """One time; better ones are smaller, as `Best` is."""

    elapsed_ms: int
    done_at: int
    race: str
    made_in: FinishedRace = field(compare=False)


class Records:
    """Each player's best times, and the days on which they finished. Days begin at 0:00 UTC."""

    def __init__(self) -> None:
        self._bests: dict[tuple[bool, str], dict[str, _Time]] = {}
        """By whether bots and by game, and then by player."""
        self._days: dict[bool, dict[str, set[int]]] = {False: {}, True: {}}
        self._deals: dict[tuple[str, str], list[FinishedRace]] = {}
        """By game and deal, the races in their order."""

    def add(self, race: FinishedRace) -> None:
        """Takes one race in; hand over each once."""
        on_deal = self._deals.setdefault((race.game, race.deal), [])
        insort(on_deal, race, key=lambda each: each.order)
        if not race.verified or race.ending is not Ending.PLAYED:
            return
        for each in race.entrants:
            if each.state is not EntrantState.FINISHED or each.elapsed_ms is None:
                continue
            made = _Time(each.elapsed_ms, each.done_at, race.race, race)
            bests = self._bests.setdefault((each.bot, race.game), {})
            bests[each.player] = min(made, bests.get(each.player, made))
            days = self._days[each.bot].setdefault(each.player, set())
            days.add(day_of(each.done_at, 0))

    def fastest(self, game: str, *, bots: bool = False) -> tuple[TimeLine, ...]:
        """Returns each player's best time in a game, as `boards.fastest` does."""
        made = self._bests.get((bots, game), {})
        return ranked_times([self._best(player, time) for player, time in made.items()])

    def fastest_on(self, game: str, deal: str, *, bots: bool = False) -> tuple[TimeLine, ...]:
        """Returns each player's best time on a deal, as `boards.fastest` does."""
        return fastest(self._deals.get((game, deal), ()), game=game, deal=deal, bots=bots)

    def personal_bests(self, player: str, *, bots: bool = False) -> tuple[Best, ...]:
        """Returns a player's best time in every game that the player has finished, by game."""
        return tuple(self._bests_of(player, bots=bots))

    def streaks(self, now: int, *, bots: bool = False) -> tuple[Streak, ...]:
        """Returns the streaks of all who ever finished, as `boards.streaks` does."""
        today = day_of(now, 0)
        days = self._days[bots].items()
        return streaks_in_order(streak(player, sorted(each), today) for player, each in days)

    def _bests_of(self, player: str, *, bots: bool) -> Iterator[Best]:
        for is_bots, game in sorted(self._bests):
            time = self._bests[is_bots, game].get(player)
            if is_bots == bots and time is not None:
                yield self._best(player, time)

    def _best(self, player: str, time: _Time) -> Best:
        race = time.made_in
        before = self._deals[race.game, race.deal]
        attempt = 0
        for each in before:
            attempt += any(entrant.player == player for entrant in each.entrants)
            if each is race:
                break
        return Best(
            elapsed_ms=time.elapsed_ms,
            done_at=time.done_at,
            race=time.race,
            game=race.game,
            player=player,
            attempt=attempt,
        )
