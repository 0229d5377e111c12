"""Plans: legal, as good as they say, and honest about what is hidden."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import SOAK
from samedeal_client.lookahead import Horizon, Plan, look_ahead
from samedeal_client.outlook import Outlook
from samedeal_client.planning import Planner
from samedeal_client.view import View
from samedeal_rules import GAMES, Game, Table, deal, find, parse_position
from samedeal_rules.cards import HIDDEN, card_text, parse_card
from samedeal_rules.notation import Position, parse_move

PROOFS = Path(__file__).parent.parent / "proofs"


def proven(key: str, verdict: str) -> list[Position]:
    """The deals of a game that independent programs proved to be solvable, or unsolvable."""
    positions = []
    for file in sorted((PROOFS / key).glob("solved*.jsonl.gz")):
        for line in gzip.decompress(file.read_bytes()).decode().splitlines():
            case = json.loads(line)
            position = parse_position(case["position"])
            if case["verdict"] == verdict and position.game.key == key:
                positions.append(position)
    return positions


def planned(position: Position, nodes: int, *, luck: str = "1") -> Plan:
    return look_ahead(Horizon(position.game), position, nodes=nodes, chance=random.Random(luck))


@pytest.mark.parametrize(
    "key", ["tuxedo", "penguin-ii", "chessboard", "eight-on", "opus", "board-patience"]
)
def test_most_deals_that_can_be_won_are_won(key: str) -> None:
    deals = proven(key, "solvable")[:: 1 if SOAK > 1 else 2]
    wins = [planned(position, 12_000).wins for position in deals]
    assert sum(wins) > len(wins) / 2


@pytest.mark.parametrize("key", ["fortress", "chessboard", "board-patience"])
def test_no_deal_is_won_that_cannot_be(key: str) -> None:
    for position in proven(key, "unsolvable"):
        assert not planned(position, 2_000).wins


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_planned_line_is_legal_and_ends_as_it_says(game: Game) -> None:
    table = deal(game, "friday-night")
    plan = planned(table.view(), 2_000)
    for step in plan.steps:
        table.play(step.move)
    assert table.won == plan.wins


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_what_is_known_after_each_step_is_so(game: Game) -> None:
    table = deal(game, "1")
    for step in planned(table.view(), 500).steps:
        table.play(step.move)
        shown = zip(table.position().piles, step.piles, strict=True)
        for pile, known in shown:
            assert len(pile) == len(known)
            assert all(card in (HIDDEN, there) for there, card in zip(pile, known, strict=True))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_line_ends_where_a_hidden_card_turns_up(game: Game) -> None:
    steps = planned(deal(game, "2").view(), 500).steps
    for step in steps[:-1]:
        assert not any(step.piles[at].endswith(b"\0") for at in game.named(game.tableau.key))


def test_the_same_position_is_planned_the_same() -> None:
    position = deal(find("opus"), "friday-night").view()
    assert planned(position, 4_000) == planned(position, 4_000)


def test_a_position_that_was_seen_through_has_no_better_one() -> None:
    position = proven("fortress", "unsolvable")[0]
    plan = planned(position, 5_000)
    assert plan.is_all
    assert planned(position, 20_000) == plan


def test_positions_to_avoid_are_not_gone_to() -> None:
    position = deal(find("forty-thieves"), "1").view()
    horizon, chance = Horizon(position.game), random.Random("1")
    first = look_ahead(horizon, position, nodes=200, chance=chance).steps[-1]
    key = horizon.outlook(None).key(first.piles)
    again = look_ahead(horizon, position, nodes=200, chance=chance, avoid={key})
    assert again.steps
    assert horizon.outlook(None).key(again.steps[-1].piles) != key


@pytest.mark.parametrize(
    ("game", "text", "card", "is_safe"),
    [
        ("forty-thieves", "F1: AS\nF2: AS", "2S", True),
        ("forty-thieves", "F1: AS 2S", "3S", False),
        ("forty-thieves", "F1: AS 2S\nF2: AS 2S", "3S", True),
        ("beleaguered-castle", "F1: AC 2C\nF2: AD\nF3: AH\nF4: AS", "3C", False),
        ("beleaguered-castle", "F1: AC 2C\nF2: AD 2D\nF3: AH 2H\nF4: AS 2S", "3C", True),
        ("fortress", "F1: AC 2C", "3C", True),
        ("boomerang", "F1: 7C 8C", "9C", False),
        ("st-helena", "F5: AC", "2C", False),
    ],
)
def test_a_card_may_safely_go_home_when_nothing_needs_it(
    game: str, text: str, card: str, is_safe: bool
) -> None:
    position = parse_position(f"game: {game}\n{text}")
    outlook = Outlook(position.game, position.base)
    piles = tuple(map(bytes, position.piles))
    assert outlook.is_safe(piles, parse_card(card)) == is_safe


def test_like_piles_may_change_places() -> None:
    castle = Outlook(find("beleaguered-castle"), None)
    helena = Outlook(find("st-helena"), None)
    for outlook, is_same in ((castle, True), (helena, False)):
        piles = tuple(map(bytes, deal(outlook.game, "1").position().piles))
        first, second = outlook.facts.tableau[:2]
        swapped = list(piles)
        swapped[first], swapped[second] = swapped[second], swapped[first]
        assert (outlook.key(piles) == outlook.key(tuple(swapped))) == is_same


def test_a_planner_remembers_what_others_were_laid_on() -> None:
    table = deal(find("box-kite"), "1")
    planner = Planner(random.Random("1"), nodes=200)
    seen: set[str] = set()
    for number in range(20):
        view = View(table.view(), number)
        move = planner.next_move(view)
        assert move is not None
        table.play(parse_move(table.game, move))
        seen.add(move)
    known = planner.known
    covered = [
        (there, card)
        for at in table.game.named("T")
        for there, card in zip(table.position().piles[at][:-1], known[at][:-1], strict=True)
        if card != HIDDEN
    ]
    assert covered
    assert all(card_text(there) == card_text(card) for there, card in covered)


def test_a_redeal_without_a_shuffle_forgets_nothing() -> None:
    table = deal(find("st-helena"), "3")
    planner = Planner(random.Random("1"), nodes=200)
    for number in range(400):
        move = planner.next_move(View(table.view(), number))
        assert move is not None
        table.play(parse_move(table.game, move))
        if move == "redeal":
            break
    shown = zip(table.position().piles, planner.known, strict=True)
    assert all(
        card in (HIDDEN, there)
        for pile, known in shown
        for there, card in zip(pile, known, strict=True)
    )
    assert sum(card != HIDDEN for pile in planner.known for card in pile[:-1]) > 0


def test_a_planner_goes_on_from_what_somebody_else_did() -> None:
    table = deal(find("opus"), "1")
    planner = Planner(random.Random("1"), nodes=200)
    assert planner.next_move(View(table.view())) is not None
    table.play(min(table.legal()))
    move = planner.next_move(View(table.view(), 1))
    assert move is not None
    assert table.may(parse_move(table.game, move))


def test_hidden_cards_make_no_difference_to_a_plan() -> None:
    table = deal(find("box-kite"), "1")
    position = table.position()
    turned = tuple(
        (*reversed(pile[:-1]), *pile[-1:]) if name[0] == "T" else pile
        for name, pile in zip(table.game.piles, position.piles, strict=True)
    )
    other = Table.from_position(replace(position, piles=turned))
    assert planned(table.view(), 200) == planned(other.view(), 200)
