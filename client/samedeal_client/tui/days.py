"""The deal of the day and the league of the week, from day to day and from week to week."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from samedeal_client.client import Hall
from samedeal_client.days import (
    board_lines,
    daily,
    league,
    league_lines,
    sheet_lines,
    spelt,
    take_place,
)
from samedeal_client.tui.aside import aside
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.program import Program
from samedeal_client.tui.reading import Reading
from samedeal_protocol.daily import Attempt, DailySheet, LeagueTable

__all__ = ["DayScreen", "LeagueScreen"]

_MOST = 100


class DayScreen(Reading):
    """One day: what its deal is, how far one is with it, and who did how."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._day: str | None = None
        self._today = ""
        self._sheet: DailySheet | None = None
        self._has_bots = False

    def on_mount(self) -> None:
        self.read(self._told)

    def on_screen_resume(self) -> None:
        self.read(self._told)

    async def _told(self, hall: Hall) -> Sequence[str]:
        sheet = await daily(hall, self._day, bots=self._has_bots, limit=_MOST)
        self._sheet = sheet
        if self._day is None:
            self._today = sheet.day
        return [*sheet_lines(sheet), "", *board_lines(sheet)]

    @property
    def _can_be_played(self) -> bool:
        sheet = self._sheet
        if sheet is None or sheet.closes_in_ms is None:
            return False
        return sheet.attempt is not Attempt.PLAYED

    def head(self) -> tuple[str, str]:
        day = "" if self._sheet is None else spelt(self._sheet.day)
        return "The deal of the day", day

    def deeds(self) -> list[Deed]:
        deeds: list[Deed] = []
        if self._can_be_played:
            meaning = "play it, on your own clock: one attempt each"
            deeds.append(Deed(("space", "f2"), "play it", self._play, meaning))
        if self._sheet is not None:
            deeds.append(Deed(("left", "f5"), "day before", lambda: self._go(-1)))
            if self._sheet.day < self._today:
                deeds.append(Deed(("right", "f6"), "day after", lambda: self._go(1)))
        who = "people" if self._has_bots else "bots"
        return [
            *deeds,
            Deed(("l", "f4"), "league", self._league, "the league of the week"),
            Deed(("b", "f7"), who, self._turn, f"the board of {who}"),
            Deed(("q", "f10", "escape"), "leave", self.leave, "back to the lobby", is_vital=True),
        ]

    def help_page(self) -> tuple[str, list[str]]:
        return "The deal of the day", [
            "Every day there is one deal for everybody, and one attempt each, on your own clock.",
            "How others did is hidden until you have played, or the day is over.",
            "Its places bring points for the league of the week.",
        ]

    def _go(self, days: int) -> None:
        if self._sheet is not None:
            self._day = _beside(self._sheet.day, days)
            self.read(self._told)

    def _turn(self) -> None:
        self._has_bots = not self._has_bots
        self.read(self._told)

    def _league(self) -> None:
        week = None if self._sheet is None else self._sheet.week
        self.app.push_screen(LeagueScreen(self.program, week))

    def _play(self) -> None:
        aside(self, self._take_place, "play", alone=True)

    async def _take_place(self) -> None:
        async def take() -> None:
            hall = self.program.hall
            if hall is not None:
                race = (await take_place(hall)).race
                if race is not None:
                    self.program.enter(race)

        await self.refusable(take)


class LeagueScreen(Reading):
    """One week: who has how many points, day by day."""

    def __init__(self, program: Program, week: str | None = None) -> None:
        super().__init__(program)
        self._week = week
        self._newest = ""
        self._table: LeagueTable | None = None
        self._has_bots = False

    def on_mount(self) -> None:
        self.read(self._told)

    async def _told(self, hall: Hall) -> Sequence[str]:
        self._newest = self._newest or (await league(hall, limit=1)).week
        self._table = await league(hall, self._week, bots=self._has_bots, limit=_MOST)
        return league_lines(self._table)

    def head(self) -> tuple[str, str]:
        return "The league", "" if self._table is None else self._table.week

    def deeds(self) -> list[Deed]:
        deeds: list[Deed] = []
        if self._table is not None:
            deeds.append(Deed(("left", "f5"), "week before", lambda: self._go(-1)))
            if self._table.week < self._newest:
                deeds.append(Deed(("right", "f6"), "week after", lambda: self._go(1)))
        who = "people" if self._has_bots else "bots"
        return [
            *deeds,
            Deed(("b", "f7"), who, self._turn, f"the league of {who}"),
            Deed(("q", "f10", "escape"), "leave", self.leave, "go back", is_vital=True),
        ]

    def help_page(self) -> tuple[str, list[str]]:
        return "The league", ["Places on the seven deals of a week bring points."]

    def _go(self, weeks: int) -> None:
        if self._table is not None:
            self._week = _week_beside(self._table.week, weeks)
            self.read(self._told)

    def _turn(self) -> None:
        self._has_bots = not self._has_bots
        self.read(self._told)


def _beside(day: str, days: int) -> str:
    """A day before or after another, both as they travel."""
    return (date.fromisoformat(spelt(day)) + timedelta(days)).strftime("%Y%m%d")


def _week_beside(week: str, weeks: int) -> str:
    """An ISO week before or after another."""
    monday = date.fromisocalendar(int(week[:4]), int(week[6:]), 1) + timedelta(weeks=weeks)
    year, number, _ = monday.isocalendar()
    return f"{year}-W{number:02}"
