"""Everybody who watches one fold of a race, grouped by what they may see.

An event is put into words once for each lens, encoded once for each encoding of it, and shared by
all who are shown the same. Whoever's sight has changed is told the whole anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from samedeal_protocol.events import Event, Started
from samedeal_protocol.messages import ServerMessage, Snapshot
from samedeal_server.racing import audience
from samedeal_server.racing.audience import Sight
from samedeal_server.racing.race import Race
from samedeal_server.rooms.viewers import Told, Viewer

__all__ = ["Crowd"]

_Kind = tuple[Sight, Callable[[ServerMessage], bytes], bool]
"""Sight, encoding, and whether legal moves are wanted."""


class Crowd:
    """The viewers of `race`, each in the group of its kind."""

    __slots__ = ("_groups", "_has_changed", "race")

    def __init__(self, race: Race) -> None:
        self.race = race
        self._groups: dict[_Kind, tuple[Viewer, ...]] = {}
        self._has_changed = False

    def __iter__(self) -> Iterator[Viewer]:
        for members in tuple(self._groups.values()):
            yield from members

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))

    def add(self, viewer: Viewer) -> None:
        """Takes a viewer in, with the sight that they have now."""
        viewer.sight = audience.sight(self.race, viewer.who.player)
        kind = (viewer.sight, viewer.wire, viewer.peer.legal)
        self._groups[kind] = (*self._groups.get(kind, ()), viewer)

    def remove(self, viewer: Viewer) -> None:
        """Lets a viewer go; nothing happens if they are not here."""
        if viewer.sight is None:
            return
        kind = (viewer.sight, viewer.wire, viewer.peer.legal)
        members = self._groups.get(kind, ())
        if viewer in members:
            left = tuple(member for member in members if member is not viewer)
            if left:
                self._groups[kind] = left
            else:
                del self._groups[kind]

    def tell(self, event: Event, told: Told, *, but: Viewer | None = None) -> None:
        """Adds to `told` what everybody (but one) is told of the event that was folded last."""
        race = self.race
        frames: dict[_Kind, bytes] = {}
        has_deal = isinstance(event, Started)
        for (seen, wire, wants_legal), members in self._groups.items():
            if but is not None and but in members:
                members = tuple(member for member in members if member is not but)
                if not members:
                    continue
            kind = (audience.lens(event, seen), wire, wants_legal and has_deal)
            frame = frames.get(kind)
            if frame is None:
                frame = frames[kind] = wire(audience.show(race, event, kind[0], legal=kind[2]))
            told.post(members, frame)
        if audience.changes_sight(event):
            self._has_changed = True

    def look_again(self, told: Told, now: int, *, but: Viewer | None = None) -> None:
        """Adds a snapshot for everybody (but one) whose sight the events have changed."""
        if not self._has_changed:
            return
        self._has_changed = False
        changed = [
            viewer
            for viewer in self
            if viewer.sight != audience.sight(self.race, viewer.who.player)
        ]
        frames: dict[tuple[str, Callable[[ServerMessage], bytes], bool], bytes] = {}
        for viewer in changed:
            self.remove(viewer)
            self.add(viewer)
            if viewer is but:
                continue
            player = viewer.who.player
            # To those who are neither entrant nor host the race looks all the same.
            whose = player if player in self.race.by_player or player == self.race.host else ""
            key = (whose, viewer.wire, viewer.peer.legal)
            if key not in frames:
                frames[key] = viewer.wire(self.snapshot(viewer, now))
            told.post((viewer,), frames[key])

    def snapshot(self, viewer: Viewer, now: int) -> Snapshot:
        """Returns all that the viewer may know now."""
        return audience.snapshot(self.race, viewer.who.player, now, legal=viewer.peer.legal)
