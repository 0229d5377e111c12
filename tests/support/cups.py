"""Tournaments for clients' tests: sheets in a few words, and a scripted server that has one."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from samedeal_protocol import messages as m
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament import requests as r
from samedeal_protocol.tournament.formats import Format, SingleElimination
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_protocol.tournament.views import (
    HookAdded,
    MatchView,
    PlayerView,
    RaceView,
    StaffView,
    TournamentAnnounced,
    TournamentCard,
    TournamentChanged,
    TournamentHead,
    TournamentList,
    TournamentLogPage,
    TournamentSheet,
    TournamentTable,
)

from .scripted import Answer, ScriptedServer, ScriptedWire

__all__ = ["CODE", "CupServer", "changed", "match", "player", "race", "sheet", "terms"]

CODE = "brave-heron-7"


def terms(format: Format | None = None, **more: object) -> TournamentTerms:
    drafted = TournamentTerms(
        name="Friday cup", format=format or SingleElimination(), race=Terms(game="opus")
    )
    return replace(drafted, **more)


def player(number: int, name: str, state: str = "playing", **more: object) -> PlayerView:
    return replace(PlayerView(player=number, name=name, state=state, seed=number), **more)


def race(number: int, code: str, state: str = "called", **more: object) -> RaceView:
    return replace(RaceView(number=number, race=code, game="opus", state=state), **more)


def match(id: str, *players: int, round: int = 1, label: str = "", **more: object) -> MatchView:
    drafted = MatchView(match=id, round=round, label=label or f"round {round}", players=players)
    return replace(drafted, **more)


def sheet(seq: int = 5, phase: str = "running", **more: object) -> TournamentSheet:
    drafted = TournamentSheet(
        tournament=CODE,
        seq=seq,
        at=1_000_000,
        terms=terms(),
        commitment="c0ffee",
        head=TournamentHead(phase=phase),
        staff=(StaffView(name="Hal", role="host"),),
    )
    return replace(drafted, **more)


def changed(after: int, seq: int, phase: str = "running", **more: object) -> TournamentChanged:
    head = TournamentHead(phase=phase)
    drafted = TournamentChanged(tournament=CODE, after=after, seq=seq, at=1_000_000, head=head)
    return replace(drafted, **more)


class CupServer(ScriptedServer):
    """Has one tournament, whose sheet a test may put; acts are heard and held to be done."""

    def __init__(self, first: TournamentSheet) -> None:
        super().__init__()
        self.sheet = first
        self.table = TournamentTable(tournament=CODE, seq=first.seq, final=False, lines=())
        self.log: tuple[str, ...] = ()
        self.page = 100
        """How many lines of the log a page has."""
        self.followers: list[ScriptedWire] = []
        self.refusals: dict[type[object], m.Error] = {}
        """By type of request, or of act."""
        self.on_act: Callable[[r.AnyAct], None] = lambda act: None

    def tell(self, change: TournamentChanged) -> None:
        """Tells a change to whoever follows."""
        for wire in self.followers:
            wire.push(change)

    def acts(self) -> list[r.AnyAct]:
        """Returns the acts that were heard."""
        return [each.act for each in self.heard if isinstance(each, r.ActInTournament)]

    def answer(self, wire: ScriptedWire, request: m.ClientMessage) -> Answer:
        asked = request.act if isinstance(request, r.ActInTournament) else request
        refusal = self.refusals.get(type(asked))
        if refusal is not None:
            return replace(refusal, id=request.id)
        match request:
            case r.AnnounceTournament():
                self.sheet = replace(self.sheet, terms=request.terms)
                return TournamentAnnounced(tournament=CODE)
            case r.ListTournaments():
                return TournamentList(tournaments=(self._card(),))
            case r.FollowTournament():
                self.followers.append(wire)
                return self.sheet
            case r.UnfollowTournament():
                self.followers = [each for each in self.followers if each is not wire]
                return None
            case r.TournamentStandings():
                return self.table
            case r.TournamentLog(after=after):
                lines = self.log[after : after + self.page]
                more = after + len(lines) < len(self.log)
                return TournamentLogPage(tournament=CODE, after=after, lines=lines, more=more)
            case r.ActInTournament(act=act):
                self.on_act(act)
                return (
                    HookAdded(url=act.url, secret="s3cret") if isinstance(act, r.AddHook) else None
                )
            case _:
                return super().answer(wire, request)

    def _card(self) -> TournamentCard:
        sheet = self.sheet
        return TournamentCard(
            tournament=CODE,
            name=sheet.terms.name,
            host="Hal",
            format="single-elimination",
            games=(sheet.terms.race.game, *sheet.terms.games),
            head=sheet.head,
            players=len(sheet.players),
            cap=sheet.terms.cap,
        )
