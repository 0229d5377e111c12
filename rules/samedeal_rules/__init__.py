"""Solitaire, and nothing else: no players, no races, no time, no I/O.

table = deal(find("forty-thieves"), "friday-night")
table.play(parse_move(table.game, "T3-F1"))
print(table.view().text())
"""

from __future__ import annotations

from typing import Final

from .engine import Outcome, Status, Table, deal, perft
from .errors import (
    BadNotation,
    BadSeed,
    IllegalMove,
    NothingToUndo,
    Refusal,
    RulesError,
    UnknownGame,
)
from .games import GAMES, every_game, find, known, meant, name_of
from .homeward import finishing, has_safe, sending_home
from .notation import Move, Position, move_text, parse_move, parse_position
from .spec import Game

RULES_VERSION: Final = "samedeal-rules/1"
"""What a race pins: a ruling that changes gets a new version, and old replays keep theirs."""

__all__ = [
    "GAMES",
    "RULES_VERSION",
    "BadNotation",
    "BadSeed",
    "Game",
    "IllegalMove",
    "Move",
    "NothingToUndo",
    "Outcome",
    "Position",
    "Refusal",
    "RulesError",
    "Status",
    "Table",
    "UnknownGame",
    "deal",
    "every_game",
    "find",
    "finishing",
    "has_safe",
    "known",
    "meant",
    "move_text",
    "name_of",
    "parse_move",
    "parse_position",
    "perft",
    "sending_home",
]
