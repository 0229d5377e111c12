"""A screen that is left once, however often and fast that is asked for."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.screen import Screen

__all__ = ["Leaving"]

_R = TypeVar("_R")


class Leaving(Screen[_R], Generic[_R]):
    """What all screens are."""

    _is_left = False

    def leave(self, result: _R | None = None) -> None:
        """Goes back to the screen below, with a result; does nothing where it is covered."""
        if self.is_active and not self._is_left:
            self._is_left = True
            self.dismiss(result)
