"""Heats: points for places, ties sharing them exactly, and rounds divided evenly."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_protocol.tournament.formats import BadFormat, Heats, Order, TieBreak
from samedeal_server.tourneys.scores import heat_points
from samedeal_server.tourneys.state import Ending, Match, Result, Tourney
from samedeal_server.tourneys.tourney import look, standings
from support.tourneys import entrants, finish, flag, race, record, table, tourney


def heat(id: str, text: str, *, round: int = 1) -> Match:
    """A heat that was raced, as `support.tourneys.race` writes it."""
    raced = race(text)
    players = tuple(showing.player for showing in raced.showings)
    return Match(id, round, players, "", id, Result(Ending.PLAYED, None, (raced,)))


@pytest.mark.parametrize(
    ("places", "points"),
    [
        ("1 2 3 4", "10 8 6 5"),
        ("1 1 3 4", "9 9 6 5"),
        ("1 2 2 4", "10 7 7 5"),
        ("1 2 3 3", "10 8 11/2 11/2"),
        ("1 1 3 3", "9 9 11/2 11/2"),
        ("1 1 1 4", "8 8 8 5"),
        ("1 2 2 2", "10 19/3 19/3 19/3"),
        ("1 1 1 1", "29/4 29/4 29/4 29/4"),
    ],
)
def test_points_of_every_tie_pattern_of_four(places: str, points: str) -> None:
    shares = heat_points(
        [(str(index), int(place)) for index, place in enumerate(places.split())], (10, 8, 6, 5)
    )
    assert [str(shares[str(index)]) for index in range(4)] == points.split()


@given(
    keys=st.lists(st.integers(0, 5), min_size=1, max_size=12),
    table=st.lists(st.integers(0, 50), min_size=1, max_size=10),
)
def test_sharing_loses_and_makes_no_points(keys: list[int], table: list[int]) -> None:
    worth = tuple(sorted(table, reverse=True))
    places = [
        (str(index), 1 + sum(other < key for other in keys)) for index, key in enumerate(keys)
    ]
    shares = heat_points(places, worth)
    assert sum(shares.values(), Fraction(0)) == sum(worth[: len(keys)])
    for (one, place), (other, behind) in combinations(places, 2):
        assert (shares[one] == shares[other]) or (place != behind)
        assert not (place < behind and shares[one] < shares[other])


@pytest.mark.parametrize("size", [3, 4, 8])
@pytest.mark.parametrize("field", range(2, 30))
def test_a_round_is_divided_evenly_and_nobody_races_alone(field: int, size: int) -> None:
    plan = look(Heats(rounds=1, size=size), tourney(field))
    sizes = [len(match.players) for match in plan.pair]
    assert sum(sizes) == field == len({player for match in plan.pair for player in match.players})
    assert max(sizes) - min(sizes) <= 1
    assert 2 <= min(sizes) <= max(sizes) <= size


def test_no_heat_is_raced_on_a_deal_that_others_have_shown() -> None:
    terms = Heats(rounds=2, size=4)
    state = record(tourney(8), look(terms, tourney(8)))
    for match in state.open():
        state = finish(state, match.id, Result(Ending.FORFEIT))
    state = record(state, look(terms, state))
    assert [match.deals for match in state.matches] == ["H1.1", "H1.2", "H2.1", "H2.2"]
    assert state.matches[1].label == "round 1, heat 2 of 2"


@pytest.mark.parametrize("order", list(Order))
def test_players_meet_others_before_they_meet_again(order: Order) -> None:
    terms = Heats(rounds=3, size=4, order=order)
    state = tourney(16)
    for _ in range(3):
        state = record(state, look(terms, state))
        for match in state.open():
            state = finish(state, match.id, Result(Ending.FORFEIT))
    met = Counter(pair for match in state.matches for pair in combinations(match.players, 2))
    assert max(met.values()) <= 2
    assert len(met) >= 60  # of 72 at best


def test_standings_add_up_the_rounds() -> None:
    matches = (
        heat("H1.1", "A1@60000 B1@60000 C3:40 D-"),
        heat("H2.1", "A2@61000 B1@60000 C3:10 D4:3", round=2),
    )
    terms = Heats(rounds=2, points=(10, 7, 4, 2), tie_breaks=())
    lines = standings(terms, Tourney("s", entrants("A B C D"), matches))
    assert table(lines) == "1 B, 2 A, 3 C, 4 D"
    assert [line.marks[0].arithmetic for line in lines] == [
        "8½ (place 1 shared by 2) + 10 (place 1) = 18½",
        "8½ (place 1 shared by 2) + 7 (place 2) = 15½",
        "4 (place 3) + 4 (place 3) = 8",
        "2 (place 4) = 2",
    ]


def test_finishers_only_gives_the_others_nothing() -> None:
    terms = Heats(rounds=1, points=(10, 7, 4, 2), finishers_only=True, tie_breaks=())
    state = Tourney("s", entrants("A B C"), (heat("H1.1", "A1@60000 B2:40 C3:10"),))
    assert table(standings(terms, state)) == "1 A, 2 B, 2 C"


def test_tie_breaks_of_heats() -> None:
    matches = (
        heat("H1.1", "A1@60000 B2@60001"),
        heat("H2.1", "A2@60000 B1@59999", round=2),
    )
    terms = Heats(rounds=2, tie_breaks=(TieBreak.DEALS_WON, TieBreak.TOTAL_TIME))
    state = Tourney("s", entrants("A B"), matches)
    assert table(standings(terms, state)) == "1 A, 1 B"
    faster = heat("H2.1", "A2@60000 B1@59000", round=2)
    assert table(standings(terms, replace(state, matches=(matches[0], faster)))) == "1 B, 2 A"


def test_the_one_who_stays_in_a_heat_has_it() -> None:
    terms = Heats(rounds=1, tie_breaks=())
    state = record(tourney("A B C"), look(terms, tourney("A B C")))
    state = flag(flag(state, "A", withdrawn=True), "C", withdrawn=True)
    (decided,) = look(terms, state).decide
    assert decided.result == Result(Ending.WALKOVER, "B")
    lines = standings(terms, finish(state, "H1.1", decided.result))
    assert lines[0].marks[0].arithmetic == "10 (alone in the heat) = 10"


def test_heats_wait_while_the_others_pause_and_end_when_they_leave() -> None:
    terms = Heats(rounds=1)
    state = flag(tourney("A B"), "B", paused=True)
    plan = look(terms, state)
    assert (plan.is_settled, plan.over, plan.reason) == (True, False, "the others pause")
    assert look(terms, flag(state, "B", withdrawn=True)).over


def test_who_draws_the_heats_is_the_seed() -> None:
    terms = Heats(rounds=1, size=4)
    drawn = {look(terms, tourney(8, seed=str(seed))).pair[0].players for seed in range(9)}
    assert len(drawn) > 1
    assert look(terms, tourney(8)) == look(terms, tourney(8))


@pytest.mark.parametrize(
    "terms",
    [
        {"rounds": 0},
        {"rounds": 1, "size": 2},
        {"rounds": 1, "points": ()},
        {"rounds": 1, "points": (1, 2)},
        {"rounds": 1, "points": (1, -2)},
        {"rounds": 1, "tie_breaks": (TieBreak.BUCHHOLZ,)},
        {"rounds": 1, "tie_breaks": (TieBreak.CARDS_HOME, TieBreak.CARDS_HOME)},
    ],
)
def test_heats_that_cannot_be_are_refused(terms: dict[str, object]) -> None:
    with pytest.raises(BadFormat):
        Heats(**terms)  # type: ignore[arg-type]


def test_points_of_a_race_do_not_depend_on_the_order_of_showings() -> None:
    dice = random.Random(3)
    raced = race("A1@1 B1@1 C3@2 D4:5")
    for _ in range(5):
        mixed = list(raced.showings)
        dice.shuffle(mixed)
        places = [(showing.player, showing.place or 0) for showing in mixed]
        assert heat_points(places, (10, 8)) == {"A": 9, "B": 9, "C": 0, "D": 0}
