"""The daily deal as this node serves it: its rooms, who is in them, its boards and leagues.

A day is nothing but its rooms, which are races like all others. They are opened when somebody asks
to play, by whichever node is asked; that their codes are known beforehand makes it once. The deal
is drawn by whoever opens the day's first room, so nobody and nothing knows it before.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from typing import Final, Protocol

from samedeal_protocol import daily as wire
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import Opened, parse_line
from samedeal_rules import GAMES, RULES_VERSION
from samedeal_server.daily.board import Attempt, attempts, by_player, read_back
from samedeal_server.daily.days import Day, Week
from samedeal_server.daily.rooms import Room, first_room, game_of, is_full, terms_of
from samedeal_server.daily.sheets import Page, Seen, league_table, sheet
from samedeal_server.ports import Clock, Log, LogConflict, Meter, Seeds
from samedeal_server.racing.race import Refused, open_race
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.onlooker import STRANGER
from samedeal_server.rooms.opening import store_opened
from samedeal_server.rooms.room import Room as RaceRoom
from samedeal_server.rooms.viewers import Who

__all__ = ["HOST", "KEPT_DAYS", "STREAK_DAYS", "Dailies", "House"]

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


class Dailies:
    """All days. Used from the event loop; every answer is to be sent when all is durable.

    Whatever reads or opens a room raises `LogUnavailable` when the store fails.
    """

    def __init__(self, house: House) -> None:
        self._house = house
        self._kept: OrderedDict[Day, Seen] = OrderedDict()
        self._openers: dict[Day, frozenset[str]] = {}
        """By day that is over, who opened the deal; for streaks."""

    # --- what is asked -------------------------------------------------------------------------

    async def sheet(self, asked: wire.Daily, who: Who) -> wire.DailySheet:
        """Answers for a day, and sees to a room if one is to be joined; raises `Refused`."""
        today = self._today()
        day = self._day(asked.day)
        room: Room | None = None
        if asked.join:
            if day != today:
                raise Refused(ErrorCode.NOT_OPEN, f"{day.spelt} is over: today is {today.spelt}")
            room = await self._room_for(day, who)
        seen = await self._look(day)
        streak = await self._streak(who.player, seen if day == today else await self._look(today))
        page = Page(bots=asked.bots, offset=asked.offset, limit=asked.limit)
        now = self._house.clock.now()
        return sheet(seen, who.player, page, now=now, room=room, streak=streak)

    async def league(self, asked: wire.League, who: Who) -> wire.LeagueTable:
        """Answers for a week; raises `Refused`."""
        page = Page(bots=asked.bots, offset=asked.offset, limit=asked.limit)
        return await self._league(asked.week, who.player, page)

    async def public_sheet(self, day: str | None, *, bots: bool = False) -> wire.DailySheet:
        """Returns what a stranger may know of a day, with the whole board of one that is over."""
        seen = await self._look(self._day(day))
        await self._house.settled(None)
        return sheet(seen, STRANGER.player, Page(bots=bots), now=self._house.clock.now())

    async def public_league(self, week: str | None, *, bots: bool = False) -> wire.LeagueTable:
        """Returns the whole league of a week."""
        return await self._league(week, STRANGER.player, Page(bots=bots))

    async def check(self, room: Room, who: Who) -> None:
        """Raises `Refused` unless this is the room of the player's only attempt of the day.

        To be asked before a player enters a room, and again before they open its deal.
        """
        before = (await self._look(room.day)).of(who.player)
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
        before = (await self._look(day)).of(who.player)
        if before is not None:
            return before.room
        room = Room(day, bots=who.bot)
        while is_full((await self._find(room) or await self.open(room)).race):
            room = room.next
        return room

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
        """Opens a room, and the day's first before it; returns it whoever was quicker.

        Raises:
            Refused: the server is about to restart.
            LogConflict: the store does not take it, and there is none.
        """
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
            await store_opened(opening, house.log, house.meter)
        except LogConflict as fault:
            conflict = fault
        # Whoever was first, the log says what the room is, and whose.
        found = await self._find(room)
        if found is None:
            raise conflict or AssertionError("a race that was stored is found")
        return found

    # --- days and weeks ------------------------------------------------------------------------

    def _today(self) -> Day:
        return Day.at(self._house.clock.now())

    def _day(self, text: str | None) -> Day:
        """Returns the day that is asked for; raises `Refused` if it is none, or has not come."""
        today = self._today()
        if text is None:
            return today
        with contextlib.suppress(ValueError):
            day = Day.read(text)
            if day > today:
                raise Refused(
                    ErrorCode.NOT_OPEN, f"{day.spelt} has not come: today is {today.spelt}"
                )
            return day
        raise Refused(ErrorCode.MALFORMED, f"the calendar has no day {text!r}: write 20261130")

    async def _look(self, day: Day) -> Seen:
        """Returns a day as it stands."""
        if day in self._kept:
            self._kept.move_to_end(day)
            return self._kept[day]
        now = self._house.clock.now()
        is_over = is_past = now >= day.closes_at
        opened: Opened | None = None
        everybody: list[Attempt] = []
        for bots in (False, True):
            room = Room(day, bots=bots)
            while True:
                ended = await self._ended(room) if is_past else None
                if ended is not None:
                    beginning, there = ended
                elif (found := await self._find(room)) is not None:
                    beginning, there = found.race.opened, attempts(room, found.race)
                    is_over = is_over and found.race.is_final
                else:
                    break
                opened = opened or beginning
                everybody += there
                room = room.next
        seen = Seen(day, opened, is_over, tuple(by_player(everybody).values()))
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

    def _keep(self, seen: Seen) -> None:
        self._kept[seen.day] = seen
        while len(self._kept) > KEPT_DAYS:
            self._kept.popitem(last=False)
        self._openers[seen.day] = seen.openers
        while len(self._openers) > STREAK_DAYS:
            del self._openers[min(self._openers)]

    async def _streak(self, player: str, today: Seen) -> int:
        """Returns on how many days in a row the player has opened the deal."""
        count = int(player in today.openers)
        day = today.day.before
        while count < STREAK_DAYS and player in await self._openers_of(day):
            count += 1
            day = day.before
        return count

    async def _openers_of(self, day: Day) -> frozenset[str]:
        openers = self._openers.get(day)
        if openers is None:
            openers = (await self._look(day)).openers
        return openers

    async def _league(self, text: str | None, player: str, page: Page) -> wire.LeagueTable:
        now = self._house.clock.now()
        week = Day.at(now).week if text is None else _read_week(text)
        days = [await self._look(day) if now >= day.closes_at else Seen(day) for day in week.days]
        await self._house.settled(None)
        return league_table(week, days, player, page)


def _read_week(text: str) -> Week:
    with contextlib.suppress(ValueError):
        return Week.read(text)
    raise Refused(ErrorCode.MALFORMED, f"the calendar has no week {text!r}: write 2026-W49")
