"""The engine against independent programs: all legal moves, solutions, and deals without one."""

from __future__ import annotations

import random

import pytest

from rules import naive
from rules.casebook import LegalCase, SolvedCase, legal_cases, solved_cases
from samedeal_rules import Table, move_text, parse_move, parse_position

LEGAL = list(legal_cases())
SOLVED = list(solved_cases())
SOLVABLE = [case for case in SOLVED if case.moves is not None]
UNSOLVABLE = [case for case in SOLVED if case.moves is None]


def game_of(case: LegalCase) -> str:
    return case.position.split("\n")[0].removeprefix("game: ")


GAMES = sorted({game_of(case) for case in LEGAL})


def one_of_equal_foundations(moves: set[str] | frozenset[str], position: str) -> set[str]:
    """Names a foundation by what it holds: the programs list one of several equal ones, we all."""
    holds = dict(line.split(":", 1) for line in position.splitlines())
    named = set()
    for move in moves:
        source, _, target = move.partition("-")
        named.add(f"{source}-({holds[target].strip()})" if target[:1] == "F" else move)
    return named


def legal_texts(table: Table) -> set[str]:
    return {move_text(table.game, move) for move in table.legal()}


def agrees(case: LegalCase) -> bool:
    """Whether our legal moves are those of the program, but for which equal foundation it names."""
    moves = legal_texts(Table.from_position(parse_position(case.position)))
    ours, theirs = (one_of_equal_foundations(each, case.position) for each in (moves, case.legal))
    return moves >= case.legal and ours == theirs


@pytest.mark.parametrize("key", GAMES)
def test_legal_moves_are_those_of_an_independent_program(key: str) -> None:
    assert [case.name for case in LEGAL if game_of(case) == key and not agrees(case)] == []


@pytest.mark.parametrize("case", SOLVABLE, ids=lambda case: case.name)
def test_a_solution_found_elsewhere_wins_here(case: SolvedCase) -> None:
    assert case.moves is not None
    table = Table.from_position(parse_position(case.position))
    for move in case.moves:
        assert not table.won
        table.play(parse_move(table.game, move))
    assert table.won


@pytest.mark.parametrize("case", UNSOLVABLE, ids=lambda case: case.name)
def test_a_deal_proven_lost_is_not_won_by_chance(case: SolvedCase) -> None:
    """Greedy play, and chance for the rest: it cannot prove the loss, only find a false win."""
    chance = random.Random(case.name)
    table = Table.from_position(parse_position(case.position))
    for _ in range(4):
        for _ in range(300):
            moves = table.legal()
            if not moves:
                break
            texts = [move_text(table.game, move) for move in moves]
            home = [move for move, text in zip(moves, texts, strict=True) if "-F" in text]
            table.play(chance.choice(home or moves))
            assert not table.won
        while table.depth:
            table.undo()


def test_the_oracles_cover_every_game() -> None:
    assert {key.split(":")[0] for key in GAMES} == set(naive.GAMES)
    assert len(LEGAL) > 2400
    assert len(SOLVABLE) > 140
