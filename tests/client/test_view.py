"""A view answers as the table that it was taken of, although it knows only what is visible."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_client import LocalGame, View
from samedeal_client.view import status_of
from samedeal_rules.engine import Table, deal
from samedeal_rules.errors import BadNotation, IllegalMove, NothingToUndo, UnknownGame
from samedeal_rules.games import GAMES, find
from samedeal_rules.notation import move_text
from samedeal_rules.spec import Game
from support.races import WIN, WIN_GAME, WIN_SEED

EVERY = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)


def texts(table: Table) -> tuple[str, ...]:
    return tuple(sorted(move_text(table.game, move) for move in table.legal()))


@EVERY
@given(seed=st.integers(0, 10**6))
def test_what_is_legal_does_not_depend_on_hidden_cards(game: Game, seed: int) -> None:
    chance = random.Random(seed)
    table = deal(game, str(seed % 50))
    for _ in range(chance.randint(0, 30)):
        legal = table.legal()
        if not legal or table.won:
            break
        table.play(chance.choice(legal))
    view = View(table.view(), status=table.status.value)
    assert view.legal() == texts(table)
    assert status_of(table.view()) == table.status.value
    assert (view.home, view.goal, view.digest) == (table.home, game.goal, table.view_digest())


def test_the_moves_that_the_server_sent_are_taken_and_sorted() -> None:
    view = View(deal(find("opus"), "1").view(), sent_legal=("T2-C1", "T1-C1"))
    assert view.legal() == ("T1-C1", "T2-C1")


def test_a_pile_is_read_by_its_name() -> None:
    view = LocalGame("forty-thieves", "1").view
    assert view.pile("S") == ("--",) * 64
    assert len(view.pile("T1")) == 4
    assert view.text().startswith("game: forty-thieves\n")
    with pytest.raises(ValueError, match="not in tuple"):
        view.pile("T99")


def test_a_view_table_holds_the_whole_pack() -> None:
    game = find("st-helena")
    table = LocalGame(game, "1").view.table()
    cards = [card for pile in table.position().piles for card in pile]
    assert sorted(cards) == sorted(game.pack)


def test_a_local_game_plays_and_takes_back() -> None:
    game = LocalGame("forty-thieves", "friday-night")
    before = game.view
    outcome = game.play("draw")
    assert outcome.steps == ("S-W",)
    assert game.view.undoable
    game.undo()
    assert game.view.position == before.position
    assert game.view.number == 2
    with pytest.raises(NothingToUndo):
        game.undo()


def test_a_local_game_refuses_what_the_rules_refuse() -> None:
    game = LocalGame("forty-thieves", "friday-night")
    with pytest.raises(IllegalMove):
        game.play("W-T1")
    with pytest.raises(BadNotation):
        game.play("hop")
    assert game.view.number == 0


def test_a_local_game_sends_home_what_is_safe_and_takes_it_back_as_one() -> None:
    game = LocalGame(WIN_GAME, WIN_SEED)
    moves = game.send_home()
    assert sorted(moves) == sorted(WIN[:7])
    assert game.send_home() == ()
    assert game.undo() == moves
    assert (game.view.home, game.view.number, game.view.undoable) == (0, 2, False)


def test_a_local_game_finishes_itself() -> None:
    game = LocalGame(WIN_GAME, WIN_SEED)
    assert game.finish() == ()
    for move in WIN:
        game.play(move)
    assert len(game.finish()) == 6
    assert game.view.status == "won"
    assert game.view.legal() == ()
    assert not game.view.undoable


def test_a_local_game_of_no_game_is_refused() -> None:
    with pytest.raises(UnknownGame):
        LocalGame("whist", "1")
