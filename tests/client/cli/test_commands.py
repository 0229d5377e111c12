"""The command `samedeal`: what each subcommand prints, and how it ends."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from samedeal_client.cli.command import COMMANDS, guarded, parser
from samedeal_client.cli.parts import Fault
from samedeal_client.cli.races import terms_of
from samedeal_protocol.terms import Mode, Start, Terms, Undo, Visibility
from samedeal_rules import GAMES, deal, every_game, find, parse_position, perft
from samedeal_rules.prose import rules_text
from support.forked import forked
from support.patience import PATIENCE_S
from support.serving import environment

from .conftest import Piped, Run

NOW = 1_800_000_000_000


def parse(*arguments: str) -> argparse.Namespace:
    return parser().parse_args(arguments)


def subcommands(top: argparse.ArgumentParser, *path: str) -> list[tuple[str, ...]]:
    """Every command of a parser, groups before what is in them."""
    found: list[tuple[str, ...]] = []
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                found += [(*path, name), *subcommands(below, *path, name)]
    return found


def started(*arguments: str, home: Path, url: str) -> subprocess.Popen[str]:
    """The command as a process that goes on by itself."""
    return subprocess.Popen(
        [*forked("samedeal_client"), *arguments],
        env=environment(home, SAMEDEAL_SERVER=url),
        stdout=subprocess.PIPE,
        text=True,
    )


# --- offline ---------------------------------------------------------------------------------


def test_games_lists_every_game_key_first(run: Run) -> None:
    code, out, err = run("games")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == [game.key for game in GAMES]


def test_games_as_json_is_a_list(run: Run) -> None:
    listed = json.loads(run("games", "--json")[1])
    assert [each["key"] for each in listed] == [game.key for game in GAMES]
    assert listed[0]["goal"] == 52


def test_games_with_variants_lists_those_as_well(run: Run) -> None:
    out = run("games", "--variants")[1]
    assert [line.split()[0] for line in out.splitlines()] == [game.key for game in every_game()]


def test_rules_prints_the_generated_text(run: Run) -> None:
    assert run("rules", "st-helena")[1] == rules_text(find("st-helena"))


def test_deal_prints_the_whole_position(run: Run) -> None:
    out = run("deal", "forty-thieves", "--seed", "friday-night")[1]
    assert parse_position(out) == deal(find("forty-thieves"), "friday-night").position()


def test_deal_as_a_player_sees_it_hides_the_stock(run: Run) -> None:
    out = run("deal", "forty-thieves", "--seed", "friday-night", "--view")[1]
    assert parse_position(out) == deal(find("forty-thieves"), "friday-night").view()


def test_deal_as_json_has_every_pile(run: Run) -> None:
    said = json.loads(run("deal", "opus", "--seed", "1", "--json")[1])
    assert said["game"] == "opus"
    assert said["seed"] == "1"
    assert sum(map(len, said["piles"].values())) == 52
    assert parse_position(said["text"]).digest() == said["digest"]


def test_deal_draws_the_board(run: Run) -> None:
    out = run("deal", "amazons", "--seed", "1", "--board")[1]
    assert out.splitlines()[0] == "S:24  F1    F2    F3    F4"


def test_perft_counts(run: Run) -> None:
    assert run("perft", "opus", "2", "--seed", "1")[1] == f"{perft(deal(find('opus'), '1'), 2)}\n"
    assert json.loads(run("perft", "opus", "1", "--seed", "1", "--json")[1])["count"] > 0


# --- faults are one line that says what to do ------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("rules", "klondik"), 1, "no game 'klondik' (`samedeal games` lists all 17)"),
        (("rules", "forty-theives"), 1, "forty-thieves"),
        (("deal", "opus", "--seed", ""), 1, "seed"),
        (("deal", "opus", "--seed", "x" * 65), 1, "64"),
        (("perft", "opus", "65", "--seed", "1"), 2, "0 to 64"),
        (("race", "list"), 3, "samedeal-server serve"),
        (("race", "new", "opus"), 3, "--server"),
        (("play", "some-race"), 3, "samedeal-server serve"),
        (("bot", "greedy", "some-race"), 3, "samedeal-server serve"),
        (("results", "some-race"), 3, "samedeal-server serve"),
        (("race", "list", "--server", "http://"), 2, "--server"),
        (("replay", "missing.jsonl"), 1, "missing.jsonl"),
        (("verify", "missing.jsonl"), 1, "missing.jsonl"),
        (("play", "a-race", "--game", "opus"), 2, "not both"),
        (("play", "a-race", "--seed", "1"), 2, "not both"),
        (("play", "--seed", "1"), 2, "--game"),
        (("play", "--game", "opus", "--seed", "\x01"), 1, "seed"),
        (("bot", "greedy"), 2, "--new"),
        (("bot", "greedy", "a-race", "--new", "opus"), 2, "--new"),
        (("bot", "greedy", "a-race", "--pace", "-1"), 2, "--pace"),
        (("race", "new", "opuss"), 1, "opus"),
        (("race", "new", "opus", "--min", "9", "--max", "2"), 2, "at most 2: --min is above --max"),
        (("race", "new", "opus", "--limit", "1s"), 2, "limit"),
        (("race", "new", "opus", "--start", "teatime"), 2, "all-ready"),
        (("race", "new", "opus", "--start", "2001-01-01T00:00:00Z"), 2, "--start is too soon"),
        (("race", "new", "opus", "--async", "--start", "host"), 2, "async"),
        (("race", "new", "opus", "--limit", "none", "--grace", "none"), 2, "never end"),
        (("race", "new", "opus", "--min", "0"), 2, "--min: from 1 to 64"),
        (("race", "new", "opus", "--limit", "3x"), 2, "no duration"),
        (("race", "new", "opus", "--limit", "0"), 2, "--limit: from 10 s to 7 d"),
        (("race", "new", "opus", "--phrase", ""), 2, "at least one character"),
        (("plya",), 2, "did you mean play?"),
        (("frobnicate",), 2, "there are play, "),
        (("bot", "genius", "race"), 2, "there are greedy, patient, random"),
        (("games", "--jsno"), 2, "did you mean --json? See `samedeal games --help`"),
        (("play", "--limit", "5"), 2, "see `samedeal play --help`"),
        (
            ("race", "new", "opus", "--entrants=1"),
            2,
            "did you mean --min or --max? See `samedeal race",
        ),
        (("race", "new", "opus", "penguin"), 2, "'penguin' is a word too many"),
        (("play", "Forty-Thieves"), 2, "did you mean --game forty-thieves?"),
        (("results", "opus"), 2, "`samedeal race new opus --join` opens a race"),
        (("verify", "GCP7", "QV3S", "GS59"), 1, "`samedeal replay gcp7-qv3s-gs59 -o gcp7"),
        (("daily", "play", "--name", ""), 2, "--name: it is empty"),
        (("race", "list", "--server", " "), 2, "--server: it is empty"),
    ],
)
def test_a_fault_is_one_line_that_says_what_to_do(
    run: Run, arguments: tuple[str, ...], code: int, said: str
) -> None:
    happened, out, err = run(*arguments)
    assert (happened, out) == (code, "")
    assert err.startswith("samedeal: ")
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.parametrize(
    "given",
    [
        ("gcp7-qv3s-gs59",),
        ("GCP7-QV3S-GS59",),
        ("gcp7qv3sgs59",),
        (" gcp7 qv3s  gs59 ",),
        ("gcp7", "QV3S", "gs59"),
    ],
)
def test_a_code_is_understood_however_it_is_typed(
    run: Run, url: str, given: tuple[str, ...]
) -> None:
    _, _, err = run("results", *given, "--server", url)
    assert "'gcp7-qv3s-gs59'" in err


def test_commands_in_help_and_faults_are_as_they_have_to_be_typed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/samedeal"])
    told = run("race", "new", "--help")[1]
    assert "\n  .venv/bin/samedeal race new opus\n" in told
    assert "\n  samedeal " not in told
    assert "`.venv/bin/samedeal-server serve`" in run("race", "list")[2]
    assert (
        "no option of samedeal play; see `.venv/bin/samedeal play --help`"
        in (run("play", "--wrong-word")[2])
    )


@pytest.mark.parametrize("arguments", [(), ("race",)])
def test_a_group_without_a_command_shows_its_help(run: Run, arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"usage: {' '.join(('samedeal', *arguments))} ")
    assert "examples:" in err or "in two terminals" in err


def test_a_foreign_locale_does_not_change_what_was_typed(run: Run) -> None:
    typed = "für Äda"
    escaped = "für Äda".encode().decode("ascii", "surrogateescape")
    for seed in (typed, escaped):
        code, out, _ = run("deal", "opus", "--seed", seed, "--json")
        assert (code, json.loads(out)["seed"]) == (0, "für Äda")


def test_a_commands_module_is_known_without_loading_any() -> None:
    """And it alone is loaded: what a command does not need takes longer than what it does."""
    assert [path[0] for path in subcommands(parser()) if len(path) == 1] == list(COMMANDS)
    for command, module in COMMANDS.items():
        own = [path[0] for path in subcommands(parser(command)) if len(path) == 1]
        assert own == [each for each, its in COMMANDS.items() if its == module]
    deals = "from samedeal_client.cli import main; main(['deal', 'fortress', '--seed', '1'])"
    printed = subprocess.run(
        [sys.executable, "-c", f"import sys; {deals}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "samedeal_client.cli.rulebook" in printed
    for unneeded in ("samedeal_client.cli.tournaments", "importlib.metadata"):
        assert unneeded not in printed


@pytest.mark.parametrize("path", subcommands(parser()), ids=" ".join)
def test_help_of_every_command_has_examples(run: Run, path: tuple[str, ...]) -> None:
    code, out, _ = run(*path, "--help")
    assert code == 0
    examples = out.partition("examples:\n")[2]
    assert f"samedeal {' '.join(path)}" in examples
    assert max(map(len, out.splitlines())) <= 80


def test_help_and_version(run: Run) -> None:
    assert "exit codes" in run("--help")[1]
    assert re.fullmatch(r"samedeal \S.*\n", run("--version")[1])


# --- terms -----------------------------------------------------------------------------------


def test_a_race_without_flags_has_the_usual_terms() -> None:
    assert terms_of(parse("race", "new", "opus"), now=NOW) == Terms(game="opus")


def test_every_term_has_a_flag() -> None:
    arguments = parse(
        "race", "new", "opus:no-wrap", "--start", "+10min", "--countdown", "0", "--limit", "2h",
        "--min", "3", "--max", "5", "--undo", "penalty", "--undo-penalty", "10s", "--spectators",
        "progress", "--delay", "1min", "--blind", "--hints", "--rated", "--no-bots", "--grace",
        "none", "--phrase", "sesame",
    )  # fmt: skip
    terms = terms_of(arguments, now=NOW)
    assert terms == Terms(
        game="opus:no-wrap",
        start=Start.AT,
        start_at=NOW + 600_000,
        countdown=0,
        limit=7200,
        entrants_min=3,
        entrants_max=5,
        undo=Undo.PENALTY,
        undo_penalty=10,
        visibility=Visibility.PHRASE,
        spectators=type(terms.spectators).PROGRESS,
        delay=60,
        blind=True,
        hints=True,
        rated=True,
        bots=False,
        grace=None,
    )


def test_an_async_race_closes_when_it_is_told_to() -> None:
    arguments = parse("race", "new", "opus", "--async", "--closes", "2d", "--unlisted")
    terms = terms_of(arguments, now=NOW)
    assert (terms.mode, terms.closes) == (Mode.ASYNC, 2 * 86_400)
    assert terms.visibility is Visibility.UNLISTED


def test_a_start_without_a_zone_is_utc() -> None:
    arguments = parse("race", "new", "opus", "--start", "2027-01-15T08:10:00")
    assert terms_of(arguments, now=NOW).start_at == 1_800_000_600_000


@pytest.mark.parametrize("text", ["", "x", "-5", "5y", "1.5h", "٣s", "9999999999"])
def test_what_is_no_duration_is_wrong_usage(run: Run, text: str) -> None:
    assert run("race", "new", "opus", "--countdown", text)[0] == 2


# --- with a server ---------------------------------------------------------------------------


def test_a_race_is_opened_listed_and_told(run: Run, url: str) -> None:
    code, out, err = run("race", "new", "fortress", "--seed", "1", "--server", url)
    assert (code, err) == (0, "")
    race = out.strip()
    listed = run("race", "list", "--game", "fortress", "--server", url)[1]
    assert any(line.startswith(f"{race}  open  fortress, live") for line in listed.splitlines())
    mine = json.loads(run("race", "list", "--mine", "--json", "--server", url)[1])
    assert [card["race"] for card in mine] == [race]
    assert f"Race {race} (open): fortress" in run("results", race, "--server", url)[1]
    assert json.loads(run("results", race, "--json", "--server", url)[1])["phase"] == "open"


def test_a_new_race_as_json_names_its_code_and_terms(run: Run, url: str) -> None:
    said = json.loads(run("race", "new", "opus", "--json", "--server", url)[1])
    assert said["terms"]["game"] == "opus"
    assert said["race"]


def test_the_same_name_is_the_same_player_again(run: Run, url: str) -> None:
    race = run("race", "new", "opus", "--name", "Constance", "--server", url)[1].strip()
    again = run("race", "list", "--mine", "--name", "Constance", "--server", url)[1]
    other = run("race", "list", "--mine", "--name", "Variable", "--server", url)[1]
    assert race in again
    assert race not in other


def test_a_token_that_the_server_does_not_know_is_forgotten(
    run: Run, url: str, tmp_path: Path
) -> None:
    run("race", "list", "--name", "Amnesia", "--server", url)
    (token,) = (tmp_path / "home").rglob("@Amnesia.token")
    token.write_text("not a token\n")
    code, _, err = run("race", "list", "--name", "Amnesiac", "--server", url)
    assert (code, err) == (0, "")
    token.rename(token.with_name("@Renewed.token"))
    assert run("race", "list", "--name", "Renewed", "--server", url)[0] == 0


def test_no_such_race_is_one_line(run: Run, url: str) -> None:
    for arguments in (("results", "no-such"), ("play", "no-such"), ("race", "watch", "no-such")):
        code, _, err = run(*arguments, "--server", url)
        assert code == 1
        assert err.count("\n") == 1


def test_two_bots_race_and_the_replay_is_told_and_verified(
    run: Run, piped: Piped, url: str, tmp_path: Path
) -> None:
    new = ("race", "new", "abandon-hope", "--seed", "friday-night", "--countdown", "0")
    race = run(*new, "--server", url)[1].strip()
    with (
        started(
            "bot", "random", race, "--name", "Snail", home=tmp_path / "snail", url=url
        ) as rival,
        started("race", "watch", race, home=tmp_path / "watcher", url=url) as watcher,
    ):
        assert watcher.stdout is not None
        assert watcher.stdout.readline().startswith(f"Race {race}: abandon-hope, live")
        said = run("bot", "greedy", race, "--name", "Hare", "--json", "--server", url)[1]
        standings = json.loads(said)
        assert sorted(line["name"] for line in standings) == ["Hare", "Snail"]
        assert all(line["bot"] for line in standings)
        assert rival.communicate(timeout=PATIENCE_S)[0].count("/13") == 2
        lanes = watcher.communicate(timeout=PATIENCE_S)[0]
    assert "The race is over." in lanes
    assert "/13 home, racing" in lanes
    assert "\x1b" not in lanes

    file = tmp_path / "race.jsonl"
    saved = run("replay", race, "-o", str(file), "--server", url)[1]
    assert saved == f"Saved {file}. Check it: samedeal verify {file}\n"
    code, report, _ = run("verify", str(file))
    assert code == 0
    assert all(line.startswith("ok ") for line in report.splitlines())
    assert json.loads(run("verify", str(file), "--json")[1])["passed"] is True

    told = run("replay", str(file))[1]
    assert "seed friday-night" in told
    assert "the race starts" in told
    assert told.count("Hare") > 10
    boards = run("replay", str(file), "--boards")[1]
    assert boards.count("T19") > 10

    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(file.read_bytes().replace(b'"friday-night"', b'"sunday-night"'))
    assert run("verify", str(forged))[0] == 1
    assert run("verify", str(file), "--head", "00" * 32)[0] == 1


def test_a_watched_race_that_has_ended_already_is_told_and_no_more(run: Run, url: str) -> None:
    race = run("race", "new", "opus", "--min", "1", "--server", url)[1].strip()
    assert run("bot", "random", race, "--server", url)[0] == 0
    code, out, _ = run("race", "watch", race, "--server", url)
    assert code == 0
    assert " 1  random (bot)" in out.splitlines()[-1]


def test_races_as_json_have_every_term(run: Run, url: str) -> None:
    race = run("race", "new", "opus", "--server", url)[1].strip()
    cards = json.loads(run("race", "list", "--json", "--server", url)[1])
    [card] = [card for card in cards if card["race"] == race]
    assert (card["terms"]["limit"], card["terms"]["undo"]) == (3600, "not-past-a-reveal")


def test_a_replay_that_was_cut_off_is_told_as_far_as_it_goes(
    run: Run, url: str, tmp_path: Path
) -> None:
    race = run("race", "new", "opus", "--min", "1", "--server", url)[1].strip()
    assert run("bot", "random", race, "--server", url)[0] == 0
    file = tmp_path / "whole.jsonl"
    assert run("replay", race, "-o", str(file), "--server", url)[0] == 0
    whole = file.read_bytes()
    for cut in (1, 40, len(whole) // 2):
        file.write_bytes(whole[:-cut].rpartition(b"\n")[0] + b"\n")
        code, out, err = run("replay", str(file))
        assert (code, "random" in out, "cut off" in err) == (1, True, True)
        code, out, _ = run("verify", str(file))
        assert (code, "cut off" in out) == (1, True)


def test_a_file_that_is_no_replay_is_refused_by_both(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "story.jsonl"
    file.write_text("Once upon a time\n")
    assert run("verify", str(file))[0] == 1
    code, _, err = run("replay", str(file))
    assert code == 1
    assert err.count("\n") == 1


def test_output_that_nobody_reads_any_more_ends_the_command_quietly(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    result = subprocess.run(
        [sys.executable, "-m", "samedeal_client", "games", "--json"],
        env=environment(tmp_path),
        stdout=write,
        stderr=subprocess.PIPE,
    )
    os.close(write)
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")
def test_output_that_a_full_disk_does_not_take_is_one_line(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [sys.executable, "-m", "samedeal_client", "games"],
            env=environment(tmp_path),
            stdout=full,
            stderr=subprocess.PIPE,
        )
    said = b"samedeal: the output cannot be written: No space left on device\n"
    assert (result.returncode, result.stderr) == (1, said)


def test_no_colour_is_printed_through_a_pipe_or_where_it_is_not_wanted(piped: Piped) -> None:
    assert "\x1b" not in piped("deal", "opus", "--seed", "1", "--board").stdout


class _Paper:
    """Standard output or standard error, on one sheet; output is buffered as Python does it."""

    def __init__(self, sheet: list[str], *, is_buffered: bool) -> None:
        self._sheet = sheet
        self._waiting: list[str] = []
        self._is_buffered = is_buffered

    def write(self, text: str) -> int:
        (self._waiting if self._is_buffered else self._sheet).append(text)
        return len(text)

    def flush(self) -> None:
        self._sheet += self._waiting
        self._waiting.clear()

    def isatty(self) -> bool:
        return False


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), Fault("no such thing")])
def test_what_was_printed_before_a_fault_comes_before_its_line(
    monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    sheet: list[str] = []
    monkeypatch.setattr("sys.stdout", _Paper(sheet, is_buffered=True))
    monkeypatch.setattr("sys.stderr", _Paper(sheet, is_buffered=False))

    def run() -> int:
        sys.stdout.write("half a screen")
        raise fault

    guarded(run)
    assert sheet[0] == "half a screen"
    assert sheet[-1].startswith("samedeal: ")
