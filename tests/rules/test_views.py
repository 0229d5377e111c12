"""What each game hides from its player, and that nothing else is hidden."""

from __future__ import annotations

import pytest

from samedeal_rules import Game, deal, every_game, find, parse_position
from samedeal_rules.views import hide, view_of


def hidden(game: Game) -> dict[str, int]:
    """Hidden cards of a dealt table, by pile, where there are any."""
    view = deal(game, "peek").view()
    counts = zip(game.piles, (pile.count(0) for pile in view.piles), strict=True)
    return {name: count for name, count in counts if count}


@pytest.mark.parametrize(
    ("key", "stock"),
    [("boomerang", 52), ("amazons", 24), ("abandon-hope", 28), ("forty-thieves", 64)],
)
def test_the_stock_is_hidden_and_nothing_else(key: str, stock: int) -> None:
    assert hidden(find(key)) == {"S": stock}


@pytest.mark.parametrize("key", ["st-helena", "box-kite"])
def test_only_top_cards_of_the_circle_are_seen(key: str) -> None:
    assert hidden(find(key)) == {f"T{number}": 7 for number in range(1, 13)}


def test_every_other_game_is_open() -> None:
    closed = {"boomerang", "amazons", "abandon-hope", "forty-thieves", "st-helena", "box-kite"}
    games = [game for game in every_game() if game.key.partition(":")[0] not in closed]
    assert [hidden(game) for game in games] == [{}] * len(games)


@pytest.mark.parametrize("game", every_game(), ids=lambda game: game.key)
def test_a_view_keeps_the_number_of_cards_in_every_pile(game: Game) -> None:
    table = deal(game, "peek")
    assert [len(pile) for pile in table.view().piles] == [
        len(pile) for pile in table.position().piles
    ]
    assert game.hides == bool(hidden(game))


def test_the_waste_and_the_foundations_are_seen_to_the_bottom() -> None:
    text = "game: forty-thieves\nF1: AS 2S\nT1: 9H 8C\nS: KD QD\nW: 5C 6C"
    seen = view_of(parse_position(text)).text().splitlines()
    assert [seen[1], seen[9], *seen[-2:]] == ["F1: AS 2S", "T1: 9H 8C", "S: -- --", "W: 5C 6C"]


def test_a_view_of_a_view_is_that_view() -> None:
    view = deal(find("st-helena"), "peek").view()
    assert view_of(view) == view


def test_hiding_leaves_tops_and_foundations() -> None:
    game = find("st-helena")
    piles = [[1, 2, 3] for _ in game.piles]
    seen = hide(game, piles)
    assert {tuple(seen[at]) for at in game.named("T")} == {(0, 0, 3)}
    assert {tuple(seen[at]) for at in game.named("F")} == {(1, 2, 3)}
