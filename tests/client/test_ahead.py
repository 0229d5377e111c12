"""What is shown before the server has answered: right as far as a player can know it."""

from __future__ import annotations

import random

import pytest

from samedeal_client import LocalGame, View
from samedeal_client.ahead import foreseen
from samedeal_rules import GAMES, Game, parse_move
from samedeal_rules.cards import HIDDEN

AHEAD = 4
"""How many moves are played before the first is answered."""


def masked(view: View, by: View) -> tuple[tuple[int, ...], ...]:
    """The piles of a view, with what another does not know hidden."""
    return tuple(
        tuple(HIDDEN if seen == HIDDEN else card for card, seen in zip(pile, known, strict=True))
        for pile, known in zip(view.position.piles, by.position.piles, strict=True)
    )


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_what_is_foreseen_comes_but_for_cards_that_turn_up(game: Game) -> None:
    chance = random.Random(game.key)
    local, seen_ahead = LocalGame(game, "friday-night"), 0
    for _ in range(40):
        guess = local.view
        for _ in range(AHEAD):
            legal = guess.legal()
            assert set(legal) <= set(local.legal()), "what is offered can be played"
            if not legal:
                return
            move = chance.choice(legal)
            after = foreseen(guess, move)
            local.play(move)
            if after is None:
                assert not parse_move(game, move).cards, "only a redeal cannot be foreseen"
                break
            assert masked(local.view, by=after) == after.position.piles
            assert after.home == local.view.home
            assert after.number == local.view.number
            guess, seen_ahead = after, seen_ahead + 1
    assert seen_ahead > AHEAD


def test_a_card_that_turns_up_is_not_shown_before_it_is_told_and_cannot_be_played() -> None:
    view = LocalGame("forty-thieves", "friday-night").view
    after = foreseen(view, "draw")
    assert after is not None
    assert after.pile("W") == ("--",)
    assert not [move for move in after.legal() if move.startswith("W-")]
    assert "draw" in after.legal()


def test_an_illegal_move_is_not_foreseen() -> None:
    view = LocalGame("forty-thieves", "friday-night").view
    assert foreseen(view, "T1-F1") is None
    assert foreseen(view, "hop") is None
