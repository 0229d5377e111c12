"""Piles typed letter by letter, without Enter: `3f`, `34`, `w4`, `t12f`.

Pure. The first pile that is named is the source, the second the target. A name that could still
grow longer (`1` where T10 and more could be meant) waits for the next key; Enter, space or `-` ends
it, and so does a key that fits no longer name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from samedeal_rules import Game

__all__ = ["ENDS", "Named", "is_pile_key", "spell"]

ENDS: Final = frozenset(("space", "minus", "enter"))
"""Keys that end a name."""


@dataclass(frozen=True, slots=True)
class Named:
    """What has become of a name that is being typed."""

    buffer: str = ""
    """What is typed of a name that is not done."""
    pile: str | None = None
    """The pile that was named."""
    again: str = ""
    """A key that ended that name, and begins the next one."""


def is_pile_key(key: str, game: Game) -> bool:
    """Whether a pile's name may have the character."""
    return len(key) == 1 and (key.isdigit() or any(key == name[0].lower() for name in game.piles))


def spell(buffer: str, key: str, game: Game, wanted: Iterable[str], *, has_lifted: bool) -> Named:
    """Adds a key to what is typed. `wanted` are the piles with which something can be done; others
    are meant only where none of these can be.

    With cards in hand, a letter alone names the only foundation or cell that is wanted.
    """
    if key in ENDS:
        return Named(pile=_exact(buffer, game, game.piles))
    text = buffer + key
    likely = tuple(wanted)
    if has_lifted and len(text) == 1 and text in "fc":
        family = [pile for pile in likely if pile[0].lower() == text]
        if len(family) == 1:
            return Named(pile=family[0])
    for piles in (likely, () if _exact(buffer, game, likely) is not None else game.piles):
        exact = _exact(text, game, piles)
        is_open = any(
            spelling != text and spelling.startswith(text)
            for pile in piles
            for spelling in _spellings(pile, game)
        )
        if exact is not None and not is_open:
            return Named(pile=exact)
        if is_open:
            return Named(buffer=text)
    ended = _exact(buffer, game, game.piles)
    return Named() if ended is None else Named(pile=ended, again=key)


def _exact(text: str, game: Game, piles: Iterable[str]) -> str | None:
    return next((pile for pile in piles if text in _spellings(pile, game)), None)


def _spellings(pile: str, game: Game) -> Iterator[str]:
    """`t3` and `3`: the piles that the game is played on need no letter."""
    yield pile.lower()
    if pile[0] == game.tableau.key:
        yield pile[1:]
