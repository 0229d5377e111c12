"""Tournaments in sentences."""

from __future__ import annotations

import re
from datetime import UTC

import msgspec
import pytest

from samedeal_client.cups.telling import (
    FORMAT_WORDS,
    away_text,
    call_lines,
    format_text,
    head_lines,
    instant_text,
    news_lines,
    phase_text,
    terms_text_lines,
    you_lines,
)
from samedeal_protocol.terms import Mode, Terms
from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Format,
    Heats,
    Ladder,
    Length,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from samedeal_protocol.tournament.schedule import Every, Schedule
from samedeal_protocol.tournament.terms import Choice, Registration
from samedeal_protocol.tournament.views import TournamentHead
from support.cups import changed, match, player, race, sheet, terms
from support.serving import ROOT

PLAYERS = (player(1, "Ada"), player(2, "Bo"), player(3, "Cy", bot=True))
NOW = 1_000_000


@pytest.mark.parametrize(
    ("format", "said"),
    [
        (SingleElimination(), "single elimination"),
        (SingleElimination(third_place=True), "single elimination, third place played"),
        (DoubleElimination(reset=False), "double elimination, one final"),
        (RoundRobin(times=2), "double round robin"),
        (Swiss(rounds=5, length=Length(best_of=3)), "Swiss, 5 rounds, matches best of 3"),
        (Heats(rounds=1, points=(3, 1)), "heats, 1 round, up to 8 in a race, points 3 1"),
        (Ladder(), "ladder"),
    ],
)
def test_formats_are_said(format: Format, said: str) -> None:
    assert format_text(format) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-5, "now"), (0, "now"), (45, "45 s"), (89, "89 s"), (90, "1 min"), (3599, "59 min"),
     (3600, "1 h"), (7500, "2 h 5 min"), (172_800, "2 d"), (180_000, "2 d 2 h")],
)  # fmt: skip
def test_how_long_until_is_said(seconds: int, said: str) -> None:
    assert away_text(seconds * 1000) == said


def test_instants_are_said_by_a_zone() -> None:
    assert instant_text(1_798_131_600_000, UTC) == "2026-12-24 17:00 UTC"


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (TournamentHead(phase="announced"), "announced"),
        (TournamentHead(phase="running", round=2, rounds=5), "round 2 of 5"),
        (TournamentHead(phase="running", round=2), "round 2"),
        (TournamentHead(phase="running", round=2, halted="fire"), "paused"),
        (TournamentHead(phase="called-off"), "called off"),
    ],
)
def test_how_it_stands_is_said(head: TournamentHead, said: str) -> None:
    assert phase_text(head) == said


def test_a_head_says_what_comes_next() -> None:
    head = TournamentHead(phase="check-in", next="start", next_at=NOW + 600_000)
    assert head_lines(sheet(players=PLAYERS, head=head), NOW) == [
        "Friday cup: single elimination; opus",
        "brave-heron-7: check-in, 3 players, it starts in 10 min",
    ]


def test_a_head_is_short_whatever_the_terms_are() -> None:
    games = ("tuxedo", "fortress", "amazons")
    many = sheet(terms=terms(Heats(rounds=3), games=games))
    assert head_lines(many, NOW)[0] == "Friday cup: heats, 3 rounds; 4 games"


def test_a_head_names_the_champion() -> None:
    head = TournamentHead(phase="over", champion=3, reason="there is a champion")
    assert head_lines(sheet(players=PLAYERS, head=head), NOW)[-1] == "The champion is Cy (bot)."


def test_a_pause_is_said_once() -> None:
    head = TournamentHead(phase="running", halted="fire alarm", waits="paused: fire alarm")
    assert head_lines(sheet(head=head), NOW)[2:] == ["Paused: fire alarm"]


def test_terms_are_said_a_line_each() -> None:
    said = terms_text_lines(
        terms(
            Swiss(rounds=3),
            games=("tuxedo",),
            choice=Choice.PICK,
            registration=Registration.PHRASE,
            cap=8,
            check_in=1800,
            late_until=2,
            repeat=Schedule(zone="Europe/Berlin", every=Every.DAY, at="18:00"),
        )
    )
    for line in (
        "Swiss, 3 rounds",
        "whoever knows the pass phrase may register",
        "2 to 8 players, seeded by registration",
        "the host starts it",
        "check-in during 30 min",
        "5 min to be ready for a race, else it is lost",
        "newcomers are let in until round 2",
        "games opus, tuxedo, picked by the players",
        "repeats every day at 18:00 (Europe/Berlin)",
        "race: time limit 1 h",
    ):
        assert line in said
    assert not any("entrants" in line or "starts when all are ready" in line for line in said)


def test_terms_say_what_becomes_of_drawn_races_and_which_matches_are_longer() -> None:
    finals = {"final": Length(best_of=5, replays=2), "semi-final": Length(best_of=3, replays=0)}
    said = terms_text_lines(terms(SingleElimination(length=Length(replays=2), lengths=finals)))
    for line in (
        "drawn races are played again, up to 2 times in a match; then they count half for both",
        "final: best of 5",
        "semi-final: best of 3; drawn races are not played again; each counts half for both",
    ):
        assert line in said
    assert not any("drawn" in line for line in terms_text_lines(terms(Heats(rounds=2))))


def test_games_are_named_once() -> None:
    assert [line for line in terms_text_lines(terms(RoundRobin())) if "game" in line] == [
        "game opus"
    ]
    rotating = terms_text_lines(terms(RoundRobin(), games=("tuxedo",)))
    assert [line for line in rotating if "game" in line] == [
        "games opus, tuxedo, one after the other"
    ]


def test_races_at_ones_own_pace_know_no_time_to_be_ready() -> None:
    races = Terms(game="opus", mode=Mode.ASYNC, closes=3600)
    at_own_pace = msgspec.structs.replace(terms(RoundRobin()), race=races)
    said = terms_text_lines(at_own_pace)
    assert "race: async: your clock starts when you open the deal, within 1 h" in said
    assert not any("to be ready" in line for line in said)


@pytest.mark.parametrize(
    ("state", "phase", "said"),
    [
        ("registered", "announced", "You are registered."),
        ("registered", "check-in", "You are registered: check in now, or you do not play."),
        ("checked-in", "check-in", "You are checked in."),
        ("waiting", "announced", "You are on the waiting list, at place 2."),
        ("playing", "running", "You play, with seed number 2."),
        ("withdrawn", "running", "You are withdrawn."),
        ("withdrawn", "over", "You are withdrawn."),
    ],
)
def test_one_is_told_what_one_is(state: str, phase: str, said: str) -> None:
    players = (player(1, "Ada", "waiting"), player(2, "Bo", state))
    head = TournamentHead(phase=phase)
    assert you_lines(sheet(players=players, you=2, head=head)) == [said]


@pytest.mark.parametrize("phase", ["over", "called-off"])
def test_nobody_plays_any_longer_when_it_is_over(phase: str) -> None:
    players = (player(1, "Ada", "playing"),)
    assert you_lines(sheet(players=players, you=1, head=TournamentHead(phase=phase))) == []


def test_staff_is_told_its_role() -> None:
    assert you_lines(sheet(role="referee")) == ["You are a referee."]
    assert you_lines(sheet(role="host")) == ["You are the host."]


def test_a_player_hears_of_their_own_matches_and_of_all_but_not_of_others() -> None:
    own, other = match("W1.1", 1, 2, label="semi-final"), match("W1.2", 3, 4, label="semi-final")
    shown = sheet(players=PLAYERS, you=1, matches=(own, other))
    news = changed(
        4,
        5,
        text=(
            "it starts with 4 players",
            "paired: Ada – Bo (W1.1); Cy – Dee (W1.2)",
            "W1.1 Ada – Bo: race 1 is called, opus, as r-1",
            "W1.1 Ada – Bo: race 1 is void by Hal: power cut",
            "W1.2 Cy – Dee: race 1 is void by Hal: power cut",
        ),
        matches=(own, other),
    )
    assert news_lines(news, shown, is_player=True) == [
        "it starts with 4 players",
        "W1.1 Ada – Bo: race 1 is void by Hal: power cut",
        "semi-final: you meet Bo",
    ]
    assert news_lines(news, shown, is_player=False) == list(news.text)


def test_a_call_says_against_whom_and_how_long() -> None:
    called = race(2, "r-2", ready_by=NOW + 240_000)
    of = match("W1.1", 1, 3, label="semi-final", best_of=3, races=(called,))
    assert call_lines(of, called, sheet(players=PLAYERS, you=1), NOW) == [
        "Your race is ready: race 2 of W1.1 (semi-final), opus, against Cy (bot).",
        "Be ready within 4 min, or it is lost.",
    ]


def test_a_heat_that_one_comes_late_for_is_not_lost_but_starts() -> None:
    called = race(1, "h-1", ready_by=NOW + 60_000)
    of = match("H1.1", 1, 2, 3, races=(called,))
    shown = sheet(players=PLAYERS, you=1, terms=terms(Heats(rounds=2)))
    assert call_lines(of, called, shown, NOW)[1] == (
        "Be ready within 60 s, or it starts without you."
    )
    said = terms_text_lines(shown.terms)
    assert "5 min to be ready for a race, else it starts without you" in said


def test_a_format_is_called_the_same_in_the_terminal_and_in_the_browser() -> None:
    words = (ROOT / "client/samedeal_client/web/cups/words.js").read_text("utf-8")
    table = words.partition("export const FORMATS = {")[2].partition("\n};")[0]
    shown = dict(re.findall(r"^  '?([a-z-]+)'?: \{\s*words: '([^']+)'", table, re.MULTILINE))
    assert {key: word.lower() for key, word in shown.items()} == {
        key: word.lower() for key, word in FORMAT_WORDS.items()
    }
