"""Boards of times and days, made of all races at once: plain and slow.

Records must come to the same. Races are given in the log's order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from samedeal_protocol.events import EntrantState
from samedeal_server.ratings.boards import Best, Streak, TimeLine, day_of, streak
from samedeal_server.ratings.races import Ending, FinishedRace, Ranked

__all__ = ["fastest", "personal_bests", "streaks"]


def fastest(
    races: Iterable[FinishedRace], *, game: str, deal: str | None = None, bots: bool = False
) -> tuple[TimeLine, ...]:
    """Returns each player's best time in a game, or on one deal of it, the fastest first.

    Lines that share a place stand in the order in which their times were made.
    """
    best: dict[str, Best] = {}
    for race, entrant, made in _times(races):
        if entrant.bot == bots and race.game == game and deal in (None, race.deal):
            best[made.player] = min(made, best.get(made.player, made))
    lines = sorted(best.values())
    times = [line.elapsed_ms for line in lines]
    return tuple(TimeLine(times.index(line.elapsed_ms) + 1, line) for line in lines)


def personal_bests(races: Iterable[FinishedRace], player: str) -> tuple[Best, ...]:
    """Returns a player's best time in every game that the player has finished, by game."""
    best: dict[str, Best] = {}
    for race, _, made in _times(races):
        if made.player == player:
            best[race.game] = min(made, best.get(race.game, made))
    return tuple(best[game] for game in sorted(best))


def streaks(races: Iterable[FinishedRace], now: int, *, bots: bool = False) -> tuple[Streak, ...]:
    """Returns the streaks of all who ever finished, the longest that still goes on first.

    A finish counts for the day in which the player finished, not that in which the race was over.
    """
    days: dict[str, set[int]] = {}
    for _, entrant, made in _times(races):
        if entrant.bot == bots:
            days.setdefault(made.player, set()).add(day_of(made.done_at))
    today = day_of(now)
    found = [streak(player, sorted(each), today) for player, each in days.items()]
    return tuple(sorted(found, key=lambda each: (-each.current, -each.longest, each.player)))


def _times(races: Iterable[FinishedRace]) -> Iterator[tuple[FinishedRace, Ranked, Best]]:
    """Yields every time that counts. Every race in which a player saw the deal is an attempt."""
    attempts: Counter[tuple[str, str, str]] = Counter()
    for race in races:
        counts = race.verified and race.ending is Ending.PLAYED
        for each in race.entrants:
            key = each.player, race.game, race.deal
            attempts[key] += 1
            if counts and each.state is EntrantState.FINISHED and each.elapsed_ms is not None:
                yield (
                    race,
                    each,
                    Best(
                        elapsed_ms=each.elapsed_ms,
                        done_at=each.done_at,
                        race=race.race,
                        game=race.game,
                        player=each.player,
                        attempt=attempts[key],
                    ),
                )
