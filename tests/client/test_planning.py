"""Whole games planned ahead, on deals whose outcome independent programs have proven."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from samedeal_client.planning import can_plan, plan
from samedeal_rules import GAMES, Game, Table, deal, find, parse_position

PROOFS = Path(__file__).parent.parent / "proofs"


def proven(key: str, verdict: str) -> list[Table]:
    """The deals of a game that were proven solvable, or unsolvable."""
    tables = []
    for file in sorted((PROOFS / key).glob("solved*.jsonl.gz")):
        for line in gzip.decompress(file.read_bytes()).decode().splitlines():
            case = json.loads(line)
            position = parse_position(case["position"])
            if case["verdict"] == verdict and position.game.key == key:
                tables.append(Table.from_position(position))
    return tables


@pytest.mark.parametrize("key", ["tuxedo", "penguin-ii", "chessboard", "eight-on"])
def test_most_deals_that_can_be_won_are_won(key: str) -> None:
    tables = proven(key, "solvable")
    wins = [plan(table, nodes=12_000)[1] for table in tables]
    assert sum(wins) > len(wins) / 2


@pytest.mark.parametrize("key", ["fortress", "chessboard"])
def test_no_deal_is_won_that_cannot_be(key: str) -> None:
    for table in proven(key, "unsolvable"):
        assert not plan(table, nodes=2_000)[1]


@pytest.mark.parametrize("game", [game for game in GAMES if can_plan(game)], ids=lambda g: g.key)
def test_a_planned_line_is_legal_and_ends_as_it_says(game: Game) -> None:
    table = deal(game, "friday-night")
    line, wins = plan(table, nodes=3_000)
    assert table.depth == 0
    for move in line:
        table.play(move)
    assert table.won == wins


def test_the_same_position_is_planned_the_same() -> None:
    lines = [plan(deal(find("opus"), "friday-night"), nodes=2_000) for _ in range(2)]
    assert lines[0] == lines[1]


def test_hidden_cards_and_stocks_are_not_planned_through() -> None:
    assert not any(can_plan(game) for game in GAMES if game.hides or game.actions)
