"""All games, one file a game or close family. A new game is a file here and its name in GAMES."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache

from samedeal_rules.errors import UnknownGame
from samedeal_rules.spec import Game

from .abandon_hope import ABANDON_HOPE
from .amazons import AMAZONS
from .binary_star import BINARY_STAR
from .board_patience import BOARD_PATIENCE
from .boomerang import BOOMERANG
from .castles import BELEAGUERED_CASTLE, STREETS_AND_ALLEYS
from .eight_on import EIGHT_ON
from .fortress import CHESSBOARD, FORTRESS
from .forty_thieves import FORTY_THIEVES
from .opus import OPUS, PENGUIN_II
from .small_billee import SMALL_BILLEE
from .st_helena import BOX_KITE, ST_HELENA
from .tuxedo import TUXEDO

__all__ = ["GAMES", "every_game", "find", "known", "meant", "name_of"]

GAMES: tuple[Game, ...] = (
    SMALL_BILLEE,
    BOOMERANG,
    AMAZONS,
    ABANDON_HOPE,
    BINARY_STAR,
    FORTY_THIEVES,
    BELEAGUERED_CASTLE,
    CHESSBOARD,
    FORTRESS,
    BOARD_PATIENCE,
    STREETS_AND_ALLEYS,
    OPUS,
    TUXEDO,
    PENGUIN_II,
    EIGHT_ON,
    ST_HELENA,
    BOX_KITE,
)

_WORD = re.compile(r"[a-z0-9]+")


@cache
def every_game() -> tuple[Game, ...]:
    """Every game, each followed by its variants."""
    return tuple(each for game in GAMES for each in (game, *game.variants))


@cache
def _by_key() -> dict[str, Game]:
    return {game.key: game for game in every_game()}


def find(key: str) -> Game:
    """The game or variant of that key. Raises UnknownGame, which names keys near it."""
    games = _by_key()
    if key in games:
        return games[key]
    raise UnknownGame(f"there is no game {key[:64]!r}{_hint(key[:64].lower())}")


def known(key: str) -> Game | None:
    """The game or variant of that key; None if it is not known here, as one of a newer server."""
    return _by_key().get(key)


def meant(text: str) -> Game | None:
    """The game or variant that a person means by its key or name, however it is spelt: capitals
    are as good as small letters, and spaces and marks as hyphens. None if it is none of these."""
    return _by_spelling().get(_plain(text))


@cache
def _by_spelling() -> dict[str, Game]:
    by_name = {_plain(game.name): game for game in reversed(every_game())}
    return by_name | {_plain(game.key): game for game in every_game()}


def _plain(text: str) -> str:
    parts = text[:128].casefold().split(":")
    return ":".join("-".join(_WORD.findall(part)) for part in parts)


def name_of(key: str) -> str:
    """What a game is called; one that is not known here is called by its key."""
    game = known(key)
    return key if game is None else game.name


def _hint(typed: str) -> str:
    """The nearest keys, if any is near."""
    near = get_close_matches(typed, _by_key(), n=3, cutoff=0.5)
    return f": did you mean {' or '.join(near)}?" if near else ""
