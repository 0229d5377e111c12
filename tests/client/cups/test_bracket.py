"""Brackets as lines: drawn by hand for four, and by law for every size."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from msgspec import structs

from samedeal_client.cups.bracket import bracket_lines, scores_of
from samedeal_client.telling import cells
from samedeal_protocol.tournament.formats import DoubleElimination, SingleElimination
from samedeal_protocol.tournament.views import MatchView, TournamentSheet
from samedeal_server.tourneys.state import Ending, Result, Tourney
from samedeal_server.tourneys.tourney import look
from support.cups import match, player, race, sheet, terms
from support.tourneys import tourney

FOUR = tuple(player(n, name) for n, name in enumerate(("Ada", "Bo", "Cy", "Dee"), 1))


def single(*matches: MatchView, third: bool = False) -> TournamentSheet:
    format = SingleElimination(third_place=third)
    return sheet(players=FOUR, matches=matches, terms=terms(format))


def played(id: str, one: int, other: int, score: str, winner: int) -> MatchView:
    return match(id, one, other, score=score, ending="played", winner=winner)


def test_a_bracket_of_four_is_drawn() -> None:
    final = match("F", 1, 3, races=(race(1, "r1", "running"),))
    drawn = bracket_lines(
        single(played("W1.1", 1, 4, "2–1", 1), played("W1.2", 2, 3, "0–2", 3), final), width=80
    )
    assert drawn == [
        "semi-final     final",
        "▸1 Ada     2",
        " 4 Dee     1───•1 Ada",
        "             ┌─•3 Cy",
        " 2 Bo      0─┘",
        "▸3 Cy      2",
    ]


def test_a_winner_stands_in_the_next_match_before_it_is_paired() -> None:
    drawn = bracket_lines(single(played("W1.1", 1, 4, "1–0", 1), match("W1.2", 2, 3)), width=80)
    assert drawn[2:4] == [" 4 Dee     0─── 1 Ada", "             ┌─ ·"]


def test_byes_walkovers_and_double_forfeits_are_told_apart() -> None:
    drawn = bracket_lines(
        single(
            match("W1.1", 1, ending="bye", winner=1),
            match("W1.2", 2, 3, ending="walkover", winner=2),
            match("F", 1, 2, ending="double forfeit"),
        ),
        width=80,
    )
    assert drawn[1:] == [
        "▸1 Ada",
        "   bye      ─── 1 Ada     –",
        "             ┌─ 2 Bo      –",
        "▸2 Bo    w/o─┘",
        " 3 Cy",
    ]


def test_the_third_place_stands_below() -> None:
    drawn = bracket_lines(
        single(
            played("W1.1", 1, 4, "1–0", 1),
            played("W1.2", 2, 3, "1–0", 2),
            match("T", 4, 3),
            match("F", 1, 2),
            third=True,
        ),
        width=80,
    )
    assert drawn[-3:] == ["third place", " 4 Dee", " 3 Cy"]


def test_plain_characters_draw_the_same() -> None:
    drawn = bracket_lines(
        single(played("W1.1", 1, 4, "1–0", 1), match("W1.2", 2, 3)), width=80, has_blocks=False
    )
    assert drawn[1:4] == [">1 Ada     1", " 4 Dee     0--- 1 Ada", "             +- ."]


def test_before_the_start_there_is_no_bracket() -> None:
    assert bracket_lines(single(), width=80) == [
        "There is no bracket yet: it is drawn when the tournament starts."
    ]


def test_scores_are_read_with_what_decided_a_level_match() -> None:
    decided = match("F", 1, 2, score="1½–1½, cards home 40–38", ending="played", winner=1)
    assert scores_of(decided) == ("1½", "1½")


def test_a_match_of_one_drawn_race_says_so() -> None:
    decided = played("W1.1", 1, 4, "½–½, cards home 40–38", 1)
    drawn = bracket_lines(single(decided, match("W1.2", 2, 3)), width=80)
    assert drawn[1:3] == ["▸1 Ada drawn", " 4 Dee drawn─── 1 Ada"]


def test_when_it_is_over_nothing_is_drawn_of_matches_that_never_came() -> None:
    """Of five, three have a bye at first: who would have lost to them drops in nowhere."""
    over = replace_phase(played_out(DoubleElimination, 5, steps=40), "over")
    assert not any("·" in line for line in bracket_lines(over, width=100))


def replace_phase(shown: TournamentSheet, phase: str) -> TournamentSheet:
    return structs.replace(shown, head=structs.replace(shown.head, phase=phase))


def view_of(tourney: Tourney, format: SingleElimination | DoubleElimination) -> TournamentSheet:
    """What a client would be shown of it."""
    matches = []
    for each in tourney.matches:
        players = tuple(int(id[1:]) for id in each.players)
        result = each.result
        winner = None if result is None or result.winner is None else int(result.winner[1:])
        is_played = result is not None and result.ending is Ending.PLAYED
        score = "" if not is_played else "1–0" if winner == players[0] else "0–1"
        ending = None if result is None else result.ending.value
        matches.append(match(each.id, *players, score=score, ending=ending, winner=winner))
    players_ = tuple(player(n, f"N{n}") for n in range(1, len(tourney.players) + 1))
    return sheet(players=players_, matches=tuple(matches), terms=terms(format))


@cache
def played_out(
    kind: type[SingleElimination | DoubleElimination], size: int, *, steps: int
) -> TournamentSheet:
    """At most so many matches of an elimination, won by either side in turn."""
    format, now = kind(), tourney(size)
    while not (plan := look(format, now)).over:
        if plan.pair:
            now = replace(now, matches=(*now.matches, *plan.pair))
            continue
        if steps == 0:
            break
        results = {}
        for each in now.open()[:steps]:
            steps -= 1
            results[each.id] = Result(Ending.PLAYED, each.players[(size + steps) % 2])
        matches = (replace(each, result=results.get(each.id, each.result)) for each in now.matches)
        now = replace(now, matches=tuple(matches))
    return view_of(now, format)


@pytest.mark.parametrize("kind", [SingleElimination, DoubleElimination])
@pytest.mark.parametrize("size", [2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64, 65])
@pytest.mark.parametrize("width", [79, 40])
@pytest.mark.parametrize("part", [0, 0.5, 4])
def test_every_bracket_names_whoever_plays_in_each_match_and_fits(
    kind: type[SingleElimination | DoubleElimination], size: int, width: int, part: float
) -> None:
    shown = played_out(kind, size, steps=int(size * part))
    lines = bracket_lines(shown, width=width)
    words = [word for line in lines for word in line.replace("─", " ").split()]
    for number in range(1, size + 1):
        appearances = sum(number in each.players for each in shown.matches)
        assert words.count(f"N{number}") >= appearances
    if part == 4:
        places = sum(len(each.players) for each in shown.matches)
        assert sum(word.startswith("N") for word in words) == places
    assert all(cells(line) <= width for line in lines)


@pytest.mark.parametrize("size", [8, 16, 32])
def test_a_line_leads_from_every_match_to_the_one_after_it(size: int) -> None:
    shown = played_out(SingleElimination, size, steps=4 * size)
    lines = bracket_lines(shown, width=200)
    ends = sum(line.count("└─") + line.count("┌─") + line.count("───") for line in lines)
    assert ends == size - 2
