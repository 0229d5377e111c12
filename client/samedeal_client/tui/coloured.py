"""Lines as widgets take them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from samedeal_client.tui.lines import Line

__all__ = ["coloured"]

_STYLES = {"head": "bold", "own": "bold", "dim": "dim", "warn": "bold"}


def coloured(lines: Sequence[Line]) -> Text:
    """Lines as a widget takes them; nothing in them is markup."""
    text = Text()
    for at, line in enumerate(lines):
        text.append(("\n" if at else "") + line.text, _STYLES.get(line.kind, ""))
    return text
