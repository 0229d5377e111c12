"""Inks as the terminal's styles, in each of the palettes.

Terminals with fewer colours get the nearest; without any, cards are shown in reverse video.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from rich.style import Style

from samedeal_client.tui.look import Palette
from samedeal_client.tui.picture import Ink

__all__ = ["FELT", "style_of"]

FELT: Final = "#0b4d33"
_FACE: Final = "#f7f4ea"
_COVERED: Final = "#d9d5c7"
_AMBER: Final = "#ffd54a"
_SUITS: Final[Mapping[Palette, Mapping[str, str]]] = {
    Palette.TWO: {"C": "#111111", "D": "#b00020", "H": "#b00020", "S": "#111111"},
    Palette.PAIRED: {"C": "#0f5c6e", "D": "#c2410c", "H": "#b00020", "S": "#111111"},
    Palette.POKER: {"C": "#0a6a28", "D": "#0b57d0", "H": "#c8102e", "S": "#111111"},
}
_FACES: Final = {"covered": _COVERED, "lifted": _AMBER, "fresh": "#cfe8ff"}
_TABLE: Final = {
    "felt": Style(color="#cfe3d8", bgcolor=FELT),
    "label": Style(color="#b9d6c7", bgcolor=FELT),
    "place": Style(color="#6aa58a", bgcolor=FELT),
    "back": Style(color="#8fb8dc", bgcolor="#234f7d"),
}
_MARKED: Final = Style(color=_AMBER, bgcolor=FELT, bold=True)
_MONO_TABLE: Final = {
    "felt": Style(),
    "label": Style(),
    "place": Style(dim=True),
    "back": Style(),
}


@lru_cache(512)
def style_of(ink: Ink, palette: Palette) -> Style:
    """Returns how an ink looks."""
    if palette is Palette.MONO:
        return _mono(ink)
    if ink.kind in _TABLE:
        is_marked = ink.state not in ("", "covered")
        if ink.kind == "label" and is_marked:
            return Style(color="#111111", bgcolor=_AMBER, bold=True)
        return _MARKED if is_marked and ink.kind != "back" else _TABLE[ink.kind]
    return Style(
        color=_SUITS[palette][ink.kind],
        bgcolor=_FACES.get(ink.state, _FACE),
        bold=ink.state != "covered",
    )


def _mono(ink: Ink) -> Style:
    is_marked = ink.state not in ("", "covered")
    if ink.kind in _MONO_TABLE:
        return Style(bold=True, reverse=ink.kind == "label") if is_marked else _MONO_TABLE[ink.kind]
    return Style(reverse=True, bold=ink.state != "covered", underline=ink.state == "lifted")
