"""Freecell Solver's boards and solutions, read and written for the games it knows exactly."""

from __future__ import annotations

import pytest

from samedeal_rules.engine import Table, deal
from samedeal_rules.errors import BadNotation, IllegalMove
from samedeal_rules.fcsolve import (
    SOLVER_OPTIONS,
    Notation,
    board_text,
    read_board,
    read_solution,
    solution_text,
)
from samedeal_rules.games import find
from samedeal_rules.notation import Position, move_text, parse_position

# A few moves from the end, so that a whole solution can be read by eye.
ENDGAME = """\
Foundations: H-K C-K D-Q S-J
:
: KS
:
: QS
:
:
: KD
:
"""
CASTLE = find("beleaguered-castle")
TUXEDO = find("tuxedo")


def castle(*stacks: str, home: str = "H-J C-J D-J S-J") -> Position:
    """A Beleaguered Castle position from fc-solve's notation; the other stacks are empty."""
    lines = [f"Foundations: {home}", *(f": {stack}" for stack in stacks)]
    return read_board(CASTLE, "\n".join(lines) + "\n")


def read(position: Position, text: str) -> list[str]:
    """The moves of a solution in our notation."""
    return [move_text(position.game, move) for move in read_solution(position, text)]


@pytest.mark.parametrize("key", SOLVER_OPTIONS)
def test_a_board_comes_back_as_it_was_written(key: str) -> None:
    position = deal(find(key), "friday-night").position()
    assert read_board(find(key), board_text(position)) == position


def test_a_board_is_written_as_the_solver_prints_it() -> None:
    board = board_text(castle("KH QC", "", "KC QD", "", "KD QH", "KS QS"))
    assert board.splitlines()[:4] == ["Foundations: H-J C-J D-J S-J", ": KH QC", ":", ": KC QD"]


def test_a_board_may_write_ten_with_two_digits_and_leave_out_the_colons() -> None:
    stacks = "10H JH\nQH KH\n2S 3S 4S\n5S 6S 7S 8S\n9S 10S\nJS\nQS\nKS\n"
    loose = f"# mine\nFounds: S-1 H-9 C-K D-K\n{stacks}"
    assert read_board(CASTLE, loose).text() == castle(
        "TH JH", "QH KH", "2S 3S 4S", "5S 6S 7S 8S", "9S TS", "JS", "QS", "KS",
        home="S-A H-9 C-K D-K",
    ).text()  # fmt: skip


@pytest.mark.parametrize(
    "freecells",
    ["Freecells:  KH      KD  KS", "Freecells: KH - KD KS", "FC: KH - KD KS - - -"],
)
def test_cells_are_read_by_dash_or_by_column(freecells: str) -> None:
    board = f"Foundations: H-Q C-Q D-Q S-Q\n{freecells}\n: KC\n:\n:\n:\n:\n:\n:\n"
    text = read_board(TUXEDO, board).text()
    assert [line for line in text.splitlines() if line.startswith("C")][:4] == [
        "C1: KH", "C2:", "C3: KD", "C4: KS",
    ]  # fmt: skip


def test_a_board_with_a_card_missing_is_refused() -> None:
    with pytest.raises(BadNotation, match="1 of the pack"):
        read_board(CASTLE, ENDGAME.replace("KS", ""))


def test_a_board_with_a_stack_too_many_is_refused() -> None:
    with pytest.raises(BadNotation, match="8 stacks"):
        read_board(CASTLE, ENDGAME + ": 2H\n")


def test_a_game_that_the_solver_plays_otherwise_is_refused() -> None:
    with pytest.raises(BadNotation, match="opus"):
        board_text(deal(find("opus"), "1").position())


def test_sentences_are_read_from_between_the_boards() -> None:
    solution = f"""\
-=-=-=-=-=-=-=-=-=-=-=-

{ENDGAME}

====================

Move a card from stack 3 to the foundations

{ENDGAME}

====================

Move 1 cards from stack 1 to stack 0

====================

Move a card from stack 0 to the foundations
Move a card from stack 6 to the foundations
This game is solveable.
Total number of states checked is 7.
This scan generated 8 states.
"""
    assert read(read_board(CASTLE, ENDGAME), solution) == ["T4-F4", "T2-T1", "T1-F4", "T7-F2"]


def test_a_solution_wins_when_it_is_replayed() -> None:
    position = read_board(CASTLE, ENDGAME)
    table = Table.from_position(position)
    for move in read_solution(position, "4h 2h 7h\n"):
        table.play(move)
    assert table.won


def test_standard_notation_counts_columns_from_one_and_calls_home_h() -> None:
    assert read(read_board(CASTLE, ENDGAME), "#24\n4h 21 1h 7h") == [
        "T4-F4", "T2-T1", "T1-F4", "T7-F2",
    ]  # fmt: skip


def test_cells_are_letters_from_a() -> None:
    board = "Foundations: H-K C-K D-K S-J\n: KS QS\n:\n:\n:\n:\n:\n:\n"
    assert read(read_board(TUXEDO, board), "1a 12 ah 2h") == ["T1-C1", "T1-T2", "C1-F4", "T2-F4"]


def test_a_group_that_our_rules_grant_stays_one_move() -> None:
    board = "Foundations: H-T C-K D-K S-K\n: KH\n: QH JH\n:\n:\n:\n:\n:\n"
    assert read(read_board(TUXEDO, board), "Move 2 cards from stack 1 to stack 0") == ["T2-T1:2"]


def test_a_group_that_our_rules_refuse_is_read_as_single_moves() -> None:
    position = castle("KH", "QC JC", "KC", home="H-Q C-T D-K S-K")
    assert read(position, "Move 2 cards from stack 1 to stack 0") == ["T2-T4", "T2-T1", "T4-T1"]


def test_a_run_goes_over_by_way_of_the_empty_piles() -> None:
    position = castle("KH", "QC JC TC 9C", "KD KS KC", home="H-Q C-8 D-Q S-Q")
    assert read(position, "Move 4 cards from stack 1 to stack 0") == [
        "T2-T5", "T2-T4", "T5-T4", "T2-T5", "T2-T1", "T5-T1", "T4-T5", "T4-T1", "T5-T1",
    ]  # fmt: skip


def test_a_compact_move_takes_as_many_cards_as_fit() -> None:
    position = castle("KH", "QC JC TC 9C", "KD KS KC", home="H-Q C-8 D-Q S-Q")
    assert len(read(position, "21")) == 9


def test_a_counted_move_to_a_space_takes_that_many() -> None:
    position = castle("KH", "QC JC TC 9C", "KD KS KC", home="H-Q C-8 D-Q S-Q")
    assert read(position, "24v2") == ["T2-T5", "T2-T4", "T5-T4"]


def test_an_uncounted_move_to_a_space_is_a_run_if_the_solution_needs_it() -> None:
    position = castle("KH", "QC JC TC 9C", "KD KS KC", home="H-Q C-8 D-Q S-Q")
    assert len(read(position, "24 32")) == 10


def test_a_run_without_room_is_refused() -> None:
    position = castle("KH", "QC JC", "KD", "KS", "KC", "QH", "QD", "QS", home="H-J C-T D-J S-J")
    with pytest.raises(IllegalMove):
        read_solution(position, "Move 2 cards from stack 1 to stack 0")


def test_an_illegal_move_is_refused() -> None:
    with pytest.raises(IllegalMove):
        read_solution(read_board(CASTLE, ENDGAME), "2h")


@pytest.mark.parametrize("text", ["hello", "1z", "Move two cards", "9h", "1a", "h1"])
def test_a_line_that_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(BadNotation):
        read_solution(read_board(CASTLE, ENDGAME), text)


@pytest.mark.parametrize("notation", Notation)
def test_a_solution_comes_back_as_it_was_written(notation: Notation) -> None:
    position = castle("KH", "QC JC TC 9C", "KD KS KC", home="H-Q C-8 D-Q S-Q")
    moves = read_solution(position, "24v2")
    written = solution_text(position, moves, notation=notation)
    assert read_solution(position, written) == moves


def test_a_group_to_a_space_is_counted_in_the_extended_notation_only() -> None:
    board = "Foundations: H-T C-K D-K S-K\n: KH QH JH\n:\n:\n:\n:\n:\n:\n"
    position = read_board(TUXEDO, board)
    moves = read_solution(position, "12v3")
    assert (
        solution_text(position, moves, notation=Notation.STANDARD),
        solution_text(position, moves, notation=Notation.EXTENDED),
        solution_text(position, moves),
    ) == ("12\n", "12v3\n", "Move 3 cards from stack 0 to stack 1\n")


def test_ten_moves_stand_on_a_line() -> None:
    position = parse_position(board_position_of_aces())
    moves = read_solution(position, " ".join(["1h"] * 12))
    lines = solution_text(position, moves, notation=Notation.STANDARD).splitlines()
    assert [len(line.split()) for line in lines] == [10, 2]


def board_position_of_aces() -> str:
    """Beleaguered Castle with all Hearts in one pile, ready to go up, and the rest at home."""
    return castle("KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H", home="H-A C-K D-K S-K").text()
