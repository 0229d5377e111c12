"""The demonstration runs from the server's start to the verified replay."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from samedeal_client.verify import verify
from support.serving import ROOT, environment


def test_the_demonstration_ends_with_a_verified_replay(tmp_path: Path) -> None:
    replay = tmp_path / "demo.jsonl"
    arguments = ["--game", "abandon-hope", "--seed", "friday-night", "--output", str(replay)]
    result = subprocess.run(
        [sys.executable, str(ROOT / "ops" / "demo.py"), *arguments],
        env=environment(tmp_path / "home"),
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "The race is over." in result.stdout
    assert "seed friday-night" in result.stdout
    assert f"/samedeal replay {replay}\n" in result.stdout  # where this Python has it installed
    report = verify(replay.read_bytes())
    assert report.passed
    assert sorted(name for _, name in report.names) == ["greedy", "patient", "random"]


def test_the_demonstration_names_the_nearest_game(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, str(ROOT / "ops" / "demo.py"), "--game", "forty-theives"],
        env=environment(tmp_path / "home"),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "forty-thieves" in result.stderr
