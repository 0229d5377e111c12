"""Matches of several races, in text: who won each race, and where the match then stands."""

from __future__ import annotations

import pytest

from samedeal_protocol.tournament.formats import (
    BadFormat,
    Heats,
    Ladder,
    Length,
    SingleElimination,
    Swiss,
)
from samedeal_server.tourneys.series import Verdict, settle
from samedeal_server.tourneys.state import Ending, Race, Result
from samedeal_server.tourneys.tourney import length_of, look, verdict
from support.tourneys import race, record, tourney

RACES = {
    "A": race("A1@60000 B2@70000"),
    "B": race("A2:20 B1:40"),
    "=": race("A1@60000 B1@60000"),
    "v": Race(race("A1@60000 B2@70000").showings, void=True),
    "a": race("A1:30 B-"),
    "-": race("A- B-"),
    "0": Race(()),
}


def stands(
    letters: str, *, best_of: int = 1, replays: int = 3, senior: str | None = None
) -> Verdict:
    races = [RACES[letter] for letter in letters]
    return settle(("A", "B"), races, length=Length(best_of=best_of, replays=replays), senior=senior)


@pytest.mark.parametrize(
    ("best_of", "letters", "next_race"),
    [
        (1, "", 1),
        (1, "=", 2),  # a drawn race is replayed
        (1, "===", 4),
        (1, "-", 2),
        (1, "0", 2),
        (3, "A", 2),
        (3, "AB", 3),
        (3, "A=B", 4),
        (3, "v", 2),  # a void race uses its number up
        (3, "AvB", 4),
        (2, "A", 2),
        (5, "AABB", 5),
    ],
)
def test_a_match_goes_on(best_of: int, letters: str, next_race: int) -> None:
    told = stands(letters, best_of=best_of)
    assert (told.next_race, told.result) == (next_race, None)


@pytest.mark.parametrize(
    ("best_of", "letters", "winner", "score"),
    [
        (1, "A", "A", "1–0"),
        (1, "a", "A", "1–0"),
        (1, "===B", "B", "0–1"),
        (1, "====", None, "½–½"),  # replays are used up
        (3, "AA", "A", "2–0"),  # the lead cannot be caught up
        (3, "ABB", "B", "1–2"),
        (3, "ABvB", "B", "1–2"),
        (2, "AB", None, "1–1"),
        (2, "AA", "A", "2–0"),
        (3, "A===B=", None, "1½–1½"),
    ],
)
def test_a_match_ends(best_of: int, letters: str, winner: str | None, score: str) -> None:
    told = stands(letters, best_of=best_of)
    assert told.next_race is None
    assert told.score == score
    assert told.result == Result(Ending.PLAYED, winner, tuple(RACES[each] for each in letters))


@pytest.mark.parametrize(
    ("races", "senior", "winner", "how"),
    [
        (["A1:30 B1:30"], "B", "B", "½–½, the better seed number"),
        (["A1@60 B1@60"], "A", "A", "½–½, the better seed number"),
        (["A- B-", "A1:3 B2:1", "A2:3 B1:9"], "A", "B", "1½–1½, cards home 6–10"),
        (["A- B-", "A2:52 B1@95", "A1:52 B2:52"], "A", "B", "1½–1½, races finished 0–1"),
        (["A- B-", "A1@90 B2@95", "A2:51 B1@80"], "A", "B", "1½–1½, cards home 103–104"),
        (["A- B-", "A1@90 B2@95", "A2@97 B1@80"], "A", "B", "1½–1½, time 0:00.187–0:00.175"),
    ],
)
def test_where_somebody_must_win_a_level_match_goes_by(
    races: list[str], senior: str, winner: str, how: str
) -> None:
    length = Length(best_of=len(races), replays=0)
    told = settle(("A", "B"), [race(text) for text in races], length=length, senior=senior)
    assert told.result is not None
    assert (told.result.winner, told.score) == (winner, how)


def test_the_senior_has_the_better_seed_number_wherever_seated() -> None:
    terms = SingleElimination(length=Length(replays=0), bracket=("B", "A"))
    plan = look(terms, tourney("A B"))
    told = verdict(terms, tourney("A B"), plan.pair[0], [RACES["="]])
    assert told.result is not None
    assert told.result.winner == "A"


def test_a_swiss_match_may_be_drawn() -> None:
    terms = Swiss(rounds=1, length=Length(replays=0))
    state = record(tourney("A B"), look(terms, tourney("A B")))
    told = verdict(terms, state, state.matches[0], [RACES["="]])
    assert told.result == Result(Ending.PLAYED, None, (RACES["="],))


def test_a_heat_is_over_with_the_first_race_that_counts() -> None:
    terms = Heats(rounds=1)
    match = look(terms, tourney("A B C")).pair[0]
    assert verdict(terms, tourney("A B C"), match, [RACES["v"]]).next_race == 2
    told = verdict(terms, tourney("A B C"), match, [RACES["v"], RACES["A"]])
    assert told.result == Result(Ending.PLAYED, None, (RACES["v"], RACES["A"]))


def test_a_match_of_no_races_is_refused() -> None:
    with pytest.raises(BadFormat, match="1 or more"):
        Length(best_of=0)


def test_a_heat_is_one_race_and_a_ladders_match_as_long_as_the_terms_say() -> None:
    match = look(Heats(rounds=1), tourney("A B C")).pair[0]
    assert length_of(Heats(rounds=1), match) == Length(best_of=1, replays=0)
    assert length_of(Ladder(length=Length(best_of=3)), match) == Length(best_of=3)


def test_an_elimination_of_an_even_number_of_races_is_refused() -> None:
    with pytest.raises(BadFormat, match="odd"):
        SingleElimination(length=Length(best_of=2))
