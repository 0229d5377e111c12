"""What clients ask of tournaments, and the acts of players, hosts and referees.

Players of a tournament are numbered as they register, 1, 2, 3, ...; a number is never reused. Acts
name players so, and people who are not registered by their names.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from samedeal_protocol.bases import Request, whole
from samedeal_protocol.tags import tag
from samedeal_protocol.tournament.events import Ending
from samedeal_protocol.tournament.terms import TournamentTerms

__all__ = [
    "Act",
    "ActInTournament",
    "AddHook",
    "AnnounceTournament",
    "AnyAct",
    "Appoint",
    "CallOff",
    "CheckIn",
    "ComeBack",
    "Continue",
    "Disqualify",
    "Extend",
    "FollowTournament",
    "Halt",
    "Invite",
    "LetIn",
    "ListTournaments",
    "OpenCheckIn",
    "Override",
    "PickGame",
    "Register",
    "Reinstate",
    "RemoveHook",
    "RingBell",
    "SitOut",
    "StartRound",
    "StartTournament",
    "TournamentLog",
    "TournamentRequest",
    "TournamentStandings",
    "UnfollowTournament",
    "VoidRace",
    "Withdraw",
]

TournamentId = Annotated[str, Meta(min_length=1, max_length=32)]
PlayerNumber = Annotated[int, Meta(ge=1, le=100_000)]
MatchId = Annotated[str, Meta(min_length=1, max_length=32)]
Name = Annotated[str, Meta(min_length=1, max_length=96)]
Reason = Annotated[str, Meta(min_length=1, max_length=200)]
Url = Annotated[str, Meta(min_length=1, max_length=500)]


# --- acts --------------------------------------------------------------------------------------


class Act(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="act", tag=tag):
    """Something done in a tournament."""


class Register(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Registers, or takes a place on the waiting list; after the start as the terms allow."""

    phrase: Annotated[str, Meta(max_length=64)] | None = None


class CheckIn(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Says, while the window is open, that one is there and plays."""


class Withdraw(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Takes a registration back, or leaves the tournament; open matches go to the opponents.

    With `player`, staff does so for somebody.
    """

    player: PlayerNumber | None = None


class SitOut(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Is paired no more until one comes back; what is paired is played."""


class ComeBack(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Is paired again, after sitting out or withdrawing; what was lost stays lost."""


class PickGame(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Picks the next race's game, when it is one's turn."""

    match: MatchId
    game: Annotated[str, Meta(min_length=1, max_length=64)]


class Invite(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Lets people register who have these names. Hosts'."""

    names: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=512)]


class OpenCheckIn(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Opens the check-in window now. Hosts'."""


class StartTournament(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Starts with those who are there. Hosts'."""

    order: Annotated[tuple[PlayerNumber, ...], Meta(max_length=512)] = ()
    """Seed numbers by hand: these players first, in this order, the others after them. With it a
    drawn bracket that does not name exactly those who play gives way; else the start is refused."""


class StartRound(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Has the next round paired now, where that is done by hand or has to wait. Hosts'."""

    round: Annotated[int, Meta(ge=1, le=9999)]
    """The round that is meant: the one after that which was paired last. If it has been paired,
    too, nothing is done."""


class RingBell(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Ends the pairing of a ladder now. Hosts'."""


class LetIn(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Gives somebody from the waiting list a place, beyond the cap or late. Hosts'."""

    player: PlayerNumber


class Halt(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Pauses it: nothing is paired, called or timed out; races that run go on. Staff's."""

    reason: Reason


class Continue(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Ends a pause; what waited for an instant waits as much longer as the pause was. Staff's."""


class Extend(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Gives more time. Staff's.

    With a match, to its players to be ready or to pick; without, to the check-in and start that
    lie ahead, to the pause between rounds, or to the bell.
    """

    seconds: Annotated[int, Meta(ge=1, le=7 * 86_400)]
    match: MatchId | None = None
    shown: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    """The instant that is put off, as it was shown. With it the act may be sent again; if another
    instant holds by now, nothing more is added."""


class VoidRace(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Counts a race for nothing, in whatever state; another is played. Staff's.

    A race whose match has been followed by others that rest on it may still be voided: those
    others are taken back, too.
    """

    match: MatchId
    number: Annotated[int, Meta(ge=1, le=999)]
    reason: Reason


class Override(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Says how a match ended, whatever its races say. Staff's; it stands in the audit log.

    `ending` is played (with a winner, or a draw without), walkover or forfeit (of both).
    """

    match: MatchId
    winner: PlayerNumber | None = None
    ending: Ending = Ending.PLAYED
    reason: Reason


class Disqualify(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Takes a player out and places them last. Staff's."""

    player: PlayerNumber
    reason: Reason


class Reinstate(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Takes a disqualification or a withdrawal back; what was lost stays lost. Hosts'."""

    player: PlayerNumber
    reason: Reason


class Appoint(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Makes somebody a co-host or referee, or (`none`) neither. The host's."""

    name: Name
    role: Annotated[str, whole("co-host|referee|none")]


class CallOff(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Calls the tournament off, and the series that it is of unless that goes on. The host's."""

    reason: Reason
    series: bool = False
    """The series ends as well."""


class AddHook(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Has results posted to a URL. The host's; the reply `hook-added` has the signing secret."""

    url: Url


class RemoveHook(Act, frozen=True, kw_only=True, omit_defaults=True):
    """Has nothing posted there any more. The host's."""

    url: Url


AnyAct = (
    Register
    | CheckIn
    | Withdraw
    | SitOut
    | ComeBack
    | PickGame
    | Invite
    | OpenCheckIn
    | StartTournament
    | StartRound
    | RingBell
    | LetIn
    | Halt
    | Continue
    | Extend
    | VoidRace
    | Override
    | Disqualify
    | Reinstate
    | Appoint
    | CallOff
    | AddHook
    | RemoveHook
)


# --- requests ----------------------------------------------------------------------------------


class TournamentRequest(Request, frozen=True, kw_only=True, omit_defaults=True):
    """What a client asks of one tournament."""

    tournament: TournamentId


class AnnounceTournament(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Announces a tournament and makes the player its host. Reply: `tournament-announced`."""

    terms: TournamentTerms
    phrase: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    """The pass phrase, for `registration: phrase` only."""


class ListTournaments(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for tournaments, those that go on first. Reply: `tournament-list`."""

    mine: bool = False
    """Those that the player plays, hosts or helps with, unlisted ones too."""
    over: bool = False
    """Those that are over as well."""


class FollowTournament(TournamentRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for all of a tournament, and to be told what changes. Reply: `tournament-sheet`."""

    once: bool = False
    """Tell nothing after the reply."""


class UnfollowTournament(TournamentRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Asks to be told no more of it."""


class TournamentStandings(TournamentRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for the standings with their arithmetic. Reply: `tournament-table`."""


class TournamentLog(TournamentRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for the log, a page at a time: all of it when it is over, and until then the audit.

    Until then seeds and salts are left out. Reply: `tournament-log-page`.
    """

    after: Annotated[int, Meta(ge=0)] = 0


class ActInTournament(TournamentRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Does something in a tournament. Reply: `ok`, or `hook-added`.

    Every act may be sent again: what holds already is done and answered by `ok`.
    """

    act: AnyAct
