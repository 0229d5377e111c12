"""Chance that anybody can make again, with vectors for other languages."""

from __future__ import annotations

from hashlib import sha256

import pytest

from samedeal_rules.errors import BadSeed
from samedeal_rules.shuffle import check_seed, order
from samedeal_server.tourneys.chance import deal_seed, lot, lots


def test_a_deals_seed_is_a_hash_of_four_lines_and_more() -> None:
    text = "samedeal-tourney/1\ndeal\nfriday-night\nW1.2\n3"
    assert deal_seed("friday-night", "W1.2", 3) == sha256(text.encode()).hexdigest()[:32]


def test_a_deals_seed_is_a_seed() -> None:
    seed = deal_seed("Zürich 42", "R9.128", 1)
    assert check_seed(seed) == seed


def test_no_two_races_have_the_same_deal() -> None:
    seeds = {
        deal_seed("s", f"R{number}.{board}", race)
        for number in range(12)
        for board in range(40)
        for race in range(4)
    }
    assert len(seeds) == 12 * 40 * 4


def test_a_lot_is_a_hash_too() -> None:
    text = "samedeal-tourney/1\nlot\nround/1\nfriday-night\n3\n7"
    assert lot("friday-night", "round/1", 3, 7) == int(sha256(text.encode()).hexdigest()[:10], 16)


def test_an_order_is_the_published_shuffle_of_numbers_lowest_first() -> None:
    for came in ([3, 1, 2], [2, 3, 1]):
        assert lots("s", "round/2", came) == order("s", [1, 2, 3], purpose="tourney/round/2")


def test_a_bad_seed_is_refused() -> None:
    with pytest.raises(BadSeed):
        deal_seed("", "F", 1)
