"""One connection's places in races: how they are taken, come back to and left, and who may.

A connection has one place in a race, its viewer there. Whoever has entered is told everything; who
watches is told what the terms allow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from samedeal_protocol import messages
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import parse_line
from samedeal_server.bucket import Bucket
from samedeal_server.daily.rooms import Room as DailyRoom
from samedeal_server.ports import LogUnavailable
from samedeal_server.racing import audience, commands
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.hall import Hall
from samedeal_server.rooms.missed import missed
from samedeal_server.rooms.phrases import is_phrase
from samedeal_server.rooms.replies import Errand, Replies
from samedeal_server.rooms.room import Room, being_read_again
from samedeal_server.rooms.viewers import Asker, Viewer, Visitor, Who

__all__ = ["FOLLOWED", "Places", "must_be_the_room"]

CATCH_UP_EVENTS: Final = 4000
"""Races longer than this are not folded again for one who comes back: they get a snapshot."""
FOLLOWED: Final = 32
"""Races that have ended and that a connection goes on being told of, the newest."""


class Places:
    """The races in which one connection is, each with its one viewer there."""

    def __init__(self, hall: Hall, peer: Visitor, replies: Replies, *, lookups: Bucket) -> None:
        """`lookups` has a token for each race that is folded again for the connection."""
        self._hall = hall
        self._peer = peer
        self._answer = replies.answer
        self._refuse = replies.refuse
        self._safely = replies.safely
        self._lookups = lookups
        self._viewers: dict[str, Viewer] = {}
        self.in_race: Callable[[str], Viewer | None] = self._viewers.get
        """Returns the connection's viewer in a race, by its code, or None; straight: moves ask."""

    # --- coming and going ------------------------------------------------------------------------

    def join(
        self, room: Room, message: messages.Join, who: Who, now: int, asker: Asker
    ) -> Errand | None:
        """Enters the asker, or takes up their place again."""
        hall = self._hall
        if who.player not in room.race.by_player:
            if hall.is_draining:
                return self._refuse(asker, ErrorCode.DRAINING)
            if self.is_locked_out(room, who, message.phrase, now, asker):
                return None
            try:
                if room.race.opened.tournament is None:
                    hall.check_engagements(who.player, beyond=room.id)
            except Refused as refused:
                return self._refuse(asker, refused.code, refused.sentence)
            daily = DailyRoom.read(room.id)
            if daily is not None:
                return self._safely(self._once_a_day(room, daily, message, who, asker), asker)
        return self._enter(room, who, now, asker)

    def begin(
        self, room: Room, message: messages.Begin, who: Who, now: int, asker: Asker
    ) -> Errand | None:
        """Opens the deal of an async race to the asker."""
        daily = DailyRoom.read(room.id)
        if daily is not None:
            return self._safely(self._once_a_day(room, daily, message, who, asker), asker)
        return self._begin(room, who, now, asker)

    def watch(
        self,
        room: Room,
        message: messages.Watch | messages.Resume,
        who: Who,
        now: int,
        asker: Asker,
    ) -> Errand | None:
        """Lets the asker watch, as late as the terms say."""
        if not self._may_watch(room, who, message.phrase, now, asker):
            return None
        if room.is_behind(who) and room.delayed is None:
            if not self._lookups.take(now):
                return self._refuse(asker, ErrorCode.RATE_LIMITED, after_ms=self._lookups.wait_ms)
            return self._safely(self._watch_behind(room, who, now, asker), asker)
        self._watch_anew(room, who, now, asker)
        return None

    def resume(
        self, room: Room, message: messages.Resume, who: Who, now: int, asker: Asker
    ) -> Errand | None:
        """Goes on telling the asker: from where they were if that is near, else anew."""
        race = room.race
        after = message.after
        is_entrant = who.player in race.by_player
        if not is_entrant:
            if not self._may_watch(room, who, message.phrase, now, asker):
                return None
            if room.is_behind(who):
                after = None
        is_near = (
            after is not None
            and 0 < after <= race.seq <= CATCH_UP_EVENTS
            and race.seq - after <= self._hall.settings.ring
        )
        if after is not None and is_near:
            if after == race.seq:
                room.take_up(self._new_viewer(room, who), now, asker, after=after)
                return None
            if self._lookups.take(now):
                return self._safely(self._catch_up(room, who, now, asker, after=after), asker)
            # What a snapshot says costs no fold.
        if is_entrant:
            return self._enter(room, who, now, asker)
        return self.watch(room, message, who, now, asker)

    def leave(self, room: Room, who: Who, now: int, asker: Asker) -> Errand | None:
        """Withdraws the asker if nothing has begun for them, and tells them no more."""
        entrant = room.race.by_player.get(who.player)
        may_withdraw = entrant is not None and not entrant.is_done and not room.race.is_final
        if may_withdraw and isinstance(room, Follower):
            return self._safely(self._withdraw_afar(room, who, now, asker), asker)
        if may_withdraw:
            if not room.ask(commands.Withdraw(who.player), now, asker):
                return None
        elif room.id not in self._viewers:
            return self._refuse(
                asker, ErrorCode.NOT_ENTERED, "you neither entered this race nor watch it"
            )
        else:
            asker.ok()
            room.answer(asker)
        self._go_from(room, now)
        return None

    def drained(self) -> None:
        """The peer reads again: whoever missed events is told where things stand."""
        now = self._hall.clock.now()
        for code, viewer in self._viewers.items():
            room = self._hall.room(code)
            if room is not None and viewer.is_stale:
                room.refresh(viewer, now)

    def gone(self) -> None:
        """The connection has ended. A closed hall leaves it at that: its players come back."""
        hall = self._hall
        viewers = self._viewers.copy()
        self._viewers.clear()
        if hall.is_closed:
            return
        now = hall.clock.now()
        for code, viewer in viewers.items():
            room = hall.room(code)
            if room is not None and viewer.is_attached:
                room.gone(viewer, now)
                hall.rest(room)

    # --- who may -------------------------------------------------------------------------------

    def is_locked_out(
        self, room: Room, who: Who, phrase: str | None, now: int, asker: Asker
    ) -> bool:
        """Whether the pass phrase keeps the player out; then they have been told so."""
        if room.phrase_hash is None or self._hall.records.is_inside(room, who.player):
            return False
        guesses = self._hall.players.guesses.of(who.player, now)
        if phrase is not None and not guesses.take(now):
            self._refuse(
                asker,
                ErrorCode.RATE_LIMITED,
                "too many pass phrases were tried",
                after_ms=guesses.wait_ms,
            )
            return True
        if phrase is None or not is_phrase(phrase, room.phrase_hash):
            self._refuse(asker, ErrorCode.WRONG_PHRASE, room=room)
            return True
        return False

    def _may_watch(self, room: Room, who: Who, phrase: str | None, now: int, asker: Asker) -> bool:
        """Whether the player may watch; otherwise they have been told why not."""
        if self.is_locked_out(room, who, phrase, now, asker):
            return False
        if not audience.may_watch(room.race, who.player):
            self._refuse(asker, ErrorCode.NO_SPECTATORS, room=room)
            return False
        return True

    # --- within --------------------------------------------------------------------------------

    def _enter(self, room: Room, who: Who, now: int, asker: Asker) -> Errand | None:
        if isinstance(room, Follower):
            return self._safely(self._enter_afar(room, who, now, asker), asker)
        viewer = Viewer(self._peer, who)
        if room.enter(viewer, now, asker, before=self._viewers.get(room.id)):
            self._viewers[room.id] = viewer
            self._let_go_of_old()
        return None

    async def _enter_afar(self, room: Follower, who: Who, now: int, asker: Asker) -> None:
        viewer = Viewer(self._peer, who)
        await room.enter_afar(viewer, now, asker, before=self._viewers.get(room.id))
        self._viewers[room.id] = viewer
        self._let_go_of_old()
        if not self._peer.is_open:
            # They went while the owner was being asked: nobody else would notice.
            self._viewers.pop(room.id, None)
            room.gone(viewer, now)

    def _begin(self, room: Room, who: Who, now: int, asker: Asker) -> Errand | None:
        command, viewer = commands.Begin(who.player), self._viewers.get(room.id)
        if isinstance(room, Follower):
            return self._safely(room.begin_afar(command, now, asker, viewer), asker)
        room.begin(command, now, asker, viewer)
        return None

    async def _once_a_day(
        self,
        room: Room,
        daily: DailyRoom,
        message: messages.Join | messages.Begin,
        who: Who,
        asker: Asker,
    ) -> None:
        """Goes on with a player's only attempt of the day; raises `Refused` for any other."""
        hall = self._hall
        await hall.dailies.check(daily, who)
        must_be_the_room(self._hall, room)
        if not self._peer.is_open:
            return
        now = hall.clock.now()
        if isinstance(message, messages.Join):
            errand = self._enter(room, who, now, asker)
        else:
            errand = self._begin(room, who, now, asker)
        if errand is not None:
            await errand

    async def _watch_behind(self, room: Room, who: Who, now: int, asker: Asker) -> None:
        with room.remembering():
            await self._hall.settled(room.id)
            lines = await self._hall.log.read(room.id)
            must_be_the_room(self._hall, room)
            now = self._hall.clock.now()
            room.keep_behind(list(map(parse_line, lines)), now)
        if self._peer.is_open:
            self._watch_anew(room, who, now, asker)

    def _watch_anew(self, room: Room, who: Who, now: int, asker: Asker) -> None:
        """Has the room watched by a new viewer, and by the older one of this connection no more.

        In this order: with the last who is kept behind, the view from behind would go.
        """
        before = self._viewers.get(room.id)
        viewer = self._viewers[room.id] = Viewer(self._peer, who)
        room.watch(viewer, now, asker)
        if before is not None:
            room.leave(before)
        self._let_go_of_old()

    async def _catch_up(self, room: Room, who: Who, now: int, asker: Asker, *, after: int) -> None:
        """Tells what the viewer has missed, as they would have been told it, and then the rest."""
        viewer = self._new_viewer(room, who)
        seq = room.seat(viewer, now)
        try:
            await self._hall.settled(room.id)
            lines = await self._hall.log.read(room.id)
            must_be_the_room(self._hall, room)
        except (LogUnavailable, Refused):
            # Nobody would ever let go of what is held for them.
            if self._viewers.get(room.id) is viewer:
                del self._viewers[room.id]
            room.gone(viewer, now)
            raise
        peer = self._peer
        frames = missed(lines[:seq], after, viewer)
        self._answer(asker, messages.Resumed(race=room.id, after=after, seq=seq))
        for frame in frames:
            peer.send(frame)
        viewer.let_go()

    async def _withdraw_afar(self, room: Follower, who: Who, now: int, asker: Asker) -> None:
        await room.ask_afar(commands.Withdraw(who.player), now, asker)
        self._go_from(room, now)

    def _go_from(self, room: Room, now: int) -> None:
        viewer = self._viewers.pop(room.id, None)
        if viewer is not None:
            room.gone(viewer, now)
            self._hall.rest(room)

    def _new_viewer(self, room: Room, who: Who) -> Viewer:
        """Returns a new viewer in place of an older one of this connection."""
        before = self._viewers.pop(room.id, None)
        if before is not None:
            room.leave(before)
        viewer = self._viewers[room.id] = Viewer(self._peer, who)
        self._let_go_of_old()
        return viewer

    def _let_go_of_old(self) -> None:
        """Ends the watching of races that ended long ago: they would stay in memory for it."""
        if len(self._viewers) <= FOLLOWED:
            return
        hall = self._hall
        rooms = [hall.room(code) for code in self._viewers]
        ended = [room for room in rooms if room is not None and room.race.is_final]
        for room in ended[:-FOLLOWED]:
            room.leave(self._viewers.pop(room.id))
            hall.rest(room)


def must_be_the_room(hall: Hall, room: Room) -> None:
    """Raises `Refused` if the race was lost while something of it was being read."""
    if hall.room(room.id) is not room:
        raise being_read_again()
