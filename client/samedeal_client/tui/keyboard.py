"""What keys mean at a board, in the light of what was typed before and of what is in hand.

Pure but for its own state: the name of a pile that is being typed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from samedeal_client.tui.aim import Aim
from samedeal_client.tui.keys import ENDS, is_pile_key, spell
from samedeal_client.typed import Typed
from samedeal_rules import Game

__all__ = ["ARROWS", "Keyboard", "Pressed"]

ARROWS: Final = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
"""Keys that go from pile to pile, and which way."""
_STEPS: Final = {"plus": 1, "minus": -1}


@dataclass(frozen=True, slots=True)
class Pressed:
    """What a key has come to at the board."""

    meant: Typed | None = None
    """What is to be carried out."""
    said: str | None = None
    """What is to be said instead of what was said before."""
    again: str = ""
    """The key that is to be taken next, since it began something new."""


class Keyboard:
    """The keys at one board."""

    def __init__(self, game: Game, aim: Aim) -> None:
        self._game: Final = game
        self._aim: Final = aim
        self._typed = ""

    def wants(self, key: str, *, has_shortcuts: bool) -> bool:
        """Whether a key may mean something at a board; what, is seen when its turn comes."""
        if key in ARROWS or key in ("enter", "escape"):
            return True
        return has_shortcuts and (key in ENDS or key in _STEPS or is_pile_key(key, self._game))

    def take(self, key: str) -> Pressed | None:
        """Takes a key but for arrows; None if it means nothing here and now."""
        if key == "escape" and (self._typed or self._aim.lifted is not None):
            self._typed = ""
            self._aim.drop()
            return Pressed(said="")
        if is_pile_key(key, self._game) or (self._typed and key in ENDS):
            return self._spell(key)
        if key == "enter":
            return Pressed(self._point(self._aim.cursor))
        if key in _STEPS:
            return Pressed(self._aim.stretch(_STEPS[key]))
        return None

    def _point(self, pile: str) -> Typed | None:
        lifted = self._aim.lifted
        return self._aim.point(pile, lifted[1] if lifted is not None and lifted[0] == pile else 1)

    def _spell(self, key: str) -> Pressed:
        aim = self._aim
        named = spell(self._typed, key, self._game, aim.wanted, has_lifted=aim.lifted is not None)
        self._typed = named.buffer
        if named.buffer:
            return Pressed(said=f"{named.buffer}_")
        meant = None if named.pile is None else self._point(named.pile)
        return Pressed(meant, "", named.again)
