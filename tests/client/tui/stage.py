"""The full-screen client in this process, what it shows as text, and golden files of that."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from textual.pilot import Pilot

from samedeal_client.cli.parts import Context
from samedeal_client.settings import Settings
from samedeal_client.terminal import Terminal
from samedeal_client.tui.app import Opening, Samedeal
from samedeal_client.tui.look import Look, keep_look

__all__ = ["NOWHERE", "agrees_with_golden", "running", "seen", "until"]

GOLDEN: Final = Path(__file__).parent / "golden"
NOWHERE: Final = "ws://127.0.0.1:1"
"""Nobody serves there."""
_PATIENCE_S: Final = 30.0


@asynccontextmanager
async def running(
    home: Path,
    opening: Opening | None = None,
    *,
    url: str = NOWHERE,
    name: str = "Ada",
    look: Look | None = None,
    has_colour: bool = True,
    size: tuple[int, int] = (80, 24),
) -> AsyncIterator[tuple[Samedeal, Pilot[int]]]:
    """Runs the client over a terminal of that size; cards do not fly unless `look` says so."""
    keep_look(home, look or Look(animations=False))
    settings = Settings(server=url, name=name, home=home, has_colour=has_colour)
    terminal = Terminal(sys.stdout)
    app = Samedeal(Context(argparse.Namespace(), settings, terminal, is_quiet=False), opening)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


def seen(app: Samedeal) -> str:
    """What the terminal shows, a line a row."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


async def until(pilot: Pilot[int], is_so: Callable[[], object]) -> None:
    """Waits until something is so; what the screen shows instead is the failure."""
    end = time.monotonic() + _PATIENCE_S
    while not is_so():
        assert isinstance(pilot.app, Samedeal)
        assert time.monotonic() < end, seen(pilot.app)
        await pilot.pause()
        await asyncio.sleep(0.01)


def agrees_with_golden(name: str, text: str) -> bool:
    """Whether the text is that of the golden file; with SAMEDEAL_GOLDEN=write it is written."""
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("SAMEDEAL_GOLDEN") == "write":
        file.write_text(text + "\n", "utf-8")
    return file.read_text("utf-8") == text + "\n"
