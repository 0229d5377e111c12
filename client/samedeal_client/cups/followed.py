"""The tournaments that a hall follows: each from its first sheet on, and again after an outage."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from samedeal_client.errors import ClientError, Refused, expect
from samedeal_client.lifeline import Lifeline
from samedeal_protocol import happenings
from samedeal_protocol.messages import ClientMessage, Reply
from samedeal_protocol.tournament.requests import (
    AnnounceTournament,
    FollowTournament,
    ListTournaments,
    UnfollowTournament,
)
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_protocol.tournament.views import (
    TournamentAnnounced,
    TournamentCard,
    TournamentList,
    TournamentSheet,
)

from .cup import Cup, News

__all__ = ["Cups"]


class Cups:
    """What a hall asks about tournaments, and those that it follows; the port of a `Cup`."""

    def __init__(self, life: Lifeline) -> None:
        self._life = life
        self._cups: dict[str, Cup | None] = {}
        """By code; None until the first sheet is there."""

    @property
    def name(self) -> str:
        """The player's name."""
        welcome = self._life.session.welcome
        return "" if welcome is None else welcome.name

    def now_ms(self) -> float:
        """Returns milliseconds by a clock that never goes back."""
        return self._life.now_ms()

    async def pause(self, seconds: float) -> None:
        """Lets time pass."""
        await self._life.pause(seconds)

    async def ask(self, make: Callable[[int], ClientMessage]) -> Reply | None:
        """Sends the request made from a fresh id and waits for its answer."""
        return await self._life.ask(make)

    async def announce(self, terms: TournamentTerms, *, phrase: str | None) -> str:
        """See `Hall.announce`."""
        reply = await self.ask(lambda id: AnnounceTournament(id=id, terms=terms, phrase=phrase))
        return expect(TournamentAnnounced, reply).tournament

    async def list(self, *, mine: bool, over: bool) -> tuple[TournamentCard, ...]:
        """See `Hall.tournaments`."""
        reply = await self.ask(lambda id: ListTournaments(id=id, mine=mine, over=over))
        return expect(TournamentList, reply).tournaments

    @asynccontextmanager
    async def followed(self, code: str) -> AsyncIterator[Cup]:
        """See `Hall.tournament`."""
        if code in self._cups:
            raise ClientError(f"tournament {code} is followed here already")
        self._cups[code] = None
        try:
            await self.follow(code)
            yield expect(Cup, self._cups[code])
        finally:
            cup = self._cups.pop(code)
            if cup is not None:
                cup.left()
                if self._life.failure is None:
                    leave = UnfollowTournament(id=self._life.session.new_id(), tournament=code)
                    self._life.submit(leave)

    async def follow(self, tournament: str) -> None:
        """Has the whole sheet of a tournament told, and from then on what changes."""
        await self.ask(lambda id: FollowTournament(id=id, tournament=tournament))

    def follow_later(self, tournament: str) -> None:
        """The same beside everything else."""
        self._life.beside(self._follow_again(tournament), name=f"hall follows {tournament}")

    async def _follow_again(self, tournament: str) -> None:
        try:
            await self.follow(tournament)
        except Refused as refused:
            cup = self._cups.get(tournament)
            if cup is not None:
                cup.failed(refused)
        except ClientError:
            pass  # The connection is gone: the next one follows anew.

    def told(self, happening: happenings.Happening) -> None:
        """Takes in what happened, if it is about a tournament; and follows again after an
        outage."""
        match happening:
            case happenings.TournamentTold(message):
                self._tell(message)
            case happenings.Answered(result=TournamentSheet() as sheet):
                self._tell(sheet)
            case happenings.Greeted(again=True):
                for code, cup in self._cups.items():
                    if cup is not None:
                        self.follow_later(code)
            case _:
                pass

    def ended(self, failure: ClientError) -> None:
        """Ends all that is followed."""
        for cup in self._cups.values():
            if cup is not None:
                cup.failed(failure)

    def _tell(self, news: News) -> None:
        if news.tournament not in self._cups:
            return
        cup = self._cups[news.tournament]
        if cup is not None:
            cup.told(news)
        elif isinstance(news, TournamentSheet):
            self._cups[news.tournament] = Cup(self, news)
