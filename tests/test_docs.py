"""What the documents show is what happens: every command in them is run, every reply compared.

Three kinds of fenced blocks are run, each document's in order:

- `console`: lines that begin with `$ ` are shell commands, the lines after them what they print;
- `engine`: lines that begin with `>` go to one engine a block, the others are its replies;
- `python`: programs, run as they stand.

`...` in what is shown stands for anything. A real server is there for those that need one. Of the
README, which shows the first deal only, the commands are parsed and the targets of `make` looked
up; a server gets as far as its folder, which cannot be made.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from samedeal_client.board import board
from samedeal_client.cli.command import parser
from samedeal_client.engine_pipe import Engine
from samedeal_protocol.terms import Terms
from samedeal_rules import GAMES, deal, find
from samedeal_server import cli as server
from samedeal_server.settings import Address
from support.documents import Block, agrees, blocks
from support.forked import forked
from support.serving import ROOT, environment, serving

ENGINE_DOC = ROOT / "docs" / "engine.md"
README = ROOT / "README.md"
DOCUMENTS = [
    ENGINE_DOC,
    *(ROOT / "docs" / f"{name}.md" for name in ("tutorial", "tournament-tutorial", "daily", "tui")),
]
USUAL_SERVER = "ws://127.0.0.1:8642"
MARK = "--- the end of a command, with code "


def named(block: Block) -> str:
    return f"line {block.line}"


@pytest.mark.parametrize("block", blocks(ENGINE_DOC.read_text("utf-8"), "engine"), ids=named)
def test_engine_replies_as_its_document_shows(block: Block) -> None:
    engine = Engine()
    sent = [line for line in block.text.splitlines() if line.startswith(">")]
    happened = "".join(f"{line}\n{engine.reply(line[1:])}" for line in sent)
    assert agrees(block.text, happened), happened


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of the documents' commands: a server, and `samedeal` on the path."""
    folder = tmp_path_factory.mktemp("docs")
    for name, module in (("samedeal", "samedeal_client"), ("samedeal-server", "samedeal_server")):
        command = folder / name
        command.write_text(f'#!/bin/sh\nexec {shlex.join(forked(module))} "$@"\n')
        command.chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    with serving(folder / "data") as url:
        yield environment(folder / "home", PATH=path, SAMEDEAL_SERVER=url)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_programs_in_the_documents_run(document: Path, surroundings: dict[str, str]) -> None:
    for block in blocks(document.read_text("utf-8"), "python"):
        program = block.text.replace(USUAL_SERVER, surroundings["SAMEDEAL_SERVER"])
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            env=surroundings,
            capture_output=True,
            text=True,
        )
        assert (result.returncode, result.stderr) == (0, ""), f"line {block.line}"


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each shell command of a console block, and what is shown after it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def run_console(text: str, surroundings: dict[str, str], folder: Path) -> Iterator[tuple[str, str]]:
    """Runs a console block in one shell; yields what each command prints, and what is shown."""
    script = "".join(f'{command}\necho "{MARK}$?"\n' for command, _ in commands(text))
    result = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=surroundings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    printed = re.split(rf"^{MARK}\d+\n", result.stdout, flags=re.MULTILINE)
    assert len(printed) == len(list(commands(text))) + 1, result.stdout
    for (command, shown), happened in zip(commands(text), printed, strict=False):
        yield f"$ {command}\n{happened}", f"$ {command}\n{shown}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_commands_in_the_documents_print_what_is_shown(
    document: Path, surroundings: dict[str, str], tmp_path: Path
) -> None:
    text = "".join(block.text for block in blocks(document.read_text("utf-8"), "console"))
    for happened, shown in run_console(text, surroundings, tmp_path):
        assert agrees(shown, happened), f"shown:\n{shown}\nhappened:\n{happened}"


def test_the_first_race_of_the_readme_is_what_its_command_deals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It races the bot that the server names when it starts, and shows the deal of its seed."""
    command = next(each for each in readme_commands() if "--against" in each)
    asked = parser().parse_args(command.split()[1:])
    server.announce(Address("127.0.0.1", 8642))
    assert f"play --game {asked.game} --against {asked.against}\n" in capsys.readouterr().out
    game = find(asked.game)
    drawn = "\n".join(board(game, deal(game, asked.seed).view())).strip()
    status = f"0/{game.goal} home, 0:00, {asked.against} 0"
    assert f"{command}\n\n```\n{drawn}\n\n{status}\n```" in README.read_text("utf-8")


def test_the_readme_counts_the_games() -> None:
    assert f"It plays {len(GAMES)} games" in README.read_text("utf-8")


def test_a_race_against_a_bot_starts_when_the_readme_says() -> None:
    """With both there and ready at once, what is left is the usual countdown."""
    said = re.search(r"It starts in (\w+) seconds\.", README.read_text("utf-8"))
    assert said is not None
    numbers = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    assert numbers.index(said[1]) == Terms(game="forty-thieves").countdown


def readme_commands() -> list[str]:
    lines = re.findall(r"^ {4}(\S.*)$", README.read_text("utf-8"), re.MULTILINE)
    return [line.partition("  #")[0].strip() for line in lines]


@pytest.mark.parametrize("command", readme_commands())
def test_commands_of_the_readme_exist(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    program, *arguments = command.split()
    match Path(program).name:
        case "make":
            targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
            assert arguments[0] in targets
        case "samedeal":
            assert parser().parse_args(arguments).handler
        case "samedeal-server":
            no_folder = tmp_path / "file" / "data"
            no_folder.parent.write_text("")
            assert server.main([*arguments, "--data", str(no_folder)]) == 2
            assert f"{no_folder} cannot be made" in capsys.readouterr().err
        case _:
            raise AssertionError(f"{program} is no command of ours")
