"""Cards as text and back."""

from __future__ import annotations

import pytest

from samedeal_rules.cards import (
    CARD_TEXTS,
    HIDDEN,
    card_text,
    is_red,
    make_card,
    parse_card,
    rank_of,
    suit_of,
)
from samedeal_rules.errors import BadNotation


def test_every_card_survives_its_text() -> None:
    cards = [make_card(rank, suit) for suit in range(4) for rank in range(1, 14)]
    assert len(set(map(card_text, cards))) == 52
    assert [parse_card(card_text(card)) for card in cards] == cards


@pytest.mark.parametrize(
    ("text", "rank", "suit", "red"),
    [("AC", 1, 0, False), ("TD", 10, 1, True), ("7H", 7, 2, True), ("KS", 13, 3, False)],
)
def test_a_card_has_its_rank_suit_and_color(text: str, rank: int, suit: int, red: bool) -> None:
    card = parse_card(text)
    assert (rank_of(card), suit_of(card), is_red(card)) == (rank, suit, red)


def test_a_hidden_card_is_two_dashes() -> None:
    assert card_text(HIDDEN) == "--"
    assert parse_card("--") == HIDDEN


def test_codes_leave_two_bits_of_a_byte_free() -> None:
    assert max(CARD_TEXTS) < 64


@pytest.mark.parametrize("text", ["", "T", "10D", "td", "DT", "1C", "AX", "A\u2660", " AS"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(BadNotation, match="is not a card: write a rank of"):
        parse_card(text)


@pytest.mark.parametrize("code", [-1, 14, 16, 62, 64])
def test_what_is_no_code_is_refused(code: int) -> None:
    with pytest.raises(BadNotation, match="not a card's code"):
        card_text(code)
