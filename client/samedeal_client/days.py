"""The daily deal and the weekly league: how a client asks, and how it tells what it hears.

sheet = await daily(hall, join=True)      today, and the race in which to play it
table = await league(hall)                this week's table
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Final

from samedeal_client.client import Hall
from samedeal_client.errors import Refused, expect
from samedeal_client.telling import aligned, clock, counted, state_text
from samedeal_protocol.daily import (
    Attempt,
    Daily,
    DailyLine,
    DailySheet,
    League,
    LeagueLine,
    LeagueTable,
)
from samedeal_protocol.errors import ErrorCode
from samedeal_rules import known, name_of

__all__ = [
    "board_lines",
    "daily",
    "day_text",
    "league",
    "league_lines",
    "sheet_lines",
    "spelt",
    "take_place",
]

_TRIES: Final = 5
"""How often a room is asked for that others fill at this very moment."""
_WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


async def daily(
    hall: Hall,
    day: str | None = None,
    *,
    join: bool = False,
    bots: bool = False,
    offset: int = 0,
    limit: int = 20,
) -> DailySheet:
    """Returns a day (`20261130`, or today), as far as the player may know of it.

    With `join` its `race` is the one to join and begin for today's attempt. Raises `Refused`.
    """
    reply = await hall.ask(
        lambda id: Daily(id=id, day=day, join=join, bots=bots, offset=offset, limit=limit)
    )
    return expect(DailySheet, reply)


async def league(
    hall: Hall, week: str | None = None, *, bots: bool = False, offset: int = 0, limit: int = 20
) -> LeagueTable:
    """Returns the league of a week (`2026-W49`, or this week). Raises `Refused`."""
    reply = await hall.ask(
        lambda id: League(id=id, week=week, bots=bots, offset=offset, limit=limit)
    )
    return expect(LeagueTable, reply)


async def take_place(hall: Hall, day: str | None = None) -> DailySheet:
    """Takes a place in the deal of the day; in `race` of what is returned, unless it was played.

    Others may fill a room while it is being entered: then another is asked for. Raises `Refused`.
    """
    for tries_left in range(_TRIES - 1, -1, -1):
        sheet = await daily(hall, day, join=True)
        if sheet.race is None or sheet.attempt is Attempt.PLAYED:
            return sheet
        try:
            async with hall.join(sheet.race):
                return sheet
        except Refused as refusal:
            if refusal.code != ErrorCode.RACE_FULL.code or not tries_left:
                raise
    raise AssertionError("the last try returns or raises")


def day_text(text: str, *, now: float) -> str:
    """Returns a day as it travels, from what a person types: today, yesterday, 2026-11-30.

    `now` is seconds of UTC since 1970. Raises `ValueError` with a sentence that says what to type.
    """
    today = datetime.fromtimestamp(now, UTC).date()
    match text.strip().lower():
        case "today":
            day = today
        case "yesterday":
            day = date.fromordinal(today.toordinal() - 1)
        case typed:
            try:
                day = date.fromisoformat(typed)
            except ValueError:
                raise ValueError(
                    f"{text[:40]!r} is no day: write 2026-11-30, today or yesterday"
                ) from None
    return day.strftime("%Y%m%d")


def sheet_lines(sheet: DailySheet) -> list[str]:
    """Returns what there is to know of a day, but for the board."""
    day = spelt(sheet.day)
    lines = [f"The deal of {day}: {name_of(sheet.game)}. It counts for the league of {sheet.week}."]
    played = f"{counted(sheet.played, 'bot' if sheet.bots else 'player')} played it"
    if sheet.is_over:
        lines.append(f"It is over: {played}.")
    elif sheet.closes_in_ms is None:
        lines.append(f"It is over, and being counted: {played}.")
    else:
        lines.append(f"Until now {played}. It can be played for {_left(sheet.closes_in_ms)} more.")
    match sheet.attempt:
        case Attempt.PLAYED if sheet.own is not None:
            lines.append(f"You: {_place(sheet.own)}.")
        case Attempt.PLAYED:
            lines.append("You have played it.")
        case Attempt.PLAYING:
            lines.append("You are playing it, and your clock runs.")
        case Attempt.ENTERED:
            lines.append("You are in, and have not opened the deal yet.")
        case Attempt.NONE if sheet.closes_in_ms is not None:
            lines.append("You have not played it yet.")
        case Attempt.NONE:
            lines.append("You did not play it.")
    if sheet.streak:
        lines.append(f"Your streak: {counted(sheet.streak, 'day')} in a row.")
    return lines


def board_lines(sheet: DailySheet) -> list[str]:
    """Returns a day's board as a table, or why there is none."""
    if sheet.is_hidden:
        return ["How the others did is hidden until you have played, or the day is over."]
    if not sheet.lines:
        who = "bot" if sheet.bots else "player"
        if sheet.closes_in_ms is None:
            return [f"No {who} played it."]
        return [f"No {who} has played it yet."]
    game = known(sheet.game)
    goal = None if game is None else game.goal
    rows: list[tuple[str, ...]] = [("place", "name", "time", "home", "moves", "")]
    rows += [_row(line, goal) for line in sheet.lines]
    if sheet.own is not None and sheet.own.place > sheet.lines[-1].place:
        rows.append(_row(sheet.own, goal))
    return aligned(rows)


def league_lines(table: LeagueTable) -> list[str]:
    """Returns a week's league as a table."""
    over = sum(day.is_over for day in table.days)
    state = "It is over." if table.is_over else f"{over} of 7 days are over."
    lines = [f"The league of {table.week}. {state}"]
    if not table.lines:
        if table.is_over:
            return [*lines, "Nobody has points: none of its deals was played."]
        return [*lines, "Nobody has points yet: they come when a day is over."]
    rows: list[tuple[str, ...]] = [("place", "name", "points", *_WEEKDAYS)]
    rows += [_points_row(line) for line in table.lines]
    if table.own is not None and table.own.place > table.lines[-1].place:
        rows.append(_points_row(table.own))
    return [*lines, *aligned(rows)]


def _row(line: DailyLine, goal: int | None) -> tuple[str, ...]:
    home = str(line.home) if goal is None else f"{line.home}/{goal}"
    state = "" if line.elapsed_ms is not None else state_text(line.state)
    return (str(line.place), line.name, clock(line.elapsed_ms), home, str(line.moves), state)


def _points_row(line: LeagueLine) -> tuple[str, ...]:
    days = ["-" if each is None else _points(each) for each in line.days]
    return (str(line.place), line.name, _points(line.points), *days)


def _points(points: float) -> str:
    """`25`, `22.5`, `20.33`."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def _place(own: DailyLine) -> str:
    done = clock(own.elapsed_ms) if own.elapsed_ms is not None else state_text(own.state)
    return f"place {own.place}, {done}"


def spelt(day: str) -> str:
    """Returns a day as people write it, `2026-11-30`, from how it travels, `20261130`."""
    return f"{day[:4]}-{day[4:6]}-{day[6:]}"


def _left(ms: int) -> str:
    hours, minutes = divmod(ms // 60_000, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
