"""The instants at which a schedule recurs, by the clocks of its zone.

Nothing here reads a clock. What the clocks of zones show is data, of the system or else of the
package `tzdata`; it changes when a parliament changes it. So an instant that was announced is
recorded, and only those after it are reckoned anew.

Two times that fall together are one: where a whole day is left out, what should be on it falls on
the next (Apia had no 30 December 2011).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from samedeal_protocol.tournament.schedule import (
    YEARS,
    BadSchedule,
    Every,
    Nth,
    Schedule,
    Weekday,
)

__all__ = ["fault", "next_after", "occurrences", "zone_named"]

_FIRST: Final = date(YEARS[0], 1, 1)
_LAST: Final = date(YEARS[-1], 12, 31)
_WEEKDAYS: Final = tuple(Weekday)
_NTH: Final = (Nth.FIRST, Nth.SECOND, Nth.THIRD, Nth.FOURTH)

_NO_ZONES: Final = frozenset({"Factory", "localtime", "posix", "posixrules", "right"})
"""What lies beside the zones in the system's data: the machine's own, those with leap seconds."""

_MARGIN: Final = timedelta(days=2)
"""More than zones differ from UTC, and more than clocks were ever put forward."""


def next_after(schedule: Schedule, instant: int) -> int | None:
    """Returns the first time after an instant, both in milliseconds of UTC; None after the last.

    Raises `BadSchedule` when there is no such zone.
    """
    return next(occurrences(schedule, after=instant), None)


def occurrences(schedule: Schedule, *, after: int) -> Iterator[int]:
    """Yields all times after an instant, in order, in milliseconds of UTC.

    Raises `BadSchedule` when there is no such zone.
    """
    return _occurrences(schedule, zone_named(schedule.zone), after)


def fault(schedule: Schedule, *, after: int) -> str | None:
    """Says why the schedule is of no use after an instant, or None: no such zone, or nothing left.

    `after` is milliseconds of UTC.
    """
    try:
        following = next_after(schedule, after)
    except BadSchedule as wrong:
        return str(wrong)
    if following is None:
        return "the schedule has nothing left: give a later `until` or a higher `count`"
    return None


def zone_named(name: str) -> ZoneInfo:
    """Returns the time zone; raises `BadSchedule`, naming the nearest, when there is none."""
    if name.split("/")[0] not in _NO_ZONES:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
    raise BadSchedule(f"there is no time zone {name!r}; {_advice(name)}")


def _advice(name: str) -> str:
    """Says what was meant: the zone with that spelling, or that city, or else what zones are."""
    known = {each.lower(): each for each in available_timezones() - _NO_ZONES}
    cities = {each.rpartition("/")[2]: each for each in sorted(known) if "/" in each}
    asked = name.lower().replace(" ", "_")
    for spellings in (known, {city: known[each] for city, each in cities.items()}):
        near = difflib.get_close_matches(asked, spellings, n=1, cutoff=0.8)
        if near:
            return f"did you mean {spellings[near[0]]}?"
    return "give the IANA name of a zone, such as Europe/Berlin or America/New_York"


def _occurrences(schedule: Schedule, zone: ZoneInfo, after: int) -> Iterator[int]:
    hour, minute = map(int, schedule.at.split(":"))
    # What is counted is counted from the beginning.
    begin = _FIRST if schedule.count is not None else _day_before(after)
    last: int | None = None
    told = 0
    for day in _days(schedule, begin):
        # Of two instants with that time, or of none, this is the one that the schedule promises:
        # fold is 0 (PEP 495).
        local = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
        instant = int(local.timestamp()) * 1000
        if last is not None and instant <= last:
            continue
        last = instant
        told += 1
        if schedule.count is not None and told > schedule.count:
            return
        if instant > after:
            yield instant


def _day_before(instant: int) -> date:
    """A day that has surely passed at that instant, whatever the zone; within bounds."""
    seconds = min(max(instant // 1000, _utc(_FIRST)), _utc(_LAST + timedelta(days=2)))
    return datetime.fromtimestamp(seconds, UTC).date() - _MARGIN


def _utc(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def _days(schedule: Schedule, begin: date) -> Iterator[date]:
    """The schedule's days from `begin` on, in order."""
    since = _FIRST if schedule.since is None else date.fromisoformat(schedule.since)
    until = _LAST if schedule.until is None else date.fromisoformat(schedule.until)
    begin = max(begin, since)
    for day in _unbounded(schedule, since, begin):
        if day > until:
            return
        if day >= begin:
            yield day


def _unbounded(schedule: Schedule, since: date, begin: date) -> Iterator[date]:
    """The days of each day, week or month that counts, from that of `begin` on, up to the bound.

    Which ones count goes by how many lie between them and that of `since`.
    """
    step = schedule.interval
    match schedule.every:
        case Every.DAY:
            for number in _steps(since.toordinal(), begin.toordinal(), step):
                if number > _LAST.toordinal():
                    return
                yield date.fromordinal(number)
        case Every.WEEK:
            wanted = sorted(map(_WEEKDAYS.index, schedule.weekdays))
            for monday in _steps(_monday(since), _monday(begin), 7 * step):
                if monday > _LAST.toordinal():
                    return
                yield from (date.fromordinal(monday + weekday) for weekday in wanted)
        case Every.MONTH:
            for number in _steps(_month(since), _month(begin), step):
                if number > _month(_LAST):
                    return
                yield from _days_of_month(schedule, *divmod(number, 12))


def _steps(zero: int, begin: int, step: int) -> Iterator[int]:
    """Every `step`-th number counted from `zero`, from `begin` on."""
    number = zero + -(-(begin - zero) // step) * step
    while True:
        yield number
        number += step


def _monday(day: date) -> int:
    return day.toordinal() - day.weekday()


def _month(day: date) -> int:
    return day.year * 12 + day.month - 1


def _days_of_month(schedule: Schedule, year: int, month_from_zero: int) -> list[date]:
    first = date(year, month_from_zero + 1, 1)
    length = ((first + timedelta(days=31)).replace(day=1) - first).days
    if schedule.nth is not None:
        firsts = [(_WEEKDAYS.index(each) - first.weekday()) % 7 + 1 for each in schedule.weekdays]
        numbers = sorted(_nth(schedule.nth, of=each, length=length) for each in firsts)
    elif schedule.last_day:
        numbers = [length]
    else:
        numbers = [day for day in (schedule.day,) if day is not None and day <= length]
    return [first.replace(day=number) for number in numbers]


def _nth(nth: Nth, *, of: int, length: int) -> int:
    """The day of the month, when its first such weekday is on day `of`."""
    return of + (7 * ((length - of) // 7) if nth is Nth.LAST else 7 * _NTH.index(nth))
