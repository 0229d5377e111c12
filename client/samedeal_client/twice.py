"""What is done only if it is asked for twice, so that no single key does what nothing brings back.

Pure.
"""

from __future__ import annotations

from samedeal_protocol.terms import Undo
from samedeal_rules import Position

__all__ = ["doubt"]

_REDEAL = "redeal"


def doubt(move: str, position: Position, undo: Undo) -> str | None:
    """Returns what is asked before a move; None for all that may be taken back, or is no redeal."""
    if move != _REDEAL or undo in (Undo.FREE, Undo.PENALTY):
        return None
    redeal = position.game.redeal
    left = None if redeal is None or redeal.times is None else redeal.times - position.redeals
    match left:
        case None:
            told = ""
        case 1:
            told = ", and this is the last one"
        case _:
            told = f", and {left} are left"
    return f"A redeal cannot be taken back here{told}. Once more to redeal."
