"""What leaves this node for the world: who holds a race, how it goes, how it stands.

Everything is coalesced and published when it is durable. Nothing is told that a stranger could not
see by watching. Of a race that keeps spectators behind only `watch` tells, as late as they see it;
its progress and standings are told when it is over.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from samedeal_protocol import topics
from samedeal_server.ports import Bus, Clock
from samedeal_server.racing import audience
from samedeal_server.racing.audience import Level
from samedeal_server.racing.race import Phase, Race
from samedeal_server.rooms.committer import Committer
from samedeal_server.rooms.effects import Then
from samedeal_server.rooms.onlooker import Onlooker
from samedeal_server.rooms.room import Room

__all__ = ["World"]

STANDINGS_EVERY_MS: Final = 1000
KEPT_MS: Final = 600_000
"""How long a retained topic stays after its race's end."""


class World:
    """The node's voice on the bus."""

    def __init__(
        self,
        bus: Bus,
        clock: Clock,
        committer: Committer,
        *,
        node: str,
        incarnation: str,
        rest: Callable[[Room], None],
    ) -> None:
        """`rest` is told a room that the world watches no more."""
        self._bus = bus
        self._clock = clock
        self._committer = committer
        self._node = node
        self._incarnation = incarnation
        self._rest = rest
        self.changed: dict[str, Race] = {}
        """Races that have gone on, by code; they are told of at the next `flush`."""
        self._epochs: dict[str, int] = {}
        self._shown: dict[str, tuple[Phase, int, int]] = {}
        """What the lobby's card of a race rests on, as it was when that was last said."""
        self._onlookers: dict[str, Onlooker] = {}
        self._standings_at: dict[str, int] = {}
        self._standings_due: dict[str, Race] = {}
        self._fading: dict[str, int] = {}

    def held(self, race: Race, epoch: int) -> None:
        """Says that this node holds the race, by a claim of that epoch."""
        self._epochs[race.id] = epoch
        self._shown.pop(race.id, None)
        self._tell_owner(race)

    def watch(self, room: Room) -> None:
        """Has the world watch a race of this node's; a delayed one needs `Room.delayed` first."""
        onlooker = self._onlookers[room.id] = Onlooker(room, self._bus, node=self._node)
        room.show(onlooker.viewer, self._clock.now())

    def leave(self, race: str) -> None:
        """Ends what `watch` began."""
        onlooker = self._onlookers.pop(race, None)
        if onlooker is not None:
            onlooker.flush()
            onlooker.room.leave(onlooker.viewer)

    def forget(self, race: str) -> None:
        """Notes that the race is not to be told of as memory has it; its end is, if it came."""
        self.leave(race)
        changed = self.changed.pop(race, None)
        if changed is not None and changed.is_final:
            self._tell_end(changed)
        elif race in self._epochs:
            # From here on somebody else may say it.
            self._bus.forget(topics.OWNER.at(race=race))
            self._bus.forget(topics.STANDINGS.at(race=race))
        self._epochs.pop(race, None)
        self._standings_due.pop(race, None)
        self._shown.pop(race, None)

    def status(self, status: str, *, races: int) -> None:
        """Says how this node is: up, draining or down."""
        payload = topics.NodeStatus(
            node=self._node,
            status=status,
            at=self._clock.now(),
            races=races,
            incarnation=self._incarnation,
        )
        self._bus.publish(
            topics.STATUS.at(node=self._node), topics.STATUS.encode(payload), retain=True
        )

    def flush(self) -> None:
        """Tells how the races go that have changed since the last time."""
        now = self._clock.now()
        self._flush_onlookers()
        later: dict[str, Race] = {}
        for code, race in self.changed.items():
            if race.is_final:
                self._tell_end(race)
                continue
            self._tell_owner(race)
            seen = audience.sight(race, "")
            is_shown = audience.is_public(race.terms) and seen.level is not Level.NOTHING
            if not is_shown or race.terms.delay or race.phase is not Phase.RUNNING:
                continue
            self._tell_progress(race)
            if now - self._standings_at.get(code, 0) >= STANDINGS_EVERY_MS:
                self._standings_at[code] = now
                self._tell_standings(race)
            else:
                later[code] = race
        self.changed = {}
        self._settle(later, now)

    def _tell_end(self, race: Race) -> None:
        """Tells how a race has ended, and that nobody needs an owner of it any more."""
        code = race.id
        if audience.is_public(race.terms):
            self._tell_standings(race)
        self._publish(code, topics.OWNER.at(race=code), b"", retain=True)
        self._standings_at.pop(code, None)
        self._standings_due.pop(code, None)
        self._fading[code] = self._clock.now() + KEPT_MS

    def _flush_onlookers(self) -> None:
        """Publishes what is seen of the races, and ends watching those that are over."""
        for code, onlooker in tuple(self._onlookers.items()):
            onlooker.flush()
            room = onlooker.room
            has_more = room.delayed is not None and room.delayed.due is not None
            if room.race.is_final and not has_more:
                self.leave(code)
                self._rest(room)

    def _settle(self, later: dict[str, Race], now: int) -> None:
        """Sees to standings that were told too short a time ago, and empties old topics."""
        for code, race in later.items():
            self._standings_due.setdefault(code, race)
        for code, race in tuple(self._standings_due.items()):
            if now - self._standings_at.get(code, 0) >= STANDINGS_EVERY_MS:
                del self._standings_due[code]
                if not race.is_final:
                    self._standings_at[code] = now
                    self._tell_standings(race)
        for code, until in tuple(self._fading.items()):
            if now < until:
                break
            del self._fading[code]
            self._bus.publish(topics.STANDINGS.at(race=code), b"", retain=True)

    def _tell_owner(self, race: Race) -> None:
        """Says who holds the race, if what the lobby shows of it has changed."""
        shown = race.phase, len(race.entrants), len(race.by_player)
        if self._shown.get(race.id) == shown:
            return
        self._shown[race.id] = shown
        card = audience.card(race) if audience.is_listed(race.terms) else None
        epoch = self._epochs.get(race.id, 1)
        owner = topics.Owner(race=race.id, node=self._node, epoch=epoch, seq=race.seq, card=card)
        self._publish(
            race.id, topics.OWNER.at(race=race.id), topics.OWNER.encode(owner), retain=True
        )

    def _tell_progress(self, race: Race) -> None:
        topic = topics.PROGRESS.at(race=race.id)
        if not self._bus.hears(topic):
            return
        lines = tuple(
            topics.ProgressLine(
                entrant=entrant.number,
                state=entrant.state.value,
                home=entrant.home,
                moves=entrant.moves,
            )
            for entrant in race.entered()
        )
        progress = topics.Progress(
            race=race.id,
            node=self._node,
            epoch=self._epochs.get(race.id, 1),
            seq=race.seq,
            at=race.at,
            phase=race.phase.value,
            entrants=lines,
        )
        self._publish(race.id, topic, topics.PROGRESS.encode(progress))

    def _tell_standings(self, race: Race) -> None:
        sheet = audience.results(race, "")
        standings = topics.Standings(
            race=race.id,
            node=self._node,
            epoch=self._epochs.get(race.id, 1),
            seq=race.seq,
            phase=race.phase.value,
            standings=sheet.standings,
        )
        topic = topics.STANDINGS.at(race=race.id)
        self._publish(race.id, topic, topics.STANDINGS.encode(standings), retain=True)

    def _publish(self, race: str, topic: str, payload: bytes, *, retain: bool = False) -> None:
        publish = partial(self._bus.publish, topic, payload, retain=retain)
        self._committer.after(race, Then(publish))
