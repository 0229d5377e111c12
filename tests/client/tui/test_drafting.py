"""The form of a new race: every term can be set, and the command it names does the same."""

from __future__ import annotations

import pytest

from samedeal_client.cli.parts import Fault
from samedeal_client.tui.drafting import FIELDS, PRESETS, draft, words
from samedeal_protocol.terms import Terms, Undo, Visibility

NOW = 1_800_000_000_000

OTHER = {
    "mode": "yes",
    "start": "+5min",
    "countdown": "9s",
    "limit": "2h",
    "closes": "2d",
    "punctual": "yes",
    "min": "1",
    "max": "9",
    "undo": "none",
    "undo-penalty": "7s",
    "unlisted": "yes",
    "phrase": "open sesame",
    "spectators": "none",
    "delay": "30s",
    "blind": "yes",
    "hints": "yes",
    "rated": "yes",
    "no-bots": "yes",
    "grace": "none",
}
"""Something unusual for every field."""


def changed(terms: Terms) -> set[str]:
    usual = Terms(game="opus")
    fields = Terms.__struct_fields__
    return {name for name in fields if getattr(terms, name) != getattr(usual, name)}


def test_what_is_usual_is_what_the_protocol_says() -> None:
    values = {field.name: field.usual for field in FIELDS}
    assert draft("opus", values, now=NOW).terms == Terms(game="opus")
    assert words("opus", values) == ["race", "new", "opus"]


def test_every_term_can_be_set() -> None:
    assert set(OTHER) | {"seed"} == {field.name for field in FIELDS}
    reached: set[str] = set()
    for name, value in OTHER.items():
        needs_async = {"mode": "yes"} if name in ("punctual", "closes") else {}
        reached |= changed(draft("opus", {name: value, **needs_async}, now=NOW).terms)
    assert reached == set(Terms.__struct_fields__) - {"game"}


def test_seed_and_phrase_travel_beside_the_terms() -> None:
    drafted = draft("opus", {"seed": "friday-night", "phrase": "open sesame"}, now=NOW)
    assert (drafted.seed, drafted.phrase) == ("friday-night", "open sesame")
    assert drafted.terms.visibility is Visibility.PHRASE


@pytest.mark.parametrize(("name", "values"), PRESETS, ids=[name for name, _ in PRESETS])
def test_presets_hold(name: str, values: dict[str, str]) -> None:
    assert draft("forty-thieves", values, now=NOW).terms.game == "forty-thieves"
    assert set(values) <= {field.name for field in FIELDS}


def test_the_command_has_only_what_is_unusual() -> None:
    values = {"undo": Undo.NONE.value, "blind": "yes", "limit": "1h"}
    assert words("opus", values) == ["race", "new", "opus", "--undo", "none", "--blind"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"limit": "soon"}, "'soon' is no duration"),
        ({"min": "9", "max": "2"}, "--min is above --max"),
        ({"mode": "yes", "start": "host"}, "async"),
        ({"phrase": "-x"}, "--phrase"),
    ],
)
def test_what_does_not_hold_is_said(values: dict[str, str], said: str) -> None:
    with pytest.raises(Fault, match=said):
        draft("opus", values, now=NOW)
