"""What spectators see of a race whose terms keep them behind: a second fold of the same events.

Events come in when they are durable and wait until they are as old as the terms say. Whoever
watches here is told by this fold alone: their sight, their snapshot, and every event.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from samedeal_protocol.events import Event
from samedeal_server.racing.fold import evolve, replay
from samedeal_server.rooms.crowd import Crowd
from samedeal_server.rooms.viewers import Told, Viewer

__all__ = ["Delayed"]


class Delayed:
    """A race as it stood `lag` milliseconds ago, and those who watch it so."""

    def __init__(self, events: Iterable[Event], *, lag: int, now: int) -> None:
        """Folds the events of a whole log; the opening is shown without delay."""
        waiting = deque(events)
        past = [waiting.popleft()]
        while waiting and waiting[0].at <= now - lag:
            past.append(waiting.popleft())
        self._lag = lag
        self._waiting = waiting
        self.race = replay(past)
        self.crowd = Crowd(self.race)

    @property
    def seq(self) -> int:
        """The last event that has come in, shown or not."""
        return self.race.seq + len(self._waiting)

    @property
    def due(self) -> int | None:
        """When the next event is old enough to be shown."""
        return self._waiting[0].at + self._lag if self._waiting else None

    def add(self, event: Event) -> None:
        """Takes an event in; it is durable."""
        self._waiting.append(event)

    def advance(self, now: int) -> None:
        """Shows what is old enough."""
        told = Told()
        while self._waiting and self._waiting[0].at + self._lag <= now:
            event = self._waiting.popleft()
            evolve(self.race, event)
            self.crowd.tell(event, told)
        self.crowd.look_again(told, now - self._lag)
        told.run()

    def welcome(self, viewer: Viewer, now: int) -> None:
        """Takes a viewer in; they are told nothing by that."""
        self.advance(now)
        self.crowd.add(viewer)

    def then(self, now: int) -> int:
        """Returns the instant that is shown now."""
        return now - self._lag
