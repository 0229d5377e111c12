"""Questions about ratings and leaderboards, answered from the ledger with the players' names.

A board whose lines must all be looked at is made in a thread, one at a time, and kept until a race
more is counted or a minute has passed.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Generic, TypeVar

from samedeal_protocol import boards as wire
from samedeal_protocol.errors import ErrorCode
from samedeal_rules import UnknownGame, find
from samedeal_server.boards.differences import Annulment, annulment
from samedeal_server.boards.keeper import Keeper
from samedeal_server.boards.past import PastRaces, past_races
from samedeal_server.ports import Clock, Log, Player
from samedeal_server.racing.race import Refused
from samedeal_server.ratings.boards import RatingLine, Streak, TimeLine, by_rating
from samedeal_server.ratings.book import Book, Change, Pool, Rated, explain
from samedeal_server.ratings.ledger import Ledger
from samedeal_server.ratings.model import DAY_MS, millionths
from samedeal_server.ratings.records import streaks_of

__all__ = ["Boards", "Door"]

_T = TypeVar("_T")

Door = Callable[[str, str | None], Awaitable[object]]
"""Returns if a race, by its code, may be told of to a player, or to a stranger; raises `Refused`,
and `LogUnavailable`."""

WAIT_S: Final = 1.0
"""So long who asks waits for the newest races; then they are told what is counted."""
MADE: Final = 64
"""Boards that are kept."""
FRESH_MS: Final = 60_000
"""So long a board is kept: time widens ratings, and days end."""
CHANGES: Final = 10
"""Changes on a player's sheet, each of one rating."""


class _Kept(Generic[_T]):
    """Boards of a kind, each as it was made last."""

    def __init__(self) -> None:
        self._made: OrderedDict[Hashable, tuple[tuple[int, int], _T]] = OrderedDict()
        self._making = asyncio.Lock()

    async def get(self, key: Hashable, made_of: tuple[int, int], make: Callable[[], _T]) -> _T:
        """Returns a board as it was made of the same before, or makes it now, in a thread."""
        async with self._making:  # one at a time: whoever waits finds the board made
            known = self._made.get(key)
            if known is not None and known[0] == made_of:
                self._made.move_to_end(key)
                return known[1]
            made = await asyncio.to_thread(make)
            self._made[key] = made_of, made
            if len(self._made) > MADE:
                self._made.popitem(last=False)
            return made


class Boards:
    """What one node says of ratings and leaderboards."""

    def __init__(self, keeper: Keeper, log: Log, clock: Clock, *, door: Door) -> None:
        self.keeper = keeper
        self._log = log
        self._clock = clock
        self._door = door
        self._ranked = _Kept[tuple[RatingLine, ...]]()
        self._running = _Kept[tuple[Streak, ...]]()

    # --- what can be asked ---------------------------------------------------------------------

    async def page(
        self, asked: wire.Leaderboard, player: str | None = None
    ) -> wire.RatingBoard | wire.TimeBoard | wire.StreakBoard:
        """Returns some lines of a leaderboard, to a player or to a stranger.

        Raises:
            Refused: no such board, game or race; the race of the deal is behind a pass phrase; or
                nothing is counted yet.
            LogUnavailable: the store cannot be asked.
        """
        ledger = await self._newest()
        if asked.deal is not None and asked.board is not wire.Board.FASTEST:
            raise Refused(ErrorCode.BAD_BOARD, "only the fastest are told by deal: leave it out")
        if asked.deal is not None:
            await self._door(asked.deal, player)
        match asked.board:
            case wire.Board.RATING:
                return await self._rating(ledger, asked)
            case wire.Board.FASTEST:
                return await self._fastest(ledger, asked)
            case wire.Board.STREAKS:
                return await self._streaks(ledger, asked)

    async def sheet(self, player: Player, game: str | None = None) -> wire.PlayerSheet:
        """Returns what is known of one player, perhaps in one game only; raises as `page` does."""
        ledger = await self._newest()
        key = None if game is None else _key(game)
        now = self._clock.now()
        changes = list(_last_changes(ledger, player.player, key))
        names = await self._names(each.player for rated, _ in changes for each in rated.changes)
        return wire.PlayerSheet(
            at=now,
            model=ledger.book.model.version,
            name=player.name,
            bot=player.bot,
            ratings=tuple(await self._ratings(ledger, player, key)),
            bests=tuple(
                wire.BestTime(
                    game=best.game,
                    elapsed_ms=best.elapsed_ms,
                    at=best.done_at,
                    race=_told(ledger, best.race),
                    attempt=best.attempt,
                )
                for best in ledger.records.personal_bests(player.player, bots=player.bot)
                if key in (None, best.game)
            ),
            streak=await self._streak(ledger, player),
            changes=tuple(_change(ledger, rated, change, names) for rated, change in changes),
        )

    async def named(self, name: str, game: str | None = None) -> wire.PlayerSheet:
        """Returns what is known of the player who is called so now; raises as `page` does."""
        return await self.sheet(await self._called(name), game)

    async def own(self, player: str, game: str | None = None) -> wire.PlayerSheet:
        """Returns what is known of the player with this id; raises as `page` does."""
        found = await self._log.players((player,))
        if not found:
            raise Refused(ErrorCode.NO_SUCH_PLAYER, "the store knows nothing of this player")
        return await self.sheet(found[0], game)

    async def past(self, name: str, *, offset: int, limit: int) -> PastRaces:
        """Returns some races of the player who is called so now; raises as `page` does."""
        player = await self._called(name)
        return past_races(await self._newest(), player, offset=offset, limit=limit)

    async def annulments(self) -> list[Annulment]:
        """Returns what was ruled about races, as it was published, the newest first."""
        ledger = await self._newest()
        return [annulment(ruling, ledger) for ruling in reversed(self.keeper.rulings)]

    # --- boards --------------------------------------------------------------------------------

    async def _rating(self, ledger: Ledger, asked: wire.Leaderboard) -> wire.RatingBoard:
        game = None if asked.game is None else _key(asked.game)
        board = await self._by_rating(ledger, Pool(asked.bots, game))
        lines = _some(board, asked)
        names = await self._names(line.player for line in lines)
        return wire.RatingBoard(
            at=self._clock.now(),
            model=ledger.book.model.version,
            game=game,
            bots=asked.bots,
            total=len(board),
            offset=asked.offset,
            lines=tuple(
                wire.RatingLine(
                    place=line.place,
                    name=names[line.player],
                    points=line.points,
                    mu=line.mu,
                    sigma=line.sigma,
                    races=line.races,
                    last_at=line.last_at or 0,
                )
                for line in lines
            ),
        )

    async def _fastest(self, ledger: Ledger, asked: wire.Leaderboard) -> wire.TimeBoard:
        game, deal = _course(ledger, asked)
        records = ledger.records
        total = records.count(game, deal, bots=asked.bots)
        lines = records.fastest(game, deal, bots=asked.bots, offset=asked.offset, limit=asked.limit)
        names = await self._names(line.best.player for line in lines)
        return wire.TimeBoard(
            at=self._clock.now(),
            game=game,
            deal=asked.deal,
            bots=asked.bots,
            total=total,
            offset=asked.offset,
            lines=tuple(_time(ledger, line, names) for line in lines),
        )

    async def _streaks(self, ledger: Ledger, asked: wire.Leaderboard) -> wire.StreakBoard:
        if asked.game is not None:
            raise Refused(ErrorCode.BAD_BOARD, "streaks are over all games: leave the game out")
        board = await self._by_streak(ledger, bots=asked.bots)
        lines = _some(board, asked)
        names = await self._names(line.player for line in lines)
        return wire.StreakBoard(
            at=self._clock.now(),
            bots=asked.bots,
            total=len(board),
            offset=asked.offset,
            lines=tuple(_streak_line(board, line, names[line.player]) for line in lines),
        )

    # --- a player ------------------------------------------------------------------------------

    async def _ratings(
        self, ledger: Ledger, player: Player, game: str | None
    ) -> list[wire.PoolRating]:
        pools = [
            pool
            for pool, ratings in ledger.book.pools.items()
            if pool.bots == player.bot
            and player.player in ratings
            and (game is None or pool.game == game)
        ]
        found: list[wire.PoolRating] = []
        for pool in sorted(pools, key=lambda each: each.order):
            board = await self._by_rating(ledger, pool)
            found += [
                wire.PoolRating(
                    game=pool.game,
                    place=line.place,
                    points=line.points,
                    mu=line.mu,
                    sigma=line.sigma,
                    races=line.races,
                    last_at=line.last_at or 0,
                )
                for line in board
                if line.player == player.player
            ]
        return found

    async def _streak(self, ledger: Ledger, player: Player) -> wire.StreakLine | None:
        board = await self._by_streak(ledger, bots=player.bot)
        line = next((line for line in board if line.player == player.player), None)
        return None if line is None else _streak_line(board, line, player.name)

    # --- within --------------------------------------------------------------------------------

    async def _called(self, name: str) -> Player:
        player = await self._log.player_by_name(name)
        if player is None:
            raise Refused(ErrorCode.NO_SUCH_PLAYER, "nobody is called so: see the leaderboards")
        return player

    async def _newest(self) -> Ledger:
        """Returns the ledger with all that has ended by now, if that is to be had soon."""
        try:
            async with asyncio.timeout(WAIT_S):
                await self.keeper.look()
        except TimeoutError:
            pass
        if self.keeper.ledger is None:
            raise Refused(ErrorCode.BEING_COUNTED, "the races are still being counted: ask later")
        return self.keeper.ledger

    async def _by_rating(self, ledger: Ledger, pool: Pool) -> tuple[RatingLine, ...]:
        now, model = self._clock.now(), ledger.book.model
        ratings = dict(ledger.book.pools.get(pool, {}))  # what nobody changes while it is ranked
        return await self._ranked.get(
            pool,
            (ledger.version, now // FRESH_MS),
            lambda: by_rating(Book(model, {pool: ratings}), pool, now),
        )

    async def _by_streak(self, ledger: Ledger, *, bots: bool) -> tuple[Streak, ...]:
        now, days = self._clock.now(), ledger.records.days(bots=bots)
        return await self._running.get(
            bots, (ledger.version, now // FRESH_MS), lambda: streaks_of(days, now)
        )

    async def _names(self, players: Iterable[str]) -> Mapping[str, str]:
        """Returns what players are called now."""
        wanted = list(dict.fromkeys(players))
        names = {player: player for player in wanted}
        if wanted:
            names |= {each.player: each.name for each in await self._log.players(wanted)}
        return names


def _key(game: str) -> str:
    """Returns the proper key of a game; raises `Refused`."""
    try:
        return find(game).key
    except UnknownGame as fault:
        raise Refused(ErrorCode.NO_SUCH_GAME, str(fault)) from fault


def _course(ledger: Ledger, asked: wire.Leaderboard) -> tuple[str, str | None]:
    """Returns of which game, and of which deal if of one, times are asked; raises `Refused`."""
    game = None if asked.game is None else _key(asked.game)
    if asked.deal is None:
        if game is None:
            raise Refused(
                ErrorCode.BAD_BOARD, "the fastest are told by game, or by deal: name a game"
            )
        return game, None
    race = ledger.race(asked.deal)
    if race is None:
        raise Refused(ErrorCode.NOT_OVER, "no race of this code is over and counts")
    if game not in (None, race.game):
        raise Refused(ErrorCode.BAD_BOARD, f"that deal is one of {race.game}: leave the game out")
    return race.game, race.deal


def _some(board: Sequence[_T], asked: wire.Leaderboard) -> Sequence[_T]:
    return board[asked.offset : asked.offset + asked.limit]


def _told(ledger: Ledger, code: str) -> str | None:
    """Returns a race's code where anybody may be told it."""
    race = ledger.race(code)
    return code if race is not None and race.listed else None


def _time(ledger: Ledger, line: TimeLine, names: Mapping[str, str]) -> wire.TimeLine:
    best = line.best
    return wire.TimeLine(
        place=line.place,
        name=names[best.player],
        elapsed_ms=best.elapsed_ms,
        at=best.done_at,
        race=_told(ledger, best.race),
        attempt=best.attempt,
    )


def _streak_line(board: Sequence[Streak], line: Streak, name: str) -> wire.StreakLine:
    def key(each: Streak) -> tuple[int, int]:
        return -each.current, -each.longest

    return wire.StreakLine(
        place=bisect_left(board, key(line), key=key) + 1,
        name=name,
        current=line.current,
        longest=line.longest,
        last_at=line.last_day * DAY_MS,
    )


def _last_changes(ledger: Ledger, player: str, game: str | None) -> Iterator[tuple[Rated, Change]]:
    """Yields the last changes of a player's ratings, the newest first."""
    changes = (
        (rated, change)
        for rated in reversed(ledger.changes(player))
        for change in rated.changes
        if change.player == player and game in (None, change.pool.game)
    )
    return islice(changes, CHANGES)


def _change(
    ledger: Ledger, rated: Rated, change: Change, names: Mapping[str, str]
) -> wire.RatingChange:
    lines = explain(ledger.book.model, rated.changes, change.pool, change.player)
    return wire.RatingChange(
        race=_told(ledger, change.race),
        at=change.at,
        game=change.pool.game,
        place=change.place,
        before=change.before.mu,
        after=change.after.mu,
        gain=change.gain,
        sigma_before=change.sigma,
        sigma_after=change.after.sigma,
        rivals=tuple(
            wire.Rival(
                name=names[line.rival],
                actual=line.actual,
                expected=millionths(line.expected),
                points=millionths(line.points),
            )
            for line in lines
        ),
    )
