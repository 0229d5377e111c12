"""Days and weeks, against the calendar of a wall: known dates, and ISO 8601's own examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_server.daily.days import DAY_MS, Day, Week

NUMBERS = st.integers(-700_000, 2_900_000)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("19700101", 0),
        ("19700102", 1),
        ("20000229", 11016),
        ("20240229", 19782),
        ("20261130", 20787),
    ],
)
def test_a_day_is_read_and_written(text: str, number: int) -> None:
    assert Day.read(text) == Day(number)
    assert str(Day(number)) == text


@pytest.mark.parametrize(
    "text", ["20260229", "20261301", "20261100", "2026-11-30", "2026113", "٢٠٢٦١١٣٠", "", "0" * 8]
)
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="day"):
        Day.read(text)


def test_a_day_is_from_midnight_to_midnight_of_utc() -> None:
    day = Day.read("20261130")
    assert (day.opens_at, day.closes_at) == (1_795_996_800_000, 1_796_083_200_000)
    assert Day.at(day.opens_at) == Day.at(day.closes_at - 1) == day
    assert Day.at(day.closes_at) == Day.read("20261201")
    assert Day.at(day.opens_at - 1) == day.before == Day.read("20261129")


@pytest.mark.parametrize(
    ("day", "week"),
    [
        # The examples of ISO 8601, as on https://en.wikipedia.org/wiki/ISO_week_date.
        ("19770101", "1976-W53"),
        ("19770102", "1976-W53"),
        ("19771231", "1977-W52"),
        ("19780102", "1978-W01"),
        ("19801228", "1980-W52"),
        ("19801229", "1981-W01"),
        ("19811231", "1981-W53"),
        ("19820103", "1981-W53"),
        ("20261130", "2026-W49"),
        ("20261206", "2026-W49"),
        ("20261207", "2026-W50"),
    ],
)
def test_the_week_of_a_day(day: str, week: str) -> None:
    assert str(Day.read(day).week) == week
    assert Day.read(day) in Week.read(week).days


def test_a_week_is_monday_to_sunday() -> None:
    days = Week.read("2026-W49").days
    assert [str(day) for day in (days[0], days[6])] == ["20261130", "20261206"]
    assert len(days) == 7


@pytest.mark.parametrize(
    "text", ["2026-W54", "2025-W53", "2026-W00", "0000-W01", "9999-W52", "2026W49", "2026-W9", ""]
)
def test_what_is_no_week_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="week"):
        Week.read(text)


@given(NUMBERS)
def test_days_and_their_weeks_are_read_back(number: int) -> None:
    day = Day(number)
    assert Day.read(str(day)) == day
    assert Week.read(str(day.week)) == day.week
    assert day in day.week.days
    assert Day.at(day.opens_at + DAY_MS // 2) == day
