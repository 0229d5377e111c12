"""A watcher's screen: everything has its place, and the long picture can be moved."""

from __future__ import annotations

import pytest

from samedeal_client.cups.stage import HELP, Window, lanes_below, screen_lines, watched_races
from samedeal_client.lanes import Lane
from samedeal_client.telling import cells
from support.cups import match, race, sheet

LONG = [f"line {number}" for number in range(100)]
LANES = {"r1": [Lane("Ada", 5, 52, 9, "racing")], "r2": [Lane("Bo", 7, 52, 9, "racing")]}
RACES = [("r1", "W1.1 semi-final, opus"), ("r2", "W1.2 semi-final, opus")]


@pytest.mark.parametrize("height", [12, 24, 50])
def test_a_screen_is_full_and_ends_with_what_can_be_pressed(height: int) -> None:
    lanes = lanes_below(RACES, LANES, width=79, room=height // 3, has_blocks=True)
    news = ["one", "two", "three", "four"]
    lines = screen_lines(["Cup"], LONG, lanes, news, Window(), width=80, height=height)
    assert len(lines) == height
    assert (lines[0], lines[-1]) == ("Cup", HELP)
    assert lines[-4:-1] == ["two", "three", "four"]
    assert all(cells(line) <= 80 for line in lines)


def test_lanes_take_no_more_than_their_room() -> None:
    assert lanes_below(RACES, LANES, width=79, room=1, has_blocks=True) == []
    assert lanes_below(RACES, LANES, width=79, room=2, has_blocks=True)[0] == RACES[0][1]
    assert len(lanes_below(RACES, LANES, width=79, room=9, has_blocks=True)) == 4


def test_the_window_opens_where_a_match_is_played() -> None:
    picture = [*LONG[:60], "•Ada", *LONG[61:]]
    assert "•Ada" in Window().of(picture, 10)


def test_the_window_is_moved_by_keys_and_stays_within_the_picture() -> None:
    window = Window()
    assert window.of(LONG, 10)[0] == "line 0"
    for key, first in (
        ("down", 1), ("space", 10), ("up", 9), ("end", 91), ("down", 91), ("home", 0), ("up", 0)
    ):  # fmt: skip
        window.move(key)
        shown = window.of(LONG, 10)
        assert shown[0] == f"line {first}"
        assert shown[-1] == f"... {first} lines above, {91 - first} below"


def test_a_picture_that_fits_is_shown_whole() -> None:
    assert Window().of(["a", "b"], 4) == ["a", "b", "", ""]


def test_the_latest_rounds_are_watched_first() -> None:
    matches = (
        match("W1.1", 1, 2, races=(race(1, "a", "running"),)),
        match("F", 1, 3, round=2, label="final", races=(race(1, "b", "running"),)),
        match("W1.3", 4, 5, races=(race(1, "c", "called"),)),
    )
    shown = sheet(matches=matches)
    assert watched_races(shown, most=6) == [("b", "F final, opus"), ("a", "W1.1 round 1, opus")]
    assert watched_races(shown, most=1) == [("b", "F final, opus")]
