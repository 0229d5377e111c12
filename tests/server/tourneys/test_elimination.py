"""Brackets of every size, with byes anywhere, come to a champion; places say how far each came."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from conftest import SOAK
from samedeal_protocol.tournament.formats import (
    BadFormat,
    DoubleElimination,
    Length,
    SingleElimination,
)
from samedeal_server.tourneys.brackets import Place
from samedeal_server.tourneys.elimination import double_nodes, places, single_nodes
from samedeal_server.tourneys.errors import BadTourney
from samedeal_server.tourneys.state import Ending, Plan, Result, Tourney
from samedeal_server.tourneys.tourney import length_of, look, standings
from support.cases import case
from support.tourneys import entrants, finish, flag, record, settled, table, tourney

Elimination = SingleElimination | DoubleElimination


def play(terms: Elimination, state: Tourney, dice: random.Random) -> tuple[Tourney, Plan]:
    """Plays to the end with winners by chance."""
    while True:
        plan = look(terms, state)
        if plan.over:
            return state, plan
        state = record(state, plan)
        for match in state.open():
            state = finish(state, match.id, Result(Ending.PLAYED, dice.choice(match.players)))


def losses(state: Tourney) -> Counter[str]:
    return Counter(
        player
        for match in state.matches
        if match.result is not None and match.result.winner is not None
        for player in match.players
        if player != match.result.winner
    )


SIZES = range(2, 66)


def real(state: Tourney) -> int:
    return sum(1 for match in state.matches if len(match.players) == 2)


def test_every_size_of_single_elimination_reaches_a_champion() -> None:
    for size in SIZES:
        with case(size):
            state, plan = play(SingleElimination(), tourney(size), random.Random(size))
            lost = losses(state)
            assert real(state) == size - 1
            assert {player for player in lost if lost[player] == 1} == {
                player.id for player in state.players
            } - {plan.champion}


def test_every_size_of_double_elimination_reaches_a_champion() -> None:
    for size, reset in product(SIZES, (False, True)):
        with case(size, f"{reset=}"):
            state, plan = play(DoubleElimination(reset=reset), tourney(size), random.Random(size))
            lost = losses(state)
            beaten = {player.id for player in state.players} - {plan.champion}
            assert plan.champion is not None
            if reset:
                assert {lost[player] for player in beaten} == {2}
                assert lost[plan.champion] == real(state) - (2 * size - 2) <= 1
            else:
                assert real(state) == 2 * size - 2
                assert sorted(lost[player] for player in beaten)[1:] == [2] * (size - 2)


def drawn(size: int, byes: tuple[int, ...], dice: random.Random) -> tuple[str | None, ...]:
    """A bracket of that many matches in the first round, a bye in each of `byes`."""
    ids: list[str | None] = [f"p{number}" for number in range(1, 2 * size - len(byes) + 1)]
    bracket: list[str | None] = []
    for match in range(size):
        pair = [ids.pop(), None if match in byes else ids.pop()]
        dice.shuffle(pair)
        bracket += pair
    return tuple(bracket)


@pytest.mark.parametrize("terms", [SingleElimination(third_place=True), DoubleElimination()])
@pytest.mark.parametrize("matches", [1, 2, 4, 8])
def test_every_placing_of_byes_up_to_16_places_reaches_a_champion(
    terms: Elimination, matches: int
) -> None:
    dice = random.Random(matches)
    for count in range(min(matches, 2 * matches - 2) + 1):
        for byes in combinations(range(matches), count):
            bracket = drawn(matches, byes, dice)
            state = tourney(2 * matches - count)
            _, plan = play(structs.replace(terms, bracket=bracket), state, dice)
            assert plan.champion is not None


@settings(max_examples=7 * SOAK)
@given(
    size=st.integers(17, 65),
    seed=st.integers(0, 2**32),
    terms=st.sampled_from([SingleElimination(), DoubleElimination()]),
)
def test_any_placing_of_byes_in_larger_brackets_reaches_a_champion(
    size: int, seed: int, terms: Elimination
) -> None:
    dice = random.Random(seed)
    matches = 16 if size <= 32 else 32 if size <= 64 else 64
    byes = tuple(dice.sample(range(matches), 2 * matches - size))
    bracket = drawn(matches, byes, dice)
    _, plan = play(structs.replace(terms, bracket=bracket), tourney(size), dice)
    assert plan.champion is not None


def test_byes_go_to_the_top_seeds() -> None:
    for size in SIZES:
        with case(size):
            state = record(tourney(size), look(SingleElimination(), tourney(size)))
            byes = {match.players[0] for match in state.matches if len(match.players) == 1}
            assert byes == {f"p{number}" for number in range(1, len(byes) + 1)}


@pytest.mark.parametrize("size", [2, 4, 8, 16, 32, 64])
def test_the_better_seed_always_winning_meets_the_next_best_last(size: int) -> None:
    state = tourney(size)
    terms = SingleElimination()
    while not (plan := look(terms, state)).over:
        state = record(state, plan)
        for match in state.open():
            best = min(match.players, key=lambda player: int(player[1:]))
            state = finish(state, match.id, Result(Ending.PLAYED, best))
    assert state.matches[-1].players == ("p1", "p2")
    assert plan.champion == "p1"


def test_standard_seeding_of_eight() -> None:
    assert places(SingleElimination(), tourney("A B C D E F G")) == tuple(
        name if name != "-" else None for name in "A - D E B G C F".split()
    )


def test_places_of_single_elimination_are_shared_by_round() -> None:
    state = won(SingleElimination(), tourney("A B C D E F G H"))
    assert table(standings(SingleElimination(), state)) == (
        "1 A, 2 B, 3 C, 3 D, 5 E, 5 F, 5 G, 5 H"
    )


def test_the_match_for_the_third_place_separates_third_and_fourth() -> None:
    terms = SingleElimination(third_place=True)
    state = won(terms, tourney("A B C D E"))
    assert table(standings(terms, state)) == "1 A, 2 B, 3 C, 4 D, 5 E"
    assert [match.label for match in state.matches[-2:]] == ["third place", "final"]


def test_who_plays_for_the_third_place_does_not_stand_before_the_finalists() -> None:
    terms = SingleElimination(third_place=True)
    state = record(tourney("A B C D"), look(terms, tourney("A B C D")))
    state = finish(state, "W1.1", Result(Ending.PLAYED, "A"))
    # D waits for whoever loses the other semi-final, and cannot win any more.
    assert table(standings(terms, state)) == "1 A, 1 B, 1 C, 4 D"
    state = finish(state, "W1.2", Result(Ending.PLAYED, "B"))
    state = record(state, look(terms, state))
    assert table(standings(terms, state)) == "1 A, 1 B, 3 C, 3 D"
    state = finish(state, "F", Result(Ending.PLAYED, "A"))
    assert table(standings(terms, state)) == "1 A, 2 B, 3 C, 3 D"


def test_places_of_double_elimination_are_by_round_of_the_losers() -> None:
    terms = DoubleElimination()
    state = won(terms, tourney("A B C D E F G H"))
    assert table(standings(terms, state)) == "1 A, 2 B, 3 C, 4 D, 5 E, 5 F, 7 G, 7 H"


def test_the_second_final_is_played_only_after_a_first_loss() -> None:
    terms = DoubleElimination()
    state = record(tourney("A B"), look(terms, tourney("A B")))
    state = finish(state, "W1.1", Result(Ending.PLAYED, "A"))
    state = record(state, look(terms, state))
    assert look(terms, finish(state, "F", Result(Ending.PLAYED, "A"))).champion == "A"
    state = finish(state, "F", Result(Ending.PLAYED, "B"))
    plan = look(terms, state)
    assert [(match.id, match.label, match.players) for match in plan.pair] == [
        ("F2", "second final", ("A", "B"))
    ]
    state = finish(record(state, plan), "F2", Result(Ending.PLAYED, "B"))
    assert look(terms, state).champion == "B"
    assert look(DoubleElimination(reset=False), finish_f(terms)).champion == "B"


def finish_f(terms: DoubleElimination) -> Tourney:
    """B loses to A, and wins the only final."""
    state = record(tourney("A B"), look(terms, tourney("A B")))
    state = finish(state, "W1.1", Result(Ending.PLAYED, "A"))
    return finish(record(state, look(terms, state)), "F", Result(Ending.PLAYED, "B"))


def won(terms: Elimination, state: Tourney) -> Tourney:
    """Played to the end, the better seed always winning."""
    while not (plan := look(terms, state)).over:
        state = record(state, plan)
        for match in state.open():
            state = finish(state, match.id, Result(Ending.PLAYED, min(match.players)))
    return state


def test_arithmetic_says_who_beat_whom() -> None:
    lines = standings(SingleElimination(), won(SingleElimination(), tourney("A B C")))
    assert [line.marks[0].arithmetic for line in lines] == [
        "won the final against B",
        "lost the final to A",
        "lost the semi-final to B",
    ]


def test_arithmetic_does_not_call_a_walkover_lost() -> None:
    terms = SingleElimination()
    state = record(tourney("A B C"), look(terms, tourney("A B C")))
    state = finish(state, "W1.2", Result(Ending.WALKOVER, "C"))
    state = record(state, look(terms, state))
    state = finish(state, "F", Result(Ending.WALKOVER, "C"))
    assert [line.marks[0].arithmetic for line in standings(terms, state)] == [
        "won the final by walkover, A",
        "did not play the final: walkover for C",
        "did not play the semi-final: walkover for C",
    ]


def test_an_overturned_result_makes_what_rested_on_it_void() -> None:
    terms = SingleElimination()
    state = won(terms, tourney("A B C D"))
    state = finish(state, "W1.1", Result(Ending.PLAYED, "D"))
    plan = look(terms, state)
    assert plan.void == ("F",)
    assert [match.players for match in plan.pair] == [("D", "B")]
    state, plan = settled(terms, state)
    assert [match.id for match in state.open()] == ["F"]


def test_a_result_taken_back_makes_what_rested_on_it_void() -> None:
    terms = SingleElimination()
    state = won(terms, tourney("A B C D"))
    semi = replace(state.matches[0], result=None)
    plan = look(terms, replace(state, matches=(semi, *state.matches[1:])))
    assert (plan.void, plan.pair, plan.over) == (("F",), (), False)


def test_who_withdraws_gives_the_match_to_the_opponent() -> None:
    terms = SingleElimination()
    state = record(tourney("A B C"), look(terms, tourney("A B C")))
    state, plan = settled(terms, flag(state, "B", withdrawn=True))
    assert [(match.players, match.label) for match in state.open()] == [(("A", "C"), "final")]
    assert not plan.over


def test_who_comes_back_does_not_get_a_walkover_back() -> None:
    terms = SingleElimination()
    state = record(tourney("A B C"), look(terms, tourney("A B C")))
    state, _ = settled(terms, flag(state, "B", withdrawn=True))
    state, _ = settled(terms, flag(state, "B", withdrawn=False))
    assert [match.players for match in state.open()] == [("A", "C")]


def test_when_all_leave_it_ends_without_a_champion() -> None:
    state = tourney("A B C D E")
    for player in "ABCDE":
        state = flag(state, player, withdrawn=True)
    for terms in (SingleElimination(third_place=True), DoubleElimination()):
        _, plan = settled(terms, state)
        assert (plan.over, plan.champion, plan.reason) == (True, None, "nobody is left")


def test_a_champion_disqualified_afterwards_leaves_the_title_empty() -> None:
    terms = SingleElimination()
    state = flag(won(terms, tourney("A B C")), "A", disqualified=True)
    plan = look(terms, state)
    assert (plan.over, plan.champion, plan.reason) == (True, None, "the champion is disqualified")
    assert table(standings(terms, state)) == "1 B, 2 C, 3 A"


def test_an_elimination_match_without_a_winner_is_our_fault() -> None:
    state = record(tourney("A B"), look(SingleElimination(), tourney("A B")))
    with pytest.raises(BadTourney, match="without a winner"):
        look(SingleElimination(), finish(state, "F", Result(Ending.PLAYED)))


def test_a_final_may_be_longer() -> None:
    terms = SingleElimination(lengths={"final": Length(best_of=5)})
    plan = look(terms, tourney("A B"))
    assert length_of(terms, plan.pair[0]).best_of == 5


def test_late_entries_find_no_place() -> None:
    players = entrants("A B C")
    state = Tourney("s", (*players[:2], replace(players[2], joined=2)))
    assert places(SingleElimination(), state) == ("A", "B")


@pytest.mark.parametrize(
    "bracket", [("A",), ("A", "B", "C"), ("A", None, None, None), ("A", "A"), ("A", None)]
)
def test_a_bracket_that_is_none_is_refused(bracket: tuple[str | None, ...]) -> None:
    with pytest.raises(BadFormat):
        SingleElimination(bracket=bracket)


def test_a_bracket_names_exactly_those_who_play() -> None:
    with pytest.raises(BadTourney):
        look(SingleElimination(bracket=("A", "X")), tourney("A B"))


@pytest.mark.parametrize("size", [4, 8, 16, 32, 64, 128])
def test_nodes_come_after_those_that_they_come_from(size: int) -> None:
    for nodes in (single_nodes(size, third_place=True), double_nodes(size, reset=True)):
        seen: set[str] = set()
        for node in nodes:
            assert all(
                getattr(source, "node", node.id) in {*seen, node.id} for source in node.sources
            )
            assert node.id not in seen
            seen.add(node.id)


@pytest.mark.parametrize(("size", "first"), [(8, 3), (16, 4), (32, 5), (64, 7), (128, 8)])
def test_who_has_met_meets_again_as_late_as_any_order_of_dropping_in_allows(
    size: int, first: int
) -> None:
    """The latest rounds were found by trying all combinations of four orders a round."""
    below: dict[str, frozenset[int]] = {}
    again: list[str] = []
    for node in double_nodes(size, reset=False):
        one, other = (
            frozenset({source.index}) if isinstance(source, Place) else below[source.node]
            for source in node.sources
        )
        below[node.id] = one | other
        if one & other and node.id.startswith("L"):
            again.append(node.id)
    assert again[0] == f"L{first}.1"
