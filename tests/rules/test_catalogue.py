"""Descriptions for clients that know no rules: complete, and plain enough for JSON."""

from __future__ import annotations

import json

import pytest

from samedeal_rules import deal
from samedeal_rules.catalogue import describe
from samedeal_rules.games import GAMES, every_game, find, meant
from samedeal_rules.spec import Game

EVERY_GAME = pytest.mark.parametrize("game", every_game(), ids=lambda game: game.key)


@EVERY_GAME
def test_a_description_survives_json(game: Game) -> None:
    description = describe(game)
    assert json.loads(json.dumps(description)) == description


@EVERY_GAME
def test_piles_are_described_in_the_order_that_positions_have(game: Game) -> None:
    assert tuple(pile["name"] for pile in describe(game)["piles"]) == game.piles


@EVERY_GAME
def test_every_pile_stands_where_the_grid_has_it(game: Game) -> None:
    description = describe(game)
    grid = description["grid"]
    assert [
        pile for pile in description["piles"] if grid[pile["row"]][pile["column"]] != pile["name"]
    ] == []


@EVERY_GAME
def test_a_game_with_hidden_cards_says_in_which_piles(game: Game) -> None:
    description = describe(game)
    hiding = [pile for pile in description["piles"] if pile["hidden"] != "nothing"]
    assert bool(hiding) == description["hides_cards"]


@EVERY_GAME
def test_every_pile_tells_how_many_cards_the_deal_gives_it(game: Game) -> None:
    dealt = deal(game, "friday-night").position().piles
    described = [pile["dealt"] for pile in describe(game)["piles"]]
    assert described == [len(cards) for cards in dealt]


@EVERY_GAME
def test_all_cards_but_those_of_piles_that_spread_lie_squared_up(game: Game) -> None:
    spread = {pile["name"][0] for pile in describe(game)["piles"] if pile["spread"] != "none"}
    assert spread <= {"T", "R"}


@pytest.mark.parametrize("key", ["st-helena", "box-kite", "abandon-hope"])
def test_nothing_spreads_where_only_top_cards_count(key: str) -> None:
    assert {pile["spread"] for pile in describe(find(key))["piles"]} == {"none"}


@pytest.mark.parametrize("key", ["beleaguered-castle", "streets-and-alleys"])
def test_castles_have_their_columns_below_their_foundations(key: str) -> None:
    piles = describe(find(key))["piles"]
    rows = {pile["kind"]: pile["row"] for pile in piles}
    assert (rows["foundation"], rows["tableau"]) == (0, 1)


def test_cards_are_home_in_the_waste_where_a_suit_is_collected() -> None:
    piles = describe(find("abandon-hope"))["piles"]
    assert [pile["name"] for pile in piles if pile["home"]] == ["W"]


def test_the_redeals_that_a_rulebook_counts_are_told() -> None:
    told = {game.key: redeals for game in GAMES if (redeals := describe(game)["redeals"])}
    assert told == {"small-billee": 3, "abandon-hope": 3, "st-helena": 2}


def test_variants_are_listed_by_the_keys_that_find_them() -> None:
    keys = [variant["key"] for game in GAMES for variant in describe(game)["variants"]]
    assert [find(key).key for key in keys] == keys


def test_luck_after_the_deal_is_told_of_small_billee_but_not_of_opus() -> None:
    assert (
        describe(find("small-billee"))["luck_after_deal"],
        describe(find("opus"))["luck_after_deal"],
    ) == (True, False)


@EVERY_GAME
def test_a_game_is_meant_by_its_key_however_it_is_spelt(game: Game) -> None:
    assert meant(game.key) is game
    assert meant(f" {game.key.upper().replace('-', '  ').replace(':', ': ')}") is game


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_game_is_meant_by_its_name(game: Game) -> None:
    assert meant(game.name) is game


@pytest.mark.parametrize("text", ["", ":", "klondike", "forty", "opus:", "x" * 10_000])
def test_what_names_no_game_means_none(text: str) -> None:
    assert meant(text) is None
