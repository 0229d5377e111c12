"""The rooms of a day: codes, games, terms."""

from __future__ import annotations

import pytest

from samedeal_protocol.terms import faults
from samedeal_rules import GAMES
from samedeal_server.daily.days import Day
from samedeal_server.daily.rooms import Room, game_of, is_full, terms_of
from samedeal_server.racing.commands import Enter, Withdraw
from samedeal_server.racing.decisions import ENTRIES, ENTRIES_EACH
from support.races import Track

DAY = Day.read("20261130")
KEYS = [game.key for game in GAMES]


@pytest.mark.parametrize(
    ("room", "code"),
    [
        (Room(DAY), "daily-20261130"),
        (Room(DAY, 2), "daily-20261130-2"),
        (Room(DAY, 999_999), "daily-20261130-999999"),
        (Room(DAY, bots=True), "daily-20261130-bots"),
        (Room(DAY, 2, bots=True), "daily-20261130-bots-2"),
    ],
)
def test_a_room_has_a_code_that_says_which_it_is(room: Room, code: str) -> None:
    assert room.code == code
    assert Room.read(code) == room
    assert len(code) <= 32


@pytest.mark.parametrize(
    "code",
    [
        "daily-20261130-1",
        "daily-20261130-02",
        "daily-20261130-",
        "daily-20260230",
        "daily-2026113",
        "daily-20261130-bots-bots",
        "Daily-20261130",
        "daily-20261130\n",
        "k7m2-q9xq-4tbd",
    ],
)
def test_another_code_is_of_no_room(code: str) -> None:
    assert Room.read(code) is None


def test_the_rooms_of_a_kind_follow_each_other() -> None:
    assert Room(DAY, bots=True).next.next.code == "daily-20261130-bots-3"


def test_the_games_take_turns_in_the_order_of_the_alphabet() -> None:
    days = [Day(DAY.number + each) for each in range(len(KEYS))]
    played = [game_of(day, KEYS) for day in days]
    start = played.index("abandon-hope")
    assert played[start:] + played[:start] == sorted(KEYS)


def test_the_order_in_which_the_games_are_given_does_not_matter() -> None:
    assert game_of(DAY, KEYS) == game_of(DAY, reversed(KEYS))


def test_the_game_of_a_known_day() -> None:
    """As docs/daily.md has it: day 20787 leaves 13 of 17, so the 14th by the alphabet."""
    assert 20787 % 17 == 13
    assert game_of(DAY, KEYS) == "small-billee"


@pytest.mark.parametrize("key", KEYS)
def test_the_terms_of_a_room_hold_in_every_game(key: str) -> None:
    terms = terms_of(Room(DAY), key)
    assert faults(terms, now=DAY.opens_at) is None
    assert (terms.punctual, terms.blind, terms.rated, terms.hints) == (True, True, False, False)


def test_only_the_rooms_of_the_bots_take_bots() -> None:
    assert not terms_of(Room(DAY), "opus").bots
    assert terms_of(Room(DAY, bots=True), "opus").bots


def test_a_room_is_full_with_its_last_place_taken() -> None:
    track = Track(terms_of(Room(DAY), "opus"))
    for number in range(64):
        assert not is_full(track.race)
        track.do(Enter(f"player-{number}", f"P{number}", False))
    assert is_full(track.race)


def test_a_room_is_full_when_it_was_entered_too_often() -> None:
    track = Track(terms_of(Room(DAY), "opus"))
    for player in range(ENTRIES // ENTRIES_EACH):
        for _ in range(ENTRIES_EACH):
            track.do(Enter(f"player-{player}", f"P{player}", False))
            track.do(Withdraw(f"player-{player}"))
    assert len(track.race.entered()) == 0
    assert is_full(track.race)
