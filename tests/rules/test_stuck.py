"""When nothing is left to play: the engine's verdict against exhaustive search."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import naive
from rules.strategies import GAMES, IDS, examples, small_position
from samedeal_rules import Game, Table, parse_position

every_game_and_variant = pytest.mark.parametrize("game", GAMES, ids=IDS)
MOST = 400


def shape(game: naive.Naive) -> object:
    """Counters and piles, whatever their places; not the stars: transfers help nobody (S3)."""
    board = game.board
    piles = sorted((name[0], pile) for name, pile in board.piles.items())
    if game.key == "binary-star":
        piles = [(kind, pile) for kind, pile in piles if kind == "T"]
    return piles, board.redeals, board.plays, board.idle


def leads_nowhere(start: naive.Naive) -> bool | None:
    """Whether all that can ever be played leaves the piles as they are; None if it takes long."""
    here = shape(start)
    seen = {start.text()}
    ahead = [start]
    while ahead:
        game = ahead.pop()
        for move in sorted(game.legal()):
            after = game.copy()
            after.play(move)
            if after.won or shape(after) != here:
                return False
            if after.text() not in seen:
                seen.add(after.text())
                ahead.append(after)
        if len(seen) > MOST:
            return None
    return True


@every_game_and_variant
@examples(15)
@given(whim=st.integers(0, 10**9))
def test_stuck_is_what_exhaustive_search_finds(game: Game, whim: int) -> None:
    position = small_position(game.key, random.Random(whim))
    table = Table.from_position(parse_position(position), "x")
    model = naive.open_position(position, "x")
    assert (table.won, table.stuck) == (model.won, model.stuck)
    nowhere = leads_nowhere(model)
    if model.won or nowhere is None:
        return
    if nowhere and game.deck.packs == 2:
        # Two equal piles may trade a card: a move by G9, though the piles look the same.
        assert table.stuck or any(not model.is_null(move) for move in model.legal())
    else:
        assert table.stuck == nowhere


@every_game_and_variant
def test_small_positions_are_often_stuck_and_often_not(game: Game) -> None:
    """Else the search above would show nothing."""
    tables = (
        Table.from_position(parse_position(small_position(game.key, random.Random(whim))), "x")
        for whim in range(200)
    )
    stuck = sum(table.stuck for table in tables)
    assert 4 < stuck < 196
