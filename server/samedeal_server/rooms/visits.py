"""One connection's dealings with races: those it plays or watches, and what is asked in them."""

from __future__ import annotations

import asyncio
from typing import Final, assert_never

from samedeal_protocol import messages
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import parse_line
from samedeal_server.bucket import Bucket
from samedeal_server.daily.rooms import Room as DailyRoom
from samedeal_server.ports import LogUnavailable
from samedeal_server.racing import audience, commands
from samedeal_server.racing.decisions import CHAT_CHARACTERS
from samedeal_server.racing.hints import hint
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.hall import Hall
from samedeal_server.rooms.invitations import SEAT_MS
from samedeal_server.rooms.missed import missed
from samedeal_server.rooms.phrases import is_phrase
from samedeal_server.rooms.race_requests import READS, RaceRequest
from samedeal_server.rooms.replies import Errand, Replies
from samedeal_server.rooms.room import Room, being_read_again
from samedeal_server.rooms.viewers import RETRY_MS, Asker, Viewer, Visitor, Who
from samedeal_server.spelling import seemly

__all__ = ["FOLLOWED", "Visits"]

CATCH_UP_EVENTS: Final = 4000
"""Races longer than this are not folded again for one who comes back: they get a snapshot."""
INVITATIONS: Final = 6
"""How many bots of the house a connection may ask for at once; after that one in ten seconds."""
FOLLOWED: Final = 32
"""Races that have ended and that a connection goes on being told of, the newest."""


class Visits:
    """The races of one connection, each by its one viewer."""

    def __init__(self, hall: Hall, peer: Visitor, replies: Replies, *, lookups: Bucket) -> None:
        """`lookups` has a token for each race that is folded again for the connection."""
        now = hall.clock.now()
        self._hall = hall
        self._peer = peer
        self._answer = replies.answer
        self._refuse = replies.refuse
        self._safely = replies.safely
        self._viewers: dict[str, Viewer] = {}
        self._chat = Bucket(rate=hall.settings.chat_per_minute / 60, burst=5, now=now)
        self._invitations = Bucket(rate=0.1, burst=INVITATIONS, now=now)
        self._lookups = lookups

    def hear(self, message: RaceRequest, who: Who, now: int, asker: Asker) -> Errand | None:
        """Answers what is asked in a race at `now`, or returns the errand that will."""
        hall = self._hall
        if hall.committer.is_full:
            return self._refuse(asker, ErrorCode.STORE_UNAVAILABLE, after_ms=RETRY_MS)
        room = hall.room(message.race)
        if room is None:
            return self._safely(self._find_first(message, who, now, asker), asker)
        if isinstance(room, Follower) and isinstance(message, READS):
            return self._safely(self._read_first(room, message, who, now, asker), asker)
        return self._in_room(room, message, who, now, asker)

    async def _read_first(
        self, room: Follower, message: RaceRequest, who: Who, now: int, asker: Asker
    ) -> None:
        """Answers with all that there is: the player may have seen more on another node."""
        await self._hall.catch_up(room)
        self._must_be_the_room(room)
        if not self._peer.is_open:
            return
        errand = self._in_room(room, message, who, now, asker)
        if errand is not None:
            await errand

    async def _find_first(self, message: RaceRequest, who: Who, now: int, asker: Asker) -> None:
        room = await self._hall.find(message.race)
        if not self._peer.is_open:
            # Whoever is gone must not be seated: nobody would notice that they are.
            return
        errand = self._in_room(room, message, who, now, asker)
        if errand is not None:
            await errand

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
        viewers, self._viewers = self._viewers, {}
        if hall.is_closed:
            return
        now = hall.clock.now()
        for code, viewer in viewers.items():
            room = hall.room(code)
            if room is not None and viewer.is_attached:
                room.gone(viewer, now)
                hall.rest(room)

    # --- what is asked -------------------------------------------------------------------------

    def _in_room(
        self, room: Room, message: RaceRequest, who: Who, now: int, asker: Asker
    ) -> Errand | None:
        player = who.player
        match message:
            case messages.Play(number=number, move=move):
                return self.act(room, commands.Play(player, number, move), now, asker)
            case messages.Undo(number=number):
                return self.act(room, commands.Undo(player, number), now, asker)
            case messages.Finish(number=number):
                return self.act(room, commands.Finish(player, number), now, asker)
            case messages.SendHome(number=number):
                return self.act(room, commands.SendHome(player, number), now, asker)
            case messages.Join():
                return self._join(room, message, who, now, asker)
            case messages.Watch():
                return self._watch(room, message, who, now, asker)
            case messages.Resume():
                return self._resume(room, message, who, now, asker)
            case messages.Ready():
                return self._ask(room, commands.Ready(player), now, asker)
            case messages.Unready():
                return self._ask(room, commands.Unready(player), now, asker)
            case messages.Start():
                return self._ask(room, commands.Start(player), now, asker)
            case messages.Begin():
                daily = DailyRoom.read(room.id)
                if daily is not None:
                    return self._safely(self._once_a_day(room, daily, message, who, asker), asker)
                return self._begin(room, commands.Begin(player), now, asker)
            case messages.GiveUp():
                return self._ask(room, commands.GiveUp(player), now, asker)
            case messages.Cancel():
                return self._ask(room, commands.Cancel(player), now, asker)
            case messages.Disqualify(entrant=entrant, reason=reason):
                disqualify = commands.Disqualify(player, entrant, seemly(reason))
                return self._ask(room, disqualify, now, asker)
            case messages.Leave():
                return self._leave(room, who, now, asker)
            case messages.InviteBot():
                return self._invite(room, message, who, now, asker)
            case messages.Chat(text=text):
                return self._say(room, who, text, now, asker)
            case messages.Hint(skip=skip):
                return self._hint(room, who, skip, asker)
            case messages.Results():
                return self._results(room, who, asker)
            case messages.Rematch():
                return self._safely(self._rematch(room, who, asker), asker)
            case messages.Replay():
                return self._safely(self._replay(room, message, who, asker), asker)
            case _:
                assert_never(message)

    def _ask(self, room: Room, command: commands.Command, now: int, asker: Asker) -> Errand | None:
        if isinstance(room, Follower):
            return self._safely(room.ask_afar(command, now, asker), asker)
        room.ask(command, now, asker)
        return None

    def _begin(self, room: Room, command: commands.Begin, now: int, asker: Asker) -> Errand | None:
        viewer = self._viewers.get(room.id)
        if isinstance(room, Follower):
            return self._safely(room.begin_afar(command, now, asker, viewer), asker)
        room.begin(command, now, asker, viewer)
        return None

    def act(
        self,
        room: Room,
        command: commands.BoardCommand,
        now: int,
        asker: Asker,
    ) -> Errand | None:
        """Does something to the asker's board; answers, or returns the errand that will."""
        if isinstance(room, Follower):
            return self._safely(self._act_afar(room, command, now, asker), asker)
        if room.act(command, now, asker, self._viewers.get(room.id)):
            return None
        if not self._lookups.take(now):
            return self._refuse(asker, ErrorCode.RATE_LIMITED, after_ms=self._lookups.wait_ms)
        return self._safely(self._answer_again(room, command, asker), asker)

    async def _act_afar(
        self,
        room: Follower,
        command: commands.BoardCommand,
        now: int,
        asker: Asker,
    ) -> None:
        if not await room.act_afar(command, now, asker, self._viewers.get(room.id)):
            await self._answer_again(room, command, asker)

    async def _answer_again(
        self,
        room: Room,
        command: commands.BoardCommand,
        asker: Asker,
    ) -> None:
        """Answers a number that was used some time ago as it was answered then."""
        entrant = room.race.by_player[command.player].number
        await self._hall.settled(room.id)
        lines = await self._hall.log.read(room.id)
        log = map(parse_line, lines)
        for answer in audience.search(log, entrant, command.number, legal=self._peer.legal):
            if answer is None:
                # The log of a long race; others have moves to make.
                await asyncio.sleep(0)
            else:
                self._answer(asker, answer)

    def _join(
        self, room: Room, message: messages.Join, who: Who, now: int, asker: Asker
    ) -> Errand | None:
        hall = self._hall
        if who.player not in room.race.by_player:
            if hall.is_draining:
                return self._refuse(asker, ErrorCode.DRAINING)
            if self._is_locked_out(room, who, message.phrase, now, asker):
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

    def _watch(
        self,
        room: Room,
        message: messages.Watch | messages.Resume,
        who: Who,
        now: int,
        asker: Asker,
    ) -> Errand | None:
        if not self._may_watch(room, who, message.phrase, now, asker):
            return None
        if room.is_behind(who) and room.delayed is None:
            if not self._lookups.take(now):
                return self._refuse(asker, ErrorCode.RATE_LIMITED, after_ms=self._lookups.wait_ms)
            return self._safely(self._watch_behind(room, who, now, asker), asker)
        self._watch_anew(room, who, now, asker)
        return None

    async def _watch_behind(self, room: Room, who: Who, now: int, asker: Asker) -> None:
        with room.remembering():
            await self._hall.settled(room.id)
            lines = await self._hall.log.read(room.id)
            self._must_be_the_room(room)
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

    def _resume(
        self, room: Room, message: messages.Resume, who: Who, now: int, asker: Asker
    ) -> Errand | None:
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
        return self._watch(room, message, who, now, asker)

    async def _catch_up(self, room: Room, who: Who, now: int, asker: Asker, *, after: int) -> None:
        """Tells what the viewer has missed, as they would have been told it, and then the rest."""
        viewer = self._new_viewer(room, who)
        seq = room.seat(viewer, now)
        try:
            await self._hall.settled(room.id)
            lines = await self._hall.log.read(room.id)
            self._must_be_the_room(room)
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

    def _leave(self, room: Room, who: Who, now: int, asker: Asker) -> Errand | None:
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

    async def _withdraw_afar(self, room: Follower, who: Who, now: int, asker: Asker) -> None:
        await room.ask_afar(commands.Withdraw(who.player), now, asker)
        self._go_from(room, now)

    def _go_from(self, room: Room, now: int) -> None:
        viewer = self._viewers.pop(room.id, None)
        if viewer is not None:
            room.gone(viewer, now)
            self._hall.rest(room)

    def _say(self, room: Room, who: Who, text: str, now: int, asker: Asker) -> Errand | None:
        if who.player not in room.race.by_player and room.id not in self._viewers:
            return self._refuse(
                asker, ErrorCode.NOT_ENTERED, "enter or watch the race to talk in it"
            )
        if not self._chat.take(now):
            return self._refuse(
                asker, ErrorCode.RATE_LIMITED, "slowly", after_ms=self._chat.wait_ms
            )
        line = seemly(text)[:CHAT_CHARACTERS]
        return self._ask(room, commands.Chat(who.player, who.name, who.bot, line), now, asker)

    def _invite(
        self, room: Room, message: messages.InviteBot, who: Who, now: int, asker: Asker
    ) -> Errand | None:
        hall = self._hall
        if hall.is_draining:
            return self._refuse(asker, ErrorCode.DRAINING)
        if not self._invitations.take(now):
            return self._refuse(
                asker, ErrorCode.RATE_LIMITED, "slowly", after_ms=self._invitations.wait_ms
            )
        try:
            hall.invitations.invite(room, message, who, now, address=self._peer.address)
        except Refused as refused:
            after_ms = SEAT_MS if refused.code is ErrorCode.HOUSE_FULL else None
            return self._refuse(asker, refused.code, refused.sentence, after_ms=after_ms, room=room)
        asker.ok()
        room.answer(asker)
        return None

    def _hint(self, room: Room, who: Who, skip: int, asker: Asker) -> Errand | None:
        try:
            move = hint(room.race, who.player, skip)
        except Refused as refused:
            return self._refuse(asker, refused.code, refused.sentence, room=room)
        asker.ok(messages.Hinted(race=room.id, move=move))
        room.answer(asker)
        return None

    def _results(self, room: Room, who: Who, asker: Asker) -> Errand | None:
        if not audience.may_watch(room.race, who.player):
            return self._refuse(asker, ErrorCode.NO_SPECTATORS, room=room)
        if room.phrase_hash is not None and not self._is_inside(room, who):
            return self._refuse(asker, ErrorCode.WRONG_PHRASE, room=room)
        asker.ok(audience.results(room.race, who.player))
        room.answer(asker)
        self._hall.rest(room)
        return None

    async def _rematch(self, room: Room, who: Who, asker: Asker) -> None:
        code = await self._hall.rematch(room, who)
        follower = await self._hall.find(code)
        created = messages.Created(race=code, commitment=follower.race.commitment)
        self._answer(asker, created)

    async def _replay(self, room: Room, message: messages.Replay, who: Who, asker: Asker) -> None:
        if self._is_locked_out(room, who, message.phrase, self._hall.clock.now(), asker):
            return
        length = await self._hall.length_of_final(room)
        page = await self._hall.replays.page(room.id, after=message.after, length=length)
        self._answer(asker, page)

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
        self._must_be_the_room(room)
        if not self._peer.is_open:
            return
        now = hall.clock.now()
        if isinstance(message, messages.Join):
            errand = self._enter(room, who, now, asker)
        else:
            errand = self._begin(room, commands.Begin(who.player), now, asker)
        if errand is not None:
            await errand

    # --- who may -------------------------------------------------------------------------------

    def _is_inside(self, room: Room, who: Who) -> bool:
        """Whether the player came in before, so that no phrase is asked of them."""
        return (
            who.player in room.race.by_player
            or who.player == room.race.host
            or room.id in self._viewers
            or self._hall.invitations.expects(who.player, room.id)
        )

    def _is_locked_out(
        self, room: Room, who: Who, phrase: str | None, now: int, asker: Asker
    ) -> bool:
        """Whether the pass phrase keeps the player out; then they have been told so."""
        if room.phrase_hash is None or self._is_inside(room, who):
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
        if self._is_locked_out(room, who, phrase, now, asker):
            return False
        if not audience.may_watch(room.race, who.player):
            self._refuse(asker, ErrorCode.NO_SPECTATORS, room=room)
            return False
        return True

    # --- within --------------------------------------------------------------------------------

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

    def _must_be_the_room(self, room: Room) -> None:
        """Raises `Refused` if the race was lost while something of it was being read."""
        if self._hall.room(room.id) is not room:
            raise being_read_again()
