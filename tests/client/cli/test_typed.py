"""What players type is understood forgivingly, and never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_client.typed import WORDS, Ask, Try, Typed, Unclear, needs_board, understand
from samedeal_rules import GAMES, Game, Table, deal, every_game, find, move_text, parse_position

TUXEDO = """
game: tuxedo
F1: AS
F2: AH
T1: JD TS 9S 8S
T2: 2S
T3: 2H
T4: JS
T5: KH QH
C1: 5C
"""
FORTY = """
game: forty-thieves
F1: AS
F2: AS
T1: 9H 2S
T2: 3C 8H
T3: 9H
T10: TH
W: 7C 7H
S: 5D
"""
ST_HELENA = """
game: st-helena
F1: KS QS JS TS 9S 8S
F5: AS 2S 3S 4S 5S 6S
T1: 7S
T2: 8C
redeals: 1
"""


def typed(line: str, position: str) -> Typed:
    """What the line means at that position."""
    table = Table.from_position(parse_position(position))
    legal = sorted(move_text(table.game, move) for move in table.legal())
    return understand(line, table.game, table.view(), legal)


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("T3-F2", "T3-F2"),
        ("t3-f2", "T3-F2"),
        ("t3 f2", "T3-F2"),
        ("t3 f", "T3-F2"),
        ("3f", "T3-F2"),
        ("3 f", "T3-F2"),
        ("3>f", "T3-F2"),
        ("3 to f", "T3-F2"),
        ("  3F  ", "T3-F2"),
        ("3", "T3-F2"),
        ("14", "T1-T4:3"),
        ("1 4", "T1-T4:3"),
        ("1 4 3", "T1-T4:3"),
        ("T1-T4:3", "T1-T4:3"),
        ("14:3", "T1-T4:3"),
        ("2c", "T2-C2"),
        ("t2 c5", "T2-C5"),
        ("1 4 2", "T1-T4:2"),
        ("4 1", "T4-T1"),
        ("c1 4", "C1-T4"),
    ],
)
def test_moves_are_understood_in_every_short_form(line: str, move: str) -> None:
    assert typed(line, TUXEDO) == Try(move)


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("d", "draw"),
        ("draw", "draw"),
        ("DRAW", "draw"),
        ("", "draw"),
        ("23", "T2-T3"),
        ("w2", "W-T2"),
        ("w 2", "W-T2"),
        ("w", "W-T2"),
        ("1f", "T1-F1"),
        ("3 10", "T3-T10"),
        ("310", "T3-T10"),
        ("t3t10", "T3-T10"),
    ],
)
def test_stock_waste_and_the_tenth_pile_are_understood(line: str, move: str) -> None:
    assert typed(line, FORTY) == Try(move)


def test_equal_foundations_are_not_asked_about() -> None:
    assert typed("1f", FORTY) == Try("T1-F1")


def test_foundations_that_differ_are_asked_about() -> None:
    meant = typed("1f", ST_HELENA)
    assert meant == Unclear("1f could be T1-F1 or T1-F5: type one of them")


def test_a_pile_with_two_sensible_moves_is_asked_about() -> None:
    meant = typed("1", ST_HELENA)
    assert isinstance(meant, Unclear)
    assert "T1-F1 or T1-F5" in meant.sentence


def test_piles_that_run_together_are_never_guessed() -> None:
    position = "game: small-billee\nT1: 9H\nT11: 8H\n"
    assert isinstance(typed("111", position), Unclear)


def test_two_moves_that_run_together_are_asked_about() -> None:
    position = "game: st-helena\nredeals: 1\nT1: 9H\nT11: 8H\n"
    assert typed("111", position) == Unclear("111 could be T1-T11 or T11-T1: type one of them")


def test_an_illegal_move_is_left_to_the_rules_to_refuse() -> None:
    assert typed("34", TUXEDO) == Try("T3-T4")
    assert typed("t3 t4 2", TUXEDO) == Try("T3-T4:2")


def test_a_pile_with_nothing_for_a_foundation_is_told_so() -> None:
    assert typed("4f", TUXEDO) == Unclear("T4 has nothing that can go to a foundation now")


def test_an_empty_line_never_redeals() -> None:
    assert typed("", ST_HELENA) == Ask("board")
    assert typed("d", ST_HELENA) == Try("redeal")
    assert typed("redeal", ST_HELENA) == Try("redeal")


def test_an_empty_line_without_a_stock_shows_the_board() -> None:
    assert typed("", TUXEDO) == Ask("board")
    assert typed("d", TUXEDO) == Unclear("Tuxedo has no stock to turn")


@pytest.mark.parametrize(
    ("line", "ask"),
    [
        ("u", Ask("undo")),
        ("?", Ask("help")),
        ("help moves", Ask("help", "moves")),
        ("give up", Ask("giveup")),
        ("GIVEUP", Ask("giveup")),
        ("say  Hello, World ", Ask("say", "Hello, World")),
        ("r", Ask("rivals")),
        ("replay My File.jsonl", Ask("replay", "My File.jsonl")),
    ],
)
def test_words_are_understood_and_what_follows_is_kept_as_typed(line: str, ask: Ask) -> None:
    assert typed(line, FORTY) == ask


@pytest.mark.parametrize("line", ["xyzzy", "t3", "f1 t3 t4 t5", "ثلاثة", "12345", "-"])
def test_what_cannot_be_understood_says_what_to_type(line: str) -> None:
    meant = typed(line, "game: fortress\nT1: 9H\n")
    assert isinstance(meant, Unclear)
    assert meant.sentence


@pytest.mark.parametrize(
    ("line", "word"),
    [("hlep", "help"), ("undp", "undo"), ("Rivlas", "rivals"), ("reday", "ready"), ("daw", "draw")],
)
def test_a_slip_in_a_word_is_answered_with_the_word(line: str, word: str) -> None:
    assert typed(line, FORTY) == Unclear(
        f"{line!r} is no move and no word that I know: did you mean {word}?"
    )


@pytest.mark.parametrize(
    ("line", "pile"),
    [
        ("t99 f1", "T99"),
        ("T99-F1", "T99"),
        ("t99f1", "T99"),
        ("t99", "T99"),
        ("t1 f9", "F9"),
        ("w t11", "T11"),
        ("z3 f", "Z3"),
        ("1 11", "T11"),
    ],
)
@pytest.mark.parametrize("is_dealt", [True, False])
def test_a_pile_that_is_not_there_is_answered_with_those_that_are(
    line: str, pile: str, is_dealt: bool
) -> None:
    game = find("forty-thieves")
    view = deal(game, "1").view() if is_dealt else None
    assert understand(line, game, view, ()) == Unclear(
        f"Forty Thieves has no pile {pile}: there are F1-F8, T1-T10, S, W"
    )


def test_before_the_deal_a_move_says_that_there_is_no_board() -> None:
    meant = understand("3f", find("opus"), None, ())
    assert meant == Unclear("there is no board yet: the race has not started")


@pytest.mark.parametrize("game", every_game(), ids=lambda game: game.key)
def test_every_legal_move_can_be_typed_in_full(game: Game) -> None:
    table = deal(game, "typed")
    for _ in range(4):
        legal = sorted(move_text(game, move) for move in table.legal())
        for move in legal:
            assert understand(move.lower(), game, table.view(), legal) == Try(move)
        if not legal:
            return
        table.play(sorted(table.legal())[-1])


@given(st.text(max_size=20), st.sampled_from(GAMES))
def test_any_text_means_something_or_is_unclear(line: str, game: Game) -> None:
    table = deal(game, "typed")
    legal = sorted(move_text(game, move) for move in table.legal())
    assert isinstance(understand(line, game, table.view(), legal), Ask | Try | Unclear)


def test_only_words_about_the_race_make_sense_without_a_board() -> None:
    without = {word for word in WORDS if not needs_board(word)}
    assert {"ready", "say", "wait", "quit", "rivals"} <= without
    assert not {"undo", "board", "legal", "giveup", "finish"} & without
    assert needs_board("3f")
