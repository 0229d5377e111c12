"""This node among others: its lease, the races it claims, those it follows, what nodes ask.

Safety comes from the epochs, which the log checks. All here is to have somebody own every race, and
everybody know who. A node that cannot be sure asks the store; what the bus says is a hint.

A race's log lines travel to those who follow it as soon as they are durable where players are
waiting for them, and else some twenty times a second. The last of them is said once more when the
race has been quiet for a while, since nothing else would show that it was lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Final, Protocol

import msgspec
from msgspec import Raw

from samedeal_protocol import topics
from samedeal_protocol.errors import CloseCode, ErrorCode
from samedeal_protocol.messages import RaceCard, ServerMessage
from samedeal_protocol.topics import BadMessage, LogLines, Owner
from samedeal_server.ports import Bus, Claim, Clock, Entry, Leases, Log, LogUnavailable, Meter
from samedeal_server.racing import commands
from samedeal_server.racing.commands import Command
from samedeal_server.racing.race import Refused
from samedeal_server.refusals import fault_text
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.links import (
    Answer,
    Carried,
    Elsewhere,
    Links,
    Order,
    Rejected,
)
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.viewers import RETRY_MS, Asker, Viewer, Who

__all__ = ["Federation"]

_log = logging.getLogger(__name__)

PATIENCE_S: Final = 6.0
"""How long a player's request waits for a race's owner, or for a new one."""
ASK_S: Final = 1.2
"""How long an owner may take to answer before the store is asked who it is."""
CLAIMED: Final = 100
"""Orphans that are claimed at a time."""
QUIET_S: Final = 1.0
"""When a race's last line is said once more."""
MUTE_S: Final = 3.0
"""How long a node without the bus keeps races in which others' players are."""
TTL_S: Final = 3.0
"""How long a lease runs; a node that did not renew it for so long looks at what it still owns."""

_KINDS: Final[dict[str, type[Command]]] = {
    kind.__name__: kind
    for kind in (
        commands.Begin, commands.Cancel, commands.Chat, commands.Disqualify, commands.Drop,
        commands.Enter, commands.Finish, commands.GiveUp, commands.OpenRematch, commands.Play,
        commands.Ready, commands.Return, commands.Start, commands.Undo, commands.Unready,
        commands.Withdraw,
    )
}  # fmt: skip
"""What a node may ask for a player."""
_REPLACED: Final = "Replaced"
"""What an owner says to a node: a player is there by a newer connection."""

_encoder: Final = msgspec.msgpack.Encoder()
_orders: Final = msgspec.msgpack.Decoder(Order)


class Home(Protocol):
    """What the federation needs of the hall."""

    rooms: dict[str, Room]
    is_draining: bool

    @property
    def log(self) -> Log: ...

    async def find(self, code: str) -> Room: ...

    def lose(self, races: set[str]) -> None:
        """Puts rooms aside and reads their races again, as this node's or as another's."""
        ...

    async def take_up(self, claim: Claim) -> None:
        """Makes a race that was claimed one of this node's."""
        ...


class Federation:
    """The nodes that share a log, as one of them sees them."""

    def __init__(
        self,
        home: Home,
        *,
        leases: Leases,
        bus: Bus,
        clock: Clock,
        meter: Meter,
        spawn: Callable[[Coroutine[None, None, None], str], None],
    ) -> None:
        self._home = home
        self._leases = leases
        self._bus = bus
        self._clock = clock
        self._meter = meter
        self._spawn = spawn
        self._seconds = asyncio.get_running_loop().time
        self.node = leases.node
        self.is_shared = leases.is_shared
        self._renewed = self._heard_bus = self._seconds()
        self._is_superseded = False
        self._cards: dict[str, Owner] = {}
        self._fresh: dict[str, tuple[Room, list[Entry]]] = {}
        self._quiet: dict[str, tuple[Room, Entry, float]] = {}
        self._catching: dict[str, asyncio.Task[None]] = {}
        self._feeds: dict[str, Callable[[], None]] = {}
        self._peers: dict[tuple[str, str, int], _Afar] = {}
        self._announcing: dict[tuple[str, int], Command] = {}
        self._links: Links | None = None
        self._stops: list[Callable[[], None]] = []
        if self.is_shared:
            self._links = Links(
                bus, clock, meter,
                node=leases.node, incarnation=leases.incarnation, serve=self._serve,
            )  # fmt: skip
            self._stops += (
                self._links.close,
                bus.subscribe(topics.OWNER.pattern, self._on_owner),
                bus.on_connected(self._on_connected),
            )

    def close(self) -> None:
        """Hears nothing any more."""
        for stop in self._stops:
            stop()

    # --- who owns what -------------------------------------------------------------------------

    def cards(self) -> list[RaceCard]:
        """Returns the listed races of other nodes, as far as they have said."""
        rooms = self._home.rooms
        return [
            owner.card
            for code, owner in self._cards.items()
            if owner.card is not None and (code not in rooms or not rooms[code].is_owned)
        ]

    async def tenure(self, code: str) -> Claim | tuple[str, int]:
        """Returns this node's claim to a race, taking it if nobody else has it, or who has it.

        Raises:
            LookupError: the store knows no such race.
            Refused: nobody owns the race, and this node is in no position to.
            LogUnavailable: the store cannot be asked.
        """
        owner = await self._leases.owner(code)
        if owner is not None and owner[0] != self.node:
            return owner
        if self._may_claim():
            claim = await self._leases.claim(code)
            if claim is not None:
                return claim
            owner = await self._leases.owner(code)
            if owner is not None and owner[0] != self.node:
                return owner
        raise Refused(ErrorCode.STORE_UNAVAILABLE, "the race is changing hands; try once more")

    def _may_claim(self) -> bool:
        is_mute = self.is_shared and self._seconds() - self._heard_bus >= MUTE_S
        return not self._is_superseded and not self._home.is_draining and not is_mute

    async def renew(self) -> None:
        """Keeps this node's lease, claims what has no owner, gives up what it cannot serve."""
        if not self.is_shared:
            return
        now = self._seconds()
        if self._bus.is_connected:
            self._heard_bus = now
        try:
            has_lease = await self._leases.renew(has_bus=self._bus.is_connected)
            if has_lease is self._is_superseded:
                self._is_superseded = not has_lease
                if not has_lease:
                    _log.critical("another node runs as node=%s: name one of them anew", self.node)
                    self._home.lose({room.id for room in self._owned()})
            lapsed, self._renewed = now - self._renewed > TTL_S, self._seconds()
            if lapsed:
                await self.look()
            if self._may_claim():
                for claim in await self._leases.claim_orphans(limit=CLAIMED):
                    await self._home.take_up(claim)
        except LogUnavailable as fault:
            _log.warning("the lease cannot be renewed fault=%s", fault)

    async def look(self) -> None:
        """Lets go of races that others have claimed, and of players whose nodes are gone."""
        if not self.is_shared:
            return
        before = self._owned()
        try:
            owned = await self._leases.owned()
            nodes = await self._leases.nodes()
        except LogUnavailable as fault:
            _log.warning("nobody can be asked who owns what fault=%s", fault)
            return
        rooms = self._home.rooms
        lost = {
            room.id
            for room in before
            if rooms.get(room.id) is room and owned.get(room.id) != room.epoch
        }
        if lost:
            self._home.lose(lost)
        alive = {(each.node, each.incarnation) for each in nodes if each.is_alive}
        now = self._clock.now()
        for room in self._owned():
            for seat in room.seats_afar():
                if isinstance(seat.peer, _Afar) and seat.peer.home not in alive:
                    room.gone(seat, now)
        for key in [key for key in self._peers if key[:2] not in alive]:
            del self._peers[key]
        others = [each for each in nodes if each.is_alive and each.node != self.node]
        if self._seconds() - self._heard_bus >= MUTE_S and any(each.has_bus for each in others):
            mute = {room.id for room in self._owned() if room.seats_afar()}
            if mute:
                await self._hand_over(mute)

    async def leave(self) -> None:
        """Gives all races to whoever is there to take them; nothing is claimed any more."""
        if self.is_shared:
            await self._leases.leave()

    async def has_heirs(self) -> bool:
        """Says whether other nodes live, which take over what this one gives up."""
        if not self.is_shared:
            return False
        return any(each.is_alive and each.node != self.node for each in await self._leases.nodes())

    async def _hand_over(self, races: set[str]) -> None:
        _log.warning("races given up, for want of the bus races=%d", len(races))
        await self._leases.release(sorted(races))
        self._home.lose(races)

    def _owned(self) -> list[Room]:
        return [room for room in self._home.rooms.values() if room.is_owned]

    def _on_owner(self, topic: str, payload: bytes) -> None:
        """A node says that it owns a race, and what the race is."""
        levels = topics.OWNER.levels(topic)
        if levels is None:
            return
        code = levels["race"]
        if not payload:
            self._cards.pop(code, None)
            return
        try:
            owner = topics.OWNER.decode(topic, payload)
        except BadMessage:
            self._meter.count("bus_forged")
            return
        if owner.node == self.node:
            return
        room = self._home.rooms.get(code)
        known = self._cards.get(code)
        if owner.epoch < max(
            known.epoch if known is not None else 0, room.epoch if room is not None else 0
        ):
            self._meter.count("bus_stale")
            return
        self._cards[code] = owner
        if room is None or room.is_lost:
            return
        if isinstance(room, Follower):
            if owner.epoch > room.epoch:
                self._spawn(self._check_owner(room), f"check owner {code}")
        elif owner.epoch > room.epoch:
            # Perhaps: the store knows, and reading the race again asks it.
            self._spawn(self.look(), "look")

    async def _check_owner(self, room: Follower) -> None:
        """Has a follower know who the store says owns its race."""
        try:
            owner = await self._leases.owner(room.id)
            if owner is not None and owner[0] != self.node and owner[1] > room.epoch:
                room.moved(*owner)
            await self.catch_up(room)
        except LogUnavailable:
            return

    # --- following -----------------------------------------------------------------------------

    def follow(self, room: Follower) -> None:
        """Has a follower hear its race's lines from now on."""
        code = room.id

        def receive(topic: str, payload: bytes) -> None:
            self._on_lines(room, topic, payload)

        self._feeds[code] = self._bus.subscribe(topics.LOG.at(race=code), receive)
        # What has become durable since the race was read, and before we heard of any more.
        self._spawn(self._safely_catch_up(room), f"catch up {code}")

    def unfollow(self, room: Room) -> None:
        """Ends what `follow` began."""
        stop = self._feeds.pop(room.id, None)
        if stop is not None:
            stop()

    async def catch_up(self, room: Follower) -> None:
        """Lets a follower hear all that the log has; readers of one race share a look."""
        running = self._catching.get(room.id)
        if running is None:
            running = self._catching[room.id] = asyncio.ensure_future(self._read_on(room))
            running.add_done_callback(lambda _: self._catching.pop(room.id, None))
        await asyncio.shield(running)

    async def poll(self) -> None:
        """Reads followed races from the log while the bus brings nothing."""
        if not self.is_shared or self._bus.is_connected:
            return
        for room in list(self._home.rooms.values()):
            if isinstance(room, Follower) and room.is_watched:
                await self._safely_catch_up(room)

    async def _read_on(self, room: Follower) -> None:
        first = room.race.seq + 1
        lines = await self._home.log.read(room.id, after=first - 1)
        if not room.is_lost:
            self._hear(room, first, lines)

    async def _safely_catch_up(self, room: Follower) -> None:
        try:
            await self.catch_up(room)
        except LogUnavailable as fault:
            _log.warning("race not caught up race=%s fault=%s", room.id, fault)

    def _on_lines(self, room: Follower, topic: str, payload: bytes) -> None:
        try:
            lines = topics.LOG.decode(topic, payload)
        except BadMessage:
            self._meter.count("bus_forged")
            return
        if room.is_lost or lines.epoch < room.epoch:
            self._meter.count("bus_stale")
            return
        if (lines.node, lines.epoch) != (room.owner, room.epoch):
            if lines.epoch == room.epoch:
                self._meter.count("bus_forged")
            else:
                self._spawn(self._check_owner(room), f"check owner {room.id}")
            return
        if not self._hear(room, lines.first, lines.lines):
            self._meter.count("bus_gaps")
            self._spawn(self._safely_catch_up(room), f"catch up {room.id}")

    def _hear(self, room: Follower, first: int, lines: Sequence[bytes]) -> bool:
        try:
            return room.hear(first, lines, self._clock.now())
        except Exception as fault:
            _log.error("lines unreadable race=%s fault=%s", room.id, fault_text(fault))
            self._home.lose({room.id})
            return True

    def _on_connected(self) -> None:
        """The bus is back: what it said meanwhile is lost, and what we said."""
        for room in self._home.rooms.values():
            if isinstance(room, Follower):
                self._spawn(self._check_owner(room), f"check owner {room.id}")

    # --- feeding -------------------------------------------------------------------------------

    def feed(self, room: Room, entries: Sequence[Entry]) -> None:
        """Says to those who follow the race what has become durable: now, or at the next flush."""
        self._fresh.setdefault(room.id, (room, []))[1].extend(entries)
        if room.seats_afar():
            self._say(room.id)

    def flush(self) -> None:
        """Says what has gathered, and once more what was said last in races that are quiet."""
        for code in tuple(self._fresh):
            self._say(code)
        until = self._seconds() - QUIET_S
        for code, (room, entry, said) in tuple(self._quiet.items()):
            if said > until:
                break
            del self._quiet[code]
            self._publish(room, (entry,))

    def _say(self, code: str) -> None:
        room, entries = self._fresh.pop(code)
        self._publish(room, entries)
        self._quiet.pop(code, None)
        self._quiet[code] = room, entries[-1], self._seconds()

    def _publish(self, room: Room, entries: Sequence[Entry]) -> None:
        lines = LogLines(
            race=room.id,
            node=self.node,
            epoch=entries[0].epoch,
            first=entries[0].seq,
            lines=tuple([entry.line for entry in entries]),
        )
        self._bus.publish(topics.LOG.at(race=room.id), topics.LOG.encode(lines))

    # --- asking --------------------------------------------------------------------------------

    async def ask_owner(self, room: Follower, command: Command, *, at: int, seat: int = 0) -> int:
        """Returns the race's seq when the owner has carried out a command.

        Raises:
            Refused: as the owner says; or store-unavailable, when none answers for now.
        """
        links = self._links
        assert links is not None
        order = Order(
            at=at,
            seat=seat,
            player=getattr(command, "player", ""),
            name=getattr(command, "name", ""),
            bot=getattr(command, "bot", False),
            command=Raw(_encoder.encode(command)),
        )
        kind = type(command).__name__
        until = self._seconds() + PATIENCE_S
        while not room.is_lost and self._seconds() < until:
            outcome = await links.ask(room.owner, room.id, kind, order, patience=ASK_S)
            match outcome:
                case Carried(seq=seq):
                    return seq
                case Rejected(sentence=sentence, reason=reason):
                    raise Refused(outcome.code, sentence or "", reason=reason)
                case _:
                    await self._seek_owner(room)
        raise Refused(ErrorCode.STORE_UNAVAILABLE, "the race's node does not answer; try once more")

    async def _seek_owner(self, room: Follower) -> None:
        """Looks up who owns a race whose owner did not answer; if nobody does, we may."""
        try:
            owner = await self._leases.owner(room.id)
        except LogUnavailable:
            await asyncio.sleep(ASK_S / 4)
            return
        if owner is None:
            if self._may_claim():
                self._home.lose({room.id})
            else:
                await asyncio.sleep(ASK_S / 4)
        elif owner[0] == self.node:
            self._home.lose({room.id})
        elif owner != (room.owner, room.epoch):
            room.moved(*owner)
            await self._safely_catch_up(room)

    def announce(
        self, room: Follower, viewer: Viewer, command: commands.Return | commands.Drop
    ) -> None:
        """Has the owner know that a player is there or gone, as soon as it can be told."""
        key = (room.id, viewer.seat)
        is_running = key in self._announcing
        self._announcing[key] = command
        if not is_running:
            self._spawn(self._announce(room, viewer.seat), f"announce {room.id}")

    async def _announce(self, room: Follower, seat: int) -> None:
        key = (room.id, seat)
        try:
            while not room.is_lost:
                command = self._announcing[key]
                try:
                    await self.ask_owner(room, command, at=self._clock.now(), seat=seat)
                except Refused as refused:
                    if refused.code is ErrorCode.STORE_UNAVAILABLE:
                        await asyncio.sleep(RETRY_MS / 1000)
                        continue
                if self._announcing[key] is command:
                    return
        finally:
            self._announcing.pop(key, None)

    # --- being asked ---------------------------------------------------------------------------

    def _serve(self, command: topics.Command, answer: Answer) -> None:
        """Carries out an order of another node."""
        try:
            order = _orders.decode(command.body)
            kind = _KINDS.get(command.kind)
            asked = None if kind is None else msgspec.msgpack.decode(order.command, type=kind)
        except msgspec.DecodeError:
            self._meter.count("bus_forged")
            return
        room = self._home.rooms.get(command.race)
        if command.kind == _REPLACED:
            if isinstance(room, Follower):
                room.replaced(order.seat)
            answer(Carried(0))
        elif asked is None:
            self._meter.count("bus_forged")
        elif room is None:
            self._spawn(self._serve_later(command, order, asked, answer), f"order {command.race}")
        else:
            self._carry_out(room, command, order, asked, answer)

    async def _serve_later(
        self, command: topics.Command, order: Order, asked: Command, answer: Answer
    ) -> None:
        """Carries out an order for a race that has to be read first."""
        try:
            room = await self._home.find(command.race)
        except (Refused, LogUnavailable):
            answer(Elsewhere())
            return
        self._carry_out(room, command, order, asked, answer)

    def _carry_out(
        self,
        room: Room,
        command: topics.Command,
        order: Order,
        asked: Command,
        answer: Answer,
    ) -> None:
        if not room.is_owned:
            answer(Elsewhere())
            return
        seat: Viewer | None = None
        if order.seat:
            peer = self._peer(command.node, command.incarnation, order.seat, room.id)
            seat = peer.viewer(Who(order.player, order.name, order.bot))
        # What was asked before the race's last event counts as just after it.
        now = min(self._clock.now(), max(order.at, room.race.at))
        room.order(asked, now, _Answering(room, answer), seat)
        if command.kind == commands.Drop.__name__:
            self._peers.pop((command.node, command.incarnation, order.seat), None)

    def _peer(self, node: str, incarnation: str, seat: int, race: str) -> _Afar:
        key = (node, incarnation, seat)
        peer = self._peers.get(key)
        if peer is None:
            peer = self._peers[key] = _Afar((node, incarnation), lambda: self._replace(key, race))
        return peer

    def _replace(self, key: tuple[str, str, int], race: str) -> None:
        """Tells a node that a player of its own is there by a newer connection."""
        node, _, seat = key
        self._peers.pop(key, None)
        if self._links is not None:
            order = Order(at=0, seat=seat, player="", name="", bot=False)
            self._spawn(self._tell(node, race, order), f"replaced {race}")

    async def _tell(self, node: str, race: str, order: Order) -> None:
        if self._links is not None:
            await self._links.ask(node, race, _REPLACED, order, patience=PATIENCE_S)


class _Answering(Asker):
    """A player's request that came from another node: the reply goes there, and says little."""

    __slots__ = ("_answer", "_outcome", "_room")

    def __init__(self, room: Room, answer: Answer) -> None:
        self._posts = []
        self.on_fail = None
        self._room = room
        self._answer = answer
        self._outcome: Carried | Rejected = Carried(0)

    def ok(self, result: object = None) -> None:
        self._outcome = Carried(self._room.race.seq)

    def error(
        self,
        code: ErrorCode,
        sentence: str | None = None,
        *,
        reason: str | None = None,
        after_ms: int | None = None,
    ) -> None:
        self._outcome = Rejected(code.name, sentence, reason)

    def run(self) -> None:
        super().run()
        self._answer(self._outcome)

    def fail(self) -> None:
        self._answer(Rejected(ErrorCode.STORE_UNAVAILABLE.name))


class _Afar:
    """The peer of a player's place on another node, which is told nothing but that it was lost."""

    legal = False

    def __init__(self, home: tuple[str, str], replaced: Callable[[], None]) -> None:
        self.home = home
        self.is_open = True
        self._replaced = replaced
        self._viewer: Viewer | None = None

    def viewer(self, who: Who) -> Viewer:
        """Returns the player's place, one and the same each time."""
        if self._viewer is None:
            self._viewer = Viewer(self, who)
            self._viewer.is_afar = True
        return self._viewer

    def wire(self, message: ServerMessage) -> bytes:
        raise AssertionError("nothing is told to other nodes but by the log's lines")

    def send(self, frame: bytes) -> None:
        """Nothing is sent: the other node tells its players itself."""

    def offer(self, frame: bytes) -> bool:
        return True

    def say(self, message: ServerMessage) -> None:
        """Nothing is said: the other node tells its players itself."""

    def close(self, code: CloseCode) -> None:
        if self.is_open:
            self.is_open = False
            if code is CloseCode.REPLACED:
                self._replaced()
