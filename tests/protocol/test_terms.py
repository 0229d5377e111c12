"""Terms that do not fit together are told apart from those that do."""

from __future__ import annotations

import re

import pytest

from samedeal_protocol.terms import DAY, Mode, Start, Terms, faults

NOW = 1_800_000_000_000


@pytest.mark.parametrize(
    "terms",
    [
        Terms(game="opus"),
        Terms(game="opus", mode=Mode.ASYNC),
        Terms(game="opus", start=Start.HOST, entrants_min=8),
        Terms(game="opus", start=Start.AT, start_at=NOW + 5000),
        Terms(game="opus", limit=None),
        Terms(game="opus", grace=None),
        Terms(game="opus", mode=Mode.ASYNC, limit=None, grace=None),
        Terms(game="opus", mode=Mode.ASYNC, punctual=True),
    ],
)
def test_terms_that_fit_together_have_no_faults(terms: Terms) -> None:
    assert faults(terms, now=NOW) is None


CONTRADICTIONS = [
    (Terms(game="opus", entrants_min=9), "entrants_min"),
    (Terms(game="opus", start=Start.AT), "start_at"),
    (Terms(game="opus", start_at=NOW + 60_000), "start_at"),
    (Terms(game="opus", start=Start.AT, start_at=NOW + 4999), "countdown"),
    (Terms(game="opus", start=Start.AT, start_at=NOW + 31 * DAY * 1000), "30 days"),
    (Terms(game="opus", mode=Mode.ASYNC, start=Start.HOST), "async"),
    (Terms(game="opus", mode=Mode.ASYNC, start_at=NOW + 60_000), "async"),
    (Terms(game="opus", limit=None, grace=None), "limit"),
    (Terms(game="opus", punctual=True), "punctual"),
]


@pytest.mark.parametrize(("terms", "word"), CONTRADICTIONS)
def test_terms_that_contradict_each_other_are_told_why(terms: Terms, word: str) -> None:
    assert word in (faults(terms, now=NOW) or "")


@pytest.mark.parametrize(("terms", "_"), CONTRADICTIONS)
def test_a_fault_is_said_in_words_and_names_its_fields_between_backticks(
    terms: Terms, _: str
) -> None:
    said = faults(terms, now=NOW) or ""
    quoted = re.findall(r"`(\w+)(?:: \w+)?`", said)
    assert quoted
    assert {*quoted} <= {*Terms.__struct_fields__}
    words = re.sub(r"`[^`]*`", "", said)
    assert "_" not in words
    assert len(words.split()) >= 6
