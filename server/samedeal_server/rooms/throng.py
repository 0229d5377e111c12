"""Spectators of one kind, when they are many: told together, at the price of one.

What comes for them is put down once, and each of them is given it when it is their turn, all that
has gathered in one write. Whatever else their connection is sent draws what is put down for them
first, so that everybody is told everything once and in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from samedeal_server.rooms.viewers import Viewer

__all__ = ["MANY", "Throng"]

MANY: Final = 64
"""Fewer are told one by one."""
_AT_A_TIME: Final = 8
"""How many are told before other work may have its turn."""


class Throng:
    """Some spectators who see the same in the same encoding; who they are never changes."""

    __slots__ = (
        "_at",
        "_drawn",
        "_drawn_next",
        "_leaving",
        "_members",
        "_next",
        "_places",
        "_put_off",
        "_together",
    )

    def __init__(self, members: Sequence[Viewer], put_off: Callable[[Throng], object]) -> None:
        """`put_off` has `hurry` called when there is time, until it says that this was all."""
        self._members: tuple[Viewer, ...] = tuple(members)
        self._places = {viewer: place for place, viewer in enumerate(members)}
        self._put_off: Callable[[Throng], object] | None = put_off
        self._next: list[bytes] = []
        """What will leave next time."""
        self._leaving: list[bytes] = []
        """What is leaving: those from place `_at` on have still to be given it."""
        self._together = b""
        """All of that in one piece."""
        self._at = 0
        self._drawn: dict[Viewer, int] = {}
        """Who has been given how much of what is leaving, before it was their turn."""
        self._drawn_next: dict[Viewer, int] = {}
        for viewer in members:
            viewer.gathers(self)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, viewer: Viewer) -> bool:
        return viewer in self._places

    def tell(self, frame: bytes) -> None:
        """Tells everybody, soon."""
        put_off = self._put_off
        if put_off is None:
            for viewer in self._members:
                viewer.tell(frame)
            return
        if not self._next and not self._leaving:
            put_off(self)
        self._next.append(frame)

    def draw(self, viewer: Viewer) -> list[bytes]:
        """Returns what has still to be given to one of them, who has been given it by that."""
        drawn: list[bytes] = []
        if self._leaving and self._places[viewer] >= self._at:
            drawn += self._leaving[self._drawn.get(viewer, 0) :]
            self._drawn[viewer] = len(self._leaving)
        if self._next:
            drawn += self._next[self._drawn_next.get(viewer, 0) :]
            self._drawn_next[viewer] = len(self._next)
        return drawn

    def hurry(self) -> bool:
        """Gives some of them what has gathered; returns whether all have been given it."""
        if not self._leaving:
            self._leaving, self._next = self._next, []
            self._together = b"".join(self._leaving)
            self._drawn, self._drawn_next = self._drawn_next, {}
            self._at = 0
        leaving, together, drawn = self._leaving, self._together, self._drawn
        if leaving:
            whose_turn = self._members[self._at : self._at + _AT_A_TIME]
            # What they are sent from here on is not what they draw.
            self._at += _AT_A_TIME
            for viewer in whose_turn:
                if viewer not in drawn:
                    viewer.tell_all(leaving, together)
                elif rest := leaving[drawn[viewer] :]:
                    viewer.tell_all(rest, b"".join(rest))
            if self._at < len(self._members):
                return False
            self._leaving = []
            if self._next and self._put_off is not None:
                self._put_off(self)
        return True

    def retire(self) -> None:
        """Gives everybody what has gathered, and gathers no more: others will be told instead."""
        for viewer in self._members:
            viewer.pour()
        self._put_off = None
        self._leaving, self._next = [], []
