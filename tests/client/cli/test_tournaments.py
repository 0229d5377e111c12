"""The commands of tournaments against a real server, as people and scripts type them."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from samedeal_client import Terms, TournamentTerms, connect, run_bot
from samedeal_protocol.tournament.formats import Length, SingleElimination
from support.forked import forked
from support.patience import PATIENCE_S
from support.serving import environment

from .conftest import Run, Typed
from .screens import Screen

QUICK = ("--game", "chessboard", "--set", "race.countdown=0")
"""No deal of Chessboard is stuck at once, as one in 25 of Fortress is."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tokens of all players of these tests are, since they share a server."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def at(url: str, run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command in this process, against the server, as Hal unless it says otherwise."""
    monkeypatch.setenv("SAMEDEAL_HOME", str(home))

    def command(*arguments: str, name: str = "Hal") -> tuple[int, str, str]:
        return run("tournament", *arguments, "--server", url, "--name", name)

    return command


def announced(at: Run, *arguments: str, format: str = "single-elimination") -> str:
    code, out, err = at("new", "--format", format, *QUICK, *arguments)
    assert (code, err) == (0, "")
    return str(out).strip()


async def test_bots_play_a_tournament_to_its_champion(url: str) -> None:
    length = Length(best_of=3, replays=1)
    race = Terms(game="chessboard", countdown=0, limit=60)
    plan = TournamentTerms(
        name="Bots", format=SingleElimination(third_place=True, length=length), race=race
    )
    async with connect(url, name="Hugo") as hall, asyncio.TaskGroup() as tasks:
        code = await hall.announce(plan)
        bots = [
            tasks.create_task(run_bot(url, "random", tournament=code, name=f"Rob{n}"))
            for n in range(4)
        ]
        async with hall.tournament(code) as cup:
            async for _ in cup.changes():
                if len(cup.sheet.players) == 4:
                    break
            await cup.start()
            head = await cup.over()
            names = {each.player: each.name for each in cup.sheet.players}
            labels = sorted(each.label for each in cup.sheet.matches)
            events = [json.loads(line)["event"] async for line in cup.log()]
    tables = [bot.result() for bot in bots]
    assert head.champion == tables[0].lines[0].player
    assert set(names.values()) == {"Rob0", "Rob1", "Rob2", "Rob3"}
    assert labels == ["final", "semi-final", "semi-final", "third place"]
    assert [line.place for line in tables[0].lines] == [1, 2, 3, 4]
    assert all(table.final and table == tables[0] for table in tables)
    assert (events[0], events[-1]) == ("announced", "over")


def test_a_plan_is_checked_and_nothing_is_announced(run: Run, tmp_path: Path) -> None:
    code, plan, _ = run("tournament", "new", "--template", "heats")
    file = tmp_path / "heats.toml"
    file.write_text(plan)
    code, out, err = run("tournament", "new", str(file), "--check", "--rounds", "7")
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == [
        "Friday cup",
        "  heats, 7 rounds, up to 8 in a race, points 10 8 6 5 4 3 2 1",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ((), 2, "say what is played"),
        (("--format", "swiss"), 2, "name what is played"),
        (("--format", "swis", "--game", "opus"), 2, "did you mean swiss?"),
        (("--format", "swiss", "--game", "opsu"), 2, "did you mean opus"),
        (("--format", "swiss", "--game", "opus", "--set", "swiss.ronds=3"), 2, "mean rounds?"),
        (("--format", "swiss", "--game", "opus", "--set", "x"), 2, "KEY=VALUE"),
        (("--format", "swiss", "--game", "opus", "--cap", "all"), 2, "'all' is no whole number"),
        (("--format", "ladder", "--game", "opus", "--bell", "40s"), 2, "bell: from 1 min to 30 d"),
        (("--format", "swiss", "--game", "opus", "--starts", "soon"), 2, "'soon' is no time"),
        (("--format", "swiss", "--game", "opus", "--starts", "+soon"), 2, "is no duration"),
        (("--format", "round-robin", "--game", "opus", "--rounds", "3"), 2, "no such setting"),
        (("nowhere.toml",), 1, "nowhere.toml cannot be read: No such file"),
    ],
)
def test_a_bad_plan_is_one_line_that_says_what_to_do(
    run: Run, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    got, out, err = run("tournament", "new", *arguments)
    assert (got, out) == (code, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_a_fault_in_a_file_names_the_file_and_the_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text('name = "Cup"\nformat = "swiss"\ngame = "opus"\n[swiss]\nround = 3\n')
    code, _, err = run("tournament", "new", str(file))
    assert code == 1
    assert f"{file}, line 5: swiss.round: no such setting: did you mean rounds?" in err


def test_a_fault_in_an_option_beside_a_file_is_not_said_to_be_in_it(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text('name = "Cup"\nformat = "swiss"\ngame = "opus"\n[swiss]\nrounds = 3\n')
    _, _, err = run("tournament", "new", str(file), "--rounds", "0")
    assert err.startswith("samedeal: swiss.rounds: ")


def test_options_win_over_the_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text('name = "Cup"\nformat = "swiss"\ngame = "opus"\n[swiss]\nrounds = 3\n')
    more = ("--game", "tuxedo", "--game", "fortress", "--best-of", "3", "--set", "swiss.rounds=4")
    _, out, _ = run("tournament", "new", str(file), "--check", *more)
    assert "Swiss, 4 rounds, matches best of 3" in out
    assert "games tuxedo, fortress, one after the other" in out


def test_a_tournament_is_shown_to_people_and_to_scripts(at: Run) -> None:
    cup = announced(at, "--title", "Shown", "--cap", "4")
    assert at("register", cup, name="Ada")[:2] == (0, "You are registered.\n")
    code, out, _ = at("show", cup.upper())
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "Shown: single elimination; chessboard"
    assert "You are the host." in lines
    assert "  #1 Ada  registered" in lines
    shown = json.loads(at("show", cup, "--json")[1])
    assert (shown["terms"]["cap"], shown["role"], shown["players"][0]["name"]) == (4, "host", "Ada")
    assert f"{cup}  Shown" in at("list")[1]
    assert "no bracket yet" in at("bracket", cup)[1]
    assert "no standings yet" in at("standings", cup)[1]


def test_an_unlisted_one_is_found_by_those_who_know_it(at: Run) -> None:
    cup = announced(at, "--unlisted")
    assert cup not in at("list", name="Ada")[1]
    assert cup in at("list", "--mine")[1]
    assert at("show", cup, name="Ada")[0] == 0


def test_a_list_without_tournaments_says_how_many_are_over(at: Run) -> None:
    assert at("list", "--mine", name="Hob")[1].startswith("You are in no tournament. Announce")
    cup = at("new", "--format", "swiss", *QUICK, name="Hob")[1].strip()
    at("call-off", cup, "no", "hall", name="Hob")
    said = at("list", "--mine", name="Hob")[1]
    assert said.startswith("You are in no tournament, but 1 is over: --over shows it. Announce")
    assert cup in at("list", "--mine", "--over", name="Hob")[1]


def test_one_without_a_title_is_called_by_what_people_read_for_its_format(at: Run) -> None:
    said = at("new", "--format", "single-elimination", "--game", "opus", "--check")[1]
    assert said.startswith("Single elimination of 2")


def test_a_pass_phrase_lets_register(at: Run) -> None:
    cup = announced(at, "--phrase", "open sesame")
    code, _, err = at("register", cup, name="Ada")
    assert (code, err) == (
        1,
        "samedeal: to register one needs the pass phrase: give it with --phrase\n",
    )
    assert at("register", cup, "--phrase", "open sesame", name="Ada")[0] == 0


def test_an_unknown_code_says_where_to_look(at: Run) -> None:
    code, _, err = at("show", "cup-nowhere")
    assert code == 1
    assert "`samedeal tournament list` shows" in err


def test_a_player_may_not_do_what_hosts_do(at: Run) -> None:
    cup = announced(at)
    code, out, err = at("start", cup, name="Ada")
    assert (code, out) == (1, "")
    assert err.startswith("samedeal: ")


def test_rulings_stand_in_the_log_with_their_reasons(at: Run) -> None:
    cup = announced(at)
    for name in ("Ada", "Bo", "Cy"):
        at("register", cup, name=name)
    assert at("dq", cup, "Bo", "two", "devices")[:2] == (0, "Disqualified.\n")
    assert at("appoint", cup, "Cy", "referee")[:2] == (0, "Appointed.\n")
    assert at("withdraw", cup, name="Ada")[:2] == (0, "Withdrawn.\n")
    rulings = at("log", cup, "--rulings")[1].splitlines()
    assert len(rulings) == 2
    assert "disqualified" in rulings[0]
    assert "player Bo" in rulings[0]
    assert "reason two devices" in rulings[0]
    assert all("  by Hal, " in line for line in rulings)
    events = [json.loads(line)["event"] for line in at("log", cup, "--json")[1].splitlines()]
    assert events[0] == "announced"
    assert "withdrew" in events
    rows = list(csv.DictReader(io.StringIO(at("export", cup, "--what", "players")[1])))
    states = {row["name"]: row["state"] for row in rows}
    assert states == {"Ada": "withdrawn", "Bo": "disqualified", "Cy": "registered"}


def test_the_console_takes_lines_through_a_pipe(at: Run, typed: Typed, url: str) -> None:
    cup = announced(at, "--set", "registration=invitation")
    who = ("--server", url, "--name", "Hal")
    said = typed("tournament", "host", cup, *who, lines='invite Ada "Cy Young"\nquit\nstart\n')
    assert said[-1] == "Invited."
    assert at("register", cup, name="Cy Young")[0] == 0
    assert at("register", cup, name="Eve")[0] == 1
    assert "announced" in at("show", cup)[1]


def test_the_console_stops_at_a_line_that_is_refused(at: Run, url: str, home: Path) -> None:
    cup = announced(at, "--set", "registration=invitation")
    command = [*forked("samedeal_client"), "tournament", "host", cup, "--server", url]
    result = subprocess.run(
        [*command, "--name", "Hal"],
        input="invite Ada\ndq Bo cheating\ncall-off never reached\n",
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 1
    assert "No: 'Bo' is no player of this tournament" in result.stdout
    assert "stopped at the line that was refused" in result.stderr
    assert "announced" in at("show", cup)[1]


_NUMBERS = count()


@pytest.fixture
def played(at: Run, url: str, home: Path) -> Iterator[tuple[str, str]]:
    """A tournament that waits for its start with a bot, and that bot's name."""
    one_race = ("--set", "round-robin.length.replays=0")
    cup = announced(at, "--title", "Duel", *one_race, format="round-robin")
    name = f"Robin{next(_NUMBERS)}"
    command = [*forked("samedeal_client"), "bot", "random", "--tournament", cup]
    with subprocess.Popen(
        [*command, "--server", url, "--name", name],
        stdout=subprocess.DEVNULL,
        env=environment(home),
    ) as bot:
        while name not in at("show", cup)[1]:
            assert bot.poll() is None
        yield cup, name
        bot.kill()


def test_a_person_is_brought_into_their_race_and_told_how_it_ends(
    played: tuple[str, str], at: Run, url: str, home: Path
) -> None:
    cup, bot = played
    arguments = [*forked("samedeal_client"), "tournament", "play", cup]
    env = environment(home, TERM="xterm", COLUMNS="100", LINES="40")
    screen = Screen([*arguments, "--server", url, "--name", "Ada"], env)
    try:
        screen.wait_for("You are brought into each of your races.")
        screen.type("players\n")
        screen.wait_for("#2 Ada  registered")
        assert at("start", cup)[0] == 0
        screen.wait_for(f"Your race is ready: R1.1 (round 1), chessboard, against {bot} (bot).")
        screen.wait_for("Type ready when you are.")
        screen.type("ready\n")
        screen.wait_for("0/52 home")
        screen.type("giveup\n")
        screen.wait_for("y or n")
        screen.type("y\n")
        screen.wait_for("The race is over.")
        screen.wait_for("over, 2 players")
        assert screen.end() == 0
    finally:
        screen.close()
    table = json.loads(at("standings", cup, "--json")[1])
    assert table["final"]


def test_a_script_plays_and_what_it_types_waits_for_its_race(
    played: tuple[str, str], at: Run, url: str, home: Path
) -> None:
    cup, _ = played
    arguments = [*forked("samedeal_client"), "tournament", "play", cup, "--ready"]
    with subprocess.Popen(
        [*arguments, "--server", url, "--name", "Ada"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(home),
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write("table\nboard\ngiveup\nwait\nwait\n")
        process.stdin.close()
        assert process.stdout is not None
        said = ""
        # Not before the table was asked for: there would be one.
        while "There are no standings yet." not in said:
            said += (line := process.stdout.readline())
            assert line, said
        assert at("start", cup)[0] == 0
        said += process.stdout.read()
        assert process.wait(timeout=PATIENCE_S) == 0
    order = ("There are no standings yet.", "Your race is ready", "You gave up", "over, 2 players")
    assert all(part in said for part in order), said
    places = [said.index(part) for part in order]
    assert places == sorted(places)


def test_who_watches_is_told_everything_as_lines_of_json(at: Run) -> None:
    cup = announced(at)
    assert at("call-off", cup, "no", "hall")[:2] == (0, "It is called off.\n")
    code, out, _ = at("watch", cup, "--json", name="Eve")
    assert code == 0
    assert json.loads(out.splitlines()[0])["head"]["reason"] == "no hall"
    assert "called off" in at("watch", cup, name="Eve")[1]


@pytest.mark.parametrize("name", ["Ada", "Eve"])
def test_who_comes_when_it_is_over_is_told_how_it_ended(
    at: Run, typed: Typed, url: str, name: str
) -> None:
    cup = announced(at)
    at("register", cup, name="Ada")
    at("call-off", cup, "no", "hall")
    who = ("--server", url, "--name", name)
    said = typed("tournament", "play", cup, *who, lines="wait\n")
    assert said == [
        *at("show", cup, name="Zoe")[1].splitlines()[:3],
        "There are no standings yet.",
    ]
    assert said[1:3] == [f"{cup}: called off, 1 player", "No hall."]


def test_a_command_asks_for_no_more_than_it_needs(run: Run) -> None:
    code, out, err = run("tournament", "start")
    assert (code, out) == (2, "")
    assert "the following arguments are required: CODE; see" in err


def test_whoever_announces_can_copy_what_players_type(url: str, home: Path) -> None:
    new = ["tournament", "new", "--format", "swiss", "--game", "chessboard", "--phrase", "open it"]
    env = environment(home, TERM="xterm", COLUMNS="60", LINES="24")
    screen = Screen([*forked("samedeal_client"), *new, "--server", url, "--name", "Hal"], env)
    try:
        assert screen.end() == 0
    finally:
        screen.close()
    code, *lines = screen.shown.splitlines()
    there = f"--server {url}"
    assert lines == [
        "Players register and play:",
        f"    samedeal tournament play {code} --phrase 'open it' {there}",
        "A bot plays:",
        f"    samedeal bot greedy --tournament {code} --phrase 'open it' {there}",
        "Watch it:",
        f"    samedeal tournament watch {code} {there}",
        "You run it:",
        f"    samedeal tournament host {code} {there} --name Hal",
    ]


def test_a_tournament_is_drawn_live(at: Run, url: str, home: Path) -> None:
    cup = announced(at, "--title", "Duel", format="round-robin")
    at("register", cup, name="Bo")
    arguments = [*forked("samedeal_client"), "tournament", "watch", cup]
    env = environment(home, TERM="xterm", COLUMNS="80", LINES="24")
    screen = Screen([*arguments, "--server", url, "--name", "Eve"], env)
    try:
        screen.wait_for("b bracket  m matches")
        screen.wait_for("announced, 1 player")
        screen.type("p")
        screen.wait_for("#1 Bo  registered")
        at("register", cup, name="Ada")
        screen.wait_for("Ada registers")
        screen.type("q")
        screen.wait_for("Duel: round robin; chessboard")
        assert screen.end() == 0
    finally:
        screen.close()
