"""Swiss rounds against brute force where that can be, and against their laws where it cannot."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import SOAK
from samedeal_protocol.tournament.formats import BadFormat, Order, Points, Swiss
from samedeal_server.tourneys.scores import Outcome, of_matches
from samedeal_server.tourneys.state import Ending, Match, Plan, Player, Result, Tourney
from samedeal_server.tourneys.swiss import NEAR_FROM
from samedeal_server.tourneys.tourney import look, standings
from support.tourneys import bye, entrants, finish, flag, played, record, settled, tourney

TERMS: Final = Swiss(rounds=7)


def finished(state: Tourney, dice: random.Random) -> Tourney:
    """All open matches with a result by chance."""
    for match in state.open():
        winner = dice.choice([*match.players, *match.players, None])
        state = finish(state, match.id, Result(Ending.PLAYED, winner))
    return state


def rounds(terms: Swiss, state: Tourney, dice: random.Random) -> Iterator[tuple[Tourney, Plan]]:
    """Each state that is to be paired, and its plan."""
    while True:
        state, plan = finished(state, dice), look(terms, finished(state, dice))
        if plan.over:
            return
        yield state, plan
        state = record(state, plan)


def pairings(players: list[str]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Every way to pair them, with one over if they are odd."""
    if len(players) % 2:
        for one in players:
            rest = [player for player in players if player != one]
            yield from (((one,), *pairs) for pairs in pairings(rest))
        return
    if not players:
        yield ()
        return
    one, *rest = players
    for other in rest:
        left = [player for player in rest if player != other]
        yield from (((one, other), *pairs) for pairs in pairings(left))


def faults(state: Tourney, pairs: tuple[tuple[str, ...], ...], number: int) -> tuple[int, ...]:
    """What a pairing costs by laws 2 to 6, reckoned from the matches in plain words."""
    points: dict[str, Fraction] = {player.id: Fraction(0) for player in state.players}
    byes: Counter[str] = Counter()
    met: Counter[frozenset[str]] = Counter()
    here: Counter[str] = Counter()
    for match in state.matches:
        assert match.result is not None
        met[frozenset(match.players)] += 1
        for player in match.players:
            here[player] += 1
            if match.result.winner == player:
                points[player] += 1
            elif match.result.ending is Ending.PLAYED and match.result.winner is None:
                points[player] += Fraction(1, 2)
        if match.result.ending is Ending.BYE:
            byes[match.players[0]] += 1
    there = {player for pair in pairs for player in pair}
    levels = sorted({points[player] for player in there}, reverse=True)
    group = {player: levels.index(points[player]) for player in there}
    bye_faults = (0, 0, 0)
    apart = 0
    again: list[int] = []
    for pair in pairs:
        if len(pair) == 1:
            (one,) = pair
            more = byes[one] - min(byes[player] for player in there)
            bye_faults = (more, int(group[one] == 0), int(here[one] < number - 1))
            apart += (len(levels) - 1 - group[one]) ** 2
        else:
            one, other = pair
            again.append(met[frozenset(pair)])
            apart += (group[one] - group[other]) ** 2
    return (*bye_faults, sum(1 for times in again if times), sum(again), apart)


@settings(max_examples=12 * SOAK)
@given(
    size=st.integers(2, 8),
    seed=st.integers(0, 2**32),
    order=st.sampled_from(list(Order)),
    leaving=st.booleans(),
)
def test_no_other_pairing_is_better_up_to_eight_players(
    size: int, seed: int, order: Order, leaving: bool
) -> None:
    dice = random.Random(seed)
    state = tourney(size, seed=str(seed))
    terms = Swiss(rounds=6, order=order)
    for number in range(1, 7):
        plan = look(terms, state)
        if plan.over:
            return
        found = tuple(match.players for match in plan.pair)
        there = sorted(player for pair in found for player in pair)
        best = min(faults(state, pairs, number) for pairs in pairings(there))
        assert faults(state, found, number) == best
        state = finished(record(state, plan), dice)
        if leaving:
            one = dice.choice(state.players)
            state = flag(state, one.id, withdrawn=dice.random() < 0.5)


@settings(max_examples=3 * SOAK)
@given(size=st.integers(9, 60), seed=st.integers(0, 2**32))
def test_no_rematch_while_rounds_are_fewer_than_half_the_field(size: int, seed: int) -> None:
    """Who has met fewer than half of the others always finds a whole round of new ones (Dirac)."""
    dice = random.Random(seed)
    terms = Swiss(rounds=max(3, min(6, size // 2 - 1)))
    met: set[frozenset[str]] = set()
    for _, plan in rounds(terms, tourney(size), dice):
        pairs = {frozenset(match.players) for match in plan.pair if len(match.players) == 2}
        assert not pairs & met
        met |= pairs


@settings(max_examples=5 * SOAK)
@given(size=st.integers(1, 7), seed=st.integers(0, 2**32))
def test_byes_differ_by_at_most_one_in_any_number_of_rounds(size: int, seed: int) -> None:
    state = tourney(2 * size + 1)
    for current, plan in rounds(Swiss(rounds=11), state, random.Random(seed)):
        state = record(current, plan)
        byes = Counter(match.players[0] for match in state.matches if len(match.players) == 1)
        counts = [byes[player.id] for player in state.players]
        assert max(counts) - min(counts) <= 1


def test_the_leader_gets_no_bye_while_another_can() -> None:
    state = tourney("A B C")
    state = replace(state, matches=(played("R1.1", "B C", "C"), bye("R1.bye", "A")))
    # A has had one, C leads with A: B it is, though B met C and A has met nobody.
    assert {match.players for match in look(TERMS, state).pair} == {("B",), ("A", "C")}


@settings(max_examples=10 * SOAK)
@given(size=st.integers(3, 7), seed=st.integers(0, 2**32))
def test_leaving_and_coming_back_brings_no_more_byes_than_staying(size: int, seed: int) -> None:
    """Somebody leaves whenever the round would be even, and is back whenever it is odd."""
    dice = random.Random(seed)
    state = tourney(size)
    terms = Swiss(rounds=9)
    rogue = state.players[-1].id
    for _ in range(9):
        others = sum(1 for player in state.players if player.is_in and player.id != rogue)
        state = flag(state, rogue, withdrawn=others % 2 == 1)
        plan = look(terms, state)
        if plan.over:
            break
        state = finished(record(state, plan), dice)
    byes = Counter(match.players[0] for match in state.matches if len(match.players) == 1)
    assert all(byes[rogue] <= byes[player.id] + 1 for player in state.players)
    book = of_matches(state, terms.points)
    assert book.points[rogue] <= len(book.meetings[rogue]), "a round missed brings nothing"


def test_who_missed_a_round_stands_behind_for_the_bye() -> None:
    matches = (
        played("R1.1", "A B", "A"),
        played("R1.2", "C D", "C"),
        played("R2.1", "A C", "A", round=2),
        played("R2.2", "B D", "B", round=2),
    )
    late = Player(id="E", seeding=5, joined=3)
    state = Tourney("s", (*entrants("A B C D"), late), matches)
    (lone,) = [match for match in look(TERMS, state).pair if len(match.players) == 1]
    assert lone.players == ("D",)


def test_a_late_entrant_is_paired_from_the_round_joined() -> None:
    state = Tourney("s", (*entrants("A B"), Player(id="C", seeding=3, joined=2)))
    assert [match.players for match in look(TERMS, state).pair] == [("A", "B")]
    state = finished(record(state, look(TERMS, state)), random.Random(1))
    assert {player for match in look(TERMS, state).pair for player in match.players} == set("ABC")


def test_the_first_round_pairs_the_upper_half_with_the_lower() -> None:
    plan = look(TERMS, tourney("A B C D E F"))
    assert [match.players for match in plan.pair] == [("A", "D"), ("B", "E"), ("C", "F")]


def test_lots_pair_another_seed_otherwise() -> None:
    terms = Swiss(rounds=3, order=Order.LOTS)
    found = {
        tuple(match.players for match in look(terms, tourney(8, seed=str(seed))).pair)
        for seed in range(8)
    }
    assert len(found) > 1


def test_a_forced_rematch_is_the_oldest_with_the_fewest_meetings() -> None:
    matches = tuple(
        played(f"R{number}.{board}", pair, None, round=number)
        for number, row in enumerate(["AB CD", "AC BD", "AD BC", "AB CD"], 1)
        for board, pair in enumerate((" ".join(pair) for pair in row.split()), 1)
    )
    state = Tourney("s", entrants("A B C D"), matches)
    pairs = {frozenset(match.players) for match in look(TERMS, state).pair}
    assert pairs != {frozenset("AB"), frozenset("CD")}


def test_it_waits_while_the_others_pause_and_ends_when_they_leave() -> None:
    state = flag(tourney("A B"), "B", paused=True)
    plan = look(TERMS, state)
    assert (plan.is_settled, plan.over, plan.reason) == (True, False, "the others pause")
    assert look(TERMS, flag(state, "B", withdrawn=True)).over


def test_who_withdraws_during_a_round_does_not_hold_it_up() -> None:
    state = record(tourney("A B C D"), look(TERMS, tourney("A B C D")))
    state = finish(state, "R1.2", Result(Ending.PLAYED, "B"))
    plan = look(TERMS, flag(state, "C", withdrawn=True))
    assert [(decided.match, decided.result) for decided in plan.decide] == [
        ("R1.1", Result(Ending.WALKOVER, "A"))
    ]


def test_a_bye_can_be_worth_less() -> None:
    terms = Swiss(rounds=1, points=Points(bye=0.5))
    state, _ = settled(terms, tourney("A B C"))
    lines = standings(terms, state)
    assert (lines[0].player.id, lines[0].marks[0].arithmetic) == ("C", "½ (bye) = ½")


def test_a_larger_field_has_whole_rounds_without_rematches() -> None:
    size = NEAR_FROM + 25
    dice = random.Random(5)
    state = tourney(size)
    met: set[frozenset[str]] = set()
    for _, plan in rounds(Swiss(rounds=6), state, dice):
        pairs = {frozenset(match.players) for match in plan.pair}
        assert not pairs & met
        assert sum(len(pair) for pair in pairs) == size
        met |= pairs


def test_nine_leaders_who_have_all_met_are_paired_with_others() -> None:
    """The first search, among near pairs, leaves some of them a rematch only."""
    leaders = [f"p{number}" for number in range(1, 10)]
    state = tourney(NEAR_FROM + 2)
    matches = tuple(
        played(f"R8.{one}.{other}", f"{one} {other}", None, round=8)
        for one, other in combinations(leaders, 2)
    )
    plan = look(Swiss(rounds=9), replace(state, matches=matches))
    assert all(len({*match.players} & {*leaders}) < 2 for match in plan.pair)


@pytest.mark.parametrize("size", [255, 256])
def test_a_round_of_256_is_whole(size: int) -> None:
    """How long it takes is measured by hand: about two seconds of one core."""
    state = tourney(size)
    dice = random.Random(1)
    state = finished(record(state, look(TERMS, state)), dice)
    plan = look(TERMS, state)
    assert len({player for match in plan.pair for player in match.players}) == size
    assert len(plan.pair) == 128
    assert sum(1 for match in plan.pair if match.result is not None) == size % 2


def test_networkx_is_loaded_by_the_first_swiss_round_only() -> None:
    code = "import sys, samedeal_server.tourneys.tourney; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_swiss_tournament_without_rounds_is_refused() -> None:
    with pytest.raises(BadFormat):
        Swiss(rounds=0)


def test_meetings_know_byes_and_walkovers() -> None:
    walkover = Match("R1.1", 1, ("A", "B"), "", "R1.1", Result(Ending.WALKOVER, "A"))
    book = of_matches(Tourney("s", entrants("A B C"), (walkover, bye("x", "C"))), Points())
    assert [book.meetings[player][0].outcome for player in "ABC"] == [
        Outcome.WALKOVER,
        Outcome.FORFEIT,
        Outcome.BYE,
    ]
