"""What pointing at piles means, in the light of the legal moves."""

from __future__ import annotations

import pytest

from samedeal_client.tui.aim import Aim
from samedeal_client.tui.look import Highlight
from samedeal_client.typed import Try, Unclear
from samedeal_rules import Position, deal, find, move_text, parse_position


def aimed(key: str = "forty-thieves", seed: str = "friday-night") -> Aim:
    table = deal(find(key), seed)
    aim = Aim(table.game)
    legal = [move_text(table.game, move) for move in sorted(table.legal())]
    aim.show(table.view(), legal)
    return aim


def at(position: Position, *legal: str) -> Aim:
    aim = Aim(position.game)
    aim.show(position, legal)
    return aim


def test_a_first_click_picks_up_and_a_second_one_puts_down() -> None:
    aim = aimed()
    assert aim.point("T3") is None
    assert aim.lifted == ("T3", 1)
    assert set(aim.targets) == {"T5"}
    assert aim.point("T5") == Try("T3-T5")
    assert aim.lifted is None


def test_a_second_click_on_the_same_pile_plays_it_home_if_it_can_go_there() -> None:
    aim = aimed()
    aim.point("T9")
    assert aim.point("T9") == Try("T9-F1")


def test_a_second_click_plays_onto_a_card_rather_than_into_a_space() -> None:
    aim = at(deal(find("opus"), "7").view(), "T1-C1", "T1-T4")
    aim.point("T1")
    assert aim.point("T1") == Try("T1-T4")


def test_a_click_where_it_cannot_go_is_left_to_the_rules_to_refuse() -> None:
    aim = aimed()
    aim.point("T3")
    assert aim.point("T4") == Try("T3-T4")


def test_a_click_on_a_pile_without_a_move_says_so_and_the_next_one_picks_up_another() -> None:
    aim = at(deal(find("opus"), "7").view(), "T2-C1")
    assert aim.point("T1") == Unclear("T1 has no legal move")
    assert aim.point("T2") is None
    assert aim.lifted == ("T2", 1)


def test_an_empty_pile_is_not_picked_up() -> None:
    assert aimed().point("W") == Unclear("W is empty")


def test_the_stock_turns_at_once_but_redeals_only_by_its_key() -> None:
    assert aimed().point("S") == Try("draw")
    assert aimed("abandon-hope").point("S") == Unclear("to redeal, press d")
    assert aimed("abandon-hope").lifted is None


RUN = """\
game: eight-on
F1: AC
F2:
F3:
F4:
T1: KH 9S 8S 7S
T2: TS
T3:
T4:
T5:
T6:
T7:
T8:
C1:
C2:
C3:
C4:
C5:
C6:
C7:
C8:
"""
RUN_MOVES = ("T1-C1", "T1-T2:3", "T1-T3", "T1-T3:2", "T1-T3:3")


def test_so_many_cards_are_picked_up_as_lie_from_the_one_clicked_at() -> None:
    aim = at(parse_position(RUN), *RUN_MOVES)
    aim.point("T1", 3)
    assert aim.lifted == ("T1", 3)
    assert aim.targets == {"T2": "T1-T2:3", "T3": "T1-T3:3"}


def test_a_click_deeper_than_may_move_picks_up_what_may() -> None:
    aim = at(parse_position(RUN), *RUN_MOVES)
    aim.point("T1", 4)
    assert aim.lifted == ("T1", 3)


def test_with_one_card_in_hand_it_also_goes_where_only_its_run_fits_if_nothing_else_does() -> None:
    aim = at(parse_position(RUN), "T1-T2:3")
    aim.point("T1")
    assert aim.targets == {"T2": "T1-T2:3"}


def test_plus_and_minus_pick_up_more_and_fewer() -> None:
    aim = at(parse_position(RUN), *RUN_MOVES)
    aim.point("T1")
    aim.stretch(1)
    assert aim.lifted == ("T1", 2)
    aim.stretch(1)
    aim.stretch(1)
    assert aim.lifted == ("T1", 3)
    aim.stretch(-1)
    assert aim.lifted == ("T1", 2)


def test_tab_goes_from_movable_pile_to_movable_pile_and_then_from_target_to_target() -> None:
    aim = aimed()
    aim.cycle(1)
    assert aim.cursor in aim.movable
    aim.point("T9")
    seen = set()
    for _ in range(len(aim.targets)):
        aim.cycle(1)
        seen.add(aim.cursor)
    assert seen == set(aim.targets)


def test_what_is_picked_up_is_let_go_when_the_board_changes() -> None:
    aim = aimed()
    aim.point("T3")
    aim.show(deal(find("forty-thieves"), "other").view(), ())
    assert aim.lifted is None


def test_of_foundations_with_which_a_move_is_the_same_only_the_first_is_wanted() -> None:
    aim = aimed()
    aim.point("T9")
    assert [pile for pile in aim.wanted if pile[0] == "F"] == ["F1"]


@pytest.mark.parametrize(
    ("highlight", "targets", "movable"),
    [
        (Highlight.OFF, set(), set()),
        (Highlight.PICKED, {"T5"}, set()),
        (Highlight.ALWAYS, {"T5"}, {"T3", "T7", "T9"}),
    ],
)
def test_targets_are_marked_as_the_player_has_chosen(
    highlight: Highlight, targets: set[str], movable: set[str]
) -> None:
    aim = aimed()
    aim.point("T3")
    marks = aim.marks(highlight)
    assert marks.targets == targets
    assert marks.movable == movable
