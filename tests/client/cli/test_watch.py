"""Watching: one race or all of them, at any instant, through a pipe and at a terminal."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.forked import forked
from support.patience import PATIENCE_S
from support.serving import environment, serving

from .conftest import Run
from .screens import Screen

Line = dict[str, Any]


@contextmanager
def running(*arguments: str, home: Path, url: str) -> Iterator[subprocess.Popen[str]]:
    """The command as a process that is read line by line, and ended."""
    with subprocess.Popen(
        [*forked("samedeal_client"), *arguments],
        env=environment(home, SAMEDEAL_SERVER=url, PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def terminal(*arguments: str, home: Path, url: str) -> Iterator[Screen]:
    env = environment(home, SAMEDEAL_SERVER=url, TERM="xterm", COLUMNS="80", LINES="24")
    screen = Screen([*forked("samedeal_client"), *arguments], env)
    try:
        yield screen
    finally:
        screen.close()


def line_with(process: subprocess.Popen[str], text: str) -> str:
    """Reads lines until one holds the text, and returns it."""
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return line
    raise AssertionError(f"{text!r} was not said")


def opened(run: Run, url: str, *terms: str, game: str = "opus") -> str:
    new = ("race", "new", game, "--countdown", "0", *terms, "--server", url)
    return run(*new)[1].strip().splitlines()[0]


def ended(run: Run, url: str, race: str, *, name: str = "Hare") -> None:
    """Has a bot play the race to its end."""
    assert run("bot", "greedy", race, "--name", name, "--server", url)[0] == 0


# --- one race ------------------------------------------------------------------------------------


def test_json_is_a_line_for_every_event_from_the_moment_of_arrival(
    run: Run, url: str, tmp_path: Path
) -> None:
    race = opened(run, url, "--min", "1", game="abandon-hope")
    with running("watch", race, "--json", home=tmp_path / "w", url=url) as watcher:
        assert watcher.stdout is not None
        first: Line = json.loads(watcher.stdout.readline())
        assert (first["type"], first["phase"], first["role"]) == ("race", "open", "spectator")
        ended(run, url, race)
        told: list[Line] = [json.loads(line) for line in watcher.stdout]
        assert watcher.wait(PATIENCE_S) == 0
    kinds = [line["type"] for line in told]
    assert kinds[0] == "entered"
    assert kinds[-1] == "over"
    assert "moved" in kinds
    numbers = [line["seq"] for line in told if line["type"] != "snapshot"]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_json_of_a_race_that_is_over_is_how_it_ended(run: Run, url: str) -> None:
    race = opened(run, url, "--min", "1", game="abandon-hope")
    ended(run, url, race)
    code, out, _ = run("watch", race, "--json", "--server", url)
    [line] = map(json.loads, out.splitlines())
    assert (code, line["phase"], len(line["standings"])) == (0, "over", 1)


def test_a_watcher_is_told_how_late_they_see_it(run: Run, url: str, tmp_path: Path) -> None:
    race = opened(run, url, "--delay", "30", "--min", "1")
    with running("watch", race, home=tmp_path / "w", url=url) as watcher:
        line_with(watcher, "You see everything 30 s late, as the terms say.")


def test_a_race_that_there_is_not_is_one_line(run: Run, url: str) -> None:
    code, _, err = run("watch", "no-such-race", "--server", url)
    assert (code, err.count("\n")) == (1, 1)


def test_boards_and_phrases_go_with_a_race(run: Run) -> None:
    for flags in (("--boards",), ("--phrase", "x")):
        code, _, err = run("watch", *flags)
        assert (code, "go with a race's code" in err) == (2, True)


def test_a_watcher_comes_back_by_itself_when_the_server_does(tmp_path: Path, run: Run) -> None:
    data = tmp_path / "data"
    with serving(data) as url:
        race = opened(run, url, "--min", "1", game="abandon-hope")
        port = url.rpartition(":")[2]
        watching = running("watch", race, home=tmp_path / "w", url=url)
        watcher = watching.__enter__()
        line_with(watcher, f"Race {race}")
    try:
        line_with(watcher, "trying again")
        with serving(data, "--listen", f"127.0.0.1:{port}"):
            line_with(watcher, "connected")
            ended(run, url, race)
            line_with(watcher, "The race is over.")
            assert watcher.wait(PATIENCE_S) == 0
    finally:
        watching.__exit__(None, None, None)


def test_at_a_terminal_boards_are_drawn_and_the_result_stays(
    run: Run, url: str, tmp_path: Path
) -> None:
    race = opened(run, url, "--min", "1", game="abandon-hope")
    with terminal("watch", race, "--boards", home=tmp_path / "w", url=url) as screen:
        screen.wait_for("\x1b[?1049h")
        screen.wait_for("nobody has entered yet")
        ended(run, url, race)
        assert screen.end() == 0
    after = screen.shown.rpartition("\x1b[?1049l")[2]
    assert f"Race {race}" in after
    assert " 1  Hare" in after


# --- all races -----------------------------------------------------------------------------------


def test_without_a_race_every_public_one_is_told_as_it_changes(
    run: Run, url: str, tmp_path: Path
) -> None:
    with running("watch", home=tmp_path / "w", url=url) as watcher:
        race = opened(run, url, "--min", "1", game="abandon-hope")
        assert f"{race}  open  abandon-hope, 0 entrants" in line_with(watcher, race)
        hidden = opened(run, url, "--unlisted")
        bot = ("bot", "greedy", race, "--name", "Hare", "--pace", "0.2")
        with running(*bot, home=tmp_path / "b", url=url):
            assert f"{race}  running" in line_with(watcher, "leads Hare")
            line_with(watcher, f"{race}  over")
    assert hidden != race


def test_the_lobby_as_json_is_a_line_for_every_change(run: Run, url: str, tmp_path: Path) -> None:
    race = opened(run, url)
    with running("watch", "--json", home=tmp_path / "w", url=url) as watcher:
        row: Line = json.loads(line_with(watcher, race))
    assert (row["type"], row["phase"], row["game"], row["entrants"]) == ("race", "open", "opus", 0)


# --- replays -------------------------------------------------------------------------------------


def test_at_a_terminal_a_replay_is_stepped_through_with_keys(
    run: Run, url: str, tmp_path: Path
) -> None:
    race = opened(run, url, "--min", "1", game="abandon-hope")
    ended(run, url, race)
    with terminal("replay", race, home=tmp_path / "w", url=url) as screen:
        screen.wait_for("[before the start]")
        screen.type("f")
        screen.wait_for("[0:")
        screen.type("\x1b[F")
        screen.wait_for("the race is over")
        screen.type("q")
        assert screen.end() == 0
    assert " 1  Hare" in screen.shown.rpartition("\x1b[?1049l")[2]


def test_at_a_terminal_a_replay_plays_to_its_end_at_the_chosen_speed(
    run: Run, url: str, tmp_path: Path
) -> None:
    race = opened(run, url, "--min", "1", game="abandon-hope")
    ended(run, url, race)
    with terminal("replay", race, "--speed", "64", home=tmp_path / "w", url=url) as screen:
        screen.wait_for("64x")
        screen.wait_for("the race is over")
        screen.type("q")
        assert screen.end() == 0


@pytest.mark.parametrize("speed", ["0", "fast", "-1", "nan"])
def test_what_is_no_speed_is_wrong_usage(run: Run, speed: str) -> None:
    code, _, err = run("replay", "x.jsonl", f"--speed={speed}")
    assert (code, "is no speed" in err) == (2, True)


def test_a_replay_of_nobody_says_who_was_there(run: Run, url: str, tmp_path: Path) -> None:
    race = opened(run, url, "--min", "1", game="abandon-hope")
    ended(run, url, race)
    code, _, err = run("replay", race, "--entrant", "Tortoise", "--server", url)
    assert (code, "nobody called 'Tortoise' was in the race, but Hare" in err) == (1, True)
    name = err.rpartition("but ")[2].strip()
    code, out, _ = run("replay", race, "--entrant", name.lower(), "--server", url)
    ends = (f"{name} finish", f"{name}: gave up", f"{name}: stuck")  # as the deal and its bot will
    assert (code, any(end in out for end in ends)) == (0, True)
