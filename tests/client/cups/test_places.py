"""A fault in a file is found at its line, however the file writes its key."""

from __future__ import annotations

import pytest

from samedeal_client.cups.places import key_of, line_of

PLAN = """\
# rounds = 3 is what we had
name = "rounds of Friday"
games = [
  "opus",
  "tuxedo",
]
swiss.length = { best_of = 3 }
[swiss.points]
win = 2
[race]
note = '''
limit = "5m"
'''
limit = "20m"
"""


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("name", 2),
        ("games", 3),
        ("swiss", 7),
        ("swiss.length.best_of", 7),
        ("swiss.points.win", 9),
        ("race", 10),
        ("race.limit", 14),
        ("rounds", None),
        ("swiss.rounds", None),
        ("win", None),
    ],
)
def test_a_key_is_found_where_it_begins(key: str, line: int | None) -> None:
    assert line_of(PLAN, key) == line


@pytest.mark.parametrize(
    ("sentence", "key"),
    [
        ("swiss.round: no such setting: did you mean rounds?", "swiss.round"),
        ("name is missing: write one", "name"),
        ("[heats] is not for format = 'swiss'", None),
        ("a bracket is for eliminations", None),
    ],
)
def test_the_key_is_what_the_sentence_begins_with(sentence: str, key: str | None) -> None:
    assert key_of(sentence) == key
