"""The bench runs: every part, once and so small that its figures mean nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from samedeal_rules import GAMES

ROOT = Path(__file__).parent.parent
SMALL = "--rounds 1 --seconds 0.2 --players 8 --spectators 8 --connections 8 --races 20 --starts 1"


def test_every_part_of_the_bench_runs_and_prints_its_figures() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "bench", *SMALL.split()],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "ops")},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (result.returncode, result.stderr) == (0, "")
    begins = [line.split("  ")[0] for line in result.stdout.splitlines()]
    assert {game.key for game in GAMES} <= set(begins)
    assert {"samedeal", "naive relay", "bare echo", "broadcast()"} <= set(begins)
    for figure in (
        "CPU a move",
        "CPU an event",
        "a spectator who never reads",
        "memory a connection",
        "start skew",
        "recovery",
        "within the process",
    ):
        assert f"\n{figure}" in result.stdout
