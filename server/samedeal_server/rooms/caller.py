"""The hall's side of one connection: who speaks, what they ask, and exactly one reply to each.

`hear` answers at once what memory can answer, and that is every move. What needs the store is
returned as an errand; the connection awaits it before its next message.
"""

from __future__ import annotations

from typing import Final

from samedeal_protocol import messages
from samedeal_protocol.errors import CloseCode, ErrorCode
from samedeal_protocol.messages import ClientMessage
from samedeal_protocol.tournament import requests
from samedeal_server.bucket import Bucket
from samedeal_server.racing import audience, commands
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.hall import Hall
from samedeal_server.rooms.places import Places
from samedeal_server.rooms.replies import Errand, Replies
from samedeal_server.rooms.viewers import Asker, Visitor, Who
from samedeal_server.rooms.visits import Visits

__all__ = ["Caller"]

RACES_OF: Final = 20
"""Races in a player's own list."""
LOOKUPS: Final = 50
"""How often at once a connection has a race folded again for it; after that two times a second."""


class Caller:
    """One connection, as the hall knows it."""

    def __init__(self, hall: Hall, peer: Visitor) -> None:
        now = hall.clock.now()
        self._hall = hall
        self._peer = peer
        self._who: Who | None = None
        self._lookups = Bucket(rate=2, burst=LOOKUPS, now=now)
        replies = Replies(hall.meter)
        self._answer = replies.answer
        self._refuse = replies.refuse
        self._safely = replies.safely
        self._places = Places(hall, peer, replies, lookups=self._lookups)
        self._visits = Visits(hall, peer, replies, self._places, lookups=self._lookups)
        self._guest = hall.annex.guest(peer)

    @property
    def is_known(self) -> bool:
        """Whether the caller has said hello."""
        return self._who is not None

    def hear(self, message: ClientMessage, now: int) -> Errand | None:
        """Answers a message received at `now`, or returns the errand that will."""
        asker = Asker(self._peer, message.id)
        who = self._who
        if type(message) is messages.Play and who is not None:
            # Nearly all that comes is this: it takes the short way.
            room = self._hall.rooms.get(message.race)
            if room is not None and not self._hall.committer.is_full:
                play = commands.Play(who.player, message.number, message.move)
                return self._visits.act(room, play, now, asker)
        if isinstance(message, messages.Hello):
            if who is not None:
                return self._refuse(asker, ErrorCode.HELLO_AGAIN)
            return self._safely(self._greet(message, asker), asker)
        if who is None:
            return self._refuse(asker, ErrorCode.HELLO_FIRST)
        match message:
            case messages.Ping(sent=sent):
                self._answer(asker, messages.Pong(sent=sent, at=self._hall.clock.now()))
                return None
            case messages.List():
                return self._list(message, asker)
            case messages.Mine():
                return self._safely(self._mine(who, asker), asker)
            case (
                requests.AnnounceTournament()
                | requests.ListTournaments()
                | requests.FollowTournament()
                | requests.UnfollowTournament()
                | requests.TournamentStandings()
                | requests.TournamentLog()
                | requests.ActInTournament()
            ):
                return self._safely(self._guest.hear(message, who, now, asker), asker)
            case messages.Create():
                return self._safely(self._create(message, who, asker), asker)
            case messages.Leaderboard() | messages.Ratings():
                return self._safely(self._tell_boards(message, who, asker), asker)
            case messages.Daily() | messages.League():
                return self._daily(message, who, now, asker)
            case _:
                return self._visits.hear(message, who, now, asker)

    def drained(self) -> None:
        """The peer reads again: whoever missed events is told where things stand."""
        self._places.drained()
        self._guest.drained()

    def gone(self) -> None:
        """The connection has ended."""
        self._guest.gone()
        self._places.gone()

    # --- who and which -------------------------------------------------------------------------

    async def _greet(self, hello: messages.Hello, asker: Asker) -> None:
        hall = self._hall
        try:
            greeted = await hall.players.greet(hello)
        except Refused as refused:
            self._refuse(asker, refused.code, refused.sentence)
            if refused.code is ErrorCode.BAD_PROTOCOL:
                self._peer.close(CloseCode.NO_HELLO)
            return
        who = greeted.who
        self._peer.legal = hello.legal
        self._who = who
        hall.meter.count("connections_opened")
        welcome = messages.Welcome(
            player=who.player,
            name=who.name,
            token=greeted.token,
            bot=who.bot,
            server=hall.name,
            at=hall.clock.now(),
            limits=hall.limits,
        )
        self._answer(asker, welcome)

    def _list(self, message: messages.List, asker: Asker) -> Errand | None:
        cards = self._hall.listed()
        if message.game is not None:
            cards = tuple(card for card in cards if card.terms.game == message.game)
        asker.ok(messages.Listed(races=cards))
        self._hall.answer(asker)
        return None

    async def _mine(self, who: Who, asker: Asker) -> None:
        hall = self._hall
        cards: list[messages.RaceCard] = []
        for code in await hall.log.races_of(who.player, limit=RACES_OF):
            room = await hall.records.newest(code)
            cards.append(audience.card(room.race, who.player))
            hall.rest(room)
        asker.ok(messages.Listed(races=tuple(cards)))
        hall.answer(asker)

    async def _create(self, message: messages.Create, who: Who, asker: Asker) -> None:
        race = await self._hall.open(who, message.terms, seed=message.seed, phrase=message.phrase)
        self._answer(asker, messages.Created(race=race.id, commitment=race.commitment))

    def _daily(
        self, message: messages.Daily | messages.League, who: Who, now: int, asker: Asker
    ) -> Errand | None:
        if not self._lookups.take(now):
            return self._refuse(asker, ErrorCode.RATE_LIMITED, after_ms=self._lookups.wait_ms)
        return self._safely(self._look_up_daily(message, who, asker), asker)

    async def _look_up_daily(
        self, message: messages.Daily | messages.League, who: Who, asker: Asker
    ) -> None:
        dailies = self._hall.dailies
        if isinstance(message, messages.Daily):
            asker.ok(await dailies.sheet(message, who))
        else:
            asker.ok(await dailies.league(message, who))
        self._hall.answer(asker)

    async def _tell_boards(
        self, message: messages.Leaderboard | messages.Ratings, who: Who, asker: Asker
    ) -> None:
        boards = self._hall.boards
        if isinstance(message, messages.Leaderboard):
            self._answer(asker, await boards.page(message, who.player))
        elif message.name is None:
            self._answer(asker, await boards.own(who.player, message.game))
        else:
            self._answer(asker, await boards.named(message.name, message.game))
