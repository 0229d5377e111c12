"""Whole tournaments of every format and size under chance: they end, and replay as they were."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import SOAK
from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Format,
    Heats,
    Ladder,
    Length,
    Order,
    RoundRobin,
    SingleElimination,
    Swiss,
    TieBreak,
)
from samedeal_server.tourneys.state import Tourney
from support.tourneys import Run, entrants

ALL = tuple(TieBreak)
BY_RACES = (TieBreak.TOTAL_TIME, TieBreak.CARDS_HOME, TieBreak.DEALS_WON)

FORMATS: dict[str, Format] = {
    "single": SingleElimination(),
    "single, third place": SingleElimination(
        third_place=True, lengths={"final": Length(best_of=5)}, tie_breaks=BY_RACES
    ),
    "double": DoubleElimination(reset=False, length=Length(best_of=3, replays=0)),
    "double, reset": DoubleElimination(tie_breaks=BY_RACES),
    "round robin": RoundRobin(tie_breaks=ALL),
    "double round robin": RoundRobin(times=2, length=Length(best_of=2, replays=1)),
    "swiss": Swiss(rounds=4, tie_breaks=ALL),
    "swiss by lots": Swiss(rounds=9, order=Order.LOTS, length=Length(replays=0)),
    "heats": Heats(rounds=3, size=4),
    "one heat": Heats(rounds=5, size=99, finishers_only=True, tie_breaks=BY_RACES),
    "ladder": Ladder(tie_breaks=ALL),
}
LATE = {"swiss", "swiss by lots", "heats", "one heat", "ladder"}


def started(name: str, size: int, *, seed: int, meddling: float) -> Run:
    """A run with late entrants where the format has them."""
    dice = random.Random(f"{name} {size} {seed}")
    players = entrants(size)
    if name in LATE and meddling:
        players = tuple(
            replace(player, joined=dice.choice([1, 1, 1, 2, 3, 9])) for player in players
        )
    state = Tourney(f"seed {seed}", players)
    return Run(FORMATS[name], state, dice, meddling=meddling)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=6 * SOAK)
@given(size=st.integers(2, 11), seed=st.integers(0, 2**32))
def test_a_tournament_that_nobody_leaves_ends_and_replays(name: str, size: int, seed: int) -> None:
    run = started(name, size, seed=seed, meddling=0)
    start = run.state
    plan = run.play()
    if isinstance(run.terms, SingleElimination | DoubleElimination):
        assert plan.champion is not None
    assert run.replayed(start) == run.state


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=6 * SOAK)
@given(size=st.integers(2, 11), seed=st.integers(0, 2**32))
def test_a_tournament_ends_and_replays_whoever_leaves_whenever(
    name: str, size: int, seed: int
) -> None:
    run = started(name, size, seed=seed, meddling=0.3)
    start = run.state
    run.play()
    assert run.replayed(start) == run.state


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("size", [0, 1])
def test_a_field_of_one_or_none_is_over_or_waits(name: str, size: int) -> None:
    run = started(name, size, seed=1, meddling=0)
    run.state = replace(run.state, closed=True)
    assert run.play().reason


@pytest.mark.parametrize("name", FORMATS)
def test_half_the_field_gone_silent_stops_nobody(name: str) -> None:
    run = started(name, 8, seed=1, meddling=0)
    run.state = replace(
        run.state,
        players=tuple(
            replace(player, paused=player.seeding % 2 == 0) for player in run.state.players
        ),
    )
    assert run.play().over
