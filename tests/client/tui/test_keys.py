"""Piles typed letter by letter."""

from __future__ import annotations

import pytest

from samedeal_client.tui.keys import is_pile_key, spell
from samedeal_rules import find


def named(keys: str, wanted: str, *, key: str = "binary-star", has_lifted: bool = False) -> str:
    """The piles that are named one after the other, and what is left open."""
    game, buffer, said = find(key), "", []
    queue = [each if each != " " else "space" for each in keys]
    while queue:
        result = spell(buffer, queue.pop(0), game, wanted.split(), has_lifted=has_lifted)
        buffer = result.buffer
        if result.pile is not None:
            said.append(result.pile)
        if result.again:
            queue.insert(0, result.again)
    return " ".join([*said, f"{buffer}_"] if buffer else said)


@pytest.mark.parametrize(
    ("keys", "wanted", "piles"),
    [
        ("3", "T3 T4", "T3"),
        ("t3", "T3 T4", "T3"),
        ("34", "T3 T4", "T3 T4"),
        ("f1", "F1", "F1"),
        ("1", "T1 T2", "T1"),
        ("1", "T1 T14", "1_"),
        ("14", "T1 T14", "T14"),
        ("1 4", "T1 T4 T14", "T1 T4"),
        ("15", "T1 T14 T5", "T1 T5"),
        ("1f2", "T14 F2", "T1 F2"),
        ("t", "T3", "t_"),
        ("99", "T1", "T9 T9"),
    ],
)
def test_a_name_is_done_when_it_can_grow_no_longer(keys: str, wanted: str, piles: str) -> None:
    assert named(keys, wanted) == piles


def test_with_a_card_in_hand_f_is_the_only_foundation_that_takes_it() -> None:
    assert named("f", "F3 T4", key="opus", has_lifted=True) == "F3"
    assert named("f", "F3 F4", key="opus", has_lifted=True) == "f_"
    assert named("f4", "F3 F4", key="opus", has_lifted=True) == "F4"


def test_waste_and_stock_have_one_letter() -> None:
    assert named("w4", "W T4", key="forty-thieves") == "W T4"
    assert named("s", "T4", key="forty-thieves") == "S"


def test_only_letters_of_piles_that_there_are_begin_a_name() -> None:
    assert is_pile_key("w", find("forty-thieves"))
    assert not is_pile_key("w", find("opus"))
    assert not is_pile_key("enter", find("opus"))
