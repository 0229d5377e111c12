"""Boards are drawn where the table's own drawing puts them, and fit a terminal."""

from __future__ import annotations

import random

import pytest

from samedeal_client.board import board, facts, piles
from samedeal_rules import GAMES, Game, Table, deal, find, parse_position
from samedeal_rules.cards import card_text


def drawn(position: str) -> str:
    view = parse_position(position)
    return "\n".join(board(view.game, view))


def some_views(game: Game) -> list[Table]:
    """The deal, and where a random game stands every twenty moves."""
    chance, tables = random.Random(game.key), [deal(game, "board")]
    table = deal(game, "board")
    for _ in range(6):
        for _ in range(20):
            legal = table.legal()
            if not legal:
                return tables
            table.play(chance.choice(legal))
        tables.append(table.copy())
    return tables


def test_a_board_is_drawn_on_its_grid() -> None:
    assert drawn("game: amazons\nR1: 7H AD\nR3: TS\nF1: AH\nS: 9C 8C\n") == (
        "S:2  F1   F2   F3   F4\n"
        "--   AH   []   []   []\n"
        "\n"
        "     R1   R2   R3   R4\n"
        "     7H   []   TS   []\n"
        "     AD"
    )


def test_cards_that_the_player_may_not_see_are_a_count() -> None:
    position = "game: st-helena\nT1: -- -- -- 9H\nT12: 8C\nF1: KC\nF5: AC\n"
    assert drawn(position).splitlines()[:5] == [
        "      T1:4  T2    T3    T4",
        "      9H    []    []    []",
        "",
        "T12   F1    F2    F3    F4    T5",
        "8C    KC    []    []    []    []",
    ]


def test_a_long_pile_pushes_what_stands_below_it_down() -> None:
    lines = drawn("game: fortress\nT1: 9H 8H 7H 6H\nT6: 2C\n").splitlines()
    assert lines.index("T6   T7   T8   T9   T10") == lines.index("6H") + 2


def test_a_foundation_whose_top_card_does_not_tell_shows_its_count() -> None:
    assert "F1:9" in drawn("game: boomerang\nF1: 7S 8S 9S TS JS QS KS AS KS\n")
    assert "F1:" not in drawn("game: fortress\nF1: AS 2S\n")


def test_colours_mark_red_cards_and_change_no_letter() -> None:
    view = deal(find("opus"), "1").view()
    plain = board(view.game, view)
    coloured = board(view.game, view, has_colour=True)
    bare = [
        line.replace("\x1b[31m", "").replace("\x1b[2m", "").replace("\x1b[0m", "").rstrip()
        for line in coloured
    ]
    assert bare == plain
    assert "\x1b[31m9D\x1b[0m" in "\n".join(coloured)
    assert "\x1b[31m9C" not in "\n".join(coloured)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_every_board_fits_eighty_columns_and_shows_every_top_card(game: Game) -> None:
    for table in some_views(game):
        view = table.view()
        for lines in (board(game, view), piles(game, view)):
            assert max(map(len, lines)) <= 80
            words = "\n".join(lines).replace(":", " ").split()
            for name, cards in zip(game.piles, view.piles, strict=True):
                assert name in words
                assert not cards or card_text(cards[-1]) in words


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_list_of_piles_shows_every_card_that_can_be_seen(game: Game) -> None:
    for table in some_views(game):
        view = table.view()
        words = " ".join(piles(game, view)).split()
        for name, cards in zip(game.piles, view.piles, strict=True):
            if name[0] in "TR":
                seen = [card_text(card) for card in cards if card]
                at = next(i for i, word in enumerate(words) if word.partition(":")[0] == name)
                assert words[at + 1 : at + 1 + len(seen)] == seen


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_list_of_piles_is_never_higher_than_a_small_terminal(game: Game) -> None:
    assert all(len(piles(game, table.view())) <= 21 for table in some_views(game))


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ("game: opus\nbase: 9\n", "base 9"),
        ("game: chessboard\n", "base not chosen yet"),
        ("game: st-helena\nredeals: 1\n", "redeals 1 of 2"),
        ("game: amazons\n", ""),
        ("game: amazons\nidle: 1\n", "a pass without a play"),
        ("game: fortress\n", ""),
    ],
)
def test_facts_say_what_no_pile_shows(position: str, said: str) -> None:
    view = parse_position(position)
    assert facts(view.game, view) == said
