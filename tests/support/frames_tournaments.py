"""One sample of every message about tournaments; `frames` keeps their golden frames."""

from __future__ import annotations

from typing import Final

from samedeal_protocol import messages as m
from samedeal_protocol.terms import Terms, Visibility
from samedeal_protocol.tournament import requests as q
from samedeal_protocol.tournament import views as v
from samedeal_protocol.tournament.events import Ending
from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Format,
    Heats,
    Ladder,
    Length,
    Order,
    Points,
    RoundRobin,
    SingleElimination,
    Swiss,
    TieBreak,
)
from samedeal_protocol.tournament.schedule import Every, Nth, Schedule, Weekday
from samedeal_protocol.tournament.terms import Choice, Registration, Seeding, TournamentTerms

__all__ = ["CHANGED", "CLIENT", "REPLIES"]

CUP: Final = "cup-k7m2x9qbtd"
AT: Final = 1_800_000_000_000
RACE: Final = Terms(game="forty-thieves", limit=1800)
TERMS: Final = TournamentTerms(name="Friday night", format=Swiss(rounds=5), race=RACE)
ALL_TERMS: Final = TournamentTerms(
    name="Winter cup ♠",
    about="Bring tea.",
    format=SingleElimination(
        third_place=True,
        length=Length(best_of=3, replays=1),
        lengths={"final": Length(best_of=5)},
        bracket=("Ada", "Grace", "Edsger", None),
        tie_breaks=(TieBreak.TOTAL_TIME,),
    ),
    race=RACE,
    games=("opus", "st-helena"),
    choice=Choice.PICK,
    pick=90,
    visibility=Visibility.UNLISTED,
    registration=Registration.PHRASE,
    cap=64,
    least=3,
    seeding=Seeding.RATING,
    starts=AT + 3_600_000,
    check_in=900,
    rounds_by_hand=True,
    between=60,
    no_show=120,
    repeat=Schedule(
        zone="Europe/Berlin",
        every=Every.MONTH,
        at="19:30",
        weekdays=(Weekday.FRIDAY,),
        nth=Nth.FIRST,
        since="2027-01-01",
        count=12,
    ),
    announced_ahead=604_800,
)
_FORMATS: Final[dict[str, Format]] = {
    "double": DoubleElimination(reset=False, length=Length(best_of=3)),
    "round-robin": RoundRobin(times=2, points=Points(win=3, draw=1, bye=0)),
    "swiss": Swiss(rounds=7, order=Order.LOTS, tie_breaks=(TieBreak.BUCHHOLZ,)),
    "heats": Heats(rounds=4, size=6, points=(5, 3, 1), finishers_only=True),
    "ladder": Ladder(length=Length(best_of=2, replays=0)),
}
_ACTS: Final[dict[str, q.AnyAct]] = {
    "register": q.Register(phrase="open sesame"),
    "check-in": q.CheckIn(),
    "withdraw": q.Withdraw(player=3),
    "sit-out": q.SitOut(),
    "come-back": q.ComeBack(),
    "pick-game": q.PickGame(match="W1.1", game="opus"),
    "invite": q.Invite(names=("Ada", "Grace")),
    "open-check-in": q.OpenCheckIn(),
    "start-tournament": q.StartTournament(order=(2, 1)),
    "start-round": q.StartRound(round=2),
    "ring-bell": q.RingBell(),
    "let-in": q.LetIn(player=9),
    "halt": q.Halt(reason="fire drill"),
    "continue": q.Continue(),
    "extend": q.Extend(seconds=60, match="W1.1", shown=AT),
    "void-race": q.VoidRace(match="W1.1", number=1, reason="a bug"),
    "override": q.Override(match="W1.1", winner=2, ending=Ending.WALKOVER, reason="left"),
    "disqualify-player": q.Disqualify(player=2, reason="two boards"),
    "reinstate": q.Reinstate(player=2, reason="a misunderstanding"),
    "appoint": q.Appoint(name="Grace", role="co-host"),
    "call-off": q.CallOff(reason="the hall is closed", series=True),
    "add-hook": q.AddHook(url="https://example.org/results"),
    "remove-hook": q.RemoveHook(url="https://example.org/results"),
}

CLIENT: Final[dict[str, m.ClientMessage]] = {
    "announce-tournament": q.AnnounceTournament(id=40, terms=ALL_TERMS, phrase="open sesame"),
    **{
        f"announce-tournament.{name}": q.AnnounceTournament(
            id=40, terms=TournamentTerms(name=name, format=format, race=RACE)
        )
        for name, format in _FORMATS.items()
    },
    "list-tournaments": q.ListTournaments(id=41, mine=True, over=True),
    "follow-tournament": q.FollowTournament(id=42, tournament=CUP, once=True),
    "unfollow-tournament": q.UnfollowTournament(id=43, tournament=CUP),
    "tournament-standings": q.TournamentStandings(id=44, tournament=CUP),
    "tournament-log": q.TournamentLog(id=45, tournament=CUP, after=100),
    **{
        f"act-in-tournament.{name}": q.ActInTournament(id=46, tournament=CUP, act=act)
        for name, act in _ACTS.items()
    },
}

_HEAD: Final = v.TournamentHead(
    phase="running",
    halted="fire drill",
    round=2,
    rounds=5,
    next="round",
    next_at=AT + 60_000,
    waits="paused: fire drill",
)
_PLAYERS: Final = (
    v.PlayerView(player=1, name="Ada", state="playing", seed=2),
    v.PlayerView(player=2, name="HAL", bot=True, state="sitting-out", seed=1),
)
_MATCHES: Final = (
    v.MatchView(
        match="W1.1",
        round=1,
        label="semi-final",
        players=(1, 2),
        best_of=3,
        races=(
            v.RaceView(number=1, race="k7m2x9qbtd-W1_1-1", game="opus", state="over"),
            v.RaceView(
                number=2, race="k7m2x9qbtd-W1_1-2", game="opus", state="void", reason="a bug"
            ),
            v.RaceView(
                number=3, race="k7m2x9qbtd-W1_1-3", game="opus", state="called", ready_by=AT
            ),
        ),
        score="1–0",
    ),
    v.MatchView(
        match="W1.2",
        round=1,
        label="semi-final",
        players=(2, 1),
        pick=v.Pick(player=1, until=AT),
    ),
    v.MatchView(
        match="F",
        round=2,
        label="final",
        players=(2, 1),
        ending="played",
        winner=2,
        overridden="seen on video",
    ),
    v.MatchView(
        match="H1.1",
        round=1,
        label="round 1",
        players=(1, 2),
        ending="walkover",
        winner=2,
        unplayed="Ada did not come",
        places=(
            v.HeatPlace(player=2, place=1, points="10"),
            v.HeatPlace(player=1),
        ),
    ),
)

REPLIES: Final[dict[str, m.Reply]] = {
    "tournament-announced": v.TournamentAnnounced(tournament=CUP),
    "tournament-list": v.TournamentList(
        tournaments=(
            v.TournamentCard(
                tournament=CUP,
                name="Winter cup ♠",
                host="Ada",
                format="single-elimination",
                games=("opus", "st-helena"),
                head=v.TournamentHead(phase="over", champion=2, reason="there is a champion"),
                players=2,
                cap=64,
                starts=AT,
                champion="HAL",
            ),
        )
    ),
    "tournament-sheet": v.TournamentSheet(
        tournament=CUP,
        seq=12,
        at=AT,
        terms=TERMS,
        commitment="c0ffee" * 10 + "beef",
        head=_HEAD,
        staff=(v.StaffView(name="Ada", role="host"),),
        players=_PLAYERS,
        matches=_MATCHES,
        you=1,
        role="host",
        invited=("Grace",),
        hooks=("https://example.org/results",),
        follows="cup-9qbtdk7m2x",
        next="cup-x9qbtdk7m2",
        seed="5eed" * 8,
        salt="5a17" * 8,
    ),
    "tournament-table": v.TournamentTable(
        tournament=CUP,
        seq=12,
        final=True,
        lines=(
            v.TableLine(
                place=1,
                player=2,
                marks=(v.Mark(what="points", value="1½", arithmetic="1 (beat Ada) + ½ = 1½"),),
            ),
        ),
        chain="c4a1" * 16,
    ),
    "tournament-log-page": v.TournamentLogPage(
        tournament=CUP, after=0, lines=('{"event":"rung","at":1}',), more=True
    ),
    "hook-added": v.HookAdded(url="https://example.org/results", secret="whsec_AAAA"),
}

CHANGED: Final = v.TournamentChanged(
    tournament=CUP,
    after=11,
    seq=12,
    at=AT,
    text=("Ada registers",),
    head=_HEAD,
    staff=(v.StaffView(name="Ada", role="host"),),
    players=_PLAYERS,
    matches=_MATCHES,
    gone=("F2",),
    next="cup-x9qbtdk7m2",
)
