"""Games read aloud: every text is whole, says what its declaration says, and reads as sentences.

The texts themselves are golden, in `tests/proofs/<game>/rules.txt`.
"""

from __future__ import annotations

import re

import pytest

from samedeal_rules.games import GAMES, every_game, find
from samedeal_rules.prose import index_page, page, rules_text, title
from samedeal_rules.spec import Game

EVERY_GAME = pytest.mark.parametrize("game", every_game(), ids=lambda game: game.key)


def line_on(kind: str, key: str) -> str:
    """The line of a game's rules that begins with that kind of pile."""
    lines = rules_text(find(key)).splitlines()
    return next(line for line in lines if re.match(rf"- (\d+ )?{kind}", line))


@EVERY_GAME
def test_text_has_the_classic_form(game: Game) -> None:
    lines = rules_text(game).splitlines()
    headings = [line for line in lines if line and not line.startswith("- ")]
    assert headings[:4] == [title(game), "Object", lines[3], "Rules"]


@EVERY_GAME
def test_every_kind_of_pile_is_told_of(game: Game) -> None:
    text = rules_text(game)
    spans = re.findall(r"\(([FTCRSW])\d*(?:–[FTCRSW](\d+))?", text)
    assert {kind for kind, _ in spans} == {name[0] for name in game.piles}


@EVERY_GAME
def test_text_reads_as_sentences(game: Game) -> None:
    text = rules_text(game)
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert [line for line in lines if not line.endswith(".")] == []
    assert re.findall(r"  |\.\.| \.| ,|;\.|\. [a-z]|None|\bT\.|\{|\}", text) == []


@EVERY_GAME
def test_number_of_piles_of_each_kind_is_said(game: Game) -> None:
    text = rules_text(game)
    for kind in "FTCR":
        count = sum(int(number) for number in re.findall(rf"- (\d+) [a-z ]+\({kind}\d", text))
        assert count == len(game.named(kind))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_variant_says_in_its_rules_what_it_changes(game: Game) -> None:
    for variation, variant in zip(game.variations, game.variants, strict=True):
        assert variation.words in rules_text(variant)
        assert f"{variant.key} - {variation.words}" in rules_text(game)


def test_a_variant_does_not_claim_what_it_takes_away() -> None:
    assert "wrapping from Ace to King" in line_on("tableau", "opus")
    assert "wrapping" not in line_on("tableau", "opus:no-wrap")


def test_an_uneven_deal_in_the_middle_names_its_piles() -> None:
    assert line_on("tableau", "tuxedo").endswith(
        "7 cards are dealt face up to each pile, except T1, T4 and T7, which are dealt 8 cards."
    )


def test_an_uneven_deal_from_the_left_is_counted() -> None:
    assert line_on("tableau", "fortress").endswith(
        "the first 2 piles are dealt 6 cards each face up, and the other piles 5 cards each."
    )


def test_one_longer_pile_is_the_first_pile() -> None:
    assert "the first pile is dealt 6 cards face up" in line_on("tableau", "board-patience")


def test_aces_that_lie_under_the_piles_are_not_counted_twice() -> None:
    assert line_on("tableau", "eight-on").endswith(
        "the Aces are dealt to the first 4 piles, then 5 cards are dealt face up to each pile."
    )


def test_cells_of_a_game_without_building_play_to_foundations_only() -> None:
    assert "available for play on the foundations." in line_on("cells", "small-billee")


def test_cells_of_a_game_with_building_play_to_the_tableau_too() -> None:
    assert "available for play on the foundations or tableau." in line_on("cells", "opus")


def test_foundations_that_are_stars_are_called_stars() -> None:
    assert "To move all the cards to the stars." in rules_text(find("binary-star"))


def test_hidden_piles_are_not_said_to_be_dealt_face_up() -> None:
    assert "face up" not in line_on("tableau", "st-helena")


def test_every_page_draws_the_table() -> None:
    assert "T12 F1  F2  F3  F4  T5\n" in page(find("st-helena"))


def test_every_game_is_on_the_index_page() -> None:
    index = index_page(GAMES)
    assert [game.key for game in GAMES if f"({game.key}.md)" not in index] == []
