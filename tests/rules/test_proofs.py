"""Every game's generated proofs are as they were kept; a difference is a change of rules.

`make prove GAME=...` writes them anew, to be read before they are kept. The hand-written
`positions.txt` has its own test.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from samedeal_rules.engine import deal, perft
from samedeal_rules.games import GAMES, find
from samedeal_rules.notation import parse_move, parse_position
from samedeal_rules.proofs import SEEDS, variants_of
from samedeal_rules.proofs import proofs as made
from samedeal_rules.spec import Game

PROOFS = Path(__file__).parent.parent / "proofs"
proofs = cache(made)  # several tests ask, and counting moves takes its time
EVERY_DEFAULT = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)


@EVERY_DEFAULT
def test_proofs_are_as_they_were_kept(game: Game) -> None:
    kept = {
        name: (PROOFS / game.key / name).read_text("utf-8")
        for name in proofs(game)
        if (PROOFS / game.key / name).exists()
    }
    assert kept == dict(proofs(game)), f"read the difference; then `make prove GAME={game.key}`"


@EVERY_DEFAULT
def test_every_game_has_positions_written_by_hand(game: Game) -> None:
    assert (PROOFS / game.key / "positions.txt").is_file()


@EVERY_DEFAULT
def test_no_proof_is_left_of_something_that_is_gone(game: Game) -> None:
    texts = {file.name for file in (PROOFS / game.key).glob("*.txt")}
    assert texts - {"positions.txt"} == set(proofs(game))


def test_no_proofs_are_left_of_a_game_that_is_gone() -> None:
    folders = {file.name for file in PROOFS.iterdir() if file.is_dir()}
    assert folders == {game.key for game in GAMES}


@EVERY_DEFAULT
def test_every_variant_has_its_rules_kept(game: Game) -> None:
    names = {f"rules.{variant.key.partition(':')[2]}.txt" for variant in variants_of(game)}
    assert names <= set(proofs(game))


@EVERY_DEFAULT
def test_kept_deals_are_positions_that_parse(game: Game) -> None:
    for text in (PROOFS / game.key / "deal.txt").read_text("utf-8").split("seed: ")[1:]:
        seed, _, position = text.partition("\n")
        assert parse_position(position) == deal(game, seed).position()


@EVERY_DEFAULT
def test_kept_playthrough_can_be_played_again(game: Game) -> None:
    table = deal(game, SEEDS[0])
    text = (PROOFS / game.key / "playthrough.txt").read_text("utf-8")
    for line in text.splitlines():
        number, dot, rest = line.partition(". ")
        if dot and number.isdigit():
            table.play(parse_move(game, rest.split()[0]))
    assert table.digest() in text


def test_a_perft_of_depth_one_is_the_number_of_legal_moves() -> None:
    table = deal(find("forty-thieves"), SEEDS[0])
    assert perft(table, 1) == len(table.legal())
