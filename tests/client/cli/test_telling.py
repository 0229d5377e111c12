"""What happens is told in one line each, and lanes are as long as the cards that are home."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TypeVar

import pytest

from samedeal_client.lanes import Lane, LaneScreen, lane_lines, lanes_of
from samedeal_client.telling import (
    cells,
    clock,
    entrant_text,
    event_text,
    move_text,
    padded,
    standings_table,
    terms_lines,
    terms_text,
)
from samedeal_client.terminal import Terminal
from samedeal_protocol import messages as wire
from samedeal_protocol.messages import EntrantView, RaceEvent, Standing
from samedeal_protocol.terms import Mode, Sight, Terms, Undo

ADA = EntrantView(entrant=1, name="Ada", state="racing", home=12, moves=40)
BOT = EntrantView(entrant=2, name="greedy", bot=True, state="finished", home=52, moves=90)
ENTRANTS = {1: ADA, 2: BOT}

E = TypeVar("E", bound=wire.Event)


def stamped(kind: Callable[..., E], **fields: object) -> E:
    """An event of some race at some instant."""
    return kind(race="r", seq=1, at=0, **fields)


class Screen(Terminal):
    """A terminal that remembers what was written."""

    def __init__(self, *, is_live: bool = False, has_colour: bool = False) -> None:
        self.out = io.StringIO()
        super().__init__(self.out, is_live=is_live, has_colour=has_colour)


@pytest.mark.parametrize(
    ("ms", "text"),
    [(None, "-"), (0, "0:00.000"), (41_203, "0:41.203"), (3_723_004, "1:02:03.004")],
)
def test_times_are_told_as_a_clock_shows_them(ms: int | None, text: str) -> None:
    assert clock(ms) == text


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (stamped(wire.Entered, entrant=2, name="greedy", bot=True), "greedy (bot) entered."),
        (stamped(wire.Entered, entrant=1, name="Ada"), "You entered."),
        (stamped(wire.Left, entrant=2), "greedy (bot) left."),
        (stamped(wire.Readied, entrant=1, ready=True), "You are ready."),
        (stamped(wire.Readied, entrant=2, ready=False), "greedy (bot) is no longer ready."),
        (stamped(wire.CountdownBegan, starts_in_ms=4987), "The race starts in 5 s."),
        (stamped(wire.CountdownStopped, reason="Ada left"), "The countdown was stopped: Ada left."),
        (stamped(wire.Started), "The race is on."),
        (stamped(wire.Began, entrant=2), "greedy (bot) opened the deal."),
        (
            stamped(wire.Done, entrant=2, state="finished", home=52, elapsed_ms=41_203),
            "greedy (bot) finished in 0:41.203.",
        ),
        (
            stamped(wire.Done, entrant=1, state="finished", home=52, elapsed_ms=9, penalty_ms=5),
            "You finished in 0:00.009, 0:00.005 of penalties included.",
        ),
        (stamped(wire.Done, entrant=1, state="stuck", home=3), "You are stuck with 3/52 home."),
        (
            stamped(wire.Done, entrant=2, state="out-of-time", home=3),
            "greedy (bot) is out of time with 3/52 home.",
        ),
        (
            stamped(wire.Done, entrant=2, state="disqualified", home=3, reason="a second device"),
            "greedy (bot) is disqualified with 3/52 home: a second device",
        ),
        (
            stamped(wire.Away, entrant=2, grace_ms=300_000),
            "greedy (bot) has lost the connection (5 min to come back).",
        ),
        (stamped(wire.Back, entrant=1), "You are back."),
        (
            stamped(wire.Stoppage, stopped_ms=3602),
            "The server was down for 0:03.602; no clock ran meanwhile.",
        ),
        (stamped(wire.Said, name="Ada", text="hello"), "Ada: hello"),
        (stamped(wire.RematchOpened, rematch="x-y"), "There is a rematch: x-y"),
        (stamped(wire.Over, standings=(), seed="s", salt="t"), "The race is over."),
        (stamped(wire.Cancelled, reason="by the host"), "The race was called off: by the host"),
        (stamped(wire.Progressed, entrant=2, home=1, moves=1), None),
        (stamped(wire.Skip), None),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, wire.Event) else None,
)
def test_every_event_is_a_sentence_or_nothing(event: RaceEvent, text: str | None) -> None:
    assert event_text(event, ENTRANTS, goal=52, you=1) == text


def test_an_entrant_is_told_as_far_as_they_are_known() -> None:
    assert entrant_text(ADA, 52) == "Ada 12/52 home, 40 moves, racing"
    blind = EntrantView(entrant=3, name="Eve", state="hidden")
    assert entrant_text(blind, 52) == "Eve, hidden until you are done"
    away = EntrantView(entrant=3, name="Eve", state="racing", away=True, home=1, moves=1)
    assert entrant_text(away, 52) == "Eve 1/52 home, 1 move, racing, away"


def test_a_long_finish_is_told_by_its_ends() -> None:
    moves = [f"T{at}-F1" for at in range(1, 9)]
    assert move_text(moves, (), 52, 52) == "T1-F1 T2-F1 ... T8-F1; 52/52 home"


def test_standings_are_aligned_and_only_a_finisher_has_a_time() -> None:
    standings = [
        Standing(place=1, entrant=2, name="greedy", bot=True, state="finished", home=52, moves=90,
                 elapsed_ms=41_203, penalty_ms=10_000),
        Standing(place=2, entrant=1, name="Ada", state="gave-up", home=12, moves=1),
    ]  # fmt: skip
    assert standings_table(standings, 52) == [
        " 1  greedy (bot)  0:41.203  52/52  90 moves  with 0:10.000 of penalties",
        " 2  Ada            gave up  12/52    1 move",
    ]


def test_wide_characters_take_two_columns() -> None:
    assert (cells("Ada"), cells("安达"), cells("e\u0301")) == (3, 4, 1)
    assert (padded("安达", 3), padded("安达", 6)) == ("安 ", "安达  ")


def test_terms_say_what_matters_and_the_whole_when_asked() -> None:
    terms = Terms(
        game="opus", undo=Undo.PENALTY, undo_penalty=120, blind=True, entrants_min=2, entrants_max=2
    )
    assert terms_text(terms) == (
        "opus, live: starts when all are ready, 2 entrants, each undo costs 2 min, "
        "blind: rivals are hidden until you are done"
    )
    later = Terms(game="opus", mode=Mode.ASYNC, spectators=Sight.PROGRESS, delay=60, limit=90)
    assert terms_lines(later) == [
        "game opus",
        "async: your clock starts when you open the deal, within 1 d",
        "2-8 entrants",
        "undo, but not past a card that turned up",
        "time limit 90 s",
        "5 min to come back when a connection breaks",
        "spectators see progress, 1 min behind",
    ]


def test_lanes_grow_with_the_cards_that_are_home() -> None:
    lanes = lanes_of(ENTRANTS, 52)
    assert lane_lines(lanes, width=70, has_blocks=False) == [
        "Ada           ######....................  12/52    40 moves  racing",
        "greedy (bot)  ##########################  52/52    90 moves  finished",
    ]


def test_no_lane_is_wider_than_the_screen() -> None:
    names = ["x" * 60, "安达" * 20, "Ada"]
    lanes = [Lane(name, 5, 52, 10, "racing") for name in names]
    for width in (20, 40, 80, 200):
        assert all(cells(line) <= width for line in lane_lines(lanes, width=width))


def test_who_withdrew_has_no_lane() -> None:
    gone = EntrantView(entrant=3, name="Eve", state="withdrawn")
    assert [lane.name for lane in lanes_of({**ENTRANTS, 3: gone}, 52)] == ["Ada", "greedy (bot)"]


def test_through_a_pipe_a_lane_is_told_only_when_it_changes() -> None:
    terminal = Screen()
    screen = LaneScreen(terminal)
    lanes = [Lane("Ada", 1, 52, 4, "racing"), Lane("Bea", None, 52, None, "hidden")]
    screen.update(lanes, 1000)
    screen.update(lanes, 2000)
    screen.update([Lane("Ada", 2, 52, 5, "racing"), lanes[1]], 3000)
    assert terminal.out.getvalue().splitlines() == [
        "0:01.000  Ada  1/52 home, racing",
        "0:01.000  Bea  hidden",
        "0:03.000  Ada  2/52 home, racing",
    ]


def test_a_lane_says_one_move_and_who_is_away_before_the_start_as_well() -> None:
    ada = EntrantView(entrant=1, name="Ada", state="racing", home=0, moves=1, away=True)
    bea = EntrantView(entrant=2, name="Bea", state="entered", away=True)
    first, second = lane_lines(lanes_of({1: ada, 2: bea}, 52), width=60, has_blocks=False)
    assert first.endswith(" 0/52     1 move   racing, away")
    assert second.endswith(" 0/52   not ready, away")


def test_a_time_limit_that_is_not_the_usual_one_is_told_at_once() -> None:
    assert terms_text(Terms(game="opus", limit=20)).endswith(", time limit 20 s")
    assert "limit" not in terms_text(Terms(game="opus"))


def test_a_long_line_is_broken_between_words_at_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    monkeypatch.setenv("LINES", "24")
    line = "  1. patient (bot) 12/104 home, racing"
    command = "    samedeal play --game forty-thieves"
    terminal, pipe = Screen(is_live=True), Screen()
    for screen in (terminal, pipe):
        screen.say_all([line, command])
    assert pipe.out.getvalue() == f"{line}\n{command}\n"
    assert terminal.out.getvalue().splitlines() == [
        "  1. patient (bot)",
        "    12/104 home, racing",
        command,
    ]


def test_a_command_is_never_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("LINES", "24")
    terminal = Screen(is_live=True)
    terminal.say("Nobody yet: be the first with `samedeal daily play --name Ada` today.")
    terminal.say_command("Play it:", "samedeal daily play --name Ada")
    assert terminal.out.getvalue().splitlines() == [
        "Nobody yet: be the first with",
        "  `samedeal daily play --name Ada`",
        "  today.",
        "Play it:",
        "    samedeal daily play --name Ada",
    ]


def test_at_a_terminal_lanes_are_drawn_over_the_last_ones() -> None:
    terminal = Screen(is_live=True)
    screen = LaneScreen(terminal)
    screen.update([Lane("Ada", 1, 52, 4, "racing")], None)
    assert "\x1b[2A" not in terminal.out.getvalue()
    screen.update([Lane("Ada", 2, 52, 4, "racing")], 1000)
    assert terminal.out.getvalue().count("\x1b[2A") == 1
    screen.say("Ada: hello")
    assert terminal.out.getvalue().endswith("\x1b[2A\r\x1b[JAda: hello\n")


def test_what_others_write_cannot_take_hold_of_the_terminal() -> None:
    evil = "\x1b[2J\x1b]0;title\x07\u202eAda\x00\r\n"
    for terminal in (Screen(), Screen(is_live=True, has_colour=True)):
        terminal.say(evil)
        assert terminal.out.getvalue() == "[2J]0;titleAda\n"


def test_only_our_own_colours_pass_and_only_where_they_are_wanted() -> None:
    plain, coloured = Screen(), Screen(has_colour=True)
    for terminal in (plain, coloured):
        terminal.say("\x1b[31m9D\x1b[0m \x1b[5mblink")
    assert plain.out.getvalue() == "[31m9D[0m [5mblink\n"
    assert coloured.out.getvalue() == "\x1b[31m9D\x1b[0m [5mblink\n"


def test_what_an_encoding_cannot_show_is_no_fault() -> None:
    raw = io.BytesIO()
    terminal = Terminal(io.TextIOWrapper(raw, encoding="ascii"))
    terminal.say("F1–F4 ♥")
    assert raw.getvalue() == b"F1?F4 ?\n"
    assert not terminal.has_blocks
