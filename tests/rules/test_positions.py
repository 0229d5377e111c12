"""Every test position of the rulebook, against the engine and against the naive model alike."""

from __future__ import annotations

import pytest

from rules import naive
from rules.casebook import PROOFS, Case, cases
from samedeal_rules import (
    BadNotation,
    IllegalMove,
    Table,
    deal,
    find,
    move_text,
    parse_move,
    parse_position,
)

STOCK_WORDS = ("draw", "deal", "redeal")
COUNTERS = ("redeals", "base", "plays", "idle")
ALL = [case for path in sorted(PROOFS.glob("*/positions.txt")) for case in cases(path.parent.name)]


class Engine:
    """The engine, spoken to in texts."""

    def __init__(self, case: Case) -> None:
        self.game = find(case.game)
        if case.dealt:
            self.table = deal(self.game, case.seed)
        else:
            self.table = Table.from_position(parse_position(case.position), case.seed)

    def play(self, move: str) -> bool:
        try:
            self.table.play(parse_move(self.game, move))
        except IllegalMove:
            return False
        except BadNotation:
            assert move in STOCK_WORDS, f"{move} does not parse"
            return False
        return True

    def legal(self) -> set[str]:
        return {move_text(self.game, move) for move in self.table.legal()}

    def text(self) -> str:
        return self.table.position().text()

    def status(self) -> str:
        return self.table.status.value


class Naive:
    """The naive model, spoken to likewise."""

    def __init__(self, case: Case) -> None:
        if case.dealt:
            self.game = naive.deal(case.game, case.seed)
        else:
            self.game = naive.open_position(case.position, case.seed)

    def play(self, move: str) -> bool:
        if move in STOCK_WORDS and move != self.game.stock_word:
            return False
        try:
            self.game.play(move)
        except AssertionError:
            return False
        return True

    def legal(self) -> set[str]:
        return self.game.legal()

    def text(self) -> str:
        return self.game.text()

    def status(self) -> str:
        return "won" if self.game.won else "stuck" if self.game.stuck else "playing"


def lines_of(text: str) -> dict[str, str]:
    return {
        name: rest.strip() for name, _, rest in (line.partition(":") for line in text.splitlines())
    }


def counts_of(text: str, letter: str) -> list[int]:
    piles = lines_of(text)
    names = [name for name in piles if name[0] == letter and name not in COUNTERS]
    return [len(piles[name].split()) for name in names]


def check(player: Engine | Naive, wanted: str) -> None:
    words, _, afterwards = wanted.partition("=>")
    match words.split():
        case [("won" | "stuck" | "playing") as status]:
            assert player.status() == status
        case ["only", *moves]:
            assert player.legal() == set(moves)
        case ["counts", *_]:
            for part in words.removeprefix("counts").split("|"):
                letter, _, numbers = part.partition(":")
                assert counts_of(player.text(), letter.strip()) == list(map(int, numbers.split()))
        case [move, "illegal"]:
            before = player.text()
            assert move not in player.legal()
            assert not player.play(move)
            assert player.text() == before
        case [move, "legal"]:
            assert move in player.legal()
            assert player.play(move)
            piles = lines_of(player.text())
            for part in filter(None, afterwards.split("|")):
                name, _, expected = part.partition(":")
                assert piles[name.strip()] == expected.strip(), name
        case _:
            raise AssertionError(f"not a check: {wanted}")


@pytest.mark.parametrize("key", sorted({case.game for case in ALL}))
def test_position_is_judged_as_the_rulebook_says(key: str, subtests: pytest.Subtests) -> None:
    for case in (case for case in ALL if case.game == key):
        with subtests.test(case.name):
            for player in (Naive(case), Engine(case)):
                for move in case.moves:
                    assert player.play(move)
                check(player, case.check)


def test_every_game_has_its_positions() -> None:
    assert {case.game.split(":")[0] for case in ALL} == set(naive.GAMES)
