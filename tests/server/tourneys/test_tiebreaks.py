"""Each tie-break with its arithmetic, word for word, on small tournaments reckoned by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from samedeal_protocol.tournament.formats import (
    EXPLAINED,
    BadFormat,
    Points,
    RoundRobin,
    SingleElimination,
    Swiss,
    TieBreak,
)
from samedeal_server.tourneys.arithmetic import clock, said
from samedeal_server.tourneys.scores import of_matches
from samedeal_server.tourneys.state import Ending, Match, Result, Tourney
from samedeal_server.tourneys.tiebreaks import marks
from samedeal_server.tourneys.tourney import standings
from support.tourneys import bye, entrants, played, table

MATCHES = (
    played("R1.1", "A B", "A", "A1@60000 B2@61500"),
    played("R1.2", "C D", "D", "C2:30 D1:31"),
    bye("R1.bye", "E"),
    played("R2.1", "A C", None, "A1@59000 C1@59000", round=2),
    Match("R2.2", 2, ("D", "E"), "", "R2.2", Result(Ending.WALKOVER, "D")),
    bye("R2.bye", "B", round=2),
    played("R3.1", "A D", "D", "A2:20 D1@70001", round=3),
    played("R3.2", "B C", "B", "B1@62000 C-", round=3),
)
STATE = Tourney("s", entrants("A B C D E"), MATCHES)
# Points: A 1½, B 2, C ½, D 3, E 1.


def mark(tie_break: TieBreak, player: str, group: str = "") -> str:
    book = of_matches(STATE, Points())
    return marks(tie_break, tuple(group or player), book)[player].arithmetic


@pytest.mark.parametrize(
    ("tie_break", "player", "arithmetic"),
    [
        (TieBreak.BUCHHOLZ, "A", "3 (D) + 2 (B) + ½ (C) = 5½"),
        (TieBreak.BUCHHOLZ, "B", "2 (bye, own points) + 1½ (A) + ½ (C) = 4"),
        (TieBreak.BUCHHOLZ, "D", "3 (walkover, own points) + 1½ (A) + ½ (C) = 5"),
        (TieBreak.BUCHHOLZ, "E", "1 (bye, own points) = 1"),
        (TieBreak.BUCHHOLZ_CUT_1, "A", "3 (D) + 2 (B) = 5, without ½ (C)"),
        (TieBreak.BUCHHOLZ_CUT_1, "E", "0, without 1 (bye, own points)"),
        (TieBreak.MEDIAN_BUCHHOLZ, "A", "2 (B) = 2, without ½ (C) and 3 (D)"),
        (TieBreak.SONNEBORN_BERGER, "A", "2 (B) + ½ × ½ (C) = 2¼"),
        (TieBreak.SONNEBORN_BERGER, "C", "½ × 1½ (A) = ¾"),
        (TieBreak.SONNEBORN_BERGER, "E", "1 (bye, own points) = 1"),
        (TieBreak.TOTAL_TIME, "A", "2 finished: 1:00.000 + 0:59.000 = 1:59.000"),
        (TieBreak.TOTAL_TIME, "E", "0 finished"),
        (TieBreak.DEALS_WON, "A", "1 + ½ = 1½"),
        (TieBreak.DEALS_WON, "E", "0"),
        (TieBreak.CARDS_HOME, "C", "30 + 52 + 0 = 82"),
    ],
)
def test_arithmetic_of(tie_break: TieBreak, player: str, arithmetic: str) -> None:
    assert mark(tie_break, player) == arithmetic


@pytest.mark.parametrize(
    ("player", "group", "arithmetic"),
    [
        ("A", "AB", "1 (beat B) = 1"),
        ("B", "AB", "0 (lost to A) = 0"),
        ("A", "ABC", "1 (beat B) + ½ (drew with C) = 1½"),
        ("A", "ABD", "not all of them have met"),
        ("A", "A", "nobody is level"),
        ("E", "DE", "0 (forfeit, D) = 0"),
    ],
)
def test_arithmetic_of_head_to_head(player: str, group: str, arithmetic: str) -> None:
    assert mark(TieBreak.HEAD_TO_HEAD, player, group) == arithmetic


def test_points_say_where_they_come_from() -> None:
    lines = standings(Swiss(rounds=3, tie_breaks=()), STATE)
    assert [line.marks[0].arithmetic for line in lines] == [
        "1 (beat C) + 1 (walkover, E) + 1 (beat A) = 3",
        "0 (lost to A) + 1 (bye) + 1 (beat C) = 2",
        "1 (beat B) + ½ (drew with C) + 0 (lost to D) = 1½",
        "1 (bye) + 0 (forfeit, D) = 1",
        "0 (lost to D) + ½ (drew with A) + 0 (lost to B) = ½",
    ]


def test_terms_choose_the_order_of_tie_breaks() -> None:
    matches = (
        played("1", "A C", "A", "A1@60000 C2:50"),
        played("2", "B D", "B", "B1@70000 D2:10"),
        played("3", "B A", "B", "B1:12 A2:5"),
        played("4", "A D", "A", "A1@60000 D2:10"),
    )
    state = Tourney("s", entrants("A B C D"), matches)
    for tie_breaks, golden in [
        ((), "1 A, 1 B, 3 C, 3 D"),
        ((TieBreak.HEAD_TO_HEAD, TieBreak.TOTAL_TIME), "1 B, 2 A, 3 C, 3 D"),
        ((TieBreak.TOTAL_TIME, TieBreak.HEAD_TO_HEAD), "1 A, 2 B, 3 C, 3 D"),
        ((TieBreak.CARDS_HOME,), "1 A, 2 B, 3 C, 4 D"),
    ]:
        terms = RoundRobin(tie_breaks=tie_breaks)
        assert table(standings(terms, state)) == golden


def test_every_tie_break_is_explained() -> None:
    assert set(EXPLAINED) == set(TieBreak)


def test_an_elimination_knows_no_buchholz() -> None:
    with pytest.raises(BadFormat, match="cards-home, deals-won, total-time"):
        SingleElimination(tie_breaks=(TieBreak.BUCHHOLZ,))


def test_a_tie_break_is_named_once() -> None:
    with pytest.raises(BadFormat, match="twice"):
        Swiss(rounds=1, tie_breaks=(TieBreak.BUCHHOLZ, TieBreak.BUCHHOLZ))


def test_a_draw_is_worth_less_than_a_win() -> None:
    with pytest.raises(BadFormat):
        Points(draw=1)


@pytest.mark.parametrize(
    ("number", "text"),
    [(Fraction(5, 2), "2½"), (Fraction(1, 2), "½"), (Fraction(10, 3), "3 1/3"), (4, "4"), (0, "0")],
)
def test_numbers_are_said(number: Fraction | int, text: str) -> None:
    assert said(number) == text


def test_times_are_said() -> None:
    assert (clock(62_345), clock(0), clock(3_600_001)) == ("1:02.345", "0:00.000", "60:00.001")
