"""How much of a log one page holds."""

from __future__ import annotations

import pytest

from samedeal_server.rooms.replays import page_of


@pytest.mark.parametrize(
    ("length", "count", "held"),
    [
        (10, 399, 399),
        (10, 401, 400),
        (64 * 1024, 3, 2),
        (64 * 1024 + 1, 3, 1),
        (200 * 1024, 2, 1),
        (10, 0, 0),
    ],
)
def test_a_page_holds_400_lines_and_128_kib_but_always_a_line(
    length: int, count: int, held: int
) -> None:
    assert len(page_of(["x" * length] * count)) == held


def test_a_page_is_measured_as_it_is_sent() -> None:
    assert len(page_of(["é" * 40 * 1024] * 3)) == 1
