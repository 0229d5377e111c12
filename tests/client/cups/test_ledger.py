"""The newest sheet: news replace what was, what was missed asks for the whole, nothing is lost."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from samedeal_client.cups.ledger import Ledger, extension, round_to_start
from samedeal_protocol.tournament.requests import Extend, StartRound
from samedeal_protocol.tournament.views import (
    MatchView,
    Pick,
    PlayerView,
    StaffView,
    TournamentHead,
    TournamentSheet,
)
from support.cups import changed, match, player, race, sheet, terms


def test_players_and_matches_that_changed_replace_what_was() -> None:
    ledger = Ledger(
        sheet(5, players=(player(1, "Ada"), player(2, "Bo")), matches=(match("F", 1, 2),))
    )
    news = changed(
        5,
        6,
        players=(player(2, "Bo", "withdrawn"),),
        matches=(match("F", 1, 2, ending="walkover", winner=1),),
    )
    assert ledger.apply(news, name="Zoe")
    assert [each.state for each in ledger.sheet.players] == ["playing", "withdrawn"]
    assert [each.winner for each in ledger.sheet.matches] == [1]
    assert (ledger.sheet.seq, ledger.is_stale) == (6, False)


def test_what_is_known_already_changes_nothing() -> None:
    ledger = Ledger(sheet(5))
    assert not ledger.apply(changed(3, 5, "over"), name="Zoe")
    assert ledger.sheet.head.phase == "running"


def test_news_that_begin_before_what_is_known_are_taken_in() -> None:
    ledger = Ledger(sheet(5))
    assert ledger.apply(changed(3, 7, players=(player(1, "Ada"),)), name="Zoe")
    assert (ledger.sheet.seq, len(ledger.sheet.players)) == (7, 1)


def test_a_gap_is_not_papered_over_but_asks_for_the_whole_sheet() -> None:
    ledger = Ledger(sheet(5))
    assert not ledger.apply(changed(6, 7, "over"), name="Zoe")
    assert ledger.is_stale
    assert ledger.sheet.seq == 5
    ledger.take(sheet(7, "over"))
    assert (ledger.sheet.seq, ledger.is_stale) == (7, False)


def test_a_match_taken_back_is_gone_and_one_paired_anew_is_the_last() -> None:
    ledger = Ledger(sheet(5, matches=(match("W1.1", 1, 2), match("W1.2", 3, 4), match("F", 1, 3))))
    news = changed(5, 8, gone=("W1.1", "F"), matches=(match("W1.1", 2, 1),))
    ledger.apply(news, name="Zoe")
    assert [(each.match, each.players) for each in ledger.sheet.matches] == [
        ("W1.2", (3, 4)),
        ("W1.1", (2, 1)),
    ]


def test_an_older_sheet_never_replaces_a_newer_one() -> None:
    ledger = Ledger(sheet(5))
    ledger.take(sheet(4, "over"))
    assert ledger.sheet.head.phase == "running"


def test_whoever_was_registered_elsewhere_needs_their_number() -> None:
    ledger = Ledger(sheet(5))
    ledger.apply(changed(5, 6, players=(player(1, "Zoe", "registered"),)), name="Zoe")
    assert ledger.is_stale


def test_whoever_was_appointed_needs_what_staff_sees() -> None:
    ledger = Ledger(sheet(5))
    staff = (StaffView(name="Hal", role="host"), StaffView(name="Zoe", role="referee"))
    ledger.apply(changed(5, 6, staff=staff), name="Zoe")
    assert ledger.is_stale


def test_the_end_asks_for_the_sheet_that_tells_the_seed() -> None:
    ledger = Ledger(sheet(5))
    ledger.apply(changed(5, 6, "over"), name="Zoe")
    assert ledger.is_stale
    ledger.take(sheet(6, "over", seed="s", salt="t"))
    assert not ledger.is_stale


def test_whoever_has_registered_is_no_longer_waited_for() -> None:
    ledger = Ledger(sheet(5, invited=("Bo", "Cy")))
    ledger.apply(changed(5, 6, players=(player(1, "Bo", "registered"),)), name="Hal")
    assert ledger.sheet.invited == ("Cy",)


def test_only_called_and_running_races_of_open_matches_of_ones_own_want_one() -> None:
    ledger = Ledger(
        sheet(
            you=1,
            players=(player(1, "Ada"), player(2, "Bo")),
            matches=(
                match("A", 1, 2, races=(race(1, "r1", "over"), race(2, "r2", "called"))),
                match("B", 2, 3, races=(race(1, "r3"),)),
                match("C", 3, 1, races=(race(1, "r4", "void"), race(2, "r5", "running"))),
                match("D", 1, 2, races=(race(1, "r6", "running"),), ending="walkover", winner=2),
            ),
        )
    )
    assert [race.race for _, race in ledger.wanted()] == ["r2", "r5"]


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[dict[int, PlayerView], dict[str, MatchView]]]:
    """What was true at each seq from 0 on."""
    players: dict[int, PlayerView] = {}
    matches: dict[str, MatchView] = {}
    told = [(dict(players), dict(matches))]
    for _ in range(draw(st.integers(1, 12))):
        number = draw(st.integers(1, 4))
        state = draw(st.sampled_from(("registered", "playing", "withdrawn")))
        players[number] = player(number, f"p{number}", state)
        id = draw(st.sampled_from(("A", "B", "C")))
        matches.pop(id, None)
        if draw(st.booleans()):
            matches[id] = match(id, draw(st.integers(1, 4)), draw(st.integers(5, 8)))
        told.append((dict(players), dict(matches)))
    return told


@given(histories(), st.randoms(use_true_random=False))
def test_however_news_are_bundled_and_repeated_the_sheet_is_as_told(
    history: list[tuple[dict[int, PlayerView], dict[str, MatchView]]], chance: random.Random
) -> None:
    def at(seq: int) -> tuple[tuple[PlayerView, ...], tuple[MatchView, ...]]:
        players, matches = history[seq]
        return tuple(each for _, each in sorted(players.items())), tuple(matches.values())

    ledger = Ledger(replace(sheet(0), players=at(0)[0], matches=at(0)[1]))
    while ledger.sheet.seq < len(history) - 1:
        after = chance.randint(0, ledger.sheet.seq)
        seq = chance.randint(after + 1, len(history) - 1)
        now = history[seq]
        steps = list(pairwise(history[after : seq + 1]))
        touched = {n for a, b in steps for n in b[0] if a[0].get(n) is not b[0][n]}
        paired = {id for a, b in steps for id in b[1] if a[1].get(id) is not b[1][id]}
        gone = {id for a, _ in steps for id in a[1]} - set(now[1])
        news = changed(
            after,
            seq,
            players=tuple(each for n, each in now[0].items() if n in touched),
            matches=tuple(each for id, each in now[1].items() if id in paired),
            gone=tuple(gone),
        )
        ledger.apply(news, name="Zoe")
        if ledger.sheet.seq == seq:
            assert set(ledger.sheet.players) == set(at(seq)[0])
            assert {each.match: each for each in ledger.sheet.matches} == now[1]


# --- acts that name what they were made for, as the protocol's document asks --------------------

CALLED = race(2, "r2", ready_by=7_000)
OPEN = sheet(
    matches=(
        match("W1.1", 1, 2, races=(race(1, "r1", "void"), CALLED)),
        match("W1.2", 3, 4, pick=Pick(player=3, until=8_000)),
        match("W1.3", 5, 6, races=(race(1, "r3", "running"),)),
    )
)


def coming(next: str, at: int | None, phase: str = "running") -> TournamentSheet:
    head = TournamentHead(phase=phase, next=next, next_at=at)
    return sheet(head=head, terms=terms(check_in=60))


def test_a_round_is_started_by_its_number() -> None:
    head = TournamentHead(phase="running", round=3)
    assert round_to_start(sheet(head=head)) == StartRound(round=4)


@pytest.mark.parametrize(
    ("shown", "id", "instant"),
    [
        (OPEN, "W1.1", 7_000),
        (OPEN, "W1.2", 8_000),
        (OPEN, "W1.3", None),
        (OPEN, "nowhere", None),
        (coming("bell", 9_000), None, 9_000),
        (coming("round", 9_000), None, 9_000),
        (coming("", None), None, None),
        (coming("start", 9_000, "check-in"), None, 9_000),
        # The start is put off, and the check-in with it.
        (coming("check-in", 9_000, "announced"), None, 69_000),
    ],
)
def test_an_extension_names_the_instant_that_it_puts_off(
    shown: TournamentSheet, id: str | None, instant: int | None
) -> None:
    assert extension(shown, 90, id) == Extend(seconds=90, match=id, shown=instant)
