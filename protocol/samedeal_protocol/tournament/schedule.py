"""When a tournament recurs: a time of day on certain days, by the clocks of one time zone.

Days are those of the zone's own calendar, so that an evening stays an evening when clocks change. A
time that clocks leave out is as much later as they jump: where 02:00 becomes 03:00, 02:30 is 03:30.
A time that comes twice is the first of the two. That is what RFC 5545 says (section 3.3.5).

A schedule that contradicts itself cannot be made: it raises BadSchedule. Which zones there are, the
server knows (`samedeal_server.tourneys.calendar`).
"""

from __future__ import annotations

import re
from calendar import monthrange
from enum import Enum
from typing import Annotated, Final

from msgspec import Meta, Struct

from samedeal_protocol.bases import whole

__all__ = ["YEARS", "BadSchedule", "Every", "Nth", "Schedule", "Weekday", "aloud"]

YEARS: Final = range(2000, 2200)
"""The years in which anything recurs."""

_LONGEST: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class BadSchedule(ValueError):
    """The schedule cannot be kept; the sentence says why and what to do."""


class Every(Enum):
    """What recurs."""

    DAY = "day"
    WEEK = "week"
    """Weeks begin on Monday."""
    MONTH = "month"


_MOST: Final = {Every.DAY: 366, Every.WEEK: 52, Every.MONTH: 12}


class Weekday(Enum):
    """A day of the week."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


class Nth(Enum):
    """Which of a month's Mondays, Tuesdays, ..."""

    FIRST = "first"
    SECOND = "second"
    THIRD = "third"
    FOURTH = "fourth"
    LAST = "last"


_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = "([01][0-9]|2[0-3]):[0-5][0-9]"

Day = Annotated[str, whole(_DAY)]


class Schedule(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """When something recurs.

    Every day; or every week on `weekdays`; or every month on `day`, on its last day, or on the
    `nth` of each of `weekdays`.
    """

    zone: Annotated[str, Meta(min_length=1, max_length=64)]
    """The IANA name of the time zone, such as Europe/Berlin."""
    every: Every
    at: Annotated[str, whole(_TIME)]
    """The time by the zone's clocks, such as 19:30."""
    interval: Annotated[int, Meta(ge=1, le=366)] = 1
    """2 for every other day, week or month, and so on, counted from the one that `since` is in."""
    weekdays: tuple[Weekday, ...] = ()
    nth: Nth | None = None
    day: Annotated[int, Meta(ge=1, le=31)] | None = None
    """The day of the month. Months that are too short for it are passed over."""
    last_day: bool = False
    """The last day of the month, however long that is."""
    since: Day | None = None
    """The first day on which it may be, such as 2027-03-28."""
    until: Day | None = None
    """The last day on which it may be."""
    count: Annotated[int, Meta(ge=1, le=1000)] | None = None
    """How many times there are, counted from `since`."""

    def __post_init__(self) -> None:
        _check_shape(self)
        match self.every:
            case Every.DAY:
                _check_day(self)
            case Every.WEEK:
                _check_week(self)
            case Every.MONTH:
                _check_month(self)


def aloud(schedule: Schedule) -> str:
    """Returns the schedule as people say it, with its zone.

    Such as `every 2 weeks on Tuesday and Friday at 19:30 (Europe/Berlin), 10 times from 2027-03-02`
    """
    every, several = schedule.every.value, schedule.interval
    days = _listed([each.value.capitalize() for each in Weekday if each in schedule.weekdays])
    parts = [f"every {every}" if several == 1 else f"every {several} {every}s"]
    if schedule.nth is not None:
        parts.append(f"on the {schedule.nth.value} {days}")
    elif days:
        parts.append(f"on {days}")
    elif schedule.day is not None:
        parts.append(f"on day {schedule.day}")
    elif schedule.last_day:
        parts.append("on the last day")
    said = f"{' '.join(parts)} at {schedule.at} ({schedule.zone})"
    bounds: list[str] = []
    if schedule.count is not None:
        bounds.append("once" if schedule.count == 1 else f"{schedule.count} times")
    if schedule.since is not None:
        bounds.append(f"from {schedule.since}")
    if schedule.until is not None:
        bounds.append(f"until {schedule.until}")
    return f"{said}, {' '.join(bounds)}" if bounds else said


def _check_shape(it: Schedule) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*", it.zone):
        raise BadSchedule(
            f"{it.zone!r} is no time zone: "
            "give its IANA name, such as Europe/Berlin or America/New_York"
        )
    if not re.fullmatch(_TIME, it.at):
        raise BadSchedule(f"{it.at!r} is no time: give hour and minute, 00:00 to 23:59")
    if not 1 <= it.interval <= _MOST[it.every]:
        raise BadSchedule(f"`interval` is 1 to {_MOST[it.every]} {it.every.value}s")
    for name, day in (("since", it.since), ("until", it.until)):
        if day is not None and not _is_day(day):
            raise BadSchedule(
                f"`{name}` {day!r} is no day from {YEARS[0]} to {YEARS[-1]}: "
                "give year, month and day, such as 2027-03-28"
            )
    if it.since is not None and it.until is not None and it.until < it.since:
        raise BadSchedule(f"`until` {it.until} is before `since` {it.since}")
    if it.since is None and it.interval > 1:
        raise BadSchedule(f"say from which {it.every.value} `interval` counts: give `since`")
    if it.since is None and it.count is not None:
        raise BadSchedule("say from which day `count` counts: give `since`")
    if it.count is not None and not 1 <= it.count <= 1000:
        raise BadSchedule("`count` is 1 to 1000")
    if len(set(it.weekdays)) != len(it.weekdays):
        raise BadSchedule("a weekday is named twice")


def _check_day(it: Schedule) -> None:
    if it.weekdays or it.nth is not None or it.day is not None or it.last_day:
        raise BadSchedule(
            "every day is every day: leave out `weekdays`, `nth`, `day` and `last_day`, "
            "or say `every: week` or `every: month`"
        )


def _check_week(it: Schedule) -> None:
    if it.nth is not None or it.day is not None or it.last_day:
        raise BadSchedule("`nth`, `day` and `last_day` are of a month: say `every: month`")
    if not it.weekdays:
        raise BadSchedule("say on which days of the week: give `weekdays`, such as [saturday]")


def _check_month(it: Schedule) -> None:
    if (it.nth is None) == bool(it.weekdays):
        raise BadSchedule("`nth` and `weekdays` go together: the first saturday, the last friday")
    if sum((it.nth is not None, it.day is not None, it.last_day)) != 1:
        raise BadSchedule("say on which day of the month: one of `day`, `last_day`, or `nth`")
    if it.day is None:
        return
    if not 1 <= it.day <= 31:
        raise BadSchedule("`day` is 1 to 31; for the last of every month say `last_day: true`")
    first = 0 if it.since is None else int(it.since[5:7]) - 1
    months = {(first + it.interval * nth) % 12 for nth in range(12)}
    if all(_LONGEST[month] < it.day for month in months):
        raise BadSchedule(
            f"none of these months has a day {it.day}: for the last one say `last_day: true`"
        )


def _is_day(text: str) -> bool:
    if not re.fullmatch(_DAY, text):
        return False
    year, month, day = map(int, text.split("-"))
    return year in YEARS and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
