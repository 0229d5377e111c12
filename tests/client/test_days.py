"""How the daily deal and the league are told, from what the wire says."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from samedeal_client.days import board_lines, day_text, league_lines, sheet_lines
from samedeal_protocol.daily import (
    Attempt,
    DailyLine,
    DailySheet,
    LeagueDay,
    LeagueLine,
    LeagueTable,
)

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC).timestamp()
LAST_SECOND = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC).timestamp()


def line(place: int, name: str, *, ms: int | None = None, state: str = "stuck") -> DailyLine:
    return DailyLine(
        place=place,
        name=name,
        state=state if ms is None else "finished",
        elapsed_ms=ms,
        home=52 if ms is not None else 7,
        moves=120,
        race="daily-20261130",
    )


OPEN = DailySheet(
    day="20261130", week="2026-W49", game="opus", closes_in_ms=3_660_000, played=3, is_hidden=True
)
OVER = DailySheet(
    day="20261130",
    week="2026-W49",
    game="opus",
    is_over=True,
    attempt=Attempt.PLAYED,
    played=3,
    streak=1,
    own=line(3, "Ada"),
    lines=(line(1, "Grace", ms=61_234), line(2, "Kay", ms=61_235)),
)


@pytest.mark.parametrize(
    ("typed", "now", "day"),
    [
        ("today", NOON, "20261201"),
        ("Yesterday", NOON, "20261130"),
        ("today", LAST_SECOND, "20261130"),
        ("2026-11-30", NOON, "20261130"),
        ("20261130", NOON, "20261130"),
    ],
)
def test_a_day_is_understood_as_people_write_it(typed: str, now: float, day: str) -> None:
    assert day_text(typed, now=now) == day


@pytest.mark.parametrize("typed", ["tomorrow", "2026-02-30", "30.11.2026", ""])
def test_what_is_no_day_is_refused_with_what_to_write(typed: str) -> None:
    with pytest.raises(ValueError, match="write 2026-11-30, today or yesterday"):
        day_text(typed, now=NOON)


def test_an_open_day_says_how_long_it_can_be_played() -> None:
    assert sheet_lines(OPEN) == [
        "The deal of 2026-11-30: Opus. It counts for the league of 2026-W49.",
        "Until now 3 players played it. It can be played for 1 h 1 min more.",
        "You have not played it yet.",
    ]


def test_what_is_hidden_is_said_to_be_hidden() -> None:
    assert board_lines(OPEN) == [
        "How the others did is hidden until you have played, or the day is over."
    ]


def test_a_day_that_is_over_says_how_one_did() -> None:
    assert sheet_lines(OVER)[1:] == [
        "It is over: 3 players played it.",
        "You: place 3, stuck.",
        "Your streak: 1 day in a row.",
    ]


def test_the_own_line_follows_the_best_where_it_is_below_them() -> None:
    assert board_lines(OVER) == [
        "place  name   time      home   moves",
        "1      Grace  1:01.234  52/52  120",
        "2      Kay    1:01.235  52/52  120",
        "3      Ada    -         7/52   120    stuck",
    ]


def test_a_board_of_nobody_says_so() -> None:
    empty = DailySheet(day="20261129", week="2026-W48", game="opus", is_over=True)
    assert board_lines(empty) == ["No player played it."]
    assert board_lines(replace(empty, is_over=False, closes_in_ms=1, bots=True)) == [
        "No bot has played it yet."
    ]
    assert sheet_lines(empty)[-1] == "You did not play it."


def test_a_league_shows_every_day() -> None:
    days = (25.0, 22.5, None, None, 13.33, None, 0.0)
    table = LeagueTable(
        week="2026-W49",
        days=tuple(
            LeagueDay(day=str(20261130), game="opus", is_over=each < 5) for each in range(7)
        ),
        total=2,
        lines=(LeagueLine(place=1, name="Grace", points=60.83, days=days),),
        own=LeagueLine(place=2, name="Ada", points=20.0, days=(20.0, *[None] * 6)),
    )
    assert league_lines(table) == [
        "The league of 2026-W49. 5 of 7 days are over.",
        "place  name   points  Mon  Tue   Wed  Thu  Fri    Sat  Sun",
        "1      Grace  60.83   25   22.5  -    -    13.33  -    0",
        "2      Ada    20      20   -     -    -    -      -    -",
    ]
