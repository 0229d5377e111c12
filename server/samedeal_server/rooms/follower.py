"""A race that lives on another node, folded here from its log: whoever is here is told from here.

Nothing is decided here. What a player asks goes to the race's owner, and what comes of it comes
back in the log's lines, over the bus or, where the bus has lost some, from the log itself. Lines
are durable when they come, so that whatever they say leaves at once.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

from samedeal_protocol.errors import CloseCode, ErrorCode
from samedeal_protocol.events import Event, OnBoard, parse_line
from samedeal_server.ports import LogUnavailable
from samedeal_server.racing import audience
from samedeal_server.racing.commands import Begin, BoardCommand, Command, Drop, Enter, Return
from samedeal_server.racing.fold import evolve
from samedeal_server.racing.race import Race, Refused
from samedeal_server.rooms.room import House, Own, Room, being_read_again
from samedeal_server.rooms.viewers import Asker, Told, Viewer

__all__ = ["Follower", "Headquarters"]

LINES_S: Final = 0.05
"""How long lines may take over the bus before they are read from the log."""

_seats: Final = itertools.count(1)


class Headquarters(House, Protocol):
    """What a follower needs of the hall around it."""

    async def ask_owner(self, room: Follower, command: Command, *, at: int, seat: int = 0) -> int:
        """Returns the race's seq when the owner has carried out a command.

        Raises:
            Refused: as the owner says; or store-unavailable, when none answers for now.
        """
        ...

    async def catch_up(self, room: Follower) -> None:
        """Lets the room hear all that the log has of its race; raises `LogUnavailable`."""
        ...

    def announce(self, room: Follower, viewer: Viewer, command: Return | Drop) -> None:
        """Has the owner know that a player is there or gone, as soon as it can be told."""
        ...


@dataclass(slots=True)
class _Asked:
    """What a player is doing to their board: the reply stands in for its event."""

    player: str
    number: int
    viewer: Viewer | None
    asker: Asker
    is_answered: bool = False


class Follower(Room):
    """A race of `owner`'s, by the claim `epoch`, and everybody here who watches it."""

    is_owned: ClassVar[bool] = False

    def __init__(
        self,
        race: Race,
        house: Headquarters,
        *,
        phrase_hash: bytes | None,
        owner: str,
        epoch: int,
    ) -> None:
        super().__init__(race, house, phrase_hash=phrase_hash, epoch=epoch)
        self.owner = owner
        self._headquarters = house
        self._asked: dict[str, _Asked] = {}
        self._grew = asyncio.Event()
        self._asking = 0
        self._entering: dict[int, bool] = {}
        """The places that are being asked for, and whether a newer connection has them already."""
        self.left: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when this room is given up: whoever waits for the owner waits in vain."""

    @property
    def due(self) -> int | None:
        """When those who are kept behind next need a tick; the race itself is its owner's."""
        return self.delayed.due if self.delayed is not None else None

    @property
    def is_needed(self) -> bool:
        """Whether anybody watches, or the owner is still to be told or asked something."""
        return self._asking > 0 or self.is_watched

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Keeps the room in memory as long as the owner is asked something."""
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1

    def give_up(self) -> None:
        """Lets go of whoever waits for the owner."""
        super().give_up()
        if not self.left.done():
            self.left.set_result(None)
        self._grew.set()

    # --- what the log says ---------------------------------------------------------------------

    def hear(self, first: int, lines: Sequence[bytes], now: int) -> bool:
        """Folds lines from seq `first` on, as far as they are new; False if some before are amiss.

        Raises whatever the fold does, for lines that are none of this race's log.
        """
        race = self.race
        if first > race.seq + 1:
            return False
        news = [parse_line(line) for line in lines[race.seq + 1 - first :]]
        for event in news:
            evolve(race, event)
            self._tell(event, now)
            self.stored(race.seq, event)
        if news:
            self._house.happened(self, news)
            self._grew.set()
        return True

    async def reached(self, seq: int) -> None:
        """Returns when all up to `seq` has been heard.

        Raises:
            Refused: the room was lost meanwhile; what it would say may be old or too new.
            LogUnavailable: the log cannot be read.
        """
        while self.race.seq < seq and not self.is_lost:
            self._grew.clear()
            try:
                async with asyncio.timeout(LINES_S):
                    await self._grew.wait()
            except TimeoutError:
                await self._headquarters.catch_up(self)
        if self.is_lost:
            raise being_read_again()

    def moved(self, owner: str, epoch: int) -> None:
        """Another node owns the race: it is to know who is here."""
        self.owner, self.epoch = owner, epoch
        self.say_who_is_here()

    def say_who_is_here(self) -> None:
        """Has the owner know of all players whose connections are here."""
        for viewer in tuple(self._holders.values()):
            self._headquarters.announce(self, viewer, Return(viewer.who.player))

    def replaced(self, seat: int) -> None:
        """A player is there by a newer connection, over whichever node."""
        if seat in self._entering:
            # The answer to their joining is still on its way.
            self._entering[seat] = True
        for viewer in tuple(self._holders.values()):
            if viewer.seat == seat:
                self.leave(viewer)
                viewer.peer.close(CloseCode.REPLACED)

    # --- what players ask ----------------------------------------------------------------------

    async def ask_afar(self, command: Command, now: int, asker: Asker) -> None:
        """Has a command carried out whose reply says no more than that it was; raises `Refused`."""
        await self.reached(await self._headquarters.ask_owner(self, command, at=now))
        asker.ok()
        asker.run()

    async def act_afar(
        self, command: BoardCommand, now: int, asker: Asker, viewer: Viewer | None
    ) -> bool:
        """Has something done to the asker's board; returns as `act` does, and raises `Refused`."""
        asked = self._asked[command.player] = _Asked(command.player, command.number, viewer, asker)
        try:
            await self.reached(await self._headquarters.ask_owner(self, command, at=now))
        except (Refused, LogUnavailable):
            # Perhaps its event has come, and only the owner's word for it was lost.
            if not asked.is_answered:
                raise
        finally:
            if self._asked.get(command.player) is asked:
                del self._asked[command.player]
        if asked.is_answered:
            return True
        entrant = self.race.by_player[command.player]
        if entrant.last != command.number:
            return False
        asker.ok(audience.played(self.race, entrant, legal=asker.peer.legal))
        asker.run()
        return True

    async def begin_afar(
        self, command: Begin, now: int, asker: Asker, viewer: Viewer | None
    ) -> None:
        """Has the deal of an async race opened; raises `Refused`."""
        if viewer is not None:
            viewer.miss()
        try:
            await self.reached(await self._headquarters.ask_owner(self, command, at=now))
        except BaseException:
            if viewer is not None and not self.is_lost:
                self.refresh(viewer, now)
            raise
        if viewer is not None:
            viewer.catch_up(None)
        legal = asker.peer.legal
        asker.ok(audience.snapshot(self.race, command.player, now, legal=legal))
        asker.run()

    async def enter_afar(
        self, viewer: Viewer, now: int, asker: Asker, *, before: Viewer | None
    ) -> None:
        """Has the viewer's player entered, or their place taken up again; raises `Refused`."""
        who = viewer.who
        viewer.since = now
        # Another number would be another connection to the owner, which replaces the one before.
        viewer.seat = before.seat if before is not None and before.seat else next(_seats)
        command = Enter(who.player, who.name, who.bot)
        self._entering[viewer.seat] = False
        try:
            await self.reached(
                await self._headquarters.ask_owner(self, command, at=now, seat=viewer.seat)
            )
        except BaseException as fault:
            is_outside = (
                isinstance(fault, Refused) and fault.code is not ErrorCode.STORE_UNAVAILABLE
            )
            if not is_outside and (before is None or viewer.seat != before.seat):
                # They may have been seated all the same, and are not there.
                self._is_away(viewer, now)
            raise
        finally:
            was_replaced = self._entering.pop(viewer.seat)
        if was_replaced:
            viewer.peer.close(CloseCode.REPLACED)
            return
        if before is not None:
            self.leave(before)
        self._seat(viewer)
        asker.ok(self.crowd.snapshot(viewer, now))
        asker.run()

    def command(self, command: Own, now: int) -> None:
        raise AssertionError("a follower decides nothing")

    def adopt(self, viewers: Iterable[Viewer], now: int) -> None:
        """Takes over the viewers of a room that was lost, and has the owner know who is here."""
        all_there = tuple(viewers)
        self._take_over(all_there, now)
        for viewer in tuple(self._holders.values()):
            if viewer.is_afar:
                # The owner hears of them from their own node.
                del self._holders[viewer.who.player]
        for viewer in all_there:
            if viewer.is_holder and not viewer.is_afar:
                if self._holders.get(viewer.who.player) is viewer:
                    self._is_back(viewer, now)
                elif viewer.seat:
                    # They went while there was no room to notice.
                    self._is_away(viewer, now)

    # --- within --------------------------------------------------------------------------------

    def _tell(self, event: Event, now: int) -> None:
        asked = self._answers(event)
        told: Told = Told() if asked is None else asked.asker
        if asked is None:
            self.crowd.tell(event, told)
        else:
            asked.is_answered = True
            entrant = self.race.by_player[asked.player]
            legal = asked.asker.peer.legal
            asked.asker.ok(audience.played(self.race, entrant, legal=legal))
            self.crowd.tell(event, told, but=asked.viewer)
        parted = self._look_again(told, now)
        told.run()
        for viewer in parted:
            viewer.detach()

    def _answers(self, event: Event) -> _Asked | None:
        """Returns what the event answers, if somebody here waits for it."""
        if not self._asked or not isinstance(event, OnBoard):
            return None
        asked = self._asked.get(self.race.entrants[event.entrant - 1].player)
        return asked if asked is not None and asked.number == event.number else None

    def _is_back(self, viewer: Viewer, now: int) -> None:
        if not viewer.seat:
            viewer.seat = next(_seats)
        self._headquarters.announce(self, viewer, Return(viewer.who.player))

    def _is_away(self, viewer: Viewer, now: int) -> None:
        self._headquarters.announce(self, viewer, Drop(viewer.who.player))
