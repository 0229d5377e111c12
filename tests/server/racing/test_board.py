"""An entrant's board: numbers, undo by every policy, auto-finish, stuck, won, hints."""

from __future__ import annotations

import pytest

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import Done, EntrantState, Played, SentHome
from samedeal_protocol.terms import Terms, Undo
from samedeal_rules.engine import Table
from samedeal_rules.notation import parse_position
from samedeal_server.racing.audience import played
from samedeal_server.racing.commands import Command, Disqualify, Finish, GiveUp, Play, SendHome
from samedeal_server.racing.commands import Undo as TakeBack
from samedeal_server.racing.hints import hint
from samedeal_server.racing.race import Refused, decide
from support.races import HOST, WIN, WIN_GAME, WIN_SEED, Track, answer

GAME = "forty-thieves"


def racing(undo: Undo = Undo.FREE, *, game: str = GAME, seed: str = "6", penalty: int = 5) -> Track:
    track = Track(Terms(game=game, undo=undo, undo_penalty=penalty, hints=True), seed=seed)
    track.start("ann", "bob")
    return track


def shuffling(undo: Undo) -> Track:
    """A race on Opus, where nothing is hidden, with one cell move that can be made at once."""
    return racing(undo, game="opus", seed="a")


# --- numbers -----------------------------------------------------------------------------------


def test_the_next_number_is_played() -> None:
    track = racing()
    (event,) = track.do(Play("ann", 1, "draw"))
    assert event == Played(at=track.now, entrant=1, number=1, move="draw")


def test_the_same_number_with_the_same_move_causes_nothing_more() -> None:
    track = racing()
    track.do(Play("ann", 1, "draw"))
    assert track.do(Play("ann", 1, "draw"), after=500) == []


def test_the_same_move_in_another_spelling_is_the_same() -> None:
    track = shuffling(Undo.FREE)
    track.do(Play("ann", 1, "T1-C1"))
    assert track.do(Play("ann", 1, "t1-c1:1")) == []


def test_a_number_with_another_move_is_refused() -> None:
    track = shuffling(Undo.FREE)
    track.do(Play("ann", 1, "T1-C1"))
    assert track.refusal(Play("ann", 1, "T2-C1")) is ErrorCode.NUMBER_REUSED
    assert track.refusal(TakeBack("ann", 1)) is ErrorCode.NUMBER_REUSED
    assert track.refusal(Finish("ann", 1)) is ErrorCode.NUMBER_REUSED


def test_a_gap_in_the_numbers_is_refused() -> None:
    assert racing().refusal(Play("ann", 2, "draw")) is ErrorCode.BAD_NUMBER


def test_a_refused_move_does_not_use_its_number_up() -> None:
    track = racing()
    assert track.refusal(Play("ann", 1, "F1-T1")) is ErrorCode.ILLEGAL_MOVE
    track.play("ann", "draw")
    assert track["ann"].last == 1


def test_an_illegal_move_carries_the_rules_own_code() -> None:
    track = racing()
    with pytest.raises(Refused) as refused:
        decide(track.race, Play("ann", 1, "F1-T1"), track.now)
    assert refused.value.reason == "empty-source"


def test_what_is_no_move_is_refused_as_such() -> None:
    track = racing()
    assert track.refusal(Play("ann", 1, "castle")) is ErrorCode.BAD_MOVE
    assert track.refusal(Play("ann", 1, "T99-T1")) is ErrorCode.BAD_MOVE


def test_a_stranger_plays_nothing() -> None:
    assert racing().refusal(Play("zoe", 1, "draw")) is ErrorCode.NOT_ENTERED


def test_numbers_are_each_entrants_own() -> None:
    track = racing()
    track.play("ann", "draw", "draw")
    track.play("bob", "draw")
    assert (track["ann"].last, track["bob"].last) == (2, 1)


def test_who_gave_up_plays_no_more() -> None:
    track = racing()
    track.do(GiveUp("ann"))
    assert track.refusal(Play("ann", 1, "draw")) is ErrorCode.NOT_RACING
    assert track.refusal(GiveUp("ann")) is ErrorCode.NOT_RACING


# --- answers -----------------------------------------------------------------------------------


def test_every_old_answer_can_be_given_again() -> None:
    track = shuffling(Undo.PENALTY)
    answers = []
    for move in ("T1-C1", "undo", "T2-C1", "T3-C2"):
        number = track["ann"].last + 1
        track.do(TakeBack("ann", number) if move == "undo" else Play("ann", number, move), after=70)
        answers.append(played(track.race, track["ann"], legal=True))
        track.play("bob", f"T{number}-C{number}")
    for reply in answers:
        assert answer(track.log, 1, reply.number, legal=True) == reply
    assert played(track.race, track["ann"], legal=True) == answers[-1]


def test_there_is_no_answer_to_a_number_that_was_not_used() -> None:
    track = racing()
    with pytest.raises(LookupError):
        answer(track.log, 1, 1)


def test_the_move_that_ended_the_race_can_be_asked_again() -> None:
    track = racing(game=WIN_GAME, seed=WIN_SEED)
    track.do(GiveUp("bob"))
    track.play("ann", *WIN)
    track.do(Finish("ann", 9))
    reply = played(track.race, track["ann"])
    assert track.phase() == "over"
    assert track.do(Finish("ann", 9), after=10_000) == []
    assert played(track.race, track["ann"]) == reply
    assert track.refusal(Finish("ann", 10)) is ErrorCode.NOT_RUNNING
    assert track.refusal(Finish("ann", 8)) is ErrorCode.NUMBER_REUSED


# --- undo --------------------------------------------------------------------------------------


def test_a_free_undo_takes_back_even_a_drawn_card() -> None:
    track = racing(Undo.FREE)
    before = track["ann"].table and track["ann"].table.digest()
    track.play("ann", "draw")
    track.do(TakeBack("ann", 2))
    assert track["ann"].table is not None
    assert track["ann"].table.digest() == before
    assert (track["ann"].moves, track["ann"].undos, track["ann"].penalty_ms) == (1, 1, 0)


def test_nothing_is_taken_back_at_the_deal() -> None:
    assert racing(Undo.FREE).refusal(TakeBack("ann", 1)) is ErrorCode.NO_UNDO


def test_no_undo_means_none() -> None:
    track = shuffling(Undo.NONE)
    track.play("ann", "T1-C1")
    assert track.refusal(TakeBack("ann", 2)) is ErrorCode.NO_UNDO


def test_an_undo_past_a_reveal_is_refused() -> None:
    track = racing(Undo.NOT_PAST_A_REVEAL)
    track.play("ann", "draw")
    assert track.refusal(TakeBack("ann", 2)) is ErrorCode.NO_UNDO


def test_an_undo_of_what_showed_nothing_is_taken() -> None:
    track = shuffling(Undo.NOT_PAST_A_REVEAL)
    track.play("ann", "T1-C1")
    track.do(TakeBack("ann", 2))
    assert track["ann"].undos == 1


def test_a_move_after_the_reveal_is_taken_back_but_not_the_reveal() -> None:
    track = racing(Undo.NOT_PAST_A_REVEAL)
    table = track["ann"].table
    assert table is not None
    while not any(move.cards for move in table.legal()):
        track.play("ann", "draw")
    track.do(Play("ann", track["ann"].last + 1, hint(track.race, "ann")))
    assert not table.revealed
    track.do(TakeBack("ann", track["ann"].last + 1))
    assert track.refusal(TakeBack("ann", track["ann"].last + 1)) is ErrorCode.NO_UNDO


def test_each_undo_costs_its_penalty_on_the_finish() -> None:
    track = racing(Undo.PENALTY, game=WIN_GAME, seed=WIN_SEED, penalty=7)
    start = track.now
    track.play("ann", WIN[0], after=1000)
    track.do(TakeBack("ann", 2), after=1000)
    track.play("ann", WIN[0], after=1000)
    track.do(TakeBack("ann", 4), after=1000)
    track.play("ann", *WIN, after=1000)
    track.do(Finish("ann", 13), after=1000)
    assert track["ann"].elapsed_ms == track.now - start + 14_000
    assert track["ann"].penalty_ms == 14_000


def test_undo_and_redo_with_retries_is_done_once_each() -> None:
    track = shuffling(Undo.FREE)
    commands: list[Command] = [Play("ann", 1, "T1-C1"), TakeBack("ann", 2), Play("ann", 3, "T1-C1")]
    for number, command in enumerate(commands, start=1):
        assert len(track.do(command)) == 1
        assert track.do(command) == []
        assert track["ann"].last == number
    assert track["ann"].moves == 2


# --- the end of a board ------------------------------------------------------------------------


def test_the_last_card_home_finishes_at_the_moves_own_instant() -> None:
    track = racing(game=WIN_GAME, seed=WIN_SEED)
    start = track.now
    track.play("ann", *WIN, after=100)
    events = track.do(Finish("ann", 9), after=250)
    assert events[1] == Done(
        at=track.now,
        entrant=1,
        state=EntrantState.FINISHED,
        home=13,
        elapsed_ms=track.now - start,
    )
    assert track["ann"].moves == len(WIN) + 6


def test_an_auto_finish_that_does_not_win_is_refused() -> None:
    assert racing().refusal(Finish("ann", 1)) is ErrorCode.NOT_FINISHABLE


# --- sending home ------------------------------------------------------------------------------

FIRST_HOME = sorted(WIN[:7])
"""The clubs that lie on top when the winning deal begins: nothing is ever built on them."""


def test_safe_cards_are_sent_home_under_one_number_and_at_one_instant() -> None:
    track = racing(game=WIN_GAME, seed=WIN_SEED)
    (event,) = track.do(SendHome("ann", 1), after=70)
    assert isinstance(event, SentHome)
    assert (event.at, event.number, sorted(event.moves)) == (track.now, 1, FIRST_HOME)
    assert track["ann"].moves == 7
    reply = played(track.race, track["ann"], legal=True)
    assert (reply.moves, reply.steps, reply.home) == (event.moves, event.moves, 7)
    assert not reply.homeward
    assert track.do(SendHome("ann", 1), after=70) == []
    assert answer(track.log, 1, 1, legal=True) == reply


def test_one_undo_takes_all_back_that_was_sent_home() -> None:
    track = racing(Undo.PENALTY, game=WIN_GAME, seed=WIN_SEED)
    before = track["bob"].table
    track.do(SendHome("ann", 1))
    track.do(TakeBack("ann", 2))
    after = track["ann"].table
    assert before is not None
    assert after is not None
    assert after.digest() == before.digest()
    assert track["ann"].penalty_ms == 5000
    assert played(track.race, track["ann"], legal=True).homeward
    assert track.refusal(TakeBack("ann", 3)) is ErrorCode.NO_UNDO


def test_the_number_of_what_was_sent_home_is_not_that_of_a_finish() -> None:
    track = racing(game=WIN_GAME, seed=WIN_SEED)
    track.do(SendHome("ann", 1))
    assert track.refusal(Finish("ann", 1)) is ErrorCode.NUMBER_REUSED


def test_the_last_cards_that_are_sent_home_finish() -> None:
    track = racing(game=WIN_GAME, seed=WIN_SEED)
    track.play("ann", *WIN, after=100)
    _, done = track.do(SendHome("ann", 9), after=250)
    assert isinstance(done, Done)
    assert (done.state, done.at) == (EntrantState.FINISHED, track.now)


def test_nothing_is_sent_home_where_nothing_is_safe() -> None:
    track = racing(game="fortress")
    position = "game: fortress\nF1: AS\nT1: 2S\nT2: 3S"
    track.put("ann", Table.from_position(parse_position(position)))
    assert track.refusal(SendHome("ann", 1)) is ErrorCode.NOTHING_SAFE


def test_the_race_is_over_with_the_last_one() -> None:
    track = racing()
    track.do(GiveUp("ann"))
    assert track.phase() == "running"
    track.do(GiveUp("bob"))
    assert track.phase() == "over"


def test_a_deal_that_is_stuck_at_once_is_over_at_once() -> None:
    track = Track(Terms(game="fortress", undo=Undo.FREE), seed="37")
    track.enter("ann", "bob")
    track.ready("ann", "bob")
    track.wait(5000)
    assert (track.phase(), track.states()) == ("over", ["stuck", "stuck"])


ONE_MOVE_LEFT = """
game: beleaguered-castle
F1: AC
F2: AD
F3: AH
F4: AS
T1: 3C KC
T2: 2D KD
T3: 2H KH
T4: 2S KS
T5: JC
T6: JD
T7: JH
T8: JS 2C
"""


@pytest.mark.parametrize(
    ("undo", "state"),
    [
        (Undo.NONE, "stuck"),
        (Undo.FREE, "racing"),
        (Undo.PENALTY, "racing"),
        (Undo.NOT_PAST_A_REVEAL, "racing"),
    ],
)
def test_stuck_is_the_end_only_where_nothing_can_be_taken_back(undo: Undo, state: str) -> None:
    track = racing(undo, game="beleaguered-castle")
    track.put("ann", Table.from_position(parse_position(ONE_MOVE_LEFT)))
    track.play("ann", "T8-F1")
    assert track["ann"].state.value == state
    reply = played(track.race, track["ann"])
    assert (reply.status, reply.undoable) == ("stuck", state == "racing")


@pytest.mark.parametrize(("undo", "state"), [("free", "racing"), ("not-past-a-reveal", "stuck")])
def test_a_last_draw_that_helps_nobody_is_the_end_if_it_stays_drawn(undo: str, state: str) -> None:
    track = racing(Undo(undo))
    cards = "KD KD KC KC KH KH KS KS JC JS".split()
    tableau = "\n".join(f"T{pile}: {card}" for pile, card in enumerate(cards, 1))
    position = f"game: forty-thieves\n{tableau}\nS: 9C"
    track.put("ann", Table.from_position(parse_position(position)))
    track.play("ann", "draw")
    assert track["ann"].state.value == state


# --- the host's word ---------------------------------------------------------------------------


def test_a_disqualified_entrant_is_out_with_the_reason() -> None:
    track = racing()
    (event,) = track.do(Disqualify(HOST, 2, " talks to a solver "))
    assert isinstance(event, Done)
    assert (event.state, event.reason) == (EntrantState.DISQUALIFIED, "talks to a solver")


def test_only_who_has_a_board_in_play_is_disqualified() -> None:
    track = racing()
    track.do(GiveUp("ann"))
    assert track.refusal(Disqualify(HOST, 1, "")) is ErrorCode.NOT_RACING
    assert track.refusal(Disqualify(HOST, 9, "")) is ErrorCode.NOT_ENTERED
    assert track.refusal(Disqualify("ann", 2, "")) is ErrorCode.NOT_HOST


# --- hints -------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["forty-thieves", "amazons", "st-helena", "opus", "binary-star"])
def test_a_hint_is_always_legal_and_changes_nothing(game: str) -> None:
    track = racing(game=game)
    for _ in range(60):
        table = track["ann"].table
        if track["ann"].is_done or table is None or not table.legal():
            break
        digest = table.digest()
        move = hint(track.race, "ann")
        assert table.digest() == digest
        track.do(Play("ann", track["ann"].last + 1, move))


def test_a_hint_brings_a_card_home_if_one_can() -> None:
    track = racing(game="beleaguered-castle")
    position = "game: beleaguered-castle\nF1: AC\nF2: AD\nF3: AH\nF4: AS\nT1: KC QD\nT2: KD 2C"
    track.put("ann", Table.from_position(parse_position(position)))
    assert hint(track.race, "ann") == "T2-F1"


@pytest.mark.parametrize("game", ["forty-thieves", "opus"])
def test_hints_go_from_the_best_move_round_all_there_are(game: str) -> None:
    track = racing(game=game)
    table = track["ann"].table
    assert table is not None
    count = len(table.legal())
    hints = [hint(track.race, "ann", skip) for skip in range(count + 1)]
    assert len(set(hints[:-1])) == count
    assert hints[-1] == hints[0]


def test_the_next_hint_is_the_next_best() -> None:
    track = racing(game="beleaguered-castle")
    position = "game: beleaguered-castle\nF1: AC\nF2: AD\nF3: AH\nF4: AS\nT1: 2C\nT2: 4C 3D"
    track.put("ann", Table.from_position(parse_position(position)))
    first, second = (hint(track.race, "ann", skip) for skip in range(2))
    assert (first, second) == ("T1-F1", "T1-T2")


def test_hints_are_refused_where_the_terms_have_none() -> None:
    track = Track(Terms(game=GAME))
    track.start("ann", "bob")
    for player, code in (("ann", ErrorCode.NO_HINTS), ("zoe", ErrorCode.NOT_ENTERED)):
        with pytest.raises(Refused) as refused:
            hint(track.race, player)
        assert refused.value.code is code


def test_no_hint_where_no_move_is_left() -> None:
    track = racing(Undo.FREE, game="beleaguered-castle")
    track.put("ann", Table.from_position(parse_position(ONE_MOVE_LEFT)))
    track.play("ann", "T8-F1")
    with pytest.raises(Refused) as refused:
        hint(track.race, "ann")
    assert refused.value.code is ErrorCode.NO_HINTS


def test_no_hint_before_the_start_and_none_after_the_end() -> None:
    track = Track(Terms(game=GAME, hints=True))
    track.enter("ann", "bob")
    with pytest.raises(Refused) as refused:
        hint(track.race, "ann")
    assert refused.value.code is ErrorCode.NOT_RUNNING
    track.ready("ann", "bob")
    track.wait(5000)
    track.do(GiveUp("ann"))
    with pytest.raises(Refused) as refused:
        hint(track.race, "ann")
    assert refused.value.code is ErrorCode.NOT_RACING
