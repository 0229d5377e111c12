"""What is asked twice: the redeals of races whose terms let nobody take one back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samedeal_client.twice import doubt
from samedeal_protocol.terms import Undo
from samedeal_rules import deal, find

START = deal(find("abandon-hope"), "friday-night").view()  # three redeals


@pytest.mark.parametrize(
    ("undo", "redeals", "asked"),
    [
        (Undo.NONE, 0, "A redeal cannot be taken back here, and 3 are left. Once more to redeal."),
        (Undo.NOT_PAST_A_REVEAL, 2,
         "A redeal cannot be taken back here, and this is the last one. Once more to redeal."),
        (Undo.FREE, 0, None),
        (Undo.PENALTY, 2, None),
    ],
)  # fmt: skip
def test_a_redeal_is_asked_about_where_no_undo_brings_it_back(
    undo: Undo, redeals: int, asked: str | None
) -> None:
    assert doubt("redeal", replace(START, redeals=redeals), undo) == asked


def test_no_other_move_is_asked_about() -> None:
    assert {doubt(move, START, Undo.NONE) for move in ("T1-W", "draw", "deal")} == {None}
