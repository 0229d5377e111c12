"""One connection's requests about tournaments; all that is in memory is durable."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Coroutine
from typing import Final, assert_never

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.tournament import requests, views
from samedeal_protocol.tournament.events import parse_line
from samedeal_server.bucket import Bucket
from samedeal_server.cups.announcer import Announcer
from samedeal_server.cups.crowd import Follow
from samedeal_server.cups.cup import Cup
from samedeal_server.cups.reader import Reader
from samedeal_server.cups.relay import Relay
from samedeal_server.cups.shelf import Shelf
from samedeal_server.hosting import pages
from samedeal_server.hosting.commands import Did, Person
from samedeal_server.ports import Hooks
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.annex import TournamentMessage
from samedeal_server.rooms.hall import Hall
from samedeal_server.rooms.phrases import is_phrase
from samedeal_server.rooms.replays import PAGE_LINES, page_of
from samedeal_server.rooms.replies import Replies
from samedeal_server.rooms.viewers import Asker, Peer, Who

__all__ = ["Desk"]

FOLLOWED: Final = 16
"""Tournaments that one connection is told of at a time, those it asked for last."""


class Desk:
    """One connection, as the tournaments know it."""

    def __init__(
        self,
        peer: Peer,
        *,
        hall: Hall,
        hooks: Hooks,
        shelf: Shelf,
        reader: Reader,
        relay: Relay,
        announcer: Announcer,
    ) -> None:
        now = hall.clock.now()
        self._peer = peer
        self._hall = hall
        self._hooks = hooks
        self._shelf = shelf
        self._reader = reader
        self._relay = relay
        self._announcer = announcer
        self._replies = Replies(hall.meter)
        self._follows: OrderedDict[str, Follow] = OrderedDict()
        self._announcements = Bucket(rate=1 / 60, burst=10, now=now)
        self._lookups = Bucket(rate=5, burst=50, now=now)

    def hear(
        self, message: TournamentMessage, who: Who, now: int, asker: Asker
    ) -> Coroutine[None, None, None]:
        """Returns the errand that answers; it raises `Refused`, `LogUnavailable`, `LogConflict`."""
        match message:
            case requests.AnnounceTournament():
                return self._announce(message, who, now, asker)
            case requests.ListTournaments():
                return self._list(message, who, now, asker)
            case requests.FollowTournament():
                return self._follow(message, who, now, asker)
            case requests.UnfollowTournament():
                return self._unfollow(message, asker)
            case requests.TournamentStandings():
                return self._standings(message, now, asker)
            case requests.TournamentLog():
                return self._log(message, who, now, asker)
            case requests.ActInTournament():
                return self._act(message, who, now, asker)
            case _:
                assert_never(message)

    def drained(self) -> None:
        """The peer reads again: it is told what it has missed."""
        now = self._hall.clock.now()
        for code, follow in self._follows.items():
            cup = self._shelf.cups.get(code)
            if cup is not None:
                cup.crowd.drained(follow, cup.state, now)

    def gone(self) -> None:
        """The connection has ended."""
        while self._follows:
            self._let_go(next(iter(self._follows)))

    # --- what is asked -------------------------------------------------------------------------

    async def _announce(
        self, message: requests.AnnounceTournament, who: Who, now: int, asker: Asker
    ) -> None:
        if self._is_hasty(self._announcements, now, asker):
            return
        code = await self._announcer.announce(_person(who), message.terms, phrase=message.phrase)
        self._replies.answer(asker, views.TournamentAnnounced(tournament=code))

    async def _list(
        self, message: requests.ListTournaments, who: Who, now: int, asker: Asker
    ) -> None:
        if self._is_hasty(self._lookups, now, asker):
            return
        of = who.player if message.mine else None
        cards = await self._reader.cards(of=of, over=False)
        if message.over:
            cards += await self._reader.cards(of=of, over=True)
        self._replies.answer(asker, views.TournamentList(tournaments=cards))

    async def _follow(
        self, message: requests.FollowTournament, who: Who, now: int, asker: Asker
    ) -> None:
        if self._is_hasty(self._lookups, now, asker):
            return
        cup = await self._reader.newest(message.tournament)
        state = cup.state
        sheet = await self._reader.sheet(state, who.player)
        if not message.once and self._peer.is_open:
            self._let_go(cup.id)
            follow = self._follows[cup.id] = Follow(self._peer, state)
            cup.crowd.add(follow)
            while len(self._follows) > FOLLOWED:
                self._let_go(next(iter(self._follows)))
        self._replies.answer(asker, sheet)

    async def _unfollow(self, message: requests.UnfollowTournament, asker: Asker) -> None:
        self._let_go(message.tournament)
        asker.ok()
        asker.run()

    async def _standings(
        self, message: requests.TournamentStandings, now: int, asker: Asker
    ) -> None:
        if self._is_hasty(self._lookups, now, asker):
            return
        cup = await self._reader.newest(message.tournament)
        self._replies.answer(asker, await self._reader.table(cup))

    async def _log(self, message: requests.TournamentLog, who: Who, now: int, asker: Asker) -> None:
        if self._is_hasty(self._lookups, now, asker):
            return
        cup = await self._reader.newest(message.tournament)
        state = cup.state
        kept = await self._hall.log.read(cup.id, after=message.after, limit=PAGE_LINES + 1)
        kept = kept[: max(0, state.seq - message.after)]
        page = page_of(pages.lines(state, who.player, [parse_line(line)])[0] for line in kept)
        answer = views.TournamentLogPage(
            tournament=cup.id,
            after=message.after,
            lines=page,
            more=len(page) < len(kept),
        )
        self._replies.answer(asker, answer)

    async def _act(
        self, message: requests.ActInTournament, who: Who, now: int, asker: Asker
    ) -> None:
        if self._hall.committer.is_full:
            raise Refused(ErrorCode.STORE_UNAVAILABLE, ErrorCode.STORE_UNAVAILABLE.meaning)
        cup = await self._shelf.find(message.tournament)
        act = message.act
        did = Did(by=_person(who), act=act)
        match act:
            case requests.Register(phrase=phrase) if phrase is not None:
                if self._is_hasty(self._hall.players.guesses.of(who.player, now), now, asker):
                    return
                did = Did(by=did.by, act=act, phrase_fits=_fits(cup, phrase))
            case requests.Appoint(name=name):
                did = Did(by=did.by, act=act, named=await self._named(name))
            case requests.AddHook(url=url):
                if (wrong := self._hooks.fault(url)) is not None:
                    raise Refused(ErrorCode.BAD_URL, wrong)
            case _:
                pass
        known = cup.state.hooks
        await self._relay.carry(cup, did)
        if isinstance(act, requests.AddHook) and act.url not in known:
            secret = cup.state.hooks.get(act.url)
            if secret is not None:
                self._replies.answer(asker, views.HookAdded(url=act.url, secret=secret))
                return
        asker.ok()
        asker.run()

    # --- within --------------------------------------------------------------------------------

    def _is_hasty(self, bucket: Bucket, now: int, asker: Asker) -> bool:
        """Says whether this is asked too often; then they have been told so."""
        if bucket.take(now):
            return False
        hasty = "that is asked too often"
        self._replies.refuse(asker, ErrorCode.RATE_LIMITED, hasty, after_ms=bucket.wait_ms)
        return True

    async def _named(self, name: str) -> Person | None:
        """Returns who has a name, if anybody does; raises `LogUnavailable`."""
        found = await self._hall.log.player_by_name(name)
        return None if found is None else Person(found.player, found.name, found.bot)

    def _let_go(self, code: str) -> None:
        follow = self._follows.pop(code, None)
        cup = self._shelf.cups.get(code)
        if follow is not None and cup is not None:
            cup.crowd.remove(follow)
            self._shelf.rest(cup)


def _person(who: Who) -> Person:
    return Person(who.player, who.name, who.bot)


def _fits(cup: Cup, phrase: str) -> bool:
    kept = cup.state.announced.phrase_hash
    return bool(kept) and is_phrase(phrase, bytes.fromhex(kept))
