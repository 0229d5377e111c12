"""Who follows a tournament, and how they are told what has changed.

Changes are the same for everybody. They gather until the next flush, are put into words once for
all who know the same, and encoded once for each encoding. Whoever does not read is spared, and is
told all of it together once they read again: a state is frozen, so what somebody knows is one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from samedeal_protocol.messages import ServerMessage
from samedeal_protocol.tournament.events import TournamentEvent
from samedeal_server.hosting.state import State
from samedeal_server.hosting.view import changed
from samedeal_server.rooms.viewers import Peer

__all__ = ["Crowd", "Follow"]

RECENT: Final = 200
"""Events of which somebody who was long away is still told in words, the newest."""


class Follow:
    """One connection's interest in one tournament."""

    __slots__ = ("is_stale", "knows", "peer")

    def __init__(self, peer: Peer, knows: State) -> None:
        self.peer = peer
        self.knows = knows
        """The tournament as this follower was told it."""
        self.is_stale = False
        """Does not read: nothing is offered until it does."""


class Crowd:
    """The followers of one tournament."""

    def __init__(self) -> None:
        self._follows: dict[Follow, None] = {}
        self._recent: deque[tuple[int, TournamentEvent]] = deque(maxlen=RECENT)
        self._told: State | None = None

    def __len__(self) -> int:
        return len(self._follows)

    def add(self, follow: Follow) -> None:
        """Tells a follower what changes from now on."""
        self._follows[follow] = None
        self._told = None

    def remove(self, follow: Follow) -> None:
        """Tells a follower nothing more; nothing happens if it is none."""
        self._follows.pop(follow, None)

    def note(self, after: State, events: Sequence[TournamentEvent]) -> None:
        """Keeps events for their words; `after` is the state that they have led to."""
        first = after.seq - len(events) + 1
        self._recent.extend(enumerate(events, first))

    def flush(self, state: State, now: int) -> None:
        """Tells everybody who reads what they do not know yet."""
        if self._told is not state:
            self._told = state
            self._tell(tuple(self._follows), state, now)

    def drained(self, follow: Follow, state: State, now: int) -> None:
        """The follower reads again."""
        if follow.is_stale and follow in self._follows:
            follow.is_stale = False
            self._tell((follow,), state, now)

    def _tell(self, follows: Iterable[Follow], state: State, now: int) -> None:
        frames: dict[tuple[int, Callable[[ServerMessage], bytes]], bytes] = {}
        for follow in follows:
            knows = follow.knows
            if follow.is_stale or knows.seq >= state.seq:
                continue
            wire = follow.peer.wire
            frame = frames.get((id(knows), wire))
            if frame is None:
                events = [event for seq, event in self._recent if seq > knows.seq]
                frame = wire(changed(knows, state, events, now))
                frames[id(knows), wire] = frame
            if follow.peer.offer(frame):
                follow.knows = state
            else:
                follow.is_stale = True
