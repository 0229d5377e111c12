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
from samedeal_server.rooms.throng import MANY, Throng
from samedeal_server.rooms.viewers import Audience, Told, Viewer

__all__ = ["Crowd"]

_Wire = Callable[[ServerMessage], bytes]


class _Group:
    """Those who see the same, in the same encoding."""

    __slots__ = ("_throng", "members", "seen", "wants_legal", "wire")

    def __init__(self, seen: Sight, viewer: Viewer) -> None:
        self.seen = seen
        self.wire = viewer.wire
        self.wants_legal = viewer.peer.legal
        self.members: tuple[Viewer, ...] = (viewer,)
        self._throng: Throng | None = None

    def takes(self, seen: Sight, viewer: Viewer) -> bool:
        return (
            self.wire is viewer.wire and self.wants_legal is viewer.peer.legal and self.seen == seen
        )

    def change(self, members: tuple[Viewer, ...]) -> None:
        """Has others be members; who was told together before is told the rest of it now."""
        self.members = members
        if self._throng is not None:
            self._throng.retire()
            self._throng = None

    def audiences(self, but: Viewer | None) -> tuple[Audience, ...]:
        """Returns the members but one, who are told together as far as they are many."""
        if but is not None and but in self.members:
            return (tuple(each for each in self.members if each is not but),)
        if len(self.members) <= MANY:
            return (self.members,)
        if self._throng is None:
            many = [each for each in self.members if each.is_spectator and each.peer.berth]
            berth = many[0].peer.berth if len(many) > MANY else None
            if berth is None:
                return (self.members,)
            self._throng = Throng(many, berth.put_off)
        throng = self._throng
        return throng, tuple(each for each in self.members if each not in throng)


_Share = tuple[Sight, _Wire, bool, tuple[Audience, ...]]
"""What is seen, its encoding, whether legal moves are wanted, and by whom."""


class Crowd:
    """The viewers of `race`, each in the group of its kind."""

    __slots__ = ("_groups", "_plans", "has_changed", "race")

    def __init__(self, race: Race) -> None:
        self.race = race
        self._groups: list[_Group] = []
        self.has_changed = False
        """Whether somebody's sight may be another since `look_again`."""
        self._plans: dict[
            tuple[type[Event], int, Viewer | None], tuple[tuple[_Share, ...], bool]
        ] = {}

    def __iter__(self) -> Iterator[Viewer]:
        for group in tuple(self._groups):
            yield from group.members

    def __len__(self) -> int:
        return sum(len(group.members) for group in self._groups)

    def add(self, viewer: Viewer) -> None:
        """Takes a viewer in, with the sight that they have now."""
        seen = viewer.sight = audience.sight(self.race, viewer.who.player)
        self._plans.clear()
        for group in self._groups:
            if group.takes(seen, viewer):
                group.change((*group.members, viewer))
                return
        self._groups.append(_Group(seen, viewer))

    def remove(self, viewer: Viewer) -> None:
        """Lets a viewer go; nothing happens if they are not here."""
        for group in self._groups:
            if viewer in group.members:
                self._plans.clear()
                group.change(tuple(each for each in group.members if each is not viewer))
                if not group.members:
                    self._groups.remove(group)
                return

    def tell(self, event: Event, told: Told, *, but: Viewer | None = None) -> None:
        """Adds to `told` what everybody (but one) is told of the event that was folded last."""
        race = self.race
        key = (type(event), getattr(event, "entrant", 0), but)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._shares(event, but), audience.changes_sight(event)
        shares, changes_sight = plan
        for seen, wire, wants_legal, audiences in shares:
            frame = wire(audience.show(race, event, seen, legal=wants_legal))
            for each in audiences:
                told.post(each, frame)
        if changes_sight:
            self.has_changed = True

    def _shares(self, event: Event, but: Viewer | None) -> tuple[_Share, ...]:
        """Returns who shares which words about such an event about this entrant.

        A lens depends on the event's type and on whom it is about, and on nothing else of it.
        """
        has_deal = isinstance(event, Started)
        shares: dict[tuple[Sight, _Wire, bool], tuple[Audience, ...]] = {}
        for group in self._groups:
            if group.members != (but,):
                seen = audience.lens(event, group.seen)
                kind = (seen, group.wire, group.wants_legal and has_deal)
                shares[kind] = shares.get(kind, ()) + group.audiences(but)
        return tuple((*kind, audiences) for kind, audiences in shares.items())

    def look_again(self, told: Told, now: int, *, but: Viewer | None = None) -> None:
        """Adds a snapshot for everybody (but one) whose sight the events have changed."""
        if not self.has_changed:
            return
        self.has_changed = False
        changed = [
            viewer
            for viewer in self
            if viewer.sight != audience.sight(self.race, viewer.who.player)
        ]
        frames: dict[tuple[str, _Wire, bool], bytes] = {}
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
