"""What is shown before the server has answered: right as far as a player can know it."""

from __future__ import annotations

import asyncio
import random

import pytest

from samedeal_client import LocalGame, View
from samedeal_client.ahead import UNDO, Ahead, foreseen
from samedeal_protocol.messages import Played
from samedeal_protocol.terms import Terms, Undo
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


class FarTable:
    """A place in a race whose server answers when the test lets it."""

    def __init__(self, game: Game) -> None:
        self._local = LocalGame(game, "friday-night")
        self.view = self._local.view
        self.terms = Terms(game=game.key, undo=Undo.FREE)
        self.asked: list[tuple[str, asyncio.Future[Played]]] = []

    async def play(self, move: str, *, follows: bool = False) -> Played:
        future: asyncio.Future[Played] = asyncio.get_running_loop().create_future()
        self.asked.append((move, future))
        return await future

    async def undo(self, *, follows: bool = False) -> Played:
        return await self.play(UNDO, follows=follows)

    async def finish(self, *, follows: bool = False) -> Played:
        raise AssertionError("nobody asks for it here")

    send_home = finish

    def answer(self) -> None:
        """Does what was asked first, and tells the board that it has led to."""
        deed, future = self.asked.pop(0)
        done(self._local, deed)
        self.view = self._local.view
        future.set_result(
            Played(
                race="far",
                seq=0,
                at=0,
                number=self.view.number,
                moves=(),
                home=self.view.home,
                digest=self.view.digest,
                status=self.view.status,
                elapsed_ms=0,
            )
        )


def done(local: LocalGame, deed: str) -> None:
    """Does to a board what was asked for."""
    if deed == UNDO:
        local.undo()
    else:
        local.play(deed)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
async def test_an_undo_is_foreseen_as_the_board_that_was_there_before(game: Game) -> None:
    """Whatever of it is answered meanwhile: an undo waited for its answer, as nothing else did."""
    chance = random.Random(game.key)
    table, truth, undone = FarTable(game), LocalGame(game, "friday-night"), 0
    ahead = Ahead(table)
    for _ in range(5):
        answers: list[asyncio.Future[Played]] = []
        for _ in range(6):
            view = ahead.view
            assert view is not None
            wishes = [wish for wish in view.legal() if ahead.foresees(wish)]
            if view.undoable and ahead.foresees(UNDO) and chance.random() < 0.45:
                wishes = [UNDO]
            if not wishes:
                break
            deed = chance.choice(wishes)
            answers.append(asyncio.ensure_future(ahead.do(deed)))
            await asyncio.sleep(0)  # let it be asked
            done(truth, deed)
            guess = ahead.view
            assert guess is not None
            assert masked(truth.view, by=guess) == guess.position.piles
            assert (guess.number, guess.home) == (truth.view.number, truth.view.home)
            if deed == UNDO:
                assert guess.position == truth.view.position
                assert guess.undoable == truth.view.undoable
                undone += 1
            if chance.random() < 0.5:
                table.answer()
        while table.asked:
            table.answer()
        await asyncio.gather(*answers)
        assert ahead.view == truth.view
    assert undone


async def test_what_is_done_is_asked_in_its_order_whichever_answer_is_waited_for_first() -> None:
    """A draw and an undo typed at once came to the server as an undo and a draw."""
    table = FarTable(GAMES[0])
    ahead = Ahead(table)
    view = ahead.view
    assert view is not None
    first, second = ahead.do(view.legal()[0]), ahead.do(UNDO)
    answers = [asyncio.ensure_future(second), asyncio.ensure_future(first)]
    for _ in range(5):
        await asyncio.sleep(0)  # let both be asked
    table.answer()
    table.answer()
    assert [answer.number for answer in await asyncio.gather(*answers)] == [2, 1]
