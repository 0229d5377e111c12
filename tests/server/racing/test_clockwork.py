"""Deadlines: limits, grace, closing, stalls of the server, late ticks, and stoppages."""

from __future__ import annotations

import pytest

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import Done, Dropped, EntrantState, Over, Started, Stopped
from samedeal_protocol.terms import Mode, Start, Terms
from samedeal_rules.notation import move_text
from samedeal_server.racing.commands import (
    Begin,
    Chat,
    Drop,
    Enter,
    Finish,
    GiveUp,
    Play,
    Return,
    Stop,
    Tick,
    Withdraw,
)
from samedeal_server.racing.race import Refused, deadline, replay
from support.races import HOST, OPENED, WIN, WIN_GAME, WIN_SEED, Track, fingerprint

GAME = "forty-thieves"
MINUTE = 60_000


def live(*, limit: int | None = 60, grace: int | None = 30, game: str = GAME) -> Track:
    track = Track(Terms(game=game, limit=limit, grace=grace), seed=WIN_SEED)
    track.start("ann", "bob")
    return track


def apart(
    *,
    closes: int = 3600,
    limit: int | None = 60,
    most: int = 8,
    grace: int = 30,
    punctual: bool = False,
) -> Track:
    return Track(
        Terms(
            game=GAME,
            mode=Mode.ASYNC,
            closes=closes,
            limit=limit,
            entrants_max=most,
            grace=grace,
            punctual=punctual,
        )
    )


# --- the limit ---------------------------------------------------------------------------------


def test_the_race_says_when_it_needs_a_tick() -> None:
    track = live(limit=60)
    assert deadline(track.race) == track.now + MINUTE


def test_at_the_limit_everybody_is_out_of_time() -> None:
    track = live(limit=60)
    track.wait(MINUTE - 1)
    assert track.states() == ["racing", "racing"]
    track.wait(1)
    assert track.states() == ["out-of-time", "out-of-time"]
    assert track.phase() == "over"


def test_a_tick_that_is_five_seconds_late_stamps_the_limits_own_instant() -> None:
    track = live(limit=60)
    limit = track.now + MINUTE
    events = track.do(Tick(), after=MINUTE + 5000)
    assert [event.at for event in events] == [limit, limit, limit]
    assert isinstance(events[-1], Over)


def test_a_move_received_before_the_limit_counts_though_the_server_stalled() -> None:
    track = live(limit=60, game=WIN_GAME)
    start = track.now
    track.play("ann", *WIN)
    track.do(Finish("ann", 9), after=MINUTE - 1)
    track.do(Tick(), after=5000)
    assert track.states() == ["finished", "out-of-time"]
    assert track["ann"].elapsed_ms == MINUTE - 1
    assert [event.at for event in track.log if isinstance(event, Done)][-1] == start + MINUTE


def test_a_move_received_at_the_limit_is_too_late_even_if_no_tick_came() -> None:
    track = live(limit=60)
    track.now += MINUTE
    assert track.race.phase.value == "running"
    with pytest.raises(Refused) as refused:
        track.do(Play("ann", 1, "draw"))
    assert refused.value.code is ErrorCode.NOT_RUNNING
    assert track.states() == ["out-of-time", "out-of-time"]


def test_nobody_is_flagged_right_after_a_start_that_came_late() -> None:
    track = Track(Terms(game=GAME, limit=10))
    track.enter("ann", "bob")
    track.ready("ann", "bob")
    track.do(Tick(), after=5000 + 30_000)
    assert track.states() == ["racing", "racing"]
    assert track.race.started_at == track.now
    track.wait(9_999)
    assert track.phase() == "running"


def test_without_a_limit_nobody_is_out_of_time() -> None:
    track = live(limit=None, grace=30)
    assert deadline(track.race) is None
    track.wait(7 * 86_400_000)
    assert track.phase() == "running"


# --- the grace ---------------------------------------------------------------------------------


def test_who_is_away_longer_than_the_grace_has_given_up() -> None:
    track = live(limit=None, grace=30)
    track.drop("bob")
    gone = track.now
    events = track.wait(MINUTE)
    assert events == [
        Done(at=gone + 30_000, entrant=2, state=EntrantState.GAVE_UP, home=0, reason="away")
    ]


def test_who_plays_without_resuming_is_not_gone() -> None:
    track = live(limit=None, grace=30)
    track.drop("bob")
    for _ in range(5):
        table = track["bob"].table
        assert table is not None
        track.play("bob", move_text(table.game, table.legal()[0]), after=20_000)
    heard = track.now
    (gone,) = track.wait(MINUTE)
    assert isinstance(gone, Done)
    assert (gone.at, gone.state) == (heard + 30_000, EntrantState.GAVE_UP)


def test_who_returns_in_time_races_on_and_may_go_away_again() -> None:
    track = live(limit=None, grace=30)
    for _ in range(5):
        track.drop("bob")
        track.wait(29_999)
        track.do(Return("bob"))
    assert track.states() == ["racing", "racing"]


def test_a_return_received_before_the_grace_ends_counts_though_the_tick_is_late() -> None:
    track = live(limit=None, grace=30)
    track.drop("bob")
    track.do(Return("bob"), after=29_999)
    track.do(Tick(), after=60_000)
    assert track.states() == ["racing", "racing"]


def test_without_grace_one_may_be_away_until_the_limit() -> None:
    track = live(limit=60, grace=None)
    track.drop("bob")
    track.wait(MINUTE - 1)
    assert track.states() == ["racing", "racing"]


def test_dropping_twice_is_one_absence() -> None:
    track = live(limit=None, grace=30)
    track.drop("bob")
    track.wait(20_000)
    assert track.do(Drop("bob")) == []
    track.wait(10_000)
    assert track.states() == ["racing", "gave-up"]


def test_who_is_done_or_a_stranger_is_not_missed() -> None:
    track = live()
    track.do(GiveUp("bob"))
    assert track.do(Drop("bob")) == []
    assert track.do(Drop("zoe")) == []
    assert track.do(Return("ann")) == []


def test_when_everybody_is_away_the_race_ends_by_itself() -> None:
    track = live(limit=None, grace=30)
    track.drop("ann", "bob")
    track.wait(30_000)
    assert track.phase() == "over"


# --- stoppages ---------------------------------------------------------------------------------


def test_an_outage_is_on_nobodys_clock() -> None:
    track = live(limit=60, game=WIN_GAME)
    track.play("ann", *WIN, after=1000)
    down = track.now
    events = track.do(Stop(down), after=3 * MINUTE)
    assert events == [
        Stopped(at=track.now, stopped_ms=3 * MINUTE),
        Dropped(at=track.now, entrant=1),
        Dropped(at=track.now, entrant=2),
    ]
    track.do(Return("ann"))
    track.do(Finish("ann", 9), after=1000)
    assert track["ann"].elapsed_ms == 9000


def test_the_limit_moves_by_the_outage() -> None:
    track = live(limit=60, grace=None)
    track.wait(20_000)
    track.do(Stop(track.now), after=10 * MINUTE)
    track.wait(40_000 - 1)
    assert track.states() == ["racing", "racing"]
    track.wait(1)
    assert track.states() == ["out-of-time", "out-of-time"]


def test_the_grace_of_who_was_away_already_moves_by_the_outage() -> None:
    track = live(limit=None, grace=30)
    track.drop("bob")
    track.wait(20_000)
    track.do(Stop(track.now), after=10 * MINUTE)
    track.wait(10_000 - 1)
    assert track.states() == ["racing", "racing"]
    track.wait(1)
    assert track.states() == ["racing", "gave-up"]


def test_after_an_outage_everybody_has_the_whole_grace_to_come_back() -> None:
    track = live(limit=None, grace=30)
    track.do(Stop(track.now), after=10 * MINUTE)
    track.wait(29_999)
    track.do(Return("ann"))
    track.wait(1)
    assert track.states() == ["racing", "gave-up"]


def test_what_fell_due_before_the_outage_is_done_though_the_server_had_no_time_for_it() -> None:
    track = live(limit=60)
    limit = track.now + MINUTE
    track.do(Stop(limit + 500), after=5 * MINUTE)
    assert track.states() == ["out-of-time", "out-of-time"]
    assert track.race.ended_at == limit


def test_two_outages_add_up() -> None:
    track = live(limit=60, game=WIN_GAME)
    for _ in range(2):
        track.do(Stop(track.now), after=MINUTE)
    track.play("ann", *WIN)
    track.do(Finish("ann", 9), after=1500)
    assert track["ann"].elapsed_ms == 1500


def test_an_outage_counts_at_most_from_the_last_event() -> None:
    track = live(limit=60)
    track.play("ann", "draw", after=10_000)
    (stopped, *_) = track.do(Stop(track.now - 9_000), after=5000)
    assert stopped == Stopped(at=track.now, stopped_ms=5000)


def test_an_outage_leaves_finished_times_alone() -> None:
    track = live(limit=600, game=WIN_GAME)
    track.play("ann", *WIN)
    track.do(Finish("ann", 9), after=1000)
    track.do(Stop(track.now), after=MINUTE)
    assert track["ann"].elapsed_ms == 1000
    assert not track["ann"].away


def test_a_race_that_is_over_does_not_mind_an_outage() -> None:
    track = live()
    track.do(GiveUp("ann"))
    track.do(GiveUp("bob"))
    assert track.do(Stop(track.now), after=MINUTE) == []


def test_a_restarted_race_is_the_same_race() -> None:
    track = live(limit=60)
    track.play("ann", "draw", after=1000)
    assert fingerprint(track.refold()) == fingerprint(track.race)


# --- async -------------------------------------------------------------------------------------


def test_an_async_race_starts_with_its_first_beginner() -> None:
    track = apart()
    track.enter("ann", "bob")
    events = track.do(Begin("ann"), after=5000)
    assert events[0] == Started(at=track.now)
    assert track.states() == ["racing", "entered"]
    assert track.do(Begin("ann")) == []


def test_each_has_their_own_clock_and_limit() -> None:
    track = apart(limit=60)
    track.start("ann")
    track.wait(30_000)
    track.start("bob")
    track.wait(30_000)
    assert track.states() == ["out-of-time", "racing"]
    track.wait(30_000)
    assert track.states() == ["out-of-time", "out-of-time"]
    assert track.phase() == "running"


def test_one_may_enter_an_async_race_while_others_race() -> None:
    track = apart()
    track.start("ann")
    track.start("bob")
    assert track.states() == ["racing", "racing"]


def test_closing_ends_every_race_in_progress_and_who_never_began_is_withdrawn() -> None:
    track = apart(closes=3600, limit=None)
    track.start("ann")
    track.enter("bob")
    events = track.do(Tick(), after=3_600_000 + 5000)
    assert track.states() == ["out-of-time", "withdrawn"]
    assert [event.at for event in events] == [OPENED + 3_600_000] * 3
    assert [line.entrant for line in track.race.standings] == [1]


def test_nobody_enters_or_begins_after_the_closing() -> None:
    track = apart(closes=3600)
    track.start("ann")
    track.enter("bob")
    track.wait(3_600_000)
    assert track.refusal(Enter("cat", "Cat", bot=False)) is ErrorCode.NOT_OPEN
    assert track.refusal(Begin("bob")) is ErrorCode.NOT_OPEN


def test_closing_cuts_a_limit_short() -> None:
    track = apart(closes=60, limit=600)
    track.enter("ann")
    track.wait(50_000)
    track.do(Begin("ann"))
    assert deadline(track.race) == OPENED + MINUTE


def test_an_async_race_that_nobody_began_is_cancelled_when_it_closes() -> None:
    track = apart(closes=3600)
    track.enter("ann")
    track.wait(3_600_000)
    assert track.phase() == "cancelled"


def test_an_async_race_in_which_all_are_done_stays_open_for_more() -> None:
    track = apart(closes=3600)
    track.start("ann")
    track.do(GiveUp("ann"))
    track.wait(3_599_999)
    assert track.phase() == "running"
    assert track.wait(1) == [Over(at=OPENED + 3_600_000, standings=track.race.standings)]


def test_an_async_race_is_over_early_when_it_is_full_and_all_are_done() -> None:
    track = apart(most=2)
    track.start("ann", "bob")
    track.do(GiveUp("ann"))
    assert track.phase() == "running"
    track.do(GiveUp("bob"))
    assert track.phase() == "over"


def test_a_punctual_race_is_not_over_early_though_it_is_full_and_all_are_done() -> None:
    track = apart(most=2, punctual=True)
    track.start("ann", "bob")
    track.do(GiveUp("ann"))
    track.do(GiveUp("bob"))
    track.wait(3_599_999)
    assert track.phase() == "running"
    track.wait(1)
    assert track.phase() == "over"


def test_an_outage_does_not_move_the_closing_of_a_punctual_race() -> None:
    track = apart(closes=3600, limit=600, punctual=True)
    track.start("ann")
    track.wait(100_000)
    track.do(Stop(track.now), after=MINUTE)
    assert track.race.closes_at == OPENED + 3_600_000


def test_a_punctual_race_that_closed_during_an_outage_is_over_when_it_is_taken_up() -> None:
    track = apart(closes=3600, limit=None, punctual=True)
    track.start("ann")
    track.wait(3_500_000)
    track.do(Stop(track.now), after=2 * 3_600_000)
    assert (track.phase(), track.states()) == ("over", ["out-of-time"])


def test_who_withdraws_before_beginning_makes_room_again() -> None:
    track = apart(most=2)
    track.start("ann")
    track.do(GiveUp("ann"))
    track.enter("bob")
    track.do(Withdraw("bob"))
    track.start("cat")
    track.do(GiveUp("cat"))
    assert track.phase() == "over"


def test_who_has_begun_does_not_withdraw() -> None:
    track = apart()
    track.start("ann")
    assert track.refusal(Withdraw("ann")) is ErrorCode.NOT_OPEN


def test_who_has_not_begun_has_no_board() -> None:
    track = apart()
    track.start("ann")
    track.enter("bob")
    assert track.refusal(Play("bob", 1, "draw")) is ErrorCode.NOT_RACING


def test_the_grace_of_an_async_race_counts_for_who_has_begun() -> None:
    track = apart(grace=30, limit=None)
    track.start("ann")
    track.enter("bob")
    track.drop("ann", "bob")
    track.wait(30_000)
    assert track.states() == ["gave-up", "entered"]


def test_an_outage_moves_the_closing_and_each_clock() -> None:
    track = apart(closes=3600, limit=600)
    track.start("ann")
    track.enter("bob")
    track.wait(100_000)
    track.do(Stop(track.now), after=MINUTE)
    assert track.race.closes_at == OPENED + 3_600_000 + MINUTE
    track.do(Return("ann"))
    track.wait(500_000 - 1)
    assert track.states() == ["racing", "entered"]
    track.wait(1)
    assert track.states() == ["out-of-time", "entered"]


# --- the order of things -----------------------------------------------------------------------


def test_instants_that_a_stall_brought_together_come_out_in_order() -> None:
    track = Track(Terms(game=GAME, limit=60, grace=30))
    track.start("ann", "bob", "cat")
    begun = track.now
    track.drop("bob")
    track.do(Drop("cat"), after=10_000)
    track.do(Tick(), after=2 * MINUTE)
    ends = [(event.at - begun, event.entrant) for event in track.log if isinstance(event, Done)]
    assert ends == [(30_000, 2), (40_000, 3), (60_000, 1)]


def test_what_fell_due_comes_before_the_command_that_came_after_it() -> None:
    track = live(limit=60)
    (*ended, said) = track.do(Chat("ann", "Ann", bot=False, text="phew"), after=MINUTE + 10)
    assert [type(event).__name__ for event in ended] == ["Done", "Done", "Over"]
    assert said.at == track.now


def test_a_command_that_was_received_before_another_but_comes_later_does_not_turn_time_back() -> (
    None
):
    track = live(limit=60)
    track.play("ann", "draw", after=500)
    track.do(Play("bob", 1, "draw"), after=-300)
    assert track.log[-1].at == track.log[-2].at


def test_a_log_must_begin_with_its_opening() -> None:
    track = live()
    with pytest.raises(AssertionError):
        replay(track.log[1:])


def test_the_host_may_start_at_the_last_moment_of_the_lobby() -> None:
    track = Track(Terms(game=GAME, start=Start.HOST))
    track.enter("ann", "bob")
    track.wait(86_400_000 - 1)
    track.start()
    assert track.states() == ["racing", "racing"]
    assert HOST not in track.race.by_player
