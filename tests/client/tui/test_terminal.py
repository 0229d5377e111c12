"""The command at a real terminal, and what it says where there is none or no Textual."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from samedeal_client.cli import main
from support.patience import PATIENCE_S
from support.serving import environment


class Tmux:
    """A terminal of 80 by 24 in which the client runs."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "tmux"
        self._folder = folder

    def run(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self._socket), "-f", "/dev/null", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def start(self, command: str) -> None:
        env = environment(self._folder / "home", TERM="xterm-256color", COLORTERM="truecolor")
        subprocess.run(
            ["tmux", "-S", str(self._socket), "-f", "/dev/null", "new-session", "-d",
             "-x", "80", "-y", "24", command],
            check=True,
            env={name: value for name, value in env.items() if name != "NO_COLOR"},
        )  # fmt: skip

    def shown(self) -> str:
        return self.run("capture-pane", "-p")

    def wait_for(self, *texts: str) -> None:
        until = time.monotonic() + PATIENCE_S
        while not all(text in self.shown() for text in texts):
            assert time.monotonic() < until, self.shown()
            time.sleep(0.05)


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    terminal = Tmux(tmp_path)
    yield terminal
    subprocess.run(["tmux", "-S", str(tmp_path / "tmux"), "kill-server"], capture_output=True)


def test_at_a_real_terminal_it_draws_in_colour_takes_keys_and_mouse_and_leaves_no_trace(
    tmux: Tmux, tmp_path: Path
) -> None:
    play = f"{sys.executable} -m samedeal_client tui --game forty-thieves --seed friday-night"
    tmux.start(f"{play}; echo code $?; cat")
    tmux.wait_for("Forty Thieves   practice, seed friday-night", "q leave")
    tmux.run("send-keys", "9", "f")
    tmux.wait_for("T9-F1 (AS); 1/104 home")
    column = tmux.shown().splitlines()[1].index("S:") + 2
    # SGR mouse reports: the left button goes down and up on the stock, counted from 1.
    for end in "Mm":
        tmux.run("send-keys", "-l", f"\x1b[<0;{column + 1};4{end}")
    tmux.wait_for("draw; 7D turns up on W")
    assert "\x1b[1m\x1b[38;2;17;17;17m" in tmux.run("capture-pane", "-p", "-e")
    tmux.run("send-keys", "q")
    tmux.wait_for("samedeal   lobby", "p practise")
    tmux.run("send-keys", "q")
    tmux.wait_for("code 0")
    assert "Forty Thieves" not in tmux.shown()


def test_without_textual_it_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "textual", None)
    assert main(["tui"]) == 2
    assert "pip install 'samedeal[tui]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("tui",), 2, "needs a terminal; `samedeal play`"),
        (("tui", "a-race", "--game", "opus"), 2, "one of them only"),
        (("tui", "--watch"), 2, "go with a race's code"),
        (("tui", "--seed", "1"), 2, "--game"),
        (("tui", "--game", "opuss"), 1, "opus"),
        (("tui", "--game", "opus", "--seed", ""), 1, "seed"),
        (("tui", "--replay", "missing.jsonl"), 1, "missing.jsonl"),
    ],
)
def test_what_cannot_be_opened_is_said_in_one_line(
    arguments: tuple[str, ...], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_no_other_command_loads_textual(tmp_path: Path) -> None:
    program = (
        "import sys; from samedeal_client.cli.command import parser; parser(); "
        "import samedeal_client.cli.fullscreen; "
        "sys.exit(bool({'textual', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], env=environment(tmp_path))
    assert result.returncode == 0
