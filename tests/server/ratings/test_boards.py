"""Leaderboards: who stands where, what never enters, and the same as by a naive sort."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_protocol.events import EntrantState
from samedeal_server.ratings.boards import Streak, by_rating, day_of
from samedeal_server.ratings.book import Book
from samedeal_server.ratings.model import Rating
from samedeal_server.ratings.races import Ending, FinishedRace
from samedeal_server.ratings.records import Records, streaks_of
from server.ratings.forms import BEGAN, DAY, OPUS, logs, race

HOUR = 3_600_000
MIDNIGHT = BEGAN - BEGAN % DAY


def board(ratings: dict[str, Rating], now: int = BEGAN) -> str:
    """`1 ann 1700, - cat 1900 ?`: place, player, points, and a mark for the provisional."""
    lines = by_rating(Book(pools={OPUS: ratings}), OPUS, now)
    return ", ".join(
        f"{line.place or '-'} {line.player} {line.points}{' ?' * line.is_provisional}"
        for line in lines
    )


def records(log: list[FinishedRace]) -> Records:
    found = Records()
    for each in log:
        found.add(each)
    return found


def streaks(log: list[FinishedRace], now: int, *, bots: bool = False) -> tuple[Streak, ...]:
    return streaks_of(records(log).days(bots=bots), now)


def times(log: list[FinishedRace], *, deal: str | None = None, bots: bool = False) -> str:
    """`1 ann 90 r1/1`: place, player, seconds, race and attempt."""
    return ", ".join(
        f"{line.place} {line.best.player} {line.best.elapsed_ms // 1000}"
        f" {line.best.race}/{line.best.attempt}"
        for line in records(log).fastest("opus", deal, bots=bots)
    )


def days(*finishes: int) -> list[FinishedRace]:
    """A race that ann finishes at each of the instants, counted from midnight."""
    return [race("ann 90", f"r{at}", at=MIDNIGHT + at) for at in finishes]


# Ratings -----------------------------------------------------------------------------------------


def test_settled_stand_before_provisional_and_those_are_marked() -> None:
    ratings = {
        "ann": Rating(1700.2, 90, 20, BEGAN),
        "bob": Rating(1550, 100, 20, BEGAN),
        "cat": Rating(1900, 200, 2, BEGAN),
        "dan": Rating(1600, 240, 1, BEGAN),
    }
    assert board(ratings) == "1 ann 1700, 2 bob 1550, - cat 1900 ?, - dan 1600 ?"


def test_equal_points_as_shown_share_a_place() -> None:
    ratings = {
        "dan": Rating(1500, 90, 20, BEGAN),
        "cat": Rating(1600.4, 90, 20, BEGAN),
        "bob": Rating(1599.5, 90, 20, BEGAN),
        "ann": Rating(1700, 90, 20, BEGAN),
    }
    assert board(ratings) == "1 ann 1700, 2 bob 1600, 2 cat 1600, 4 dan 1500"


def test_who_stays_away_for_long_loses_the_place_but_no_points() -> None:
    ratings = {"ann": Rating(1700, 90, 20, BEGAN), "bob": Rating(1600, 90, 20, BEGAN + 300 * DAY)}
    assert board(ratings, BEGAN + 300 * DAY) == "1 bob 1600, - ann 1700 ?"


def test_a_board_of_nobody_is_empty() -> None:
    assert by_rating(Book(), OPUS, BEGAN) == ()


@given(
    st.dictionaries(
        st.text("abcde", min_size=1, max_size=3),
        st.builds(Rating, st.floats(1490, 1510), st.floats(100, 200), st.just(9), st.just(BEGAN)),
        max_size=20,
    )
)
def test_board_of_ratings_equals_a_naive_one(ratings: dict[str, Rating]) -> None:
    for line in by_rating(Book(pools={OPUS: ratings}), OPUS, BEGAN):
        if line.place is not None:
            better = [
                each for each in ratings.values() if each.sigma <= 150 and each.points > line.points
            ]
            assert line.place == 1 + len(better)
        assert line.is_provisional == (ratings[line.player].sigma > 150)
    assert sorted(ratings) == sorted(
        line.player for line in by_rating(Book(pools={OPUS: ratings}), OPUS, BEGAN)
    )


# Times -------------------------------------------------------------------------------------------


def test_each_player_stands_once_with_the_best_time() -> None:
    log = [
        race("ann 90 > bob 95", "r1"),
        race("bob 80 > ann 85", "r2", deal="tuesday"),
        race("cat 85 > ann 99", "r3", at=BEGAN + 1, deal="friday"),
    ]
    assert times(log) == "1 bob 80 r2/1, 2 ann 85 r2/1, 2 cat 85 r3/1"


def test_times_on_one_deal_say_which_attempt_they_were() -> None:
    log = [
        race("ann 90 > bob stuck", "r1"),
        race("ann 10", "r2", deal="tuesday"),
        race("bob 70 > ann 80", "r3"),
    ]
    assert times(log, deal="monday") == "1 bob 70 r3/2, 2 ann 80 r3/2"


def test_a_race_that_does_not_count_is_still_an_attempt() -> None:
    log = [race("ann 90", "r1", ending=Ending.CANCELLED), race("ann 70", "r2")]
    assert times(log, deal="monday") == "1 ann 70 r2/2"


@pytest.mark.parametrize(
    "state", [EntrantState.STUCK, EntrantState.GAVE_UP, EntrantState.OUT_OF_TIME]
)
def test_who_did_not_finish_enters_no_record(state: EntrantState) -> None:
    log = [race(f"ann {state.value}")]
    assert times(log) == times(log, deal="monday") == ""
    assert records(log).personal_bests("ann") == ()
    assert streaks(log, BEGAN) == ()


def test_a_disqualified_player_enters_no_record() -> None:
    assert times([race("ann 90 > bob disqualified")]) == "1 ann 90 r1/1"


def test_unverified_cancelled_and_awarded_races_enter_no_record() -> None:
    log = [
        race("ann 90", "r1", verified=False),
        race("ann 90", "r2", ending=Ending.CANCELLED),
        race("ann 90", "r3", ending=Ending.WALKOVER),
    ]
    assert times(log) == ""


def test_casual_and_mixed_races_enter_records_of_people_and_bots_apart() -> None:
    log = [race("hal* 5 > ann 90", rated=False)]
    assert times(log) == "1 ann 90 r1/1"
    assert times(log, bots=True) == "1 hal 5 r1/1"


@given(logs())
def test_board_of_times_equals_a_naive_one(log: list[FinishedRace]) -> None:
    best: dict[str, int] = {}
    for each in log:
        for entrant in each.entrants:
            if each.verified and each.ending is Ending.PLAYED and each.game == "opus":
                time = entrant.elapsed_ms
                if time is not None and not entrant.bot:
                    best[entrant.player] = min(time, best.get(entrant.player, time))
    found = {line.best.player: line for line in records(log).fastest("opus")}
    assert {player: line.best.elapsed_ms for player, line in found.items()} == best
    for player, line in found.items():
        assert line.place == 1 + sum(time < best[player] for time in best.values())


def test_personal_bests_are_one_a_game_and_of_equal_times_the_first() -> None:
    log = [
        race("ann 90", "r1", at=BEGAN),
        race("ann 90", "r2", at=BEGAN + 1),
        race("bob 10 > ann 50", "r3", game="amazons"),
        race("ann 60", "r4", game="amazons"),
        race("ann stuck", "r5", game="fortress"),
    ]
    told = [(best.game, best.elapsed_ms, best.race) for best in records(log).personal_bests("ann")]
    assert told == [("amazons", 50_000, "r3"), ("opus", 90_000, "r1")]


# Streaks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("finishes", "now", "current", "longest"),
    [
        ([0], 0, 1, 1),
        ([0, 1], 2, 1, 1),
        ([0, DAY, 2 * DAY], 2 * DAY, 3, 3),
        ([0, DAY], 3 * DAY - 1, 2, 2),  # today is still open
        ([0, DAY], 3 * DAY, 0, 2),
        ([0, DAY, 3 * DAY], 3 * DAY, 1, 2),
        ([DAY - 1, DAY], DAY, 2, 2),
        ([3 * DAY, DAY, 2 * DAY], 3 * DAY, 3, 3),  # races of a log overlap
    ],
)
def test_a_streak_is_days_in_a_row(
    finishes: list[int], now: int, current: int, longest: int
) -> None:
    (streak,) = streaks(days(*finishes), MIDNIGHT + now)
    assert (streak.current, streak.longest) == (current, longest)
    assert streak.last_day == day_of(MIDNIGHT + max(finishes))


def test_days_begin_at_midnight() -> None:
    # at 23:30 and half an hour after midnight
    log = days(23 * HOUR + HOUR // 2, DAY + HOUR // 2)
    (streak,) = streaks(log, MIDNIGHT + DAY + HOUR)
    assert streak.longest == 2


def test_a_finish_counts_for_its_own_day_not_for_that_on_which_the_race_was_over() -> None:
    (early,) = race("ann 90", at=MIDNIGHT + DAY).entrants
    finished = replace(
        race("ann 90", at=MIDNIGHT + 5 * DAY), entrants=(replace(early, done_at=MIDNIGHT + DAY),)
    )
    (streak,) = streaks([finished], MIDNIGHT + 5 * DAY)
    assert (streak.current, streak.last_day) == (0, day_of(MIDNIGHT + DAY))


def test_longest_running_streaks_stand_first() -> None:
    log = [
        *days(0, DAY),
        race("bob 90", "b1", at=MIDNIGHT + DAY),
        race("cat 90", "c1", at=MIDNIGHT + DAY),
        race("hal* 90", "h1", at=MIDNIGHT + DAY),
    ]
    assert [each.player for each in streaks(log, MIDNIGHT + DAY)] == ["ann", "bob", "cat"]
    assert [each.player for each in streaks(log, MIDNIGHT + DAY, bots=True)] == ["hal"]
