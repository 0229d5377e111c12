"""Playing by lines: alone, in a race, through pipes and at a terminal."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import split

import pytest

from samedeal_rules import GAMES, Game, deal, move_text
from support.forked import forked
from support.patience import PATIENCE_S
from support.serving import environment

from .conftest import Piped, Run, Typed
from .screens import Screen

RaceOf = Callable[..., str]


def command(*arguments: str) -> list[str]:
    return [*forked("samedeal_client"), *arguments]


# --- practice --------------------------------------------------------------------------------


def test_practice_through_a_pipe_says_one_line_a_command_and_draws_nothing(piped: Piped) -> None:
    lines = "9\nd\nu\n\nlegal\n3 3\nquit\n"
    result = piped("play", "--game", "forty-thieves", "--seed", "friday-night", lines=lines)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "Practice: forty-thieves, seed friday-night. Type help, rules, or a move.",
        "T9-F1 (AS); 1/104 home",
        "draw; 7D turns up on W; 1/104 home",
        "Undone: draw; 1/104 home",
        "T3-T5 T7-F2 T7-F3 T7-F4 T7-F5 T7-F6 T7-F7 T7-F8 T8-F1 draw",
        "No: T3 is not played onto itself.",
        "The same deal again: samedeal play --game forty-thieves --seed friday-night",
    ]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_every_game_can_be_played_and_drawn(game: Game, typed: Typed) -> None:
    table = deal(game, "1")
    moves: list[str] = []
    while len(moves) < 8 and table.legal():
        moves.append(move_text(game, min(table.legal())))
        table.play(min(table.legal()))
    lines = "\n".join([*moves, "board", "piles", "rules", "hint", "giveup"])
    out = typed("play", "--game", game.key, "--seed", "1", lines=lines)
    assert table.view().text() in "\n".join(out)
    assert not [line for line in out if line.startswith("No: ") and "undo" not in line]


def test_home_sends_safe_cards_home_and_undo_brings_them_back(typed: Typed) -> None:
    lines = "home\nundo\nhome\nhome\nquit\n"
    out = typed("play", "--game", "forty-thieves", "--seed", "friday-night", lines=lines)
    said = [line for line in out if line.startswith(("T7", "Undone", "No"))]
    assert said == [  # T7 ends in two Aces, T9 in one
        "T7-F1 T7-F2 T9-F3; 3/104 home",
        "Undone: T7-F1 T7-F2 T9-F3; 0/104 home",
        "T7-F1 T7-F2 T9-F3; 3/104 home",
        "No: no card is safe to send home from here",
    ]


def test_a_hint_that_is_asked_for_again_names_another_move(typed: Typed) -> None:
    out = typed("play", "--game", "opus", "--seed", "1", lines="hint\nhint\nT1-C1\nhint\nquit\n")
    first, second, third = [line for line in out if line.startswith("Try ")]
    assert first != second
    assert third


def test_practice_ends_with_the_last_card_home(typed: Typed) -> None:
    discard = "".join(f"{pile}\n" for pile in range(1, 25))
    lines = f"{discard}redeal\n" * 4 + "quit\n"
    out = typed("play", "--game", "abandon-hope", "--seed", "0", lines=lines)
    assert out[-1] == "Every card is home: you have won."


def test_who_is_stuck_is_told_so(typed: Typed) -> None:
    discard = "".join(f"{pile}\n" for pile in range(1, 25))
    out = typed("play", "--game", "abandon-hope", "--seed", "x", lines=f"{discard}redeal\n" * 4)
    assert "Stuck: no legal move changes anything. Undo, or giveup." in out


def test_words_of_a_race_are_out_of_place_in_practice(typed: Typed) -> None:
    out = typed("play", "--game", "opus", "--seed", "1", lines="rivals\nsay hello\nhelp\n")
    assert out[1:3] == [
        "rivals: there is no race here; this is practice",
        "say: there is no race here; this is practice",
    ]
    assert not [line for line in out if line.startswith("rivals,")]


def test_without_server_or_game_play_offers_practice(typed: Typed) -> None:
    out = typed("play", lines="klondike\nopus\nquit\n")
    assert out[0].startswith("Offline: no server answers at ws://127.0.0.1:1")
    assert out[2] == "'klondike' is no game: games lists them"
    assert out[3].startswith("Practice: opus, seed ")


def test_the_end_of_the_input_ends_practice(typed: Typed) -> None:
    assert len(typed("play", "--game", "opus", "--seed", "1")) == 2


# --- a race ----------------------------------------------------------------------------------


@pytest.fixture
def race_of(run: Run, url: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Opens a race on the server, which from then on is the usual one."""
    monkeypatch.setenv("SAMEDEAL_SERVER", url)

    def new(*terms: str) -> str:
        usual = ("--seed", "friday-night", "--countdown", "0")
        code, out, err = run("race", "new", "forty-thieves", *usual, *terms)
        assert (code, err) == (0, "")
        return out.strip()

    return new


def test_a_whole_race_through_pipes(
    race_of: RaceOf, piped: Piped, run: Run, url: str, tmp_path: Path
) -> None:
    race = race_of()
    with subprocess.Popen(
        command("play", race, "--name", "Bea", "--ready"),
        env=environment(tmp_path / "bea", SAMEDEAL_SERVER=url),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as rival:
        assert rival.stdin is not None
        rival.stdin.write("7\ngiveup\nwait\n")
        rival.stdin.flush()
        words = "terms,ready,7,9,board,time,rivals,say well; well,u,giveup,wait,results,replay"
        lines = words.replace(",", "\n")
        result = piped("play", race, "--name", "Ada", lines=lines, SAMEDEAL_SERVER=url)
        said = rival.communicate(timeout=PATIENCE_S)[0]
    assert (result.returncode, result.stderr) == (0, "")
    out = result.stdout.splitlines()
    assert out[0].startswith(f"Race {race}: forty-thieves, live: ")
    for line in (
        "game forty-thieves",
        "T7-F1 (AD); 1/104 home",
        "T9-F2 (AS); 2/104 home",
        "Ada: well; well",
        "You gave up with 1/104 home.",
        "The race is over.",
        f"Saved {race}.jsonl. Check it: samedeal verify {race}.jsonl",
    ):
        assert line in out
    assert "Bea gave up with 1/104 home." in result.stdout
    assert "Ada gave up with 1/104 home." in said
    assert "\x1b" not in result.stdout
    assert run("verify", str(tmp_path / f"{race}.jsonl"))[0] == 0


def test_who_comes_back_reads_what_was_said(race_of: RaceOf, typed: Typed) -> None:
    race = race_of("--min", "2")
    said = [line for line in typed("play", race, lines="say back soon\n") if ": back soon" in line]
    assert said[0] in typed("play", race)


def test_moves_that_come_before_the_start_wait_for_it(race_of: RaceOf, typed: Typed) -> None:
    out = typed("play", race_of("--min", "1"), lines="ready\n7\nu\ngiveup\nwait\n")
    assert "T7-F1 (AD); 1/104 home" in out
    assert not [line for line in out if "no board yet" in line]


def test_who_quits_keeps_their_place_and_comes_back_to_their_board(
    race_of: RaceOf, typed: Typed
) -> None:
    race = race_of("--min", "1")
    first = typed("play", race, lines="ready\n7\nquit\n")
    assert first[-1] == f"Your place is kept. Come back with: samedeal play {race}"
    again = typed("play", race.upper(), lines="9\ngiveup\nwait\n")
    assert "The board is dealt: 1/104 home." in again
    assert "T9-F2 (AS); 2/104 home" in again


def test_an_async_race_begins_when_its_player_does(race_of: RaceOf, typed: Typed) -> None:
    out = typed("play", race_of("--async", "--min", "1"), lines="7\nbegin\n7\ngiveup\n")
    assert "there is no board yet: type begin first" in out
    assert "T7-F1 (AD); 1/104 home" in out


@pytest.mark.parametrize(
    ("terms", "word"), [((), "ready"), (("--start", "host"), "start"), (("--async",), "begin")]
)
def test_lines_that_could_only_wait_for_ever_are_told_what_they_wait_for(
    race_of: RaceOf, typed: Typed, terms: tuple[str, ...], word: str
) -> None:
    out = typed("play", race_of("--min", "1", *terms), lines=f"7\nwait\n{word}\n7\ngiveup\n")
    assert f"there is no board yet: type {word} first" in out
    assert f"There is nothing to wait for before you type {word}." in out
    assert "T7-F1 (AD); 1/104 home" in out


def test_a_bot_that_one_races_leaves_and_comes_back_with_one_and_hurries_when_alone(
    race_of: RaceOf, typed: Typed, tmp_path: Path
) -> None:
    race_of()
    first = typed(
        *("play", "--game", "fortress", "--seed", "s", "--against", "greedy"), lines="l\nquit\n"
    )
    race = first[0].split()[1].rstrip(":")
    way_back = f"samedeal play {race} --against greedy"
    assert first[-1] == (
        f"greedy leaves with you, and both places are kept for 5 min. Come back with: {way_back}"
    )
    again = typed(*split(way_back)[1:], lines="giveup\nquit\n")
    assert "greedy hurries to its end. Ctrl-C leaves it where it is." in again
    assert sorted(line.split()[1] for line in again[-2:]) == sorted(
        [again[1].split()[2], again[2].split()[1]]
    )
    file = tmp_path / "race.jsonl"
    over = typed("play", race, lines=f"replay {file}\n")
    assert over[-1] == f"Saved {file}. Check it: samedeal verify {file}"


def test_a_bot_that_comes_too_late_is_told_how_to_play_without_it(
    race_of: RaceOf, typed: Typed, piped: Piped, url: str
) -> None:
    race = race_of("--min", "1")
    typed("play", race, lines="ready\n7\nquit\n")
    late = piped("play", race, "--against", "random", lines="wait\n", SAMEDEAL_SERVER=url)
    assert late.returncode == 1
    assert late.stderr.endswith(f"play on without it: `samedeal play {race}`\n")
    assert late.stderr.count("\n") == 1


def test_the_way_back_names_server_and_player_as_they_were_named(
    race_of: RaceOf, url: str, typed: Typed
) -> None:
    race = race_of()
    flags = ("--server", url, "--name", "Ada Lovelace")
    out = typed("play", race, *flags, lines="quit\n")
    back = f"samedeal play {race} --server {url} --name 'Ada Lovelace'"
    assert out[-1] == f"Your place is kept. Come back with: {back}"
    assert any("you: Ada Lovelace" in line for line in typed(*split(back)[1:], lines="leave\n"))


def test_who_is_done_before_the_others_is_told_how_to_learn_the_end(
    race_of: RaceOf, typed: Typed
) -> None:
    race = race_of("--async", "--min", "1")
    out = typed("play", race, lines="begin\ngiveup\n")
    assert out[-2:] == [
        "The race stays open to others: results says how it stands.",
        f"The race goes on. How it ends: samedeal results {race}",
    ]


def test_a_replay_that_cannot_be_written_is_one_line(race_of: RaceOf, typed: Typed) -> None:
    out = typed("play", race_of("--min", "1"), lines="ready\ngiveup\nwait\nreplay /no/x\n")
    assert out[-1] == "No: /no/x cannot be written: No such file or directory"


def test_the_host_starts_a_race(race_of: RaceOf, typed: Typed) -> None:
    race = race_of("--min", "1", "--start", "host")
    out = typed("play", race, lines="ready\nstart\n7\ngiveup\nwait\n")
    assert "T7-F1 (AD); 1/104 home" in out


def test_the_host_calls_a_race_off(race_of: RaceOf, typed: Typed) -> None:
    out = typed("play", race_of(), lines="cancel\nwait\n")
    assert any(line.startswith("The race was called off") for line in out)


def test_a_pass_phrase_lets_in_and_its_lack_does_not(
    race_of: RaceOf, run: Run, typed: Typed
) -> None:
    race = race_of("--phrase", "open sesame")
    code, _, err = run("play", race, "--name", "Kassim")
    assert (code, err.count("\n")) == (1, 1)
    arguments = ("play", race, "--name", "Ali", "--phrase", "open sesame")
    assert typed(*arguments, lines="leave\n")[-1] != ""


def test_a_rematch_is_played_in_the_same_terminal(race_of: RaceOf, typed: Typed) -> None:
    race = race_of("--min", "1")
    lines = "ready\ngiveup\nwait\nrematch\nready\ngiveup\nwait\n"
    out = typed("play", race, lines=lines)
    races = [line.split()[1] for line in out if line.startswith("Race ")]
    assert races[0] == f"{race}:"
    assert len(set(races)) == 2
    assert out.count("The race is over.") == 2


def test_who_comes_too_late_is_told_how_to_watch(race_of: RaceOf, run: Run, typed: Typed) -> None:
    race = race_of("--min", "1")
    typed("play", race, "--name", "Early", lines="ready\n7\nquit\n")
    code, _, err = run("play", race, "--name", "Late")
    assert code == 1
    assert f"samedeal race watch {race}" in err
    typed("play", race, "--name", "Early", lines="giveup\nwait\n")


def test_choosing_from_the_list_opens_and_enters_a_race(race_of: RaceOf, typed: Typed) -> None:
    race = race_of()
    out = typed("play", lines="games\nno-such-race\nnew klondike\nnew opus\nleave\n")
    assert any(line.strip().startswith(race) for line in out)
    assert "No: no race has this code" in out
    assert "'klondike' is no game: games lists them" in out
    assert any(line.startswith("Opened ") for line in out)
    assert any(": opus, live: starts when all are ready" in line for line in out)


def test_a_bot_of_the_servers_enters_when_it_is_asked_for(race_of: RaceOf, typed: Typed) -> None:
    race = race_of()
    out = typed("play", race, lines="bot nobody\nbot patient\nready\ngiveup\nquit\n")
    assert "There is no such bot: type bot and one of random, greedy, patient." in out
    assert any("House Patient" in line for line in out)
    assert "The race is on." in out


def test_a_bot_keeps_company_on_request(race_of: RaceOf, typed: Typed) -> None:
    race_of()
    out = typed("play", "--game", "opus", "--against", "patient", lines="rivals\nquit\n")
    assert out[0].endswith("2 entrants, undo, but not past a card that turned up, unlisted.")
    assert "Come back with: samedeal play" in out[-1]
    assert out[-1].endswith(" --against patient")


def test_the_player_who_is_replaced_is_told_so(
    race_of: RaceOf, typed: Typed, url: str, tmp_path: Path
) -> None:
    race = race_of("--min", "1")
    home = os.environ["SAMEDEAL_HOME"]
    with subprocess.Popen(
        command("play", race),
        env=environment(Path(home), SAMEDEAL_SERVER=url),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline().startswith(f"Race {race}")
        typed("play", race, lines="leave\n")
        assert first.wait(PATIENCE_S) == 3
        assert first.stderr is not None
        assert first.stderr.read().count("\n") == 1


# --- at a terminal ---------------------------------------------------------------------------


@pytest.fixture
def practice(tmp_path: Path) -> Iterator[Screen]:
    arguments = command("play", "--game", "forty-thieves", "--seed", "friday-night")
    screen = Screen(arguments, environment(tmp_path, TERM="xterm", COLUMNS="80", LINES="40"))
    try:
        yield screen
    finally:
        screen.close()


def test_a_terminal_gets_the_board_after_each_move_and_colours(practice: Screen) -> None:
    practice.wait_for("0/104 home")
    practice.type("9\n")
    practice.wait_for("T9-F1 (AS)")
    practice.wait_for("\r\n1/104 home")
    assert "\x1b[31m9D\x1b[0m" in practice.shown
    practice.type("\n")
    practice.wait_for("draw; 7D turns up on W")
    practice.type("quit\n")
    assert practice.end() == 0


def test_the_first_board_says_how_to_play_and_the_next_do_not(practice: Screen) -> None:
    practice.wait_for("Type 3 to play the top card of T3 where it goes")
    practice.type("9\nquit\n")
    assert practice.end() == 0
    assert practice.shown.count("Type 3 to play") == 1


def test_a_narrow_terminal_gets_a_list_of_piles_and_no_broken_rows(tmp_path: Path) -> None:
    arguments = command("play", "--game", "forty-thieves", "--seed", "friday-night")
    screen = Screen(arguments, environment(tmp_path, TERM="xterm", COLUMNS="40", NO_COLOR="1"))
    screen.wait_for("T10 KC JS 3C 4H")
    screen.type("help\nquit\n")
    assert screen.end() == 0
    screen.close()
    *lines, command_to_copy = screen.shown.splitlines()
    assert max(map(len, lines)) <= 40
    assert command_to_copy == "    samedeal play --game forty-thieves --seed friday-night"


def test_a_rematch_is_told_to_who_stays_at_the_terminal_and_help_names_what_fits(
    race_of: RaceOf, typed: Typed, url: str, tmp_path: Path
) -> None:
    race = race_of()
    screen = Screen(
        command("play", race, "--name", "Augusta", "--ready"),
        environment(tmp_path / "ada", TERM="xterm", SAMEDEAL_SERVER=url),
    )
    screen.wait_for("You are ready.")
    screen.type("help\n")
    screen.wait_for("Words for another time: help all.")
    assert ("unready" in screen.shown, "giveup" in screen.shown) == (True, False)
    typed("play", race, "--name", "Beatrix", lines="ready\ngiveup\nrivals\n")
    screen.wait_for("Beatrix gave up")
    screen.type("help\n")
    screen.wait_for("giveup, resign")
    assert "replay" not in screen.shown
    screen.type("giveup\ny\n")
    screen.wait_for("The race is over.")
    typed("play", race, "--name", "Beatrix", lines="rematch\nleave\n")
    screen.wait_for("There is a rematch: type rematch to enter it.")
    screen.type("rematch\nquit\n")
    assert screen.end() == 0
    screen.close()
    assert "The connection" not in screen.shown


def test_giving_up_at_a_terminal_is_asked_about(practice: Screen) -> None:
    practice.wait_for("0/104 home")
    practice.type("giveup\n")
    practice.wait_for("Give up? y or n")
    practice.type("n\n")
    practice.wait_for("You play on.")
    practice.type("resign\ny\n")
    assert practice.end() == 0


def test_a_redeal_that_nothing_brings_back_takes_two_lines_at_a_terminal(
    url: str, run: Run, tmp_path: Path
) -> None:
    terms = ("--min", "1", "--countdown", "0")
    _, race, _ = run("race", "new", "abandon-hope", "--server", url, *terms)
    ways = environment(tmp_path, TERM="xterm", COLUMNS="80", LINES="60", SAMEDEAL_SERVER=url)
    screen = Screen(command("play", race.strip(), "--ready"), ways)
    screen.wait_for("redeals 0 of 3")
    screen.type("redeal\nlegal\nredeal\nd\n")  # the first is forgotten over another line
    screen.wait_for("redeals 1 of 3")
    screen.type("quit\n")
    assert screen.end() == 0, screen.shown
    asked = "A redeal cannot be taken back here, and 3 are left. Once more to redeal."
    assert screen.shown.count(asked) == 2
    screen.close()


def test_an_interrupt_ends_with_one_line(practice: Screen) -> None:
    practice.wait_for("0/104 home")
    practice.type("\x03")
    assert practice.end() == 130
    assert practice.shown.rstrip().endswith("samedeal: interrupted")
    assert "Traceback" not in practice.shown


def test_no_color_is_respected_at_a_terminal(tmp_path: Path) -> None:
    arguments = command("deal", "opus", "--seed", "1", "--board")
    screen = Screen(arguments, environment(tmp_path, TERM="xterm", NO_COLOR="1"))
    assert screen.end() == 0
    screen.close()
    assert "\x1b" not in screen.shown


def test_lanes_are_redrawn_in_place_at_a_terminal(
    race_of: RaceOf, run: Run, url: str, tmp_path: Path
) -> None:
    race = race_of("--min", "1")
    screen = Screen(
        command("race", "watch", race), environment(tmp_path, TERM="xterm", SAMEDEAL_SERVER=url)
    )
    screen.wait_for("nobody has entered yet")
    assert run("bot", "greedy", race)[0] == 0
    assert screen.end() == 0
    screen.close()
    assert "\x1b[2A" in screen.shown
    assert "█" in screen.shown
    assert "The race is over." in screen.shown
