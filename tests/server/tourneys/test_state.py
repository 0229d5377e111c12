"""States that no log can have come to are refused, and the package does no I/O."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

import samedeal_server.tourneys
from samedeal_protocol.tournament.formats import Ladder, SingleElimination, Swiss
from samedeal_server.tourneys.errors import BadTourney
from samedeal_server.tourneys.state import Match, Player, Tourney
from samedeal_server.tourneys.tourney import look, standings, verdict
from support.tourneys import bye, entrants, played, tourney

LIBRARY = "__future__ collections dataclasses enum fractions hashlib itertools typing"
PURE = frozenset({*LIBRARY.split(), "msgspec", "samedeal_protocol", "samedeal_rules"})
BESIDES = {"calendar.py": {"datetime", "difflib", "zoneinfo"}, "swiss.py": {"networkx"}}
MODULES = sorted(Path(samedeal_server.tourneys.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_module_imports_nothing_that_does_io_or_draws_by_itself(module: Path) -> None:
    allowed = PURE | BESIDES.get(module.name, set())
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert {name.name.partition(".")[0] for name in node.names} <= allowed
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            assert node.module.partition(".")[0] in allowed


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (Tourney("s", (*entrants("A B"), Player(id="A", seeding=9))), "same id"),
        (Tourney("s", (*entrants("A B"), Player(id="C", seeding=2))), "same seed number"),
        (Tourney("s", entrants("A B"), (bye("x", "A"), bye("x", "B"))), "same id"),
        (Tourney("s", entrants("A B"), (bye("x", "C"),)), "not between players"),
        (Tourney("s", entrants("A B"), (played("x", "A A", "A"),)), "not between players"),
        (Tourney("s", entrants("A B C"), (played("x", "A B", "C"),)), "did not play it"),
    ],
)
def test_a_state_that_is_none_is_refused(state: Tourney, why: str) -> None:
    for ask in (look, standings):
        with pytest.raises(BadTourney, match=why):
            ask(Swiss(rounds=3), state)


def test_a_match_that_is_not_in_the_bracket_is_refused() -> None:
    state = Tourney("s", entrants("A B"), (played("W9.9", "A B", "A"),))
    with pytest.raises(BadTourney, match="not in the bracket"):
        look(SingleElimination(), state)


def test_a_match_of_three_has_no_verdict_but_in_heats() -> None:
    match = Match("A1", 1, ("A", "B", "C"), "", "A1")
    with pytest.raises(BadTourney, match="not between two"):
        verdict(Ladder(), tourney("A B C"), match, [])


def test_a_player_is_called_by_name_or_else_by_id() -> None:
    (one,) = entrants("A")
    assert (one.called, replace(one, name="Ada").called) == ("A", "Ada")
