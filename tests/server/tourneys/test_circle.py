"""Round robins: everybody meets everybody, once a round, and byes are even."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from samedeal_protocol.tournament.formats import BadFormat, RoundRobin
from samedeal_server.tourneys.circle import schedule
from samedeal_server.tourneys.state import Ending, Result
from samedeal_server.tourneys.tourney import look, standings
from support.tourneys import finish, flag, record, settled, table, tourney


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("size", [*range(2, 21), 63, 64])
def test_everybody_meets_everybody_and_nobody_plays_twice_a_round(size: int, times: int) -> None:
    field = [f"p{number}" for number in range(size)]
    rounds = schedule(field, times=times)
    assert len(rounds) == times * (size - 1 + size % 2)
    for pairs in rounds:
        assert sorted(player for pair in pairs for player in pair) == sorted(field)
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert {met[frozenset(pair)] for pair in combinations(field, 2)} == {times}
    assert {met[frozenset({player})] for player in field} == {times * (size % 2)}


def test_the_second_time_seats_are_swapped() -> None:
    first, second = schedule(["A", "B"], times=2)
    assert (first, second) == ([("A", "B")], [("B", "A")])


def test_a_round_waits_for_the_one_before() -> None:
    terms = RoundRobin()
    state = record(tourney("A B C D"), look(terms, tourney("A B C D")))
    state = finish(state, "R1.1", Result(Ending.PLAYED, "A"))
    assert look(terms, state).pair == ()
    state = finish(state, "R1.2", Result(Ending.PLAYED))
    assert {match.round for match in look(terms, state).pair} == {2}


def test_who_leaves_loses_the_rest_and_keeps_what_was() -> None:
    terms = RoundRobin(tie_breaks=())
    state = record(tourney("A B C D"), look(terms, tourney("A B C D")))
    state = finish(state, "R1.1", Result(Ending.PLAYED, "A"))
    state = finish(state, "R1.2", Result(Ending.PLAYED, "B"))
    for player in "ACD":
        state = flag(state, player, withdrawn=True)
    state, plan = settled(terms, state)
    assert plan.over
    assert table(standings(terms, state)) == "1 B, 2 A, 3 C, 3 D"


def test_a_bye_is_worth_nothing() -> None:
    state = record(tourney("A B C"), look(RoundRobin(), tourney("A B C")))
    assert {line.marks[0].value for line in standings(RoundRobin(), state)} == {"0"}


def test_three_times_is_refused() -> None:
    with pytest.raises(BadFormat):
        RoundRobin(times=3)
