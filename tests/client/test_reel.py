"""A replay at a terminal: steps show what the text tells, and keys go where they say."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from samedeal_client.reel import Reel
from samedeal_client.retelling import (
    BadReplay,
    Step,
    UnknownEntrant,
    by_moves,
    entrant_number,
    retell,
    steps,
)
from samedeal_client.screen import width_of
from samedeal_rules import Game, deal, find
from samedeal_rules.notation import parse_move
from support.races import WIN, WIN_GAME, WIN_SEED

from .test_verify import lines


@cache
def told() -> tuple[str, Game, list[Step]]:
    return steps(b"\n".join(lines()) + b"\n")


def reel(*, speed: float = 1.0, only: int | None = None) -> Reel:
    race, game, each = told()
    return Reel(race, game, each, speed=speed, only=only)


def picture(shown: Reel, *, width: int = 80, height: int = 24) -> list[str]:
    return shown.picture(width=width, height=height, has_blocks=False, has_colour=False)


def pressed(shown: Reel, *keys: str) -> Step:
    for key in keys:
        assert shown.press(key)
    return shown.step


# --- the steps -----------------------------------------------------------------------------------


def test_there_is_a_step_for_every_event() -> None:
    assert len(told()[2]) == len(lines()) - 2


def test_the_steps_say_what_the_text_says() -> None:
    text = [line[13:] for line in retell(b"\n".join(lines()) + b"\n")][1:]
    assert [line for step in told()[2] for line in step.lines] == text


def test_a_step_has_the_board_that_its_move_led_to() -> None:
    table = deal(find(WIN_GAME), WIN_SEED)
    played = [
        step for step in told()[2] if step.entrant == 1 and step.boards and step.entrants[1].moves
    ]
    for move, step in zip(WIN, played, strict=False):
        table.play(parse_move(table.game, move))
        assert step.boards[1].text() == table.view().text()


def test_those_who_are_done_have_their_state_and_finishers_their_time() -> None:
    last = told()[2][-1].entrants
    assert [last[n].state for n in (1, 2, 3, 4)] == [
        "finished",
        "finished",
        "gave-up",
        "disqualified",
    ]
    assert last[1].elapsed_ms is not None
    assert last[3].elapsed_ms is None


def test_by_moves_the_first_step_is_the_deal_and_each_other_changes_a_board_or_ends_a_race() -> (
    None
):
    each = by_moves(told()[2])
    dealt = deal(find(WIN_GAME), WIN_SEED).view().text()
    assert {board.text() for board in each[0].boards.values()} == {dealt}
    assert all(b.is_end or a.boards != b.boards for a, b in pairwise(each))
    after = told()[2][told()[2].index(next(step for step in told()[2] if step.boards)) :]
    assert [line for step in each for line in step.lines] == [
        line for step in after for line in step.lines
    ]


def test_an_entrant_is_found_by_name_in_any_case() -> None:
    assert entrant_number(told()[2], " ADA ") == 1
    with pytest.raises(UnknownEntrant, match="nobody called 'Bob' was in the race, but Ada"):
        entrant_number(told()[2], "Bob")


def test_the_text_of_one_entrant_leaves_the_others_moves_out() -> None:
    text = "\n".join(retell(b"\n".join(lines()) + b"\n", only="Grace"))
    assert "Grace  T24-W" in text
    assert "Ada  T24-W" not in text
    assert "the race is over" in text


@pytest.mark.parametrize("keep", [0, 1, 3])
def test_what_is_no_whole_replay_cannot_be_stepped_through(keep: int) -> None:
    with pytest.raises(BadReplay):
        steps(b"\n".join(lines()[:keep]))


@pytest.mark.parametrize("line", [0, 1, -1])
def test_a_replay_that_is_nested_too_deep_cannot_be_stepped_through(line: int) -> None:
    file = list(lines())
    file[line] = b'{"event":"readied","x":' + b"[" * 5000
    with pytest.raises(BadReplay):
        steps(b"\n".join(file))


# --- the keys ------------------------------------------------------------------------------------


def test_right_and_left_go_one_step_and_stop_at_the_ends() -> None:
    shown, each = reel(), told()[2]
    assert pressed(shown, "left") is each[0]
    assert pressed(shown, "right", "right") is each[2]
    assert pressed(shown, "left") is each[1]
    assert pressed(shown, "end") is each[-1]
    assert pressed(shown, "right") is each[-1]
    assert pressed(shown, "home") is each[0]


def test_f_goes_from_finish_to_finish_and_then_to_the_end() -> None:
    shown, ends = reel(), [step for step in told()[2] if step.is_end]
    for end in ends:
        assert pressed(shown, "f") is end
    assert pressed(shown, "f") is told()[2][-1]


def test_with_one_entrant_the_steps_of_the_others_are_passed_over() -> None:
    shown = reel(only=2)
    seen = {shown.step.entrant}
    while shown.step is not told()[2][-1]:
        seen.add(pressed(shown, "right").entrant)
    assert seen == {None, 2}


def shown_boards(shown: Reel) -> set[str]:
    top = " ".join(picture(shown)[:12])
    return {name for name in ("Ada", "Grace") if name in top}


def test_a_digit_chooses_an_entrant_and_a_shows_all_again() -> None:
    shown = reel()
    pressed(shown, "end", "2")
    assert shown_boards(shown) == {"Grace"}
    pressed(shown, "9")
    assert shown_boards(shown) == {"Grace"}
    pressed(shown, "a")
    assert shown_boards(shown) == {"Ada", "Grace"}


def test_q_and_escape_leave() -> None:
    assert not reel().press("q")
    assert not reel().press("\x1b")


def test_what_is_no_key_does_nothing() -> None:
    shown = reel()
    assert pressed(shown, "x", "\x1b[5~", "ß") is told()[2][0]


# --- playing -------------------------------------------------------------------------------------


def test_nothing_is_due_while_it_is_paused() -> None:
    assert reel().wait_s() is None


def test_it_plays_as_fast_as_it_is_told() -> None:
    each = told()[2]
    times = [-1 if step.at_ms is None else step.at_ms for step in each]
    pauses = [then - now for now, then in pairwise(times)]
    at = next(at for at, ms in enumerate(pauses) if times[at] >= 0 and 0 < ms < 3000)
    for speed in (1.0, 4.0):
        shown = reel(speed=speed)
        pressed(shown, *["right"] * at, "space")
        assert shown.wait_s() == pauses[at] / 1000 / speed


def test_plus_and_minus_change_the_speed_within_bounds() -> None:
    shown = reel()
    pressed(shown, "space", *["+"] * 20)
    assert picture(shown)[0].endswith("64x")
    pressed(shown, *["-"] * 20)
    assert picture(shown)[0].endswith("0.25x")


def test_it_stops_at_the_end_and_begins_again_from_there() -> None:
    shown = reel()
    pressed(shown, "space")
    while shown.wait_s() is not None:
        shown.advance()
    assert shown.step is told()[2][-1]
    assert not shown.is_playing
    assert pressed(shown, "space") is told()[2][0]


def test_a_step_by_hand_pauses() -> None:
    shown = reel()
    pressed(shown, "space", "right")
    assert shown.wait_s() is None


@pytest.mark.parametrize(("width", "height"), [(80, 24), (60, 16), (200, 60), (40, 12)])
def test_no_picture_is_larger_than_the_screen(width: int, height: int) -> None:
    shown = reel()
    for _ in told()[2]:
        drawn = picture(shown, width=width, height=height)
        assert len(drawn) <= height
        assert max(map(width_of, drawn)) <= width
        pressed(shown, "right")
