"""Whole tournaments under chance: whatever happens, they obey their laws and come to an end."""

from __future__ import annotations

import os
import random
from itertools import pairwise

import pytest

from samedeal_protocol.terms import Mode, Terms
from samedeal_protocol.tournament import events
from samedeal_protocol.tournament.events import to_line
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
)
from samedeal_protocol.tournament.requests import StartTournament
from samedeal_protocol.tournament.terms import Choice, Seeding
from samedeal_server.hosting.audit import findings
from samedeal_server.hosting.commands import Given, Tick
from samedeal_server.hosting.state import Phase
from samedeal_server.hosting.tournament import begin, decide, evolve
from support.hosting import GAME, HOST, Chances, Stage, terms

TIMES = int(os.environ.get("SAMEDEAL_SOAK", "1"))

FORMATS: dict[str, Format] = {
    "single": SingleElimination(third_place=True),
    "single, best of 3": SingleElimination(length=Length(best_of=3)),
    "double": DoubleElimination(),
    "round robin": RoundRobin(),
    "round robin, best of 2": RoundRobin(length=Length(best_of=2, replays=0)),
    "swiss": Swiss(rounds=4),
    "swiss by lots": Swiss(rounds=3, order=Order.LOTS, length=Length(best_of=3)),
    "heats": Heats(rounds=3, size=3),
    "ladder": Ladder(),
}
WAYS: dict[str, dict[str, object]] = {
    "plain": {},
    "by hand": {"rounds_by_hand": True, "seeding": Seeding.LOTS},
    "with pauses": {"between": 120, "games": ("opus", "amazons")},
    "picked": {"games": ("opus", "amazons"), "choice": Choice.PICK, "pick": 30},
    "at one's own pace": {"race": Terms(game=GAME, mode=Mode.ASYNC, closes=3600)},
}


def stage_of(format: Format, players: int, **more: object) -> Stage:
    if isinstance(format, Ladder):
        more.pop("rounds_by_hand", None)
        more |= {"bell": 900, "late_joins": True}
    if isinstance(format, Swiss | Heats):
        more["late_until"] = 2
    if isinstance(format, Heats) and more.get("choice") is Choice.PICK:
        del more["choice"]
    stage = Stage(terms(format, **more))
    stage.register(*(f"P{number}" for number in range(1, players + 1)))
    return stage


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", FORMATS)
def test_whatever_happens_it_obeys_its_laws_and_ends(format: str, way: str) -> None:
    for time in range(2 * TIMES):
        dice = random.Random(f"{format}/{way}/{time}")
        stage = stage_of(FORMATS[format], dice.randrange(2, 7), **WAYS[way])
        stage.do(HOST, StartTournament())
        Chances(stage, dice, meddling=0.3 if time else 0.0).play()
        assert stage.state.phase is Phase.OVER
        assert list(findings(stage.state.code, list(map(to_line, stage.log)), is_over=True)) == []


@pytest.mark.parametrize("size", [2, 3, 5, 9, 16, 17])
@pytest.mark.parametrize("format", ["single", "double", "swiss", "heats"])
def test_fields_of_many_sizes_come_to_an_end(format: str, size: int) -> None:
    stage = stage_of(FORMATS[format], size)
    stage.do(HOST, StartTournament())
    Chances(stage, random.Random(size), meddling=0.02).play()
    assert stage.state.phase is Phase.OVER
    assert stage.state.seq == len(stage.log)


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_log_as_far_as_any_event_demands_the_same_next(format: str) -> None:
    """Whatever part of what belongs together was stored, a tick makes up the rest."""
    dice = random.Random(format)
    stage = stage_of(FORMATS[format], 5)
    stage.do(HOST, StartTournament())
    Chances(stage, dice, meddling=0.1).play()
    announced = stage.log[0]
    assert isinstance(announced, events.Announced)
    state = begin(announced)
    for event, following in pairwise(stage.log[1:]):
        state = evolve(state, event)
        caused = decide(state, Tick(), state.at, Given(chance="00" * 16))
        if caused and not isinstance(following, events.Halted):  # which belongs to a report
            assert type(caused[0]) is type(following)
