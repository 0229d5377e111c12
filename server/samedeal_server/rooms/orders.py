"""What players ask of races that live on other nodes than they do.

On the player's node an order goes out to the race's owner, again and again, until it is answered or
somebody else owns the race. On the owner's it is carried out like any other request; its reply says
no more than up to which line of the log the race has come by it.
"""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec
from msgspec import Raw

from samedeal_protocol import topics
from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.errors import ErrorCode
from samedeal_server.hosting.codes import is_cup
from samedeal_server.ports import LogUnavailable
from samedeal_server.racing import commands
from samedeal_server.racing.commands import Command
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.feeds import Feeds
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.home import Home, Ties
from samedeal_server.rooms.links import Links
from samedeal_server.rooms.outcomes import Answer, Carried, Elsewhere, Order, Rejected
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.seats import NodeLife, Seats
from samedeal_server.rooms.tenure import Tenure
from samedeal_server.rooms.viewers import RETRY_MS, Asker, Viewer

__all__ = ["Orders"]

PATIENCE_S: Final = 6.0
"""How long a player's request waits for a race's owner, or for a new one."""
ASK_S: Final = 1.2
"""How long an owner may take to answer before the store is asked who it is."""

SEEKING: Final = 64
"""Orders for races that are not in memory, that are looked up at a time."""

_KINDS: Final[dict[str, type[Command]]] = {
    kind.__name__: kind
    for kind in (
        commands.Begin, commands.Cancel, commands.Chat, commands.Disqualify, commands.Drop,
        commands.Enter, commands.Finish, commands.GiveUp, commands.OpenRematch, commands.Play,
        commands.Ready, commands.Return, commands.SendHome, commands.Start, commands.Undo,
        commands.Unready, commands.Withdraw,
    )
}  # fmt: skip
"""What a node may ask for a player."""
_REPLACED: Final = "Replaced"
"""What an owner says to a node: a player is there by a newer connection."""

_encoder: Final = msgspec.msgpack.Encoder()
_orders: Final = msgspec.msgpack.Decoder(Order)


class Orders:
    """Orders of this node's players for races elsewhere, and of others' players for races here."""

    def __init__(
        self, home: Home, ties: Ties, *, feeds: Feeds, seats: Seats, tenure: Tenure
    ) -> None:
        self._home = home
        self._leases = ties.leases
        self._clock = ties.clock
        self._meter = ties.meter
        self._spawn = ties.spawn
        self._feeds = feeds
        self._seats = seats
        self._tenure = tenure
        self.links = Links(ties, serve=self._serve)
        """Also for what is asked of tournaments elsewhere."""
        self.close = self.links.close
        self._seconds = asyncio.get_running_loop().time
        self._seeking = 0
        self._announcing: dict[tuple[str, int], Command] = {}

    # --- asking --------------------------------------------------------------------------------

    async def ask_owner(self, room: Follower, command: Command, *, at: int, seat: int = 0) -> int:
        """Returns the race's seq when the owner has carried out a command.

        Raises:
            Refused: as the owner says; or store-unavailable, when none answers for now.
        """
        order = Order(at=at, seat=seat, command=Raw(_encoder.encode(command)))
        try:
            with room.asking():
                return await self._ask_on(room, type(command).__name__, order)
        finally:
            self._home.rest(room)

    async def _ask_on(self, room: Follower, kind: str, order: Order) -> int:
        """Asks whoever owns the race, and who comes after them, until somebody answers."""
        until = self._seconds() + PATIENCE_S
        number = self.links.number()
        while not room.is_lost and self._seconds() < until:
            outcome = await self.links.ask(
                room.owner,
                room.id,
                kind,
                order,
                number=number,
                patience=ASK_S,
                unless=room.left,
            )
            match outcome:
                case Carried(seq=seq):
                    return seq
                case Rejected(sentence=sentence, reason=reason):
                    raise Refused(outcome.code, sentence, reason=reason)
                case _ if not room.is_lost:
                    await self._seek_owner(room)
                case _:
                    break
        raise Refused(ErrorCode.STORE_UNAVAILABLE, "the race's node does not answer; try once more")

    async def _seek_owner(self, room: Follower) -> None:
        """Looks up who owns a race whose owner did not answer; if nobody does, we may."""
        try:
            owner = await self._leases.owner(room.id)
        except LogUnavailable:
            owner = room.owner, room.epoch
        is_ours = self._tenure.may_claim if owner is None else owner[0] == self._leases.node
        if is_ours:
            self._home.lose({room.id})
        elif owner is not None and owner != (room.owner, room.epoch):
            room.moved(*owner)
            await self._feeds.try_to_catch_up(room)
        else:
            await asyncio.sleep(ASK_S / 4)

    def announce(
        self, room: Follower, viewer: Viewer, command: commands.Return | commands.Drop
    ) -> None:
        """Has the owner know that a player is there or gone, as soon as it can be told."""
        key = (room.id, viewer.seat)
        is_running = key in self._announcing
        self._announcing[key] = command
        if not is_running:
            self._spawn(self._announce(*key, viewer.since), f"announce {room.id}")

    async def _announce(self, race: str, seat: int, since: int) -> None:
        """Tells the owner the newest there is to tell, whatever becomes of the race's room here.

        It says since when the player has been there, so that it replaces nobody who came later.
        """
        key = (race, seat)
        try:
            while True:
                command = self._announcing[key]
                try:
                    room = await self._home.find(race)
                    if not isinstance(room, Follower):
                        # Ours by now: who is here was seen when it was taken up.
                        return
                    at = since if isinstance(command, commands.Return) else self._clock.now()
                    await self.ask_owner(room, command, at=at, seat=seat)
                except LogUnavailable:
                    await asyncio.sleep(RETRY_MS / 1000)
                    continue
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
        except UNREADABLE:
            self._meter.count("bus_forged")
            return
        room = self._home.rooms.get(command.race)
        if is_cup(command.race):
            self._home.annex.serve(command, order, answer)
        elif command.kind == _REPLACED:
            is_ours = order.incarnation == self._leases.incarnation
            if is_ours and isinstance(room, Follower):
                room.replaced(order.seat)
            answer(Carried(0))
        elif asked is None:
            self._meter.count("bus_forged")
        elif room is None and self._seeking >= SEEKING:
            answer(Elsewhere())
        elif room is None:
            self._spawn(self._serve_later(command, order, asked, answer), f"order {command.race}")
        else:
            self._carry_out(room, command, order, asked, answer)

    async def _serve_later(
        self, command: topics.Command, order: Order, asked: Command, answer: Answer
    ) -> None:
        """Carries out an order for a race that has to be read first."""
        self._seeking += 1
        try:
            room = await self._home.find(command.race)
        except (Refused, LogUnavailable):
            answer(Elsewhere())
            return
        finally:
            self._seeking -= 1
        self._carry_out(room, command, order, asked, answer)

    def _carry_out(
        self, room: Room, command: topics.Command, order: Order, asked: Command, answer: Answer
    ) -> None:
        if not room.is_owned:
            answer(Elsewhere())
            return
        node = command.node, command.incarnation
        seat: Viewer | None = None
        if order.seat and isinstance(asked, commands.Enter | commands.Return | commands.Drop):
            seat = self._seats.viewer(node, order.seat, room.id, asked.player)
            seat.since = order.at
        # What was asked before the race's last event counts as just after it.
        now = min(self._clock.now(), max(order.at, room.race.at))
        room.order(asked, now, _Answering(room, answer), seat)
        if seat is not None and seat not in room.seats_afar():
            self._seats.given_up(node, order.seat)

    def say_replaced(self, node: NodeLife, seat: int, race: str) -> None:
        """Tells a node that its place of that number was taken by a newer connection."""
        order = Order(at=0, seat=seat, incarnation=node[1])

        async def say() -> None:
            number = self.links.number()
            await self.links.ask(
                node[0], race, _REPLACED, order, number=number, patience=PATIENCE_S
            )

        self._spawn(say(), f"replaced {race}")


class _Answering(Asker):
    """A request of another node's player: the reply goes there, and says little."""

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
        self._outcome = Rejected(code.name, sentence or "", reason)

    def run(self) -> None:
        super().run()
        self._answer(self._outcome)

    def fail(self) -> None:
        self._answer(Rejected(ErrorCode.STORE_UNAVAILABLE.name, "the race is being read again"))
