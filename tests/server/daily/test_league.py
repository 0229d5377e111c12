"""Boards over several rooms, points for places, the table of a week."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from samedeal_protocol.events import EntrantState, Over, to_line
from samedeal_server.daily.board import Attempt, Line, attempts, by_player, ranked, read_back
from samedeal_server.daily.days import Day
from samedeal_server.daily.league import POINTS, points, table
from samedeal_server.daily.rooms import Room, terms_of
from samedeal_server.daily.sheets import Page, Seen, league_table, sheet
from samedeal_server.racing.commands import Begin, Enter, GiveUp
from support.races import WIN, WIN_GAME, WIN_SEED, Track

DAY = Day.read("20261130")
DONE = [
    EntrantState.FINISHED,
    EntrantState.STUCK,
    EntrantState.GAVE_UP,
    EntrantState.OUT_OF_TIME,
    EntrantState.DISQUALIFIED,
]


def attempt(
    player: str,
    *,
    ms: int | None = None,
    home: int = 0,
    state: EntrantState = EntrantState.GAVE_UP,
    moves: int = 9,
    room: int = 1,
    bot: bool = False,
    began: int | None = 5,
) -> Attempt:
    return Attempt(
        player=player,
        name=player.title(),
        bot=bot,
        room=Room(DAY, room, bot),
        state=state if ms is None else EntrantState.FINISHED,
        began_at=began,
        home=home if ms is None else 104,
        moves=moves,
        elapsed_ms=ms,
    )


def shown(board: tuple[Line, ...]) -> list[tuple[int, str]]:
    return [(line.place, line.attempt.player) for line in board]


# --- the board ---------------------------------------------------------------------------------


def test_the_rooms_are_ranked_as_one_race() -> None:
    everybody = [
        attempt("ann", ms=900),
        attempt("bob", home=50),
        attempt("cat", ms=700, room=2),
        attempt("dot", home=51, state=EntrantState.STUCK, room=3),
        attempt("eve", ms=900, room=2),
        attempt("fay", home=50, state=EntrantState.OUT_OF_TIME, room=2),
        attempt("gus", home=99, state=EntrantState.DISQUALIFIED),
    ]
    assert shown(ranked(everybody, bots=False)) == [
        (1, "cat"), (2, "ann"), (2, "eve"), (4, "dot"), (5, "bob"), (5, "fay"), (7, "gus"),
    ]  # fmt: skip


def test_who_still_plays_is_not_on_the_board() -> None:
    everybody = [
        attempt("ann", state=EntrantState.RACING),
        attempt("bob", state=EntrantState.ENTERED, began=None),
        attempt("cat"),
    ]
    assert shown(ranked(everybody, bots=False)) == [(1, "cat")]


def test_people_and_bots_are_on_boards_of_their_own() -> None:
    everybody = [attempt("ann", ms=9), attempt("robot", ms=1, bot=True)]
    assert shown(ranked(everybody, bots=False)) == [(1, "ann")]
    assert shown(ranked(everybody, bots=True)) == [(1, "robot")]


def test_of_two_attempts_the_first_opened_counts_and_an_unopened_one_only_alone() -> None:
    late, early = attempt("ann", room=1, began=9), attempt("ann", room=2, began=8)
    never = attempt("ann", room=1, began=None, state=EntrantState.ENTERED)
    later = attempt("ann", room=2, began=None, state=EntrantState.ENTERED)
    assert by_player([late, early]) == {"ann": early}
    assert by_player([never, early]) == {"ann": early}
    assert by_player([later, never]) == {"ann": never}


def test_what_is_read_back_from_the_log_is_what_the_race_was() -> None:
    room = Room(DAY)
    track = Track(terms_of(room, WIN_GAME), seed=WIN_SEED)
    for name in ("ann", "bob", "cat", "dot"):
        track.do(Enter(name, name.title(), False), after=1)
    for name in ("cat", "bob", "ann"):
        track.do(Begin(name), after=1000)
    for move in WIN:
        track.play("bob", move, after=100)
    track.do(GiveUp("ann"), after=100)
    track.wait(track.race.closes_at - track.now)
    assert isinstance(track.log[-1], Over)
    live = {each.player: each for each in attempts(room, track.race)}
    back = {each.player: each for each in read_back(room, map(to_line, track.log))}
    assert back == live
    assert set(back) == {"ann", "bob", "cat"}


# --- the league --------------------------------------------------------------------------------


def test_points_fall_from_place_to_place() -> None:
    board = ranked([attempt(f"p{n:02}", ms=n) for n in range(1, 20)], bots=False)
    assert list(points(board).values()) == [
        25, 20, 16, 13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0,
    ]  # fmt: skip


def test_equals_share_the_points_of_their_places() -> None:
    board = ranked([attempt("ann", ms=1), attempt("bob", ms=2), attempt("cat", ms=2)], bots=False)
    assert points(board) == {"ann": 25, "bob": 18, "cat": 18}


def test_who_made_no_move_has_no_points_and_takes_none() -> None:
    board = ranked([attempt("ann"), attempt("bob", moves=0), attempt("cat")], bots=False)
    assert points(board) == {"ann": Fraction(45, 2), "bob": 0, "cat": Fraction(45, 2)}


def test_the_disqualified_have_no_points() -> None:
    board = ranked([attempt("ann", state=EntrantState.DISQUALIFIED)], bots=False)
    assert points(board) == {"ann": 0}


def test_a_week_sums_its_days_and_a_day_missed_counts_nothing() -> None:
    one = ranked([attempt("ann", ms=1), attempt("bob", ms=2)], bots=False)
    two = ranked([attempt("bob", ms=1), attempt("cat", ms=2)], bots=False)
    lines = table([one, two, (), None, None, None, None])
    assert [(line.place, line.player, int(line.points)) for line in lines] == [
        (1, "bob", 45),
        (2, "ann", 25),
        (3, "cat", 20),
    ]
    assert lines[1].days == (Fraction(25), None, None, None, None, None, None)


def test_equal_sums_share_a_place() -> None:
    one = ranked([attempt("ann", ms=1), attempt("bob", ms=2)], bots=False)
    two = ranked([attempt("bob", ms=1), attempt("ann", ms=2)], bots=False)
    three = ranked([attempt("cat", ms=1)], bots=False)
    assert [line.place for line in table([one, two, three])] == [1, 1, 3]


@st.composite
def boards(draw: st.DrawFn) -> list[Attempt]:
    names = draw(st.lists(st.sampled_from("abcdefghijklmnopqrstuv"), unique=True))
    return [
        attempt(
            name,
            state=(state := draw(st.sampled_from(DONE))),
            ms=draw(st.integers(1, 4)) if state is EntrantState.FINISHED else None,
            home=draw(st.integers(0, 3)),
            moves=draw(st.integers(0, 2)),
        )
        for name in names
    ]


@given(boards(), st.randoms())
def test_points_do_not_depend_on_the_order_and_are_neither_made_nor_lost(
    everybody: list[Attempt], chance: Random
) -> None:
    board = ranked(everybody, bots=False)
    given_points = points(board)
    shuffled = list(everybody)
    chance.shuffle(shuffled)
    assert points(ranked(shuffled, bots=False)) == given_points
    scoring = [
        each for each in everybody if each.moves and each.state is not EntrantState.DISQUALIFIED
    ]
    assert sum(given_points.values()) == sum(POINTS[: len(scoring)])
    by_place = [given_points[line.attempt.player] for line in board if line.attempt in scoring]
    assert by_place == sorted(by_place, reverse=True)


# --- what a player is told ---------------------------------------------------------------------

PLAYING = attempt("ann", state=EntrantState.RACING)
RIVALS = (attempt("bob", ms=54_321), attempt("cat", home=43))


def told(seen: Seen, player: str) -> tuple[bool, int, int]:
    """(hidden, lines, played)"""
    answer = sheet(seen, player, Page(), now=DAY.opens_at)
    return answer.is_hidden, len(answer.lines), answer.played


def test_before_the_end_only_who_has_played_sees_the_others() -> None:
    seen = Seen(DAY, None, False, (*RIVALS, PLAYING))
    assert told(seen, "bob") == (False, 2, 2)
    for who in ("ann", "eve", ""):
        assert told(seen, who) == (True, 0, 2)


def test_after_the_end_everybody_sees_everything() -> None:
    seen = Seen(DAY, None, True, RIVALS)
    for who in ("bob", "eve", ""):
        assert told(seen, who) == (False, 2, 2)


def test_who_plays_is_not_told_their_own_place() -> None:
    seen = Seen(DAY, None, False, (*RIVALS, PLAYING))
    assert sheet(seen, "ann", Page(), now=DAY.opens_at).own is None


def test_a_league_says_nothing_of_a_day_that_goes_on() -> None:
    days = [Seen(day, None, False, RIVALS) for day in DAY.week.days]
    answer = league_table(DAY.week, days, "bob", Page())
    assert (answer.total, answer.lines, answer.own) == (0, (), None)
    assert {day.played for day in answer.days} == {0}
