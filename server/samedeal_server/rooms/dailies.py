"""The daily deal as this node serves it: its rooms, who is in them, its boards and leagues.

A day is nothing but its rooms, which are races like all others. They are opened when somebody asks
to play, by whichever node is asked; that their codes are known beforehand makes it once. The deal
is drawn by whoever opens the day's first room, so nobody and nothing knows it before.

Law: who has not played a day that is not over is told how many have, and nothing of how they did.
"""

from __future__ import annotations

import contextlib
import sys
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, Protocol, TypeVar

from samedeal_protocol import daily as wire
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import EntrantState, Opened, parse_line, to_line
from samedeal_rules import GAMES, RULES_VERSION
from samedeal_server.daily import league
from samedeal_server.daily.board import Attempt, Line, attempts, by_player, ranked, read_back
from samedeal_server.daily.days import Day, Week
from samedeal_server.daily.rooms import Room, first_room, game_of, is_full, terms_of
from samedeal_server.ports import Clock, Entry, Log, LogConflict, Meter, Seeds
from samedeal_server.racing.race import Refused, open_race
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.onlooker import STRANGER
from samedeal_server.rooms.room import Room as RaceRoom
from samedeal_server.rooms.viewers import Who

__all__ = ["HOST", "STREAK_DAYS", "Dailies", "House"]

_T = TypeVar("_T")

HOST: Final = Who("daily", "samedeal", bot=True)
"""The host of all rooms; no player has this id."""
KEPT_DAYS: Final = 16
"""Days that are over and whose boards stay in memory: two weeks' leagues, and some more."""
STREAK_DAYS: Final = 366
"""How far back a streak is counted."""
SETTLED_MS: Final = 60_000
"""So long after a day's end no node thinks it still goes on: what is read then stays so."""


class House(Protocol):
    """What the daily deal needs of the hall around it."""

    is_draining: bool

    @property
    def log(self) -> Log: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def seeds(self) -> Seeds: ...

    @property
    def meter(self) -> Meter: ...

    async def find(self, code: str) -> RaceRoom:
        """Returns the race's room; raises `Refused` for no such race."""
        ...

    async def catch_up(self, room: Follower) -> None:
        """Lets the room hear all that the log has of its race."""
        ...

    async def settled(self, race: str | None) -> None:
        """Returns when everything that has happened is durable."""
        ...


@dataclass(frozen=True)
class _Day:
    """A day as it stands."""

    day: Day
    opened: Opened | None
    """The beginning of its first room; None if nobody has asked to play."""
    is_over: bool
    attempts: dict[str, Attempt]
    """Of each player the one that counts."""

    @property
    def game(self) -> str:
        if self.opened is not None:
            return self.opened.terms.game
        return game_of(self.day, (game.key for game in GAMES))

    def board(self, *, bots: bool) -> tuple[Line, ...]:
        return self._bots if bots else self._people

    @cached_property
    def _people(self) -> tuple[Line, ...]:
        return ranked(self.attempts.values(), bots=False)

    @cached_property
    def _bots(self) -> tuple[Line, ...]:
        return ranked(self.attempts.values(), bots=True)


class Dailies:
    """All days. Used from the event loop; every answer is to be sent when all is durable."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._kept: OrderedDict[Day, _Day] = OrderedDict()
        self._openers: dict[Day, frozenset[str]] = {}
        """By day that is over, who opened the deal; for streaks."""

    # --- what is asked -------------------------------------------------------------------------

    async def sheet(self, asked: wire.Daily, who: Who) -> wire.DailySheet:
        """Answers for a day; raises `Refused`, and `LogUnavailable`."""
        today = Day.at(self._house.clock.now())
        day = today if asked.day is None else _read_day(asked.day)
        if day > today:
            raise Refused(ErrorCode.NOT_OPEN, f"{day} has not come: today is {today}")
        room: Room | None = None
        if asked.join:
            if day != today:
                raise Refused(ErrorCode.NOT_OPEN, f"{day} is over: today is {today}")
            room = await self._room_for(day, who)
        found = await self._look(day)
        streak = await self._streak(who.player, today)
        return self._sheet(
            found,
            who,
            bots=asked.bots,
            offset=asked.offset,
            limit=asked.limit,
            room=room,
            streak=streak,
        )

    async def league(self, asked: wire.League, who: Who) -> wire.LeagueTable:
        """Answers for a week; raises `Refused`, and `LogUnavailable`."""
        return await self._league(
            asked.week, who, bots=asked.bots, offset=asked.offset, limit=asked.limit
        )

    async def public_sheet(self, day: str | None, *, bots: bool = False) -> wire.DailySheet:
        """Returns what a stranger may know of a day, with the whole board of one that is over."""
        today = Day.at(self._house.clock.now())
        chosen = today if day is None else _read_day(day)
        if chosen > today:
            raise Refused(ErrorCode.NOT_OPEN, f"{chosen} has not come: today is {today}")
        found = await self._look(chosen)
        await self._house.settled(None)
        return self._sheet(found, STRANGER, bots=bots, offset=0, limit=None)

    async def public_league(self, week: str | None, *, bots: bool = False) -> wire.LeagueTable:
        """Returns the whole league of a week, of the days that are over."""
        return await self._league(week, STRANGER, bots=bots, offset=0, limit=None)

    async def check(self, room: Room, who: Who) -> None:
        """Raises `Refused` unless this is the room of the player's only attempt of the day.

        To be asked before a player enters a room, and again before they open its deal.
        """
        found = await self._look(room.day)
        before = found.attempts.get(who.player)
        if before is not None and before.room != room:
            raise Refused(
                ErrorCode.ALREADY_ENTERED,
                f"your attempt of this day is in {before.room.code}, and there is one a day",
            )
        if before is None and room.bots and not who.bot:
            raise Refused(
                ErrorCode.NOT_INVITED,
                "this room is for bots: ask for today's deal and you are told yours",
            )

    # --- rooms ---------------------------------------------------------------------------------

    async def _room_for(self, day: Day, who: Who) -> Room:
        """Returns the player's room, or the first with a place, which is opened if need be."""
        before = (await self._look(day)).attempts.get(who.player)
        if before is not None:
            return before.room
        room = Room(day, bots=who.bot)
        while True:
            found = await self._find(room)
            if found is None:
                found = await self.open(room)
            if not is_full(found.race):
                return room
            room = room.next

    async def _find(self, room: Room) -> RaceRoom | None:
        """Returns a room as the log has it by now; None if it is not open."""
        try:
            found = await self._house.find(room.code)
        except Refused as refused:
            if refused.code is ErrorCode.NO_SUCH_RACE:
                return None
            raise
        if isinstance(found, Follower):
            await self._house.catch_up(found)
        return found

    async def open(self, room: Room) -> RaceRoom:
        """Opens a room, unless another node is quicker; raises as `Log.open_race` does."""
        house = self._house
        if house.is_draining:
            raise Refused(ErrorCode.DRAINING, "the server is about to restart: try again soon")
        first = first_room(room.day)
        if room == first:
            game = game_of(room.day, (game.key for game in GAMES))
            seed, salt = house.seeds.seed(), house.seeds.salt()
        else:
            opened = (await self._find(first) or await self.open(first)).race.opened
            game, seed, salt = opened.terms.game, opened.seed, opened.salt
        opening = open_race(
            race=room.code,
            terms=terms_of(room, game),
            seed=seed,
            salt=salt,
            host=HOST.player,
            host_name=HOST.name,
            seeded=False,
            rules=RULES_VERSION,
            now=room.day.opens_at,
        )
        conflict: LogConflict | None = None
        try:
            await house.log.open_race(
                Entry(room.code, 1, to_line(opening)),
                opened_at=opening.at,
                is_listed=False,
                phrase_hash=None,
            )
            house.meter.count("races_opened")
        except LogConflict as fault:
            conflict = fault
        # Whoever was first, the log says what the room is, and whose.
        found = await self._find(room)
        if found is None:
            raise conflict or AssertionError("a race that was stored is found")
        return found

    # --- days ----------------------------------------------------------------------------------

    async def _look(self, day: Day) -> _Day:
        """Returns a day as it stands."""
        if day in self._kept:
            self._kept.move_to_end(day)
            return self._kept[day]
        now = self._house.clock.now()
        is_past = now >= day.closes_at
        is_over = is_past
        opened: Opened | None = None
        everybody: list[Attempt] = []
        for bots in (False, True):
            room = Room(day, bots=bots)
            while True:
                ended = await self._ended(room) if is_past else None
                if ended is not None:
                    first, there = ended
                elif (found := await self._find(room)) is not None:
                    first, there = found.race.opened, attempts(room, found.race)
                    is_over = is_over and found.race.is_final
                else:
                    break
                opened = opened or first
                everybody += there
                room = room.next
        seen = _Day(day, opened, is_over, by_player(everybody))
        if is_over and now >= day.closes_at + SETTLED_MS:
            self._keep(seen)
        return seen

    async def _ended(self, room: Room) -> tuple[Opened, tuple[Attempt, ...]] | None:
        """Returns a room that is over as the log has it; None if it is not, or not there."""
        row = await self._house.log.race(room.code)
        if row is None or not row.is_over:
            return None
        lines = await self._house.log.read(room.code)
        opened = parse_line(lines[0])
        if not isinstance(opened, Opened):
            raise AssertionError("a log begins with its race's opening")
        return opened, read_back(room, lines)

    def _keep(self, seen: _Day) -> None:
        self._kept[seen.day] = seen
        while len(self._kept) > KEPT_DAYS:
            self._kept.popitem(last=False)
        self._openers[seen.day] = _openers(seen)

    async def _streak(self, player: str, today: Day) -> int:
        """Returns on how many days in a row the player has opened the deal."""
        if not player:
            return 0
        count = int(player in _openers(await self._look(today)))
        day = today.before
        while count < STREAK_DAYS:
            openers = self._openers.get(day)
            if openers is None:
                openers = _openers(await self._look(day))
            if player not in openers:
                break
            count += 1
            day = day.before
        for old in [each for each in self._openers if each.number < today.number - STREAK_DAYS]:
            del self._openers[old]
        return count

    # --- in messages ---------------------------------------------------------------------------

    def _sheet(
        self,
        found: _Day,
        who: Who,
        *,
        bots: bool,
        offset: int,
        limit: int | None,
        room: Room | None = None,
        streak: int = 0,
    ) -> wire.DailySheet:
        own = found.attempts.get(who.player)
        may_see = found.is_over or (own is not None and own.is_done)
        left = found.day.closes_at - self._house.clock.now()
        board = found.board(bots=bots)
        lines = _page(board, offset, limit) if may_see else ()
        place = None
        if own is not None:
            room = own.room
            if may_see:
                its = found.board(bots=own.bot)
                place = next((each for each in its if each.attempt is own), None)
        opened = found.opened
        return wire.DailySheet(
            day=str(found.day),
            week=str(found.day.week),
            game=found.game,
            is_over=found.is_over,
            closes_in_ms=left if left > 0 else None,
            commitment=None if opened is None else opened.commitment,
            attempt=_progress(own),
            race=None if room is None else room.code,
            streak=streak,
            played=len(board),
            is_hidden=not may_see,
            own=None if place is None else _line(place),
            bots=bots,
            offset=offset,
            lines=tuple([_line(each) for each in lines]),
            seed=opened.seed if opened is not None and found.is_over else None,
            salt=opened.salt if opened is not None and found.is_over else None,
        )

    async def _league(
        self, week: str | None, who: Who, *, bots: bool, offset: int, limit: int | None
    ) -> wire.LeagueTable:
        now = self._house.clock.now()
        chosen = Day.at(now).week if week is None else _read_week(week)
        days: list[wire.LeagueDay] = []
        boards: list[tuple[Line, ...] | None] = []
        for day in chosen.days:
            seen = await self._look(day) if now >= day.closes_at else None
            if seen is None or not seen.is_over:
                game = game_of(day, (game.key for game in GAMES)) if seen is None else seen.game
                days.append(wire.LeagueDay(day=str(day), game=game))
                boards.append(None)
                continue
            board = seen.board(bots=bots)
            days.append(
                wire.LeagueDay(day=str(day), game=seen.game, is_over=True, played=len(board))
            )
            boards.append(board)
        lines = league.table(boards)
        own = next((line for line in lines if line.player == who.player), None)
        return wire.LeagueTable(
            week=str(chosen),
            days=tuple(days),
            is_over=all(board is not None for board in boards),
            bots=bots,
            total=len(lines),
            offset=offset,
            own=None if own is None else _league_line(own),
            lines=tuple([_league_line(line) for line in _page(lines, offset, limit)]),
        )


def _read_day(text: str) -> Day:
    with contextlib.suppress(ValueError):
        return Day.read(text)
    raise Refused(ErrorCode.MALFORMED, f"the calendar has no day {text!r}: write it as 20261130")


def _read_week(text: str) -> Week:
    with contextlib.suppress(ValueError):
        return Week.read(text)
    raise Refused(ErrorCode.MALFORMED, f"the calendar has no week {text!r}: write it as 2026-W49")


def _page(lines: Sequence[_T], offset: int, limit: int | None) -> Sequence[_T]:
    return lines[offset : None if limit is None else offset + limit]


def _openers(seen: _Day) -> frozenset[str]:
    return frozenset(
        sys.intern(player)
        for player, attempt in seen.attempts.items()
        if attempt.began_at is not None
    )


def _progress(own: Attempt | None) -> wire.Attempt:
    if own is None:
        return wire.Attempt.NONE
    if own.is_done:
        return wire.Attempt.PLAYED
    return wire.Attempt.PLAYING if own.state is EntrantState.RACING else wire.Attempt.ENTERED


def _line(line: Line) -> wire.DailyLine:
    attempt = line.attempt
    return wire.DailyLine(
        place=line.place,
        name=attempt.name,
        state=attempt.state.value,
        elapsed_ms=attempt.elapsed_ms,
        home=attempt.home,
        moves=attempt.moves,
        race=attempt.room.code,
    )


def _league_line(line: league.LeagueLine) -> wire.LeagueLine:
    return wire.LeagueLine(
        place=line.place,
        name=line.name,
        points=_number(line.points),
        days=tuple([None if each is None else _number(each) for each in line.days]),
    )


def _number(points: Fraction) -> float:
    """Returns points to the hundredth, as they travel."""
    return round(float(points), 2)
