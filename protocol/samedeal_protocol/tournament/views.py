"""What clients are shown of tournaments: replies, and what is told to those who follow one.

Players are known by the numbers they got as they registered. Instants are milliseconds of UTC.
"""

from __future__ import annotations

from samedeal_protocol.bases import Message, Part
from samedeal_protocol.tournament.terms import TournamentTerms

__all__ = [
    "HeatPlace",
    "HookAdded",
    "Mark",
    "MatchView",
    "Pick",
    "PlayerView",
    "RaceView",
    "StaffView",
    "TableLine",
    "TournamentAnnounced",
    "TournamentCard",
    "TournamentChanged",
    "TournamentHead",
    "TournamentList",
    "TournamentLogPage",
    "TournamentSheet",
    "TournamentTable",
]


class TournamentHead(Part, frozen=True, kw_only=True, omit_defaults=True):
    """How a tournament stands as a whole."""

    phase: str
    """announced, check-in, running, over, called-off."""
    halted: str | None = None
    """Why it is paused, if it is."""
    round: int = 0
    """The last round that was paired."""
    rounds: int | None = None
    """How many there will be, where that is known."""
    next: str = ""
    """What happens by itself next: check-in, start, round, bell; or nothing."""
    next_at: int | None = None
    """When."""
    waits: str = ""
    """What it waits for, as a sentence."""
    champion: int | None = None
    reason: str = ""
    """Why it was called off, or is over."""


class TournamentCard(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One tournament in a list."""

    tournament: str
    name: str
    host: str
    format: str
    """As the terms' format says: `swiss`, `single-elimination`, ..."""
    games: tuple[str, ...]
    head: TournamentHead
    players: int
    cap: int
    starts: int | None = None
    champion: str | None = None


class PlayerView(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One player of a tournament."""

    player: int
    name: str
    bot: bool = False
    state: str
    """waiting, registered, checked-in, playing, sitting-out, withdrawn, disqualified, absent."""
    seed: int | None = None
    """The seed number, once it has started."""


class RaceView(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One race of a match."""

    number: int
    race: str
    game: str
    state: str
    """called, running, over, void."""
    ready_by: int | None = None
    """Of a called race: who is not there by then has lost it."""
    reason: str = ""
    """Why it is void."""


class Pick(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A game that is to be picked."""

    player: int
    until: int


class HeatPlace(Part, frozen=True, kw_only=True, omit_defaults=True):
    """How one player did in a heat that has ended."""

    player: int
    place: int | None = None
    """None for who did not come, or was disqualified."""
    points: str = "0"
    """What it brought, as the standings write it: `8`, `2½`, `1 2/3`."""


class MatchView(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One match."""

    match: str
    round: int
    label: str
    players: tuple[int, ...]
    best_of: int = 1
    races: tuple[RaceView, ...] = ()
    pick: Pick | None = None
    score: str = ""
    """As `2-1`, the first player's first, and what decided a level match."""
    ending: str | None = None
    """played, walkover, double forfeit, bye; None while it is open."""
    winner: int | None = None
    unplayed: str = ""
    """Why nobody played for it, as a sentence: who did not come, or has left."""
    places: tuple[HeatPlace, ...] = ()
    """Of a heat that has ended: its players by place."""
    overridden: str = ""
    """The reason, where staff said how it ended."""


class StaffView(Part, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody who runs the tournament."""

    name: str
    role: str
    """host, co-host, referee."""


class Mark(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that counted, and how it is reckoned."""

    what: str
    value: str
    arithmetic: str


class TableLine(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the standings; equals share a place."""

    place: int
    player: int
    marks: tuple[Mark, ...] = ()


class TournamentAnnounced(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The tournament is announced."""

    tournament: str


class TournamentList(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Tournaments."""

    tournaments: tuple[TournamentCard, ...]


class TournamentSheet(Message, frozen=True, kw_only=True, omit_defaults=True):
    """All of a tournament at `seq`, as this viewer may see it."""

    tournament: str
    seq: int
    at: int
    terms: TournamentTerms
    commitment: str
    """To the seed of everything drawn by lot and of every deal."""
    head: TournamentHead
    staff: tuple[StaffView, ...]
    players: tuple[PlayerView, ...] = ()
    matches: tuple[MatchView, ...] = ()
    you: int | None = None
    """The viewer's own number."""
    role: str | None = None
    """The viewer's own role: host, co-host, referee."""
    invited: tuple[str, ...] = ()
    """For the staff: who was invited and has not registered."""
    hooks: tuple[str, ...] = ()
    """For the host: where results are posted."""
    follows: str | None = None
    """The tournament before it in its series."""
    next: str | None = None
    """The one after it."""
    seed: str | None = None
    """Once it is over."""
    salt: str | None = None


class TournamentChanged(Message, frozen=True, kw_only=True, omit_defaults=True):
    """What has changed since `after`, up to `seq`: put it in the place of what was.

    Whoever knows less than `after` follows anew.
    """

    tournament: str
    after: int
    seq: int
    at: int
    text: tuple[str, ...] = ()
    """What happened, a line each."""
    head: TournamentHead
    staff: tuple[StaffView, ...] | None = None
    """All of it, if it changed."""
    players: tuple[PlayerView, ...] = ()
    matches: tuple[MatchView, ...] = ()
    gone: tuple[str, ...] = ()
    """Matches that were taken back."""
    next: str | None = None


class TournamentTable(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The standings at `seq`."""

    tournament: str
    seq: int
    final: bool
    lines: tuple[TableLine, ...]
    chain: str | None = None
    """Once it is over: the end of the hash chain over the `seq` events of the log as everybody may
    read it then, in hex. A log that ends otherwise has been changed, or is not whole."""


class TournamentLogPage(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Lines of the log after `after`; each is JSON."""

    tournament: str
    after: int
    lines: tuple[str, ...]
    more: bool = False


class HookAdded(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Results are posted there from now on."""

    url: str
    secret: str
    """Signs what is posted; it is told this once."""
