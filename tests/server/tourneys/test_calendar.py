"""When schedules recur, on days when clocks change above all.

What the clocks of zones did and will do is from `zdump -v` of the IANA data; the rule for times
that they leave out or show twice is that of RFC 5545, section 3.3.5.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_protocol.tournament.schedule import (
    BadSchedule,
    Every,
    Nth,
    Schedule,
    Weekday,
)
from samedeal_server.tourneys.calendar import fault, next_after, occurrences, zone_named

SATURDAY = (Weekday.SATURDAY,)


def at(text: str) -> int:
    """The instant, in milliseconds; the text is UTC."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1000


def utc(instant: int) -> str:
    return f"{datetime.fromtimestamp(instant / 1000, UTC):%Y-%m-%d %H:%M}"


def first(schedule: Schedule, count: int, *, after: str) -> list[str]:
    return [utc(each) for each in islice(occurrences(schedule, after=at(after)), count)]


def days(schedule: Schedule, count: int, *, after: str) -> list[str]:
    return [each[:10] for each in first(schedule, count, after=after)]


def daily(zone: str, time: str) -> Schedule:
    return Schedule(zone=zone, every=Every.DAY, at=time)


# --- the days on which clocks change ------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "time", "after", "expected"),
    [
        # Berlin: 02:00 CET becomes 03:00 CEST at 01:00 UTC; 03:00 CEST becomes 02:00 CET at 01:00.
        ("Europe/Berlin", "19:30", "2027-03-27", "03-27 18:30, 03-28 17:30, 03-29 17:30"),
        ("Europe/Berlin", "19:30", "2027-10-30", "10-30 17:30, 10-31 18:30, 11-01 18:30"),
        ("Europe/Berlin", "01:59", "2027-03-27 02:00", "03-28 00:59, 03-28 23:59"),
        ("Europe/Berlin", "02:00", "2027-03-27 02:00", "03-28 01:00, 03-29 00:00"),
        ("Europe/Berlin", "02:30", "2027-03-27", "03-27 01:30, 03-28 01:30, 03-29 00:30"),
        ("Europe/Berlin", "03:00", "2027-03-27 04:00", "03-28 01:00, 03-29 01:00"),
        ("Europe/Berlin", "02:30", "2027-10-30", "10-30 00:30, 10-31 00:30, 11-01 01:30"),
        # New York: EST to EDT at 07:00 UTC, back at 06:00 UTC.
        ("America/New_York", "20:00", "2027-03-13", "03-13 01:00, 03-14 01:00, 03-15 00:00"),
        ("America/New_York", "02:15", "2027-03-13 12:00", "03-14 07:15, 03-15 06:15"),
        ("America/New_York", "01:15", "2027-11-06 12:00", "11-07 05:15, 11-08 06:15"),
        # Lord Howe: half an hour; +10:30 to +11 at 15:30 UTC, back at 15:00 UTC.
        ("Australia/Lord_Howe", "02:15", "2027-10-01 20:00", "10-02 15:45, 10-03 15:15"),
        ("Australia/Lord_Howe", "02:30", "2027-10-01 20:00", "10-02 15:30, 10-03 15:30"),
        ("Australia/Lord_Howe", "01:45", "2027-04-02 20:00", "04-03 14:45, 04-04 15:15"),
        # Zones whose clocks never change.
        ("Asia/Kolkata", "02:30", "2027-03-27", "03-27 21:00, 03-28 21:00, 03-29 21:00"),
        ("Asia/Kathmandu", "12:00", "2027-10-30", "10-30 06:15, 10-31 06:15"),
        ("UTC", "02:30", "2027-03-27", "03-27 02:30, 03-28 02:30, 03-29 02:30"),
        # Apia: from -10 to +14 at 10:00 UTC of 30 December 2011, a day that it never had.
        ("Pacific/Apia", "08:00", "2011-12-29", "12-29 18:00, 12-30 18:00, 12-31 18:00"),
        ("Pacific/Apia", "23:30", "2011-12-29", "12-29 09:30, 12-30 09:30, 12-31 09:30"),
    ],
)  # fmt: skip
def test_every_day_at_a_time_by_the_clocks_of_a_zone(
    zone: str, time: str, after: str, expected: str
) -> None:
    year = after[:4]
    instants = [f"{year}-{each}" for each in expected.split(", ")]
    assert first(daily(zone, time), len(instants), after=after) == instants


def test_what_is_on_the_lost_day_of_apia_falls_on_the_next() -> None:
    fridays = Schedule(
        zone="Pacific/Apia", every=Every.WEEK, weekdays=(Weekday.FRIDAY,), at="08:00"
    )
    # Saturday 31 December 08:00 at +14; then Friday 6 January.
    assert first(fridays, 2, after="2011-12-25") == ["2011-12-30 18:00", "2012-01-05 18:00"]


def test_two_that_fall_together_are_counted_once() -> None:
    twice = Schedule(zone="Pacific/Apia", every=Every.DAY, at="08:00", since="2011-12-29", count=3)
    # The 29th, the 31st for the 30th and for itself, the 1st.
    assert first(twice, 9, after="2011-01-01") == [
        "2011-12-29 18:00", "2011-12-30 18:00", "2011-12-31 18:00",
    ]  # fmt: skip


@dataclass(frozen=True)
class Change:
    """When clocks change, and how many minutes beyond UTC they show until then and from then on."""

    zone: str
    instant: str
    before: int
    after: int


CHANGES = [
    Change("Europe/Berlin", "2027-03-28 01:00", 60, 120),
    Change("Europe/Berlin", "2027-10-31 01:00", 120, 60),
    Change("America/New_York", "2027-03-14 07:00", -300, -240),
    Change("America/New_York", "2027-11-07 06:00", -240, -300),
    Change("Australia/Lord_Howe", "2027-04-03 15:00", 660, 630),
    Change("Australia/Lord_Howe", "2027-10-02 15:30", 630, 660),
]


def promised(change: Change, shown: datetime) -> datetime:
    """The instant of what clocks show, found by looking at the clock every minute of three days."""
    jump = datetime.fromisoformat(change.instant)
    start = jump - timedelta(days=1)
    minutes = (start + timedelta(minutes=each) for each in range(3 * 1440))
    for minute in minutes:
        beyond = change.before if minute < jump else change.after
        if minute + timedelta(minutes=beyond) == shown:
            return minute
    return shown - timedelta(minutes=change.before)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change.zone} {change.instant}")
def test_every_quarter_of_an_hour_around_a_change_is_where_a_look_at_the_clock_finds_it(
    change: Change,
) -> None:
    jump = datetime.fromisoformat(change.instant)
    noon_before = (jump + timedelta(minutes=change.before)).replace(hour=12, minute=0)
    noon_before -= timedelta(days=1)
    for quarters in range(4 * 24):
        shown = noon_before + timedelta(minutes=15 * quarters)
        schedule = Schedule(
            zone=change.zone,
            every=Every.DAY,
            at=f"{shown:%H:%M}",
            since=f"{shown:%Y-%m-%d}",
            count=1,
        )
        expected = f"{promised(change, shown):%Y-%m-%d %H:%M}"
        assert first(schedule, 2, after="2027-01-01") == [expected]


# --- which days ----------------------------------------------------------------------------------


def test_every_other_week_is_counted_from_the_week_of_the_first_day() -> None:
    schedule = Schedule(
        zone="Europe/Berlin",
        every=Every.WEEK,
        interval=2,
        weekdays=(Weekday.FRIDAY, Weekday.TUESDAY),
        at="19:30",
        since="2027-03-04",  # a Thursday
    )
    assert days(schedule, 5, after="2027-01-01") == [
        "2027-03-05", "2027-03-16", "2027-03-19", "2027-03-30", "2027-04-02",
    ]  # fmt: skip
    assert days(schedule, 2, after="2027-03-20") == ["2027-03-30", "2027-04-02"]


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        # cal 2027: 1 January is a Friday, the last days of months are 31, 28, 31, 30, ...
        ({"nth": Nth.FIRST, "weekdays": SATURDAY}, "01-02 02-06 03-06 04-03 05-01"),
        ({"nth": Nth.SECOND, "weekdays": SATURDAY}, "01-09 02-13 03-13 04-10 05-08"),
        ({"nth": Nth.FOURTH, "weekdays": (Weekday.FRIDAY,)}, "01-22 02-26 03-26 04-23"),
        ({"nth": Nth.LAST, "weekdays": SATURDAY}, "01-30 02-27 03-27 04-24 05-29"),
        ({"nth": Nth.LAST, "weekdays": (Weekday.SUNDAY,)}, "01-31 02-28 03-28 04-25"),
        (
            {"nth": Nth.FIRST, "weekdays": (Weekday.SUNDAY, Weekday.FRIDAY)},
            "01-01 01-03 02-05 02-07 03-05",
        ),
        ({"day": 13}, "01-13 02-13 03-13"),
        ({"day": 29}, "01-29 03-29 04-29"),
        ({"day": 31}, "01-31 03-31 05-31 07-31 08-31"),
        ({"last_day": True}, "01-31 02-28 03-31 04-30"),
        ({"day": 31, "interval": 2, "since": "2027-01-05"}, "01-31 03-31 05-31 07-31"),
        ({"day": 15, "interval": 3, "since": "2026-11-20"}, "02-15 05-15 08-15"),
    ],
)  # fmt: skip
def test_every_month(schedule: dict[str, object], expected: str) -> None:
    made = msgspec.convert(
        {"zone": "UTC", "every": "month", "at": "12:00"} | msgspec.to_builtins(schedule), Schedule
    )
    wanted = [f"2027-{each}" for each in expected.split()]
    assert days(made, len(wanted), after="2026-12-31 12:00") == wanted


def test_the_29th_of_february_comes_in_leap_years_only() -> None:
    schedule = Schedule(
        zone="UTC", every=Every.MONTH, interval=12, day=29, at="12:00", since="2026-02-01"
    )
    assert days(schedule, 3, after="2026-01-01") == ["2028-02-29", "2032-02-29", "2036-02-29"]


def test_until_is_the_last_day_itself() -> None:
    schedule = Schedule(zone="Asia/Tokyo", every=Every.DAY, at="08:00", until="2027-05-03")
    assert days(schedule, 9, after="2027-05-01") == ["2027-05-01", "2027-05-02"]
    # 08:00 of 3 May in Tokyo is 23:00 of 2 May in UTC.
    assert next_after(schedule, at("2027-05-02 23:00")) is None


def test_counting_begins_with_the_first_day_whenever_one_asks() -> None:
    schedule = Schedule(zone="UTC", every=Every.DAY, at="08:00", since="2027-05-01", count=3)
    assert days(schedule, 9, after="2020-01-01") == ["2027-05-01", "2027-05-02", "2027-05-03"]
    assert days(schedule, 9, after="2027-05-02 12:00") == ["2027-05-03"]
    assert next_after(schedule, at("2027-05-03 08:00")) is None


def test_next_is_after_the_instant_and_not_at_it() -> None:
    schedule = daily("UTC", "08:00")
    eight = at("2027-05-01 08:00")
    assert next_after(schedule, eight - 1) == eight
    assert next_after(schedule, eight) == at("2027-05-02 08:00")


@pytest.mark.parametrize("instant", [-(2**63), 0, 2**63], ids=["long ago", "1970", "far ahead"])
def test_an_instant_out_of_all_bounds_is_none_too_many(instant: int) -> None:
    found = next_after(daily("Pacific/Kiritimati", "08:00"), instant)
    # 08:00 of 1 January 2000 at +14.
    assert found == (at("1999-12-31 18:00") if instant <= 0 else None)


# --- what cannot be -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("Europe/Berln", "did you mean Europe/Berlin?"),
        ("europe/berlin", "did you mean Europe/Berlin?"),
        ("Berlin", "did you mean Europe/Berlin?"),
        ("New_York", "did you mean America/New_York?"),
        ("Europe", "give the IANA name of a zone"),
        ("Mars/Olympus", "give the IANA name of a zone"),
        # What lies in the system's folder beside the zones.
        ("localtime", "give the IANA name of a zone"),
        ("Factory", "give the IANA name of a zone"),
        ("right/Europe/Berlin", "did you mean Europe/Berlin?"),
        ("posixrules", "give the IANA name of a zone"),
    ],
)
def test_no_such_zone_is_refused_with_what_to_do(zone: str, said: str) -> None:
    with pytest.raises(BadSchedule, match="there is no time zone") as refused:
        zone_named(zone)
    assert said in str(refused.value)
    assert said in (fault(daily(zone, "08:00"), after=0) or "")


def test_a_schedule_without_a_zone_is_refused_when_asked_and_not_when_iterated() -> None:
    with pytest.raises(BadSchedule):
        occurrences(daily("Mars/Olympus", "08:00"), after=0)


def test_a_schedule_that_is_over_is_a_fault_and_one_that_is_not_is_none() -> None:
    schedule = Schedule(zone="UTC", every=Every.DAY, at="08:00", until="2027-05-01")
    assert fault(schedule, after=at("2027-05-01 07:00")) is None
    assert "nothing left" in (fault(schedule, after=at("2027-05-01 08:00")) or "")


# --- laws ---------------------------------------------------------------------------------------

ZONES = (
    "Europe/Berlin America/New_York Australia/Lord_Howe Asia/Kolkata Pacific/Apia America/St_Johns "
    "Africa/Casablanca Pacific/Chatham Europe/Dublin Antarctica/Troll America/Nuuk UTC"
).split()
DATES = st.dates(date(2005, 1, 1), date(2060, 1, 1))


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """Any schedule; those that contradict themselves are drawn again."""
    every = draw(st.sampled_from(Every))
    weekdays = tuple(draw(st.lists(st.sampled_from(Weekday), min_size=1, unique=True)))
    kinds: dict[Every, list[dict[str, object]]] = {
        Every.DAY: [{}],
        Every.WEEK: [{"weekdays": weekdays}],
        Every.MONTH: [
            {"weekdays": weekdays, "nth": draw(st.sampled_from(Nth))},
            {"day": draw(st.integers(1, 28))},
            {"last_day": True},
            {"day": draw(st.integers(29, 31))},
        ],
    }
    since = draw(DATES)
    until = since + timedelta(days=draw(st.integers(0, 4000)))
    fields: dict[str, object] = {
        "zone": draw(st.sampled_from(ZONES)),
        "every": every,
        "at": f"{draw(st.integers(0, 23)):02}:{draw(st.integers(0, 59)):02}",
        "interval": draw(st.sampled_from([1, 1, 2, 3, 5, 12])),
        "since": since.isoformat(),
        "until": draw(st.sampled_from([None, until.isoformat()])),
        "count": draw(st.sampled_from([None, 1, 7, 100])),
        **draw(st.sampled_from(kinds[every])),
    }
    try:
        return Schedule(**fields)  # type: ignore[arg-type]
    except BadSchedule:
        return Schedule(**fields | {"interval": 1})  # type: ignore[arg-type]


def belongs(schedule: Schedule, day: date) -> bool:
    """Whether a day is one of the schedule's, told of each day by itself."""
    assert schedule.since is not None
    since = date.fromisoformat(schedule.since)
    if day < since or (schedule.until is not None and day.isoformat() > schedule.until):
        return False
    weekday = list(Weekday)[day.weekday()]
    length = monthrange(day.year, day.month)[1]
    match schedule.every:
        case Every.DAY:
            return (day - since).days % schedule.interval == 0
        case Every.WEEK:
            between = (day - timedelta(day.weekday())) - (since - timedelta(since.weekday()))
            return between.days // 7 % schedule.interval == 0 and weekday in schedule.weekdays
        case Every.MONTH:
            months = 12 * (day.year - since.year) + day.month - since.month
            if months % schedule.interval:
                return False
            if schedule.nth is Nth.LAST:
                return weekday in schedule.weekdays and day.day + 7 > length
            if schedule.nth is not None:
                which = list(Nth).index(schedule.nth)
                return weekday in schedule.weekdays and (day.day - 1) // 7 == which
            return day.day == (length if schedule.last_day else schedule.day)


def is_shown(zone: ZoneInfo, shown: datetime) -> bool:
    """Whether clocks show that time at all: going to UTC and back leads there again."""
    there = shown.replace(tzinfo=zone).astimezone(UTC)
    return there.astimezone(zone).replace(tzinfo=None) == shown


def wanted(schedule: Schedule, most: int) -> list[datetime]:
    """What clocks should show, the first times, from looking at each day by itself."""
    assert schedule.since is not None
    since = date.fromisoformat(schedule.since)
    every_day = (since + timedelta(days=each) for each in range(366 * 40))
    belonging = (day for day in every_day if belongs(schedule, day))
    found = [datetime.fromisoformat(f"{day} {schedule.at}") for day in islice(belonging, most + 1)]
    # Apia's lost day has fallen together with the next, if that belongs as well.
    if schedule.zone == "Pacific/Apia" and date(2011, 12, 31) in {each.date() for each in found}:
        found = [each for each in found if each.date() != date(2011, 12, 30)]
    return found[: min(most, schedule.count or most)]


@given(schedules(), st.integers(-10, 5000))
def test_times_are_in_order_those_of_the_days_that_belong_by_the_clocks_of_the_zone(
    schedule: Schedule, ahead: int
) -> None:
    zone = ZoneInfo(schedule.zone)
    found = list(islice(occurrences(schedule, after=0), 25))
    assert all(earlier < later for earlier, later in pairwise(found))

    shown = [datetime.fromtimestamp(each / 1000, zone).replace(tzinfo=None) for each in found]
    for seen, asked in zip(shown, wanted(schedule, 25), strict=True):
        if is_shown(zone, asked):
            assert seen == asked
        else:
            assert asked < seen <= asked + timedelta(days=1)

    if found:
        now = found[0] + ahead * 3_600_000
        later = [each for each in found if each > now]
        if later:
            assert next_after(schedule, now) == later[0]


@given(schedules())
def test_a_schedule_travels_unchanged(schedule: Schedule) -> None:
    encoded = msgspec.msgpack.encode(schedule)
    assert msgspec.msgpack.decode(encoded, type=Schedule) == schedule
