"""What one connection asks in races: of its board, of the race, of the others."""

from __future__ import annotations

import asyncio
from typing import Final, assert_never

from samedeal_protocol import messages
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import parse_line
from samedeal_server.bucket import Bucket
from samedeal_server.racing import audience, commands
from samedeal_server.racing.decisions import CHAT_CHARACTERS
from samedeal_server.racing.hints import hint
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.hall import Hall
from samedeal_server.rooms.invitations import SEAT_MS
from samedeal_server.rooms.places import Places, must_be_the_room
from samedeal_server.rooms.race_requests import READS, RaceRequest
from samedeal_server.rooms.replies import Errand, Replies
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.viewers import RETRY_MS, Asker, Visitor, Who
from samedeal_server.spelling import seemly

__all__ = ["Visits"]

INVITATIONS: Final = 6
"""How many bots of the house a connection may ask for at once; after that one in ten seconds."""


class Visits:
    """What one connection asks in races, and how that is answered."""

    def __init__(
        self, hall: Hall, peer: Visitor, replies: Replies, places: Places, *, lookups: Bucket
    ) -> None:
        """`lookups` has a token for each race that is folded again for the connection."""
        now = hall.clock.now()
        self._hall = hall
        self._peer = peer
        self._answer = replies.answer
        self._refuse = replies.refuse
        self._safely = replies.safely
        self._places = places
        self._place_in = places.in_race
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
        must_be_the_room(self._hall, room)
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
                return self._places.join(room, message, who, now, asker)
            case messages.Watch():
                return self._places.watch(room, message, who, now, asker)
            case messages.Resume():
                return self._places.resume(room, message, who, now, asker)
            case messages.Ready():
                return self._ask(room, commands.Ready(player), now, asker)
            case messages.Unready():
                return self._ask(room, commands.Unready(player), now, asker)
            case messages.Start():
                return self._ask(room, commands.Start(player), now, asker)
            case messages.Begin():
                return self._places.begin(room, message, who, now, asker)
            case messages.GiveUp():
                return self._ask(room, commands.GiveUp(player), now, asker)
            case messages.Cancel():
                return self._ask(room, commands.Cancel(player), now, asker)
            case messages.Disqualify(entrant=entrant, reason=reason):
                disqualify = commands.Disqualify(player, entrant, seemly(reason))
                return self._ask(room, disqualify, now, asker)
            case messages.Leave():
                return self._places.leave(room, who, now, asker)
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
        if room.act(command, now, asker, self._place_in(room.id)):
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
        if not await room.act_afar(command, now, asker, self._place_in(room.id)):
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

    def _say(self, room: Room, who: Who, text: str, now: int, asker: Asker) -> Errand | None:
        if who.player not in room.race.by_player and self._place_in(room.id) is None:
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
        if room.phrase_hash is not None and not self._hall.records.is_inside(room, who.player):
            return self._refuse(asker, ErrorCode.WRONG_PHRASE, room=room)
        asker.ok(audience.results(room.race, who.player))
        room.answer(asker)
        self._hall.rest(room)
        return None

    async def _rematch(self, room: Room, who: Who, asker: Asker) -> None:
        code = await self._hall.rematches.after(room, who)
        follower = await self._hall.find(code)
        created = messages.Created(race=code, commitment=follower.race.commitment)
        self._answer(asker, created)

    async def _replay(self, room: Room, message: messages.Replay, who: Who, asker: Asker) -> None:
        if self._places.is_locked_out(room, who, message.phrase, self._hall.clock.now(), asker):
            return
        length = await self._hall.records.length_of_final(room)
        page = await self._hall.replays.page(room.id, after=message.after, length=length)
        self._answer(asker, page)
