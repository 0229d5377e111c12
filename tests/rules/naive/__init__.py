"""A second, slow reading of the rulebook, to hold the engine against.

It shares nothing with the engine: its own position parser, its own dealing (plain hashlib, see
`docs/deal.md`), cards as two-character texts, piles as a dict of lists, and one class a game whose
methods say the game's prose in the order in which the rulebook says it. Plain before fast.
"""

from __future__ import annotations

from .cards import RANKS, a_pack, rank, redeal_order, shuffled, words
from .dealt_on import AbandonHope, Amazons, Boomerang, FortyThieves, SmallBillee, StHelena
from .game import Naive
from .laid_out import (
    BeleagueredCastle,
    BinaryStar,
    BoardPatience,
    BoxKite,
    Chessboard,
    EightOn,
    Fortress,
    Opus,
    PenguinII,
    StreetsAndAlleys,
    Tuxedo,
)

__all__ = [
    "GAMES",
    "RANKS",
    "AbandonHope",
    "BinaryStar",
    "Boomerang",
    "Chessboard",
    "Naive",
    "StHelena",
    "a_pack",
    "deal",
    "open_position",
    "rank",
    "redeal_order",
    "shuffled",
    "words",
]

GAMES: dict[str, type[Naive]] = {
    "small-billee": SmallBillee,
    "boomerang": Boomerang,
    "amazons": Amazons,
    "abandon-hope": AbandonHope,
    "binary-star": BinaryStar,
    "forty-thieves": FortyThieves,
    "beleaguered-castle": BeleagueredCastle,
    "chessboard": Chessboard,
    "fortress": Fortress,
    "board-patience": BoardPatience,
    "streets-and-alleys": StreetsAndAlleys,
    "opus": Opus,
    "tuxedo": Tuxedo,
    "penguin-ii": PenguinII,
    "eight-on": EightOn,
    "st-helena": StHelena,
    "box-kite": BoxKite,
}


def deal(key: str, seed: str) -> Naive:
    return GAMES[key.split(":")[0]].deal(key, seed)


def open_position(text: str, seed: str = "") -> Naive:
    key = text.split("\n", 1)[0].removeprefix("game:").strip()
    game = GAMES[key.split(":")[0]].parse(key, text)
    game.board.seed = seed
    return game
