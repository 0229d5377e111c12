"""The form of a new tournament: what the command takes can be set, and presets hold."""

from __future__ import annotations

import re

import pytest

from samedeal_client.cli.command import parser
from samedeal_client.cli.parts import Fault
from samedeal_client.tui.cupdraft import FIELDS, PRESETS, draft, words
from samedeal_protocol.tournament.formats import Ladder, SingleElimination

NOW = 1_800_000_000_000


@pytest.mark.parametrize(("name", "values"), PRESETS, ids=[name for name, _ in PRESETS])
def test_presets_hold(name: str, values: dict[str, str]) -> None:
    assert draft("opus", values, now=NOW).terms.race.game == "opus"
    assert set(values) <= {field.name for field in FIELDS}


def test_what_the_command_takes_has_a_field(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser("tournament").parse_args(["tournament", "new", "--help"])
    plan = capsys.readouterr().out.partition("the plan (")[2]
    taken = set(re.findall(r"^  (--[a-z-]+)", plan, re.MULTILINE))
    assert taken == {field.flag for field in FIELDS}


def test_several_games_and_keys_of_a_plan_are_words_of_their_own() -> None:
    values = {"format": "ladder", "games": "amazons opus", "set": "late_joins=true least=4"}
    terms = draft("fortress", values, now=NOW).terms
    assert (terms.games, terms.late_joins, terms.least) == (("amazons", "opus"), True, 4)
    assert isinstance(terms.format, Ladder)


def test_the_cup_is_that_of_the_browser() -> None:
    format = draft("opus", dict(PRESETS)["cup: who loses is out"], now=NOW).terms.format
    assert isinstance(format, SingleElimination)
    assert format.third_place
    assert format.lengths["final"].best_of == 3


def test_a_pass_phrase_travels_beside_the_terms() -> None:
    drafted = draft("opus", {"phrase": "open sesame"}, now=NOW)
    assert drafted.phrase == "open sesame"
    assert drafted.terms.registration.value == "phrase"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"limit": "soon"}, "'soon' is no duration"),
        ({"best-of": "2"}, "odd"),
        ({"set": "colour=red"}, "colour"),
        ({"games": "chess"}, "chess"),
    ],
)
def test_what_does_not_hold_is_said(values: dict[str, str], said: str) -> None:
    with pytest.raises(Fault, match=said):
        draft("opus", values, now=NOW)


def test_the_command_says_all_that_is_chosen() -> None:
    assert words("opus", {"format": "swiss", "by-hand": "yes"}) == [
        "tournament", "new", "--game", "opus", "--format", "swiss", "--by-hand",
    ]  # fmt: skip
