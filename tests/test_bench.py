"""The bench runs: every part, once and so small that its figures mean nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from samedeal_rules import GAMES

ROOT = Path(__file__).parent.parent
PARTS = "rules load fanout memory skew recovery brokers stores"
SMALL = (
    "--rounds 1 --seconds 0.05 --pace 100 --players 8 --spectators 8 --connections 8 --races 20"
    " --starts 1 --field 8"
)


def run(parts: str) -> str:
    """Returns what the bench prints."""
    result = subprocess.run(
        [sys.executable, "-m", "bench", *parts.split(), *SMALL.split()],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "ops")},
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def test_every_part_of_the_bench_runs_and_prints_its_figures() -> None:
    printed = run(PARTS)
    begins = [line.split("  ")[0] for line in printed.splitlines()]
    assert {game.key for game in GAMES} <= set(begins)
    assert {"samedeal", "wire alone", "naive relay", "bare echo", "broadcast()"} <= set(begins)
    for figure in (
        "CPU a move",
        "CPU an event",
        "a spectator who never reads",
        "memory a connection",
        "start skew",
        "recovery",
        "within the process",
    ):
        assert f"\n{figure}" in printed


def test_the_bench_of_several_nodes_runs_and_prints_its_figures() -> None:
    assert "\nnodes: " in run("nodes")


def test_the_bench_of_tournaments_runs_and_prints_its_figures() -> None:
    printed = run("pairing tournament")
    assert "\n       8 " in printed
    assert " races a minute (" in printed
