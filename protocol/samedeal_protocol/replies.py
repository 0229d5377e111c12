"""What the server answers: `ok` with a result, or `error`; and the values inside of them.

Cards, moves and positions are texts in the rules core's notation. Instants (`at`) are
milliseconds of UTC by the server's clock; durations are milliseconds and end in `_ms`.
"""

from __future__ import annotations

from samedeal_protocol import boards, daily
from samedeal_protocol.bases import Message, Part
from samedeal_protocol.tags import PROTOCOL
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament import views

__all__ = [
    "ChatLine",
    "Created",
    "EntrantView",
    "Error",
    "Hinted",
    "Limits",
    "Listed",
    "Ok",
    "Played",
    "Pong",
    "RaceCard",
    "ReplayPage",
    "Reply",
    "ResultsSheet",
    "Resumed",
    "Snapshot",
    "Standing",
    "Turned",
    "Welcome",
]


class Limits(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What this server takes."""

    frame_bytes: int
    requests_per_second: float
    burst: int
    chat_characters: int
    races_per_player: int
    ping_ms: int
    """Say something at least this often, or the connection counts as dead."""
    house_bots: int = 0
    """How many of the server's own bots a race may have by `invite-bot`; 0: there are none."""


class EntrantView(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One entrant as this viewer may see them. `entrant` numbers them 1, 2, 3, ... in the race."""

    entrant: int
    name: str
    bot: bool = False
    state: str
    """entered, ready, racing, finished, stuck, gave-up, out-of-time, disqualified, withdrawn;
    `hidden` where a blind race does not say yet."""
    away: bool = False
    home: int | None = None
    """Cards home; None where this viewer may not know."""
    moves: int | None = None
    elapsed_ms: int | None = None
    """Of a finisher: the time that counts, penalties included."""
    penalty_ms: int = 0
    board: str | None = None
    """The position as this viewer may see it, or None."""
    digest: str | None = None


class ChatLine(Part, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was said."""

    at: int
    name: str
    text: str
    bot: bool = False


class Standing(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the result. Equal keys share a place; a DNF never has a time."""

    place: int
    entrant: int
    name: str
    bot: bool = False
    state: str
    elapsed_ms: int | None = None
    penalty_ms: int = 0
    home: int
    moves: int


class RaceCard(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One race in a list."""

    race: str
    phase: str
    """open, countdown, running, over, cancelled."""
    terms: Terms
    host: str
    entrants: tuple[str, ...] = ()
    opened_at: int
    commitment: str
    seeded: bool = False
    """The host named the seed, and so may know the deal."""
    standing: Standing | None = None
    """In a player's own list: how they did."""
    tournament: str | None = None
    """The tournament whose race this is; only those whom it pairs may enter."""


class Turned(Part, frozen=True, kw_only=True, array_like=True):
    """A card that was hidden and now lies face up on top of `pile`."""

    pile: str
    card: str


class Welcome(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to hello. The token is sent once, to a new guest; keep it."""

    player: str
    name: str
    token: str | None = None
    bot: bool = False
    server: str
    protocol: int = PROTOCOL
    at: int
    limits: Limits


class Created(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A race was opened."""

    race: str
    commitment: str


class Listed(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Races, as they stand now."""

    races: tuple[RaceCard, ...]


class Snapshot(Message, frozen=True, kw_only=True, omit_defaults=True):
    """All that this viewer may know of a race at `seq`; it replaces what they knew before.

    It is a reply's result, and is pushed when a viewer may suddenly see more than before (an
    entrant is done, a blind race is over).
    """

    race: str
    seq: int
    at: int
    phase: str
    terms: Terms
    host: str
    hosting: bool = False
    """The viewer is the race's host, by whatever name they go now."""
    commitment: str
    seeded: bool = False
    """The host named the seed, and so may know the deal."""
    entrants: tuple[EntrantView, ...]
    you: int | None = None
    """The viewer's own entrant number."""
    number: int = 0
    """The last number that the viewer's own board has seen; the next is one more."""
    legal: tuple[str, ...] | None = None
    starts_in_ms: int | None = None
    elapsed_ms: int | None = None
    """How long the viewer's clock, or the race's, has run."""
    closes_in_ms: int | None = None
    undoable: bool = False
    finishable: bool = False
    """`finish` would win now; told to those who are sent the legal moves."""
    homeward: bool = False
    """There are cards that are safe to send home; told to those who are sent the legal moves."""
    standings: tuple[Standing, ...] = ()
    seed: str | None = None
    salt: str | None = None
    rematch: str | None = None
    tournament: str | None = None
    """The tournament whose race this is; only those whom it pairs may enter."""
    chat: tuple[ChatLine, ...] = ()
    """The newest of what was said that this viewer may read, the oldest first: at most 50 lines of
    4000 characters together."""


class Resumed(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The events after `after` follow, and then the live ones."""

    race: str
    after: int
    seq: int


class Played(Message, frozen=True, kw_only=True, omit_defaults=True):
    """What an entrant did to their own board; durable when it is sent.

    `moves` are the ordinary moves that it came to. `steps` are plain transfers for clients without
    rules, `turned` what they turned up and `covered` the piles whose cards below the top are hidden
    now; where steps cannot say it, `board` is the whole view.
    """

    race: str
    seq: int
    at: int
    number: int
    moves: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    turned: tuple[Turned, ...] = ()
    covered: tuple[str, ...] = ()
    board: str | None = None
    digest: str
    home: int
    status: str
    """playing, won, stuck."""
    elapsed_ms: int
    penalty_ms: int = 0
    undoable: bool = False
    finishable: bool = False
    """`finish` would win now; told to those who are sent the legal moves."""
    homeward: bool = False
    """There are cards that are safe to send home; told to those who are sent the legal moves."""
    legal: tuple[str, ...] | None = None


class Hinted(Message, frozen=True, kw_only=True, omit_defaults=True):
    """A move worth trying."""

    race: str
    move: str


class Pong(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to ping: its `sent`, and the server's clock."""

    sent: int
    at: int


class ResultsSheet(Message, frozen=True, kw_only=True, omit_defaults=True):
    """How a race stands or ended; seed and salt when it is over."""

    race: str
    phase: str
    terms: Terms
    standings: tuple[Standing, ...]
    commitment: str
    seed: str | None = None
    salt: str | None = None


class ReplayPage(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Lines of the log, from seq `after + 1`. `head` is the hash chain's end over all of them."""

    race: str
    after: int
    lines: tuple[str, ...]
    more: bool
    head: str


Reply = (
    Welcome
    | Created
    | Listed
    | Snapshot
    | Resumed
    | Played
    | Hinted
    | Pong
    | ResultsSheet
    | ReplayPage
    | boards.RatingBoard
    | boards.TimeBoard
    | boards.StreakBoard
    | boards.PlayerSheet
    | daily.DailySheet
    | daily.LeagueTable
    | views.TournamentAnnounced
    | views.TournamentList
    | views.TournamentSheet
    | views.TournamentTable
    | views.TournamentLogPage
    | views.HookAdded
)


class Ok(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The request was carried out."""

    id: int
    result: Reply | None = None


class Error(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The request was refused and changed nothing. Without id: the frame had none to be read."""

    id: int | None = None
    code: str
    message: str
    """A sentence that a person can act on."""
    reason: str | None = None
    """For `illegal-move`: the rules core's own code."""
    retry: str
    """never, now, after."""
    after_ms: int | None = None
