"""Golden standings: every tie pattern of four entrants, in every way that it comes about."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import pytest

from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Format,
    Heats,
    RoundRobin,
    SingleElimination,
    Swiss,
    TieBreak,
)
from samedeal_server.tourneys.state import Ending, Match, Race, Result, Showing, Tourney
from samedeal_server.tourneys.tourney import look, standings
from support.cases import case
from support.tourneys import entrants, finish, flag, played, record, table, tourney

FOUR = "ABCD"
PAIRS = tuple(combinations(FOUR, 2))
WEAK_ORDERS = tuple(
    places
    for places in product(range(1, 5), repeat=4)
    if all(place == 1 + sum(other < place for other in places) for place in places)
)


def met(outcomes: tuple[str | None, ...]) -> Tourney:
    """All six matches of four entrants, with these winners."""
    matches = tuple(
        played(f"R1.{number}", " ".join(pair), winner)
        for number, (pair, winner) in enumerate(zip(PAIRS, outcomes, strict=True), 1)
    )
    return Tourney("s", entrants(" ".join(FOUR)), matches)


ALL_OUTCOMES = tuple(product(*((one, None, other) for one, other in PAIRS)))


def naive(outcomes: tuple[str | None, ...]) -> tuple[dict[str, int], dict[str, int]]:
    """Places by points alone, and by points, head to head and Sonneborn-Berger; in half points."""
    got: dict[tuple[str, str], int] = {}
    for (one, other), winner in zip(PAIRS, outcomes, strict=True):
        got[one, other] = 1 if winner is None else 2 * (winner == one)
        got[other, one] = 2 - got[one, other]
    points = {a: sum(got[a, b] for b in FOUR if b != a) for a in FOUR}
    inside = {a: sum(got[a, b] for b in FOUR if b != a and points[b] == points[a]) for a in FOUR}
    berger = {a: sum(got[a, b] * points[b] for b in FOUR if b != a) for a in FOUR}
    by_points = {a: 1 + sum(points[b] > points[a] for b in FOUR) for a in FOUR}
    keys = {a: (points[a], inside[a], berger[a]) for a in FOUR}
    return by_points, {a: 1 + sum(keys[b] > keys[a] for b in FOUR) for a in FOUR}


def places(terms: Format, state: Tourney) -> dict[str, int]:
    return {line.player.id: line.place for line in standings(terms, state)}


def test_all_729_outcomes_of_a_round_robin_are_ranked_as_plain_sums_say() -> None:
    plain = RoundRobin(tie_breaks=())
    broken = RoundRobin(tie_breaks=(TieBreak.HEAD_TO_HEAD, TieBreak.SONNEBORN_BERGER))
    for outcomes in ALL_OUTCOMES:
        state = met(outcomes)
        assert (places(plain, state), places(broken, state)) == naive(outcomes)


def test_how_often_each_tie_pattern_comes_about_and_is_broken() -> None:
    """Reckoned by `naive`, which the test before holds the standings to."""
    by_points: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    for outcomes in ALL_OUTCOMES:
        before, after = naive(outcomes)
        by_points[" ".join(map(str, sorted(before.values())))] += 1
        broken[" ".join(map(str, sorted(after.values())))] += 1
    assert by_points == GOLDEN_BY_POINTS
    assert broken == GOLDEN_BROKEN


GOLDEN_BY_POINTS: dict[str, int] = {
    "1 1 1 1": 15,
    "1 1 1 4": 12,
    "1 1 3 3": 66,
    "1 1 3 4": 96,
    "1 2 2 2": 12,
    "1 2 2 4": 216,
    "1 2 3 3": 96,
    "1 2 3 4": 216,
}
GOLDEN_BROKEN: dict[str, int] = {
    "1 1 1 1": 15,
    "1 1 1 4": 12,
    "1 1 3 3": 18,
    "1 1 3 4": 36,
    "1 2 2 2": 12,
    "1 2 2 4": 48,
    "1 2 3 3": 36,
    "1 2 3 4": 552,
}


def shown(*placed: int) -> Race:
    """A race with these places, times as the places say."""
    return Race(
        tuple(
            Showing(player, place, 60_000 + place, 52)
            for player, place in zip(FOUR, placed, strict=True)
        )
    )


BREAKS = (TieBreak.TOTAL_TIME, TieBreak.CARDS_HOME, TieBreak.BUCHHOLZ)


def test_there_are_75_ways_to_rank_four() -> None:
    assert len(WEAK_ORDERS) == 75


def test_a_heat_ranks_as_its_race_did() -> None:
    for placed in WEAK_ORDERS:
        with case(placed):
            heat = Match(
                "H1.1", 1, tuple(FOUR), "", "H1", Result(Ending.PLAYED, None, (shown(*placed),))
            )
            state = Tourney("s", entrants(" ".join(FOUR)), (heat,))
            found = places(Heats(rounds=1), state)
            assert tuple(found[player] for player in FOUR) == placed


def test_a_tie_break_separates_whom_it_can_and_nobody_else() -> None:
    """Four with equal points, and what the tie-break looks at ordered as `placed`."""
    for tie_break, placed in product(BREAKS, WEAK_ORDERS):
        with case(tie_break, placed):
            players = entrants(f"A B C D {' '.join('efgh')} {' '.join('ijklmnop')}")
            matches: list[Match] = []
            for player, place, foe in zip(FOUR, placed, "efgh", strict=True):
                shows = (
                    Showing(player, 1, 60_000 + place, 52)
                    if tie_break is TieBreak.TOTAL_TIME
                    else Showing(player, 1, None, 40 - place)
                )
                result = Result(Ending.PLAYED, player, (Race((shows,)),))
                matches.append(Match(f"R1.{player}", 1, (player, foe), "", "", result))
                matches += [
                    played(f"R{number}.{foe}", f"{foe} {'ijkl'[number]}", foe, round=2)
                    for number in range(4 - place)
                ]
            state = Tourney("s", players, tuple(matches))
            lines = standings(Swiss(rounds=9, tie_breaks=(tie_break,)), state)
            found = {line.player.id: line.place for line in lines}
            ours = sorted(found[player] for player in FOUR)
            assert tuple(1 + sum(found[b] < found[a] for b in FOUR) for a in FOUR) == placed
            assert len(set(ours)) == len(set(placed))


def test_the_disqualified_share_the_last_place_whatever_they_scored() -> None:
    state = met(("A", "A", "A", "B", "B", "C"))
    for player in "AC":
        state = flag(state, player, disqualified=True)
    assert table(standings(RoundRobin(), state)) == "1 B, 2 D, 3 A, 3 C"


def test_who_withdrew_keeps_the_place() -> None:
    state = flag(met(("A", "A", "A", "B", "B", "C")), "A", withdrawn=True)
    assert table(standings(RoundRobin(), state)) == "1 A, 2 B, 3 C, 4 D"


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("terms", "patterns"),
    [
        (SingleElimination(), {"1 2 3 3"}),
        (SingleElimination(third_place=True), {"1 2 3 4"}),
        (DoubleElimination(), {"1 2 3 4"}),
    ],
)
def test_every_course_of_an_elimination_of_four(
    terms: Format, patterns: set[str], swapped: bool
) -> None:
    """All ways in which its matches can go, and with each the same pattern of places."""
    found: set[str] = set()

    def go(state: Tourney) -> None:
        while not state.open():
            plan = look(terms, state)
            if plan.over:
                found.add(" ".join(str(line.place) for line in standings(terms, state)))
                assert standings(terms, state)[0].player.id == plan.champion
                return
            state = record(state, plan)
        match = state.open()[-1 if swapped else 0]
        for winner in match.players:
            go(finish(state, match.id, Result(Ending.PLAYED, winner)))

    go(tourney(" ".join(FOUR)))
    assert found == patterns


def test_points_are_exact() -> None:
    state = met((None,) * 6)
    assert {line.marks[0].key for line in standings(RoundRobin(), state)} == {(Fraction(3, 2),)}
