"""The fold: total, cheap to repeat, the same from memory and from the log's lines."""

from __future__ import annotations

import random

import pytest

from conftest import SOAK
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import Opened
from samedeal_protocol.terms import Terms, Undo
from samedeal_rules.engine import Outcome
from samedeal_rules.games import GAMES, find
from samedeal_rules.notation import Move, move_text
from samedeal_server.racing.audience import played, search
from samedeal_server.racing.commands import Finish, GiveUp, Play
from samedeal_server.racing.commands import Undo as TakeBack
from samedeal_server.racing.fold import FINISH, evolve, parsed
from samedeal_server.racing.race import Refused
from support.races import OPENED, WIN, WIN_GAME, WIN_SEED, Track, fingerprint


@pytest.mark.parametrize("game", [game.key for game in GAMES])
def test_a_race_of_every_game_folds_from_its_lines_to_the_same_state(game: str) -> None:
    dice = random.Random(game)
    track = Track(Terms(game=game, undo=Undo.FREE, limit=None), seed=f"{game} 1")
    track.start("ann", "bob")
    for _ in range(60 * SOAK):
        player = dice.choice(["ann", "bob"])
        entrant = track[player]
        if entrant.state.value != "racing" or entrant.table is None:
            continue
        moves = entrant.table.legal()
        if moves and dice.random() < 0.85:
            text = move_text(entrant.table.game, dice.choice(moves))
            track.do(Play(player, entrant.last + 1, text), after=dice.randrange(1000))
        elif entrant.table.depth:
            track.do(TakeBack(player, entrant.last + 1), after=dice.randrange(1000))
    assert fingerprint(track.refold()) == fingerprint(track.race)


def test_the_deal_is_the_same_for_every_entrant_and_each_has_a_table_of_their_own() -> None:
    track = Track(Terms(game="forty-thieves"))
    track.start("ann", "bob", "cat")
    tables = [entrant.table for entrant in track.race.entrants]
    assert len({table.digest() for table in tables if table is not None}) == 1
    assert len({id(table) for table in tables}) == 3


def test_a_reshuffle_is_the_same_for_who_holds_the_same_cards() -> None:
    track = Track(Terms(game=WIN_GAME), seed=WIN_SEED)
    track.start("ann", "bob")
    track.play("ann", *WIN)
    track.play("bob", *WIN)
    ann, bob = (track[player].table for player in ("ann", "bob"))
    assert ann is not None
    assert bob is not None
    assert ann.digest() == bob.digest()


def test_moves_are_read_once_and_what_strangers_type_does_not_fill_the_memory() -> None:
    game = find("forty-thieves")
    assert parsed(game, "t1-t2") == (parsed(game, "T1-T2")[0], "T1-T2")
    for cards in range(1, 200):
        for target in range(1, 11):
            for text in (f"T1-T{target}:{cards}", f"t1-t{target}:{cards}", f"T1-t{target}:{cards}"):
                parsed(game, text)
    track = Track(Terms(game="forty-thieves"))
    assert len(track.race.texts) <= 4096
    assert parsed(game, "w-f8:7")[1] == "W-F8:7"


def test_a_second_opening_is_impossible() -> None:
    track = Track(Terms(game=WIN_GAME))
    with pytest.raises(AssertionError):
        evolve(track.race, track.opened)


def test_an_answer_needs_a_log_that_begins_with_the_opening() -> None:
    track = Track(Terms(game=WIN_GAME))
    track.start("ann", "bob")
    with pytest.raises(AssertionError):
        next(search(track.log[1:], 1, 1))
    assert isinstance(track.log[0], Opened)


def test_a_finish_that_steps_cannot_tell_comes_as_a_board() -> None:
    track = Track(Terms(game=WIN_GAME), seed=WIN_SEED)
    track.start("ann", "bob")
    entrant = track["ann"]
    entrant.together = (Outcome(Move(0, 1, 1), ("T1-W",), (("T1", "2C"),)),)
    entrant.acts.append(FINISH)
    reply = played(track.race, entrant)
    assert (reply.steps, reply.turned) == ((), ())
    assert reply.board is not None


def test_a_finished_race_folds_from_its_lines_too() -> None:
    track = Track(Terms(game=WIN_GAME), seed=WIN_SEED)
    track.start("ann", "bob")
    track.play("ann", *WIN, after=10)
    track.do(Finish("ann", 9))
    track.do(GiveUp("bob"))
    again = track.refold()
    assert fingerprint(again) == fingerprint(track.race)
    assert again.ended_at == track.now
    assert again.opened.at == OPENED


def test_a_refusal_reads_as_its_sentence() -> None:
    refused = Refused(ErrorCode.NO_UNDO, "there is nothing to take back")
    assert str(refused) == "there is nothing to take back"
