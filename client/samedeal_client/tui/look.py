"""What a player has chosen for their screen, kept beside the tokens of their players.

The choices are those of the browser client. A file that cannot be read or written is no reason not
to play.
"""

from __future__ import annotations

import contextlib
import os
from enum import Enum
from pathlib import Path
from typing import Final

import msgspec

__all__ = ["CHOICES", "Highlight", "Look", "Palette", "keep_look", "kept_look", "legible"]

_FILE: Final = "tui.json"


class Palette(Enum):
    """In which colours the suits are drawn."""

    TWO = "two"
    """Black and red."""
    PAIRED = "paired"
    """Four colours, the red suits warm and the black ones cool."""
    POKER = "poker"
    """Four colours, as poker decks have them."""
    MONO = "mono"
    """None at all."""


class Highlight(Enum):
    """When it is shown where cards may go."""

    OFF = "off"
    PICKED = "picked"
    """When some are picked up."""
    ALWAYS = "always"
    """Also which cards may move at all."""


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """The choices."""

    palette: Palette = Palette.PAIRED
    ascii: bool = False
    """Suits as letters, and nothing else beyond ASCII."""
    large: bool = True
    """Large cards, where there is room."""
    animations: bool = True
    highlight: Highlight = Highlight.PICKED
    mirror: bool = False
    """Stock, waste, cells and foundations on the other side, for left-handed play."""
    shortcuts: bool = True
    """Single letters do something; without them there are function keys and typed lines."""


CHOICES: Final[tuple[tuple[str, str, tuple[tuple[str, object], ...]], ...]] = (
    (
        "palette",
        "Suits",
        (
            ("two colours", Palette.TWO),
            ("four colours, in pairs", Palette.PAIRED),
            ("four colours, as in poker", Palette.POKER),
            ("no colours", Palette.MONO),
        ),
    ),
    ("ascii", "Signs", (("♣ ♦ ♥ ♠", False), ("letters: C D H S", True))),
    ("large", "Cards", (("large where there is room", True), ("small", False))),
    ("animations", "Movement", (("cards fly", True), ("none", False))),
    (
        "highlight",
        "Where cards may go",
        (
            ("shown when some are picked up", Highlight.PICKED),
            ("shown, and always what may move", Highlight.ALWAYS),
            ("not shown", Highlight.OFF),
        ),
    ),
    ("mirror", "Table", (("stock on the left", False), ("mirrored", True))),
    ("shortcuts", "Single keys", (("do something", True), ("do nothing", False))),
)
"""Every choice: the field, what it is called, and what there is to choose."""


def kept_look(home: Path) -> Look:
    """Returns what was kept in the folder, or the usual choices."""
    try:
        return msgspec.json.decode((home / _FILE).read_bytes(), type=Look)
    except (OSError, msgspec.DecodeError):
        return Look()


def keep_look(home: Path, look: Look) -> None:
    """Keeps the choices in the folder."""
    draft = home / f"{_FILE}.{os.getpid()}"
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(look)) + b"\n")
        draft.replace(home / _FILE)


def legible(palette: Palette, colours: str | None) -> Palette:
    """The palette, or the one of two colours on a terminal of 16 colours (Rich's `standard`).

    Of the others' suits one is yellow there, on white.
    """
    return Palette.TWO if colours == "standard" and palette is not Palette.MONO else palette
