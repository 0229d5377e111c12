"""Whole tournaments played over a hall without sockets, by people who do what a script says.

Who stands before whom in `strength` beats them: in each race the first of those who are in it plays
one card home, the second none, and both give up. So a tournament has one outcome, however often the
server dies meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from samedeal_protocol import messages
from samedeal_protocol.events import EntrantState
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament import requests, views
from samedeal_protocol.tournament.formats import Format
from samedeal_protocol.tournament.requests import AnyAct
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_rules import move_text
from samedeal_server.cups import Cups
from samedeal_server.hosting import errands
from samedeal_server.hosting.state import Phase as CupPhase
from samedeal_server.hosting.state import State
from samedeal_server.racing.race import Phase, Race
from samedeal_server.rooms.room import Room
from support.halls import Lobby, Person
from support.quiet import TURNS, is_quiet

__all__ = [
    "GAME",
    "Stage",
    "act",
    "an_act",
    "announce",
    "cups_of",
    "follow",
    "refused",
    "settled",
    "table",
    "terms_of",
]

GAME = "binary-star"
"""Somebody can always play a card home at once."""


def terms_of(format: Format, **changes: object) -> TournamentTerms:
    """Terms of a small tournament whose races start at once."""
    race = Terms(game=GAME, countdown=0, limit=600)
    fields: dict[str, object] = {"name": "Friday", "format": format, "race": race, **changes}
    return TournamentTerms(**fields)  # type: ignore[arg-type]


def cups_of(lobby: Lobby) -> Cups:
    cups = lobby.hall.annex
    assert isinstance(cups, Cups)
    return cups


async def settled(lobby: Lobby) -> None:
    """Waits until everything is decided, stored, seen to and told: until nothing is stored more."""
    quiet = stored = 0
    while quiet < (TURNS if is_quiet() else 20):
        await asyncio.sleep(0)
        await lobby.settle()
        before, stored = stored, len(lobby.world.log.appends)
        quiet = quiet + 1 if stored == before else 0
    cups_of(lobby).flush()
    await asyncio.sleep(0)


async def announce(host: Person, terms: TournamentTerms, *, phrase: str | None = None) -> str:
    message = requests.AnnounceTournament(id=host.next_id(), terms=terms, phrase=phrase)
    return (await host.get(views.TournamentAnnounced, message)).tournament


def an_act(person: Person, code: str, act: AnyAct) -> requests.ActInTournament:
    return requests.ActInTournament(id=person.next_id(), tournament=code, act=act)


async def act(person: Person, code: str, act: AnyAct) -> messages.Reply | None:
    """Does something; everything that follows from it has happened when this returns."""
    result = await person.ask(an_act(person, code, act))
    await settled(person.lobby)
    return result


async def refused(person: Person, code: str, act: AnyAct) -> str:
    """Has something refused; returns the code of the refusal."""
    return await person.refusal(an_act(person, code, act))


async def follow(person: Person, code: str, *, once: bool = False) -> views.TournamentSheet:
    message = requests.FollowTournament(id=person.next_id(), tournament=code, once=once)
    return await person.get(views.TournamentSheet, message)


async def table(person: Person, code: str) -> views.TournamentTable:
    message = requests.TournamentStandings(id=person.next_id(), tournament=code)
    return await person.get(views.TournamentTable, message)


class Stage:
    """A tournament, and those who play it from one node."""

    def __init__(self, lobby: Lobby, people: Sequence[Person], code: str) -> None:
        """`people` are told in the order of their strength."""
        self.lobby = lobby
        self.people = {person.player: person for person in people}
        self.strength = [person.player for person in people]
        self.code = code
        self.absent: set[str] = set()
        """Players who come to no race."""

    @property
    def state(self) -> State:
        cup = cups_of(self.lobby).shelf.cups.get(self.code)
        assert cup is not None
        return cup.state

    def phase(self) -> CupPhase:
        return self.state.phase

    def rooms(self) -> list[Room]:
        """The rooms of the races that are called or run."""
        found = [self.lobby.hall.room(each.race) for each in errands.openings(self.state)]
        return [room for room in found if room is not None]

    async def register(self) -> None:
        for person in self.people.values():
            await act(person, self.code, requests.Register())

    async def play(self, *, steps: int = 500) -> None:
        """Plays until the tournament is over."""
        for _ in range(steps):
            if self.state.is_final:
                return
            await self.step()
        raise AssertionError("it comes to no end")

    async def step(self) -> None:
        """Does one thing in one of the races, or lets time pass when nothing is to be done."""
        await settled(self.lobby)
        for room in self.rooms():
            if await self._step_in(room.race):
                await settled(self.lobby)
                return
        await self.pass_time(1_000)

    async def pass_time(self, ms: int) -> None:
        await self.lobby.pass_time(ms)
        await settled(self.lobby)

    async def _step_in(self, race: Race) -> bool:
        here = [player for player in race.opened.invited if player not in self.absent]
        match race.phase:
            case Phase.OPEN | Phase.COUNTDOWN:
                for player in here:
                    person, entrant = self.people[player], race.by_player.get(player)
                    if entrant is None or entrant.away:
                        await person.join(race.id)
                        return True
                    if entrant.state is EntrantState.ENTERED:
                        await person.ready(race.id)
                        return True
                return False
            case Phase.RUNNING:
                return await self._finish(race)
            case _:
                return False

    async def _finish(self, race: Race) -> bool:
        """Has one player do their next thing."""
        running = [entrant for entrant in race.entrants if entrant.state is EntrantState.RACING]
        running.sort(key=lambda entrant: self.strength.index(entrant.player))
        for entrant in running:
            person, board = self.people[entrant.player], entrant.table
            assert board is not None
            if entrant.away:
                await person.join(race.id)
                return True
            is_first = all(
                self.strength.index(entrant.player) <= self.strength.index(each.player)
                for each in race.entered()
            )
            if is_first and not entrant.acts:
                home = next(move for move in board.legal() if "-F" in move_text(race.game, move))
                await person.play(race.id, 1, move_text(race.game, home))
                return True
            await person.give_up(race.id)
            return True
        return False

    async def standings(self) -> str:
        """`1 Ann, 2 Bob, 3 Cyd`."""
        person = next(iter(self.people.values()))
        lines = (await table(person, self.code)).lines
        return ", ".join(f"{line.place} {self.state.players[line.player].name}" for line in lines)
