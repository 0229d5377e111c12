"""The full-screen client in this process, what it shows as text, and golden files of that."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from textual import events
from textual.pilot import Pilot

from samedeal_client.cli.parts import Context
from samedeal_client.settings import Settings
from samedeal_client.terminal import Terminal
from samedeal_client.tui.app import Opening, Samedeal
from samedeal_client.tui.look import Look, keep_look
from support.patience import PATIENCE_S

__all__ = [
    "GOLDEN",
    "NOWHERE",
    "agrees_with_golden",
    "press",
    "running",
    "seen",
    "shows",
    "shows_golden",
    "until",
]

GOLDEN: Final = Path(__file__).parent / "golden"
IS_WRITING: Final = os.environ.get("SAMEDEAL_GOLDEN") == "write"
NOWHERE: Final = "ws://127.0.0.1:1"
"""Nobody serves there."""


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
        await pilot.pause(0)
        yield app, pilot


def seen(app: Samedeal) -> str:
    """What the terminal shows, a line a row."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


async def press(pilot: Pilot[int], *keys: str) -> None:
    """Sends keys, as fast as they can be taken."""
    for key in keys:
        name = "space" if key == " " else key
        character = " " if name == "space" else key if len(key) == 1 else None
        pilot.app.post_message(events.Key(name, character))
    await pilot.pause(0)


async def until(pilot: Pilot[int], is_so: Callable[[], object]) -> None:
    """Waits until something is so; what the screen shows instead is the failure."""
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert isinstance(pilot.app, Samedeal)
        assert time.monotonic() < end, seen(pilot.app)
        await pilot.pause(0.03)


async def shows(pilot: Pilot[int], *texts: str) -> None:
    """Waits until the screen shows the texts."""
    app = pilot.app
    assert isinstance(app, Samedeal)
    await until(pilot, lambda: all(text in seen(app) for text in texts))


async def shows_golden(pilot: Pilot[int], name: str) -> None:
    """Waits until the screen shows what the golden file has."""
    app = pilot.app
    assert isinstance(app, Samedeal)
    if IS_WRITING:
        await pilot.pause(1.0)
    await until(pilot, lambda: agrees_with_golden(name, seen(app)))


def agrees_with_golden(name: str, text: str) -> bool:
    """Whether the text is that of the golden file; with SAMEDEAL_GOLDEN=write it is written."""
    file = GOLDEN / f"{name}.txt"
    if IS_WRITING:
        file.write_text(text + "\n", "utf-8")
    return file.read_text("utf-8") == text + "\n"
