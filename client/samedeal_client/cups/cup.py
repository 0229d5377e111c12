"""One tournament as its players, its host and its watchers live it.

    async with hall.tournament("brave-heron-7") as cup:
        await cup.register()
        while (call := await cup.next_race()) is not None:
            async with hall.join(call.race.race) as run: ...

Reconnecting happens underneath: what was missed meanwhile is in the sheet afterwards. Every act may
be sent again, so an act resolves once, with the server's answer, whatever the connection does.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from samedeal_client.errors import ClientError, expect
from samedeal_client.following import Following
from samedeal_protocol.messages import ClientMessage, Reply
from samedeal_protocol.tournament import requests as acts
from samedeal_protocol.tournament.events import Ending
from samedeal_protocol.tournament.requests import (
    ActInTournament,
    AnyAct,
    TournamentLog,
    TournamentStandings,
)
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_protocol.tournament.views import (
    HookAdded,
    MatchView,
    PlayerView,
    RaceView,
    TournamentChanged,
    TournamentHead,
    TournamentLogPage,
    TournamentSheet,
    TournamentTable,
)

from .ledger import ENDED, Ledger, extension, round_to_start

__all__ = ["Call", "Cup", "CupPort", "News"]

News: TypeAlias = TournamentChanged | TournamentSheet
"""What `events()` yields. A sheet replaces everything: something was missed."""

_LOOKED_AT_ANEW = (acts.Register, acts.Invite, acts.AddHook, acts.RemoveHook, acts.Extend)
"""Acts after which a sheet tells the viewer what no change does, or what the next such act names:
an instant that is put off twice is put off from where it is by then."""


class CupPort(Protocol):
    """What a tournament needs of the hall that it is followed in."""

    @property
    def name(self) -> str:
        """The viewer's name."""
        ...

    def now_ms(self) -> float:
        """Returns milliseconds by a clock that never goes back."""
        ...

    async def pause(self, seconds: float) -> None:
        """Lets time pass."""
        ...

    async def ask(self, make: Callable[[int], ClientMessage]) -> Reply | None: ...

    async def follow(self, tournament: str) -> None:
        """Has the whole sheet told again."""
        ...

    def follow_later(self, tournament: str) -> None:
        """The same, without waiting."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """A race in which the player is wanted."""

    match: MatchView
    race: RaceView


class Cup(Following[News]):
    """A tournament that is followed: what is known of it, and what one can do in it."""

    def __init__(self, port: CupPort, sheet: TournamentSheet) -> None:
        super().__init__()
        self._port = port
        self.ledger = Ledger(sheet)
        """What is known, and questions to it."""
        self._heard_at = port.now_ms()
        self._called: set[str] = set()

    # --- what is known ----------------------------------------------------------------------

    @property
    def code(self) -> str:
        """The tournament's code."""
        return self.ledger.sheet.tournament

    @property
    def sheet(self) -> TournamentSheet:
        """All of it, as it is now."""
        return self.ledger.sheet

    @property
    def terms(self) -> TournamentTerms:
        """What the host announced."""
        return self.ledger.sheet.terms

    @property
    def head(self) -> TournamentHead:
        """How it stands as a whole."""
        return self.ledger.sheet.head

    @property
    def you(self) -> PlayerView | None:
        """The viewer as a player, if they are one."""
        return self.ledger.you()

    @property
    def is_over(self) -> bool:
        """It is over, or was called off."""
        return self.ledger.is_over

    @property
    def now_ms(self) -> int:
        """Milliseconds of UTC by the server's clock, for instants such as `head.next_at`."""
        return self.ledger.sheet.at + round(self._port.now_ms() - self._heard_at)

    async def over(self) -> TournamentHead:
        """Waits until it is over or called off."""
        async for _ in self.changes():
            if self.is_over:
                break
        return self.head

    async def standings(self) -> TournamentTable:
        """Returns the standings with their arithmetic."""
        return expect(
            TournamentTable,
            await self._port.ask(lambda id: TournamentStandings(id=id, tournament=self.code)),
        )

    async def log(self, *, after: int = 0) -> AsyncIterator[str]:
        """Yields the lines of the log after so many, each JSON: of one that is over all of it,
        until then the audit without seeds and salts."""
        has_more = True
        while has_more:
            page = await self._log_page(after)
            for line in page.lines:
                yield line
            after += len(page.lines)
            has_more = page.more and bool(page.lines)

    async def _log_page(self, after: int) -> TournamentLogPage:
        reply = await self._port.ask(
            lambda id: TournamentLog(id=id, tournament=self.code, after=after)
        )
        return expect(TournamentLogPage, reply)

    # --- what a player does -----------------------------------------------------------------

    async def register(self, *, phrase: str | None = None) -> None:
        """Registers, or takes a place on the waiting list; afterwards `you` says which.

        This and all other acts raise `Refused`, which changed nothing.
        """
        await self.act(acts.Register(phrase=phrase))

    async def check_in(self) -> None:
        """Says, while the window is open, that one is there and plays."""
        await self.act(acts.CheckIn())

    async def withdraw(self, player: int | None = None) -> None:
        """Takes the registration back, or leaves; staff may do so for a player."""
        await self.act(acts.Withdraw(player=player))

    async def sit_out(self) -> None:
        """Is paired no more until one comes back; what is paired is played."""
        await self.act(acts.SitOut())

    async def come_back(self) -> None:
        """Is paired again."""
        await self.act(acts.ComeBack())

    async def pick(self, match: str, game: str) -> None:
        """Picks the game of a match's next race."""
        await self.act(acts.PickGame(match=match, game=game))

    def wants(self, race: str) -> bool:
        """Returns whether the player is still wanted in a race."""
        return any(each.race == race for _, each in self.ledger.wanted())

    async def pause(self, seconds: float) -> None:
        """Lets time pass, by the hall's clock."""
        await self._port.pause(seconds)

    async def next_race(self) -> Call | None:
        """Waits for the next race in which the player is wanted; each is returned once.

        None when there will be no more: it is over, or the player has left it. Raises `ClientError`
        if they never registered in one that is not over.
        """
        if self.you is None and not self.is_over:
            raise ClientError("you are no player of this tournament: register first")
        async for _ in self.changes():
            for match, race in self.ledger.wanted():
                if race.race not in self._called:
                    self._called.add(race.race)
                    return Call(match, race)
            if self.ledger.is_out():
                return None
        return None

    # --- what hosts and referees do ---------------------------------------------------------

    async def invite(self, names: Sequence[str]) -> None:
        """Lets people of these names register."""
        await self.act(acts.Invite(names=tuple(names)))

    async def open_check_in(self) -> None:
        """Opens the check-in window now."""
        await self.act(acts.OpenCheckIn())

    async def start(self, order: Sequence[int] = ()) -> None:
        """Starts with those who are there; `order` names the players who get the first seed
        numbers."""
        await self.act(acts.StartTournament(order=tuple(order)))

    async def start_round(self) -> None:
        """Has the next round paired now."""
        await self.act(round_to_start(self.sheet))

    async def ring(self) -> None:
        """Rings the bell of a ladder now."""
        await self.act(acts.RingBell())

    async def let_in(self, player: int) -> None:
        """Gives somebody from the waiting list a place."""
        await self.act(acts.LetIn(player=player))

    async def halt(self, reason: str) -> None:
        """Pauses it: nothing is paired, called or timed out; races that run go on."""
        await self.act(acts.Halt(reason=reason))

    async def go_on(self) -> None:
        """Ends a pause."""
        await self.act(acts.Continue())

    async def extend(self, seconds: int, *, match: str | None = None) -> None:
        """Gives a match's players more time; without one, whatever the tournament waits for."""
        await self.act(extension(self.sheet, seconds, match))

    async def void(self, match: str, number: int, *, reason: str) -> None:
        """Counts a race of a match for nothing; another is played."""
        await self.act(acts.VoidRace(match=match, number=number, reason=reason))

    async def override(
        self, match: str, *, winner: int | None, reason: str, ending: Ending = Ending.PLAYED
    ) -> None:
        """Says how a match ended; without a winner it is a draw, or a double forfeit."""
        await self.act(acts.Override(match=match, winner=winner, ending=ending, reason=reason))

    async def disqualify(self, player: int, *, reason: str) -> None:
        """Takes a player out and places them last."""
        await self.act(acts.Disqualify(player=player, reason=reason))

    async def reinstate(self, player: int, *, reason: str) -> None:
        """Takes a disqualification or a withdrawal back."""
        await self.act(acts.Reinstate(player=player, reason=reason))

    async def appoint(self, name: str, role: str) -> None:
        """Makes somebody `co-host` or `referee`, or with `none` neither."""
        await self.act(acts.Appoint(name=name, role=role))

    async def call_off(self, reason: str, *, series: bool = False) -> None:
        """Calls it off; with `series` no other follows."""
        await self.act(acts.CallOff(reason=reason, series=series))

    async def add_hook(self, url: str) -> str:
        """Has results posted to a URL; returns the secret that signs them, which is told once."""
        return expect(HookAdded, await self.act(acts.AddHook(url=url))).secret

    async def remove_hook(self, url: str) -> None:
        """Has nothing posted there any more."""
        await self.act(acts.RemoveHook(url=url))

    async def act(self, act: AnyAct) -> HookAdded | None:
        """Does any of the above. Raises `Refused`."""
        reply = await self._port.ask(
            lambda id: ActInTournament(id=id, tournament=self.code, act=act)
        )
        if isinstance(act, _LOOKED_AT_ANEW):
            await self._port.follow(self.code)
        return reply if isinstance(reply, HookAdded) else None

    # --- for the hall -----------------------------------------------------------------------

    def told(self, message: News) -> None:
        """Takes in what the server said."""
        if isinstance(message, TournamentSheet):
            self.ledger.take(message)
            self._heard_at = self._port.now_ms()
            self._heard(message)
            return
        was_stale = self.ledger.is_stale
        if self.ledger.apply(message, name=self._port.name):
            self._heard_at = self._port.now_ms()
            self._heard(message)
        if self.ledger.is_stale and not was_stale:
            self._port.follow_later(self.code)

    def _is_last(self, message: News) -> bool:
        return message.head.phase in ENDED
