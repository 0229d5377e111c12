"""Declarations: the vocabulary decides and reads aloud, and a mistake in one is found at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from samedeal_rules import (
    GAMES,
    Game,
    Table,
    UnknownGame,
    every_game,
    find,
    known,
    move_text,
    name_of,
    parse_position,
)
from samedeal_rules.builds import (
    ACE_UP,
    FROM_DEALT_BASE,
    FROM_FIRST_PLAY,
    KING_DOWN,
    Build,
    InOrder,
    Lift,
    Place,
    Space,
    Steps,
    Suits,
)
from samedeal_rules.cards import RANKS, parse_card
from samedeal_rules.parts import (
    Bases,
    Cells,
    Collect,
    Deck,
    Exit,
    Foundations,
    Gather,
    Opening,
    Redeal,
    Tableau,
    Turn,
    Under,
)
from samedeal_rules.routes import ANYWHERE, Only, SameNumber, UntilRedeal
from samedeal_rules.spec import Variation
from samedeal_rules.tables import compile_game

FORTRESS = find("fortress")
BOOMERANG_RANKS = "789TJQKA"


def step(build: Build, card: str, on: str, ranks: str = RANKS) -> int:
    return build.step(ranks, parse_card(card), parse_card(on))


# Builds


@pytest.mark.parametrize(
    ("build", "card", "on", "expected"),
    [
        (Build(Steps.DOWN, Suits.SAME), "8H", "9H", -1),
        (Build(Steps.DOWN, Suits.SAME), "TH", "9H", 0),
        (Build(Steps.DOWN, Suits.SAME), "8D", "9H", 0),
        (Build(Steps.DOWN, Suits.SAME), "9H", "9H", 0),
        (Build(Steps.DOWN, Suits.SAME), "KH", "AH", 0),
        (Build(Steps.DOWN, Suits.SAME, wrap=True), "KH", "AH", -1),
        (Build(Steps.DOWN, Suits.SAME, wrap=True), "AH", "KH", 0),
        (Build(Steps.UP, Suits.SAME), "TH", "9H", 1),
        (Build(Steps.UP, Suits.SAME), "8H", "9H", 0),
        (Build(Steps.UP, Suits.SAME, wrap=True), "AH", "KH", 1),
        (Build(Steps.EITHER, Suits.ANY), "8C", "9H", -1),
        (Build(Steps.EITHER, Suits.ANY), "TC", "9H", 1),
        (Build(Steps.EITHER, Suits.ANY), "AC", "KH", 0),
        (Build(Steps.EITHER, Suits.ANY, wrap=True), "AC", "KH", 1),
        (Build(Steps.EITHER, Suits.ANY, wrap=True), "KC", "AH", -1),
        (Build(Steps.DOWN, Suits.ALTERNATE_COLOR), "8S", "9H", -1),
        (Build(Steps.DOWN, Suits.ALTERNATE_COLOR), "8C", "9D", -1),
        (Build(Steps.DOWN, Suits.ALTERNATE_COLOR), "8D", "9H", 0),
        (Build(Steps.EITHER, Suits.SAME, apart="9"), "8H", "9H", 0),
        (Build(Steps.EITHER, Suits.SAME, apart="8"), "8H", "9H", 0),
        (Build(Steps.EITHER, Suits.SAME, apart="7"), "8H", "9H", -1),
    ],
)
def test_a_build_says_which_way_a_card_goes_on_another(
    build: Build, card: str, on: str, expected: int
) -> None:
    assert step(build, card, on) == expected


@pytest.mark.parametrize(("card", "on", "expected"), [("AC", "KC", 1), ("AC", "7C", 0)])
def test_ranks_are_neighbors_in_the_order_of_the_deck(card: str, on: str, expected: int) -> None:
    assert step(Build(Steps.EITHER, Suits.SAME), card, on, BOOMERANG_RANKS) == expected


# Orders


def test_orders_start_and_follow_as_they_say() -> None:
    assert [rank for rank in range(1, 14) if ACE_UP.starts(rank, None)] == [1]
    assert [rank for rank in range(1, 14) if KING_DOWN.starts(rank, None)] == [13]
    assert ACE_UP.after(Place(1)) == Place(2)
    assert KING_DOWN.after(Place(13)) == Place(12)
    assert ACE_UP.after(Place(13)) is None


def test_a_base_order_goes_round_from_its_base() -> None:
    assert FROM_DEALT_BASE.after(Place(13)) == Place(1)
    assert [rank for rank in range(1, 14) if FROM_DEALT_BASE.starts(rank, 5)] == [5]
    assert not any(FROM_DEALT_BASE.starts(rank, None) for rank in range(1, 14))
    assert all(FROM_FIRST_PLAY.starts(rank, None) for rank in range(1, 14))


def test_a_rank_that_comes_twice_in_an_order_is_told_apart() -> None:
    order = InOrder("7KAK7A", "there and back")
    places = [Place(7)]
    while (following := order.after(places[-1])) is not None:
        places.append(following)
    assert [place.rank for place in places] == [7, 13, 1, 13, 7, 1]
    assert [place.again for place in places] == [False, False, False, True, True, True]


# Spaces, routes, and words


@pytest.mark.parametrize(
    ("space", "base", "takes"),
    [
        (Space.CLOSED, None, ""),
        (Space.FILLED, None, ""),
        (Space.ANY, None, RANKS),
        (Space.KING, None, "K"),
        (Space.BELOW_BASE, 5, "4"),
        (Space.BELOW_BASE, 1, "K"),
        (Space.BELOW_BASE, None, ""),
    ],
)
def test_a_space_takes_what_it_says(space: Space, base: int | None, takes: str) -> None:
    assert "".join(RANKS[rank - 1] for rank in range(1, 14) if space.takes(rank, base)) == takes


def test_routes_allow_what_they_say() -> None:
    def allows(route: UntilRedeal | Only | SameNumber, source: str, **now: bool) -> bool:
        return route.allows(source, "F1", opens=now.get("opens", False), redealt="redealt" in now)

    only = Only(("T1", "T2"))
    assert allows(only, "T1")
    assert not allows(only, "T3")
    assert not allows(UntilRedeal(only), "T3")
    assert allows(UntilRedeal(only), "T3", redealt=True)
    assert allows(SameNumber(), "R1")
    assert not allows(SameNumber(), "R2")
    assert allows(SameNumber(), "R2", opens=True)
    assert ANYWHERE.allows("T9", "F1", opens=False, redealt=False)


@pytest.mark.parametrize(
    "words",
    [
        [each.words for each in Steps],
        [each.words for each in Suits],
        [each.words for each in Space],
        [each.words for each in Lift],
        [each.words for each in Turn],
        [each.words for each in Gather],
        [each.words for each in Variation],
    ],
    ids=["Steps", "Suits", "Space", "Lift", "Turn", "Gather", "Variation"],
)
def test_every_word_of_a_closed_set_reads_aloud(words: list[str]) -> None:
    assert all(words)
    assert len(set(words)) == len(words)


# Games


def test_every_game_has_its_own_key_and_every_variant_names_its_game() -> None:
    keys = [game.key for game in every_game()]
    assert len(set(keys)) == len(keys)
    for game in GAMES:
        assert all(variant.key.startswith(f"{game.key}:") for variant in game.variants)


def test_games_are_found_by_key_and_unknown_ones_are_told_the_nearest() -> None:
    assert find("opus:no-wrap").name == "Opus"
    with pytest.raises(UnknownGame, match="did you mean opus"):
        find("opuss")
    with pytest.raises(UnknownGame) as far:
        find("\u2660" * 1000)
    assert str(far.value) == f"there is no game '{chr(0x2660) * 64}'"


def test_a_game_of_a_newer_server_is_none_here_and_called_by_its_key() -> None:
    assert known("not-yet-a-game") is None
    assert name_of("not-yet-a-game") == "not-yet-a-game"
    assert (known("opus:no-wrap"), name_of("opus")) == (find("opus:no-wrap"), "Opus")


def test_the_table_is_read_from_its_drawing() -> None:
    game = find("st-helena")
    assert game.piles == (*(f"F{n}" for n in range(1, 9)), *(f"T{n}" for n in range(1, 13)))
    assert game.grid[1] == ("T12", "F1", "F2", "F3", "F4", "T5")
    assert game.grid[0][0] is None
    assert game.named("T") == tuple(range(8, 20))


@pytest.mark.parametrize(
    ("key", "size", "goal", "counters", "actions"),
    [
        ("small-billee", 52, 52, ("redeals",), ("redeal",)),
        ("boomerang", 64, 64, (), ("draw",)),
        ("amazons", 28, 28, ("plays", "idle"), ("deal",)),
        ("abandon-hope", 52, 13, ("redeals",), ("redeal",)),
        ("binary-star", 104, 104, (), ()),
        ("opus", 52, 52, ("base",), ()),
        ("st-helena", 104, 104, ("redeals",), ("redeal",)),
        ("box-kite", 104, 104, (), ()),
    ],
)
def test_a_game_knows_its_size_goal_counters_and_actions(
    key: str, size: int, goal: int, counters: tuple[str, ...], actions: tuple[str, ...]
) -> None:
    game = find(key)
    assert (game.size, game.goal, game.counters, game.actions) == (size, goal, counters, actions)


@pytest.mark.parametrize(
    ("declare", "mistake"),
    [
        (lambda: replace(FORTRESS, table="F1 F2 F3 F4 T1 T1"), "T1 stands twice"),
        (lambda: replace(FORTRESS, table="F1 F2 F3 F4 T1 T3"), "piles T are not numbered 1 to 2"),
        (lambda: replace(FORTRESS, table="F1 F2 F3 F4 Q1"), "a pile is none of F, T, C, R, S, W"),
        (lambda: replace(FORTRESS, cells=Cells()), "drawn and described, or neither"),
        (lambda: replace(FORTRESS, tableau=Tableau(dealt=(6, 6))), "for each tableau pile"),
        (lambda: replace(FORTRESS, tableau=Tableau(dealt=6)), "the deal leaves -8 cards of 52"),
        (lambda: replace(FORTRESS, tableau=Tableau(dealt=4)), "the deal leaves 12 cards of 52"),
    ],
)
def test_a_mistake_in_a_declaration_is_found_when_it_is_made(
    declare: Callable[[], Game], mistake: str
) -> None:
    with pytest.raises(ValueError, match=mistake):
        declare()


def test_a_variation_needs_something_to_change() -> None:
    with pytest.raises(ValueError, match="nothing that cells-filled could change"):
        Variation.CELLS_FILLED.of(FORTRESS)


def test_empty_piles_depend_on_one_thing_at_most() -> None:
    row = Foundations(order=FROM_FIRST_PLAY, opening=Opening.LEFTMOST)
    with pytest.raises(ValueError, match="empty piles depend on two things"):
        compile_game(replace(FORTRESS, key="two-modes", foundations=(row,)))


def test_more_foundations_than_a_mode_can_tell_of_are_refused() -> None:
    row = Foundations(opening=Opening.LEFTMOST)
    with pytest.raises(ValueError, match="four foundations at most"):
        compile_game(replace(find("forty-thieves"), key="eight-in-order", foundations=(row,)))


# Variants change what they say, and nothing else


@pytest.mark.parametrize(
    ("key", "position", "move"),
    [
        ("chessboard:no-wrap", "F1: 9H\nT1: AD\nT2: KD", "T1-T2"),
        ("board-patience:no-wrap", "F1: 6D\nT1: KS\nT2: AH", "T1-T2"),
        ("opus:no-wrap", "F1: 5S\nT1: KH\nT2: AH", "T1-T2"),
        ("penguin-ii:no-wrap", "F1: QS\nC1: KH\nT2: AH", "C1-T2"),
        ("boomerang:ace-apart", "T1: AC\nT5: KC", "T1-T5"),
    ],
)
def test_a_narrower_variant_refuses_what_the_game_allows(
    key: str, position: str, move: str
) -> None:
    assert move not in legal(key, position)
    assert move in legal(key.partition(":")[0], position)


@pytest.mark.parametrize(
    ("key", "position", "move"),
    [
        ("forty-thieves:foundation-exit", "F1: AS 2S\nT1: 3S", "F1-T1"),
        ("forty-thieves:foundation-exit", "F1: AS 2S", "F1-T1"),
        ("tuxedo:foundation-exit", "F1: AS 2S\nT1: 3S", "F1-T1"),
        ("boomerang:foundation-exit", "F1: 7S 8S 9S\nT1: TS", "F1-T1"),
        ("st-helena:foundation-exit", "F1: KS QS\nT9: JD", "F1-T9"),
        ("st-helena:row-exchange", "F1: KS QS JS\nF5: AS 2S 3S 4S 5S 6S 7S 8S 9S TS", "F1-F5"),
        ("box-kite:row-exchange", "F1: KS QS JS\nF5: AS 2S 3S 4S 5S 6S 7S 8S 9S TS", "F5-F1"),
    ],
)
def test_a_wider_variant_allows_what_the_game_refuses(key: str, position: str, move: str) -> None:
    assert move in legal(key, position)
    assert move not in legal(key.partition(":")[0], position)


@pytest.mark.parametrize(
    ("key", "position", "move"),
    [
        ("forty-thieves:foundation-exit", "F1: AS\nT1: 2S", "F1-T1"),
        ("chessboard:foundation-exit", "F1: 9H\nT1: TH", "F1-T1"),
        ("st-helena:row-exchange", "F1: KS\nF5: AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS", "F1-F5"),
        ("tuxedo:foundation-exit", "F1: AS 2S", "F1-C1"),
        ("box-kite:row-exchange", "F1: KS QS\nT1: JS", "F1-T1"),
    ],
)
def test_base_cards_stay_and_exits_lead_only_where_they_say(
    key: str, position: str, move: str
) -> None:
    assert move not in legal(key, position)


def test_a_game_is_data_to_its_last_rule() -> None:
    """Only values travel: a function in a declaration could neither be compared nor sent."""
    for game in every_game():
        again = replace(game)
        assert again == game
        assert hash(again) == hash(game)


def test_bases_under_and_exits_may_say_nothing_where_there_is_nothing_to_say() -> None:
    assert Bases.NONE.words == Under.NOTHING.words == Opening.ANY.words == ""
    assert Exit.TABLEAU.words
    assert Collect("C").words == "To discard all the Clubs."
    assert Redeal(gather=Gather.SHUFFLED, times=3).words == "Three redeals."
    assert Deck().words == "1 pack of 52 cards"


def legal(key: str, position: str) -> set[str]:
    game = find(key)
    table = Table.from_position(parse_position(f"game: {key}\n{position}"))
    return {move_text(game, move) for move in table.legal()}
