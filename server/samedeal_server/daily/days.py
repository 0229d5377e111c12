"""Days of UTC and the weeks of ISO 8601, which begin on Monday.

A day is from 0:00 to 24:00 UTC whatever clocks do elsewhere. Instants are milliseconds of UTC.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

__all__ = ["DAY_MS", "Day", "Week"]

DAY_MS: Final = 86_400_000
_EPOCH: Final = date(1970, 1, 1).toordinal()
_DAY: Final = re.compile(r"(\d{4})(\d{2})(\d{2})", re.ASCII)
_WEEK: Final = re.compile(r"(\d{4})-W(\d{2})", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class Day:
    """A day; `number` is 0 for 1 January 1970, a Thursday."""

    number: int

    @classmethod
    def at(cls, instant: int) -> Day:
        """Returns the day of an instant."""
        return cls(instant // DAY_MS)

    @classmethod
    def read(cls, text: str) -> Day:
        """Returns the day that is written `20261130`; raises `ValueError` for what is no day."""
        found = _DAY.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no day: write it as 20261130")
        try:
            return cls(date(*map(int, found.groups())).toordinal() - _EPOCH)
        except ValueError:
            raise ValueError(f"the calendar has no day {text}") from None

    def __str__(self) -> str:
        return self._date.strftime("%Y%m%d").rjust(8, "0")

    @property
    def spelt(self) -> str:
        """As people write it: `2026-11-30`."""
        return self._date.isoformat()

    @property
    def opens_at(self) -> int:
        """Its first instant."""
        return self.number * DAY_MS

    @property
    def closes_at(self) -> int:
        """The first instant after it."""
        return self.opens_at + DAY_MS

    @property
    def week(self) -> Week:
        """The week that it is a day of."""
        return Week(self.number - self._date.weekday())

    @property
    def before(self) -> Day:
        """The day before."""
        return Day(self.number - 1)

    @property
    def _date(self) -> date:
        return date.fromordinal(self.number + _EPOCH)


@dataclass(frozen=True, slots=True, order=True)
class Week:
    """A week, by the number of its Monday."""

    monday: int

    @classmethod
    def read(cls, text: str) -> Week:
        """Returns the week that is written `2026-W49`; raises `ValueError` for what is none."""
        found = _WEEK.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no week: write it as 2026-W49")
        year, week = map(int, found.groups())
        try:
            # The last day that there is lies within a week.
            return cls(date.fromisocalendar(year, week, 7).toordinal() - 6 - _EPOCH)
        except (ValueError, OverflowError):
            raise ValueError(f"the calendar has no week {text}") from None

    def __str__(self) -> str:
        year, week, _ = date.fromordinal(self.monday + _EPOCH).isocalendar()
        return f"{year:04}-W{week:02}"

    @property
    def days(self) -> tuple[Day, ...]:
        """Monday to Sunday."""
        return tuple(Day(self.monday + each) for each in range(7))
