"""Schedules on the wire: which cannot be, and how they are read aloud."""

from __future__ import annotations

import msgspec
import pytest

from samedeal_protocol.tournament.schedule import (
    BadSchedule,
    Every,
    Nth,
    Schedule,
    Weekday,
    aloud,
)

DAILY: dict[str, object] = {"zone": "Europe/Berlin", "every": "day", "at": "19:30"}
WEEKLY = DAILY | {"every": "week", "weekdays": ["saturday"]}
MONTHLY = DAILY | {"every": "month"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (DAILY | {"zone": "New York"}, "give its IANA name, such as Europe/Berlin"),
        (DAILY | {"zone": "../../etc/passwd"}, "give its IANA name, such as Europe/Berlin"),
        (DAILY | {"zone": "/etc/localtime"}, "give its IANA name, such as Europe/Berlin"),
        (DAILY | {"zone": ""}, "length >= 1"),
        (DAILY | {"at": "24:00"}, "matching regex"),
        (DAILY | {"at": "7:30"}, "matching regex"),
        (DAILY | {"at": "19:30\n"}, "matching regex"),
        (DAILY | {"interval": 0}, ">= 1"),
        (DAILY | {"interval": 2}, "give `since`"),
        (DAILY | {"count": 2}, "give `since`"),
        (DAILY | {"weekdays": ["monday"]}, "say `every: week`"),
        (DAILY | {"day": 3}, "say `every: week` or `every: month`"),
        (DAILY | {"since": "2027-02-29"}, "is no day from 2000 to 2199"),
        (DAILY | {"until": "2027-04-31"}, "is no day from 2000 to 2199"),
        (DAILY | {"until": "2027-13-01"}, "is no day from 2000 to 2199"),
        (DAILY | {"since": "1999-12-31"}, "is no day from 2000 to 2199"),
        (DAILY | {"since": "2027-3-1"}, "matching regex"),
        (DAILY | {"since": "2027-03-02", "until": "2027-03-01"}, "is before `since`"),
        (DAILY | {"since": "2027-03-02", "count": 1001}, "<= 1000"),
        (WEEKLY | {"weekdays": []}, "give `weekdays`"),
        (WEEKLY | {"weekdays": ["caturday"]}, "Invalid enum value"),
        (WEEKLY | {"weekdays": ["monday", "monday"]}, "named twice"),
        (WEEKLY | {"nth": "first"}, "say `every: month`"),
        (WEEKLY | {"interval": 53, "since": "2027-01-01"}, "1 to 52 weeks"),
        (MONTHLY, "one of `day`, `last_day`, or `nth`"),
        (MONTHLY | {"day": 3, "last_day": True}, "one of `day`, `last_day`, or `nth`"),
        (MONTHLY | {"day": 32}, "<= 31"),
        (MONTHLY | {"nth": "first"}, "`nth` and `weekdays` go together"),
        (MONTHLY | {"weekdays": ["monday"], "day": 3}, "`nth` and `weekdays` go together"),
        (MONTHLY | {"day": 30, "interval": 12, "since": "2027-02-01"}, "none of these months"),
        (MONTHLY | {"day": 31, "interval": 12, "since": "2027-04-01"}, "say `last_day: true`"),
        # From November, every half year: May has 31 days.
        (MONTHLY | {"day": 31, "interval": 6, "since": "2027-11-01"}, None),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(
    given: dict[str, object], said: str | None
) -> None:
    if said is None:
        assert msgspec.convert(given, Schedule).day == 31
        return
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(given, Schedule)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"at": "19.30"}, "give hour and minute"),
        ({"interval": 0}, "`interval` is 1 to 366 days"),
        ({"since": "2027-01-01", "count": 0}, "`count` is 1 to 1000"),
        ({"every": Every.MONTH, "day": 0}, "`day` is 1 to 31"),
    ],
)
def test_one_made_in_python_is_held_to_the_bounds_of_the_wire(
    fields: dict[str, object], said: str
) -> None:
    usual: dict[str, object] = {"zone": "Europe/Berlin", "every": Every.DAY, "at": "19:30"}
    with pytest.raises(BadSchedule) as refused:
        Schedule(**usual | fields)  # type: ignore[arg-type]
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (DAILY, "every day at 19:30 (Europe/Berlin)"),
        (
            WEEKLY
            | {
                "weekdays": ["friday", "tuesday"],
                "interval": 2,
                "since": "2027-03-02",
                "count": 9,
            },
            "every 2 weeks on Tuesday and Friday at 19:30 (Europe/Berlin), 9 times from 2027-03-02",
        ),
        (
            WEEKLY | {"weekdays": ["monday", "friday", "sunday"], "until": "2027-05-01"},
            "every week on Monday, Friday and Sunday at 19:30 (Europe/Berlin), until 2027-05-01",
        ),
        (
            MONTHLY | {"weekdays": ["saturday"], "nth": "last"},
            "every month on the last Saturday at 19:30 (Europe/Berlin)",
        ),
        (MONTHLY | {"day": 13}, "every month on day 13 at 19:30 (Europe/Berlin)"),
        (MONTHLY | {"last_day": True}, "every month on the last day at 19:30 (Europe/Berlin)"),
        (
            DAILY | {"since": "2027-05-01", "count": 1},
            "every day at 19:30 (Europe/Berlin), once from 2027-05-01",
        ),
    ],
)
def test_a_schedule_is_read_aloud_with_its_zone(given: dict[str, object], said: str) -> None:
    assert aloud(msgspec.convert(given, Schedule)) == said


def test_only_what_differs_from_the_usual_travels() -> None:
    schedule = Schedule(
        zone="Asia/Tokyo",
        every=Every.MONTH,
        at="08:00",
        nth=Nth.FIRST,
        weekdays=(Weekday.SUNDAY,),
    )
    assert msgspec.json.decode(msgspec.json.encode(schedule)) == {
        "zone": "Asia/Tokyo",
        "every": "month",
        "at": "08:00",
        "nth": "first",
        "weekdays": ["sunday"],
    }
