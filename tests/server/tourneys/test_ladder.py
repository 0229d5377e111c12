"""Ladders: whoever is free plays, not the same opponent twice running, until the bell."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import SOAK
from samedeal_protocol.tournament.formats import Ladder
from samedeal_server.tourneys.state import Ending, Plan, Result, Tourney
from samedeal_server.tourneys.tourney import look, standings
from support.tourneys import Run, finish, flag, record, settled, table, tourney

TERMS = Ladder(tie_breaks=())


def pairs(plan: Plan) -> list[str]:
    return [" ".join(match.players) for match in plan.pair]


def beat(state: Tourney, id: str, winner: str) -> Tourney:
    return finish(state, id, Result(Ending.PLAYED, winner))


def test_everybody_who_can_plays_at_once() -> None:
    plan = look(TERMS, tourney(9))
    assert len({player for match in plan.pair for player in match.players}) == 8


def test_two_who_have_just_met_wait_for_others() -> None:
    state = record(tourney("A B C D"), look(TERMS, tourney("A B C D")))
    one, two = state.matches
    state = beat(state, one.id, one.players[0])
    assert look(TERMS, state).is_settled
    plan = look(TERMS, beat(state, two.id, two.players[0]))
    assert len(plan.pair) == 2
    assert not {frozenset(match.players) for match in plan.pair} & {
        frozenset(match.players) for match in state.matches
    }


def test_two_alone_play_each_other_again() -> None:
    state = record(tourney("A B"), look(TERMS, tourney("A B")))
    assert pairs(look(TERMS, beat(state, "A1", "A"))) == ["A B"]


def test_who_pauses_keeps_nobody_waiting() -> None:
    state = record(tourney("A B C"), look(TERMS, tourney("A B C")))
    other = next(id for id in "ABC" if id not in state.matches[0].players)
    state = flag(beat(state, "A1", state.matches[0].players[0]), other, paused=True)
    assert len(look(TERMS, state).pair) == 1


def test_the_bell_lets_matches_in_progress_count() -> None:
    state = record(tourney("A B"), look(TERMS, tourney("A B")))
    state = replace(state, closed=True)
    assert look(TERMS, state).is_settled
    assert not look(TERMS, state).over
    state = beat(state, "A1", "B")
    plan = look(TERMS, state)
    assert (plan.over, plan.pair, plan.reason) == (True, (), "the bell has rung")
    assert table(standings(TERMS, state)) == "1 B, 2 A"


def test_somebody_who_comes_is_paired_with_who_waits() -> None:
    state, _ = settled(TERMS, tourney("A B C"))
    state = replace(state, players=(*state.players, replace(state.players[0], id="D", seeding=4)))
    (match,) = look(TERMS, state).pair
    assert "D" in match.players


@settings(max_examples=7 * SOAK)
@given(size=st.integers(2, 9), seed=st.integers(0, 2**32))
def test_nobody_meets_the_same_twice_running_and_all_free_never_wait(size: int, seed: int) -> None:
    def hold(state: Tourney, plan: Plan) -> None:
        there = [player for player in state.players if player.is_in and not player.paused]
        if not plan.pair:
            stuck = not (state.open() or state.closed or plan.over or plan.decide)
            assert not stuck or len(there) < 2, "all are free, and nobody is paired"
        if len(there) == 2:
            return
        for match in plan.pair:
            for player in match.players:
                before = [old for old in state.matches if player in old.players]
                assert not before or set(before[-1].players) != set(match.players)

    dice = random.Random(seed)
    Run(TERMS, tourney(size), dice, meddling=0.2, bell=30, check=hold).play()
