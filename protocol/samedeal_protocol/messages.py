"""Every message of the wire: one union from clients, one from the server.

A client's request has an `id` and gets exactly one reply, `ok` or `error`, with that id. Events
are pushed without id; each has its race's `seq`, and a connection that joined, watched or resumed
a race is told every seq once and in order: a reply that carries a seq stands in for its event,
and what a viewer may not see arrives as `skip`. Unknown fields are ignored.

Cards, moves and positions are texts in the rules core's notation. Instants (`at`) are
milliseconds of UTC by the server's clock; durations are milliseconds and end in `_ms`.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from samedeal_protocol.terms import Terms

__all__ = [
    "PROTOCOL",
    "SUBPROTOCOL_JSON",
    "SUBPROTOCOL_MSGPACK",
    "Away",
    "Back",
    "Began",
    "Begin",
    "Cancel",
    "Cancelled",
    "Chat",
    "ClientMessage",
    "CountdownBegan",
    "CountdownStopped",
    "Create",
    "Created",
    "Disqualify",
    "Done",
    "Entered",
    "EntrantView",
    "Error",
    "Finish",
    "GiveUp",
    "Hello",
    "Hint",
    "Hinted",
    "Join",
    "Leave",
    "Left",
    "Limits",
    "List",
    "Listed",
    "Mine",
    "Moved",
    "Notice",
    "Ok",
    "Over",
    "Ping",
    "Play",
    "Played",
    "Pong",
    "Progressed",
    "RaceCard",
    "RaceEvent",
    "Readied",
    "Ready",
    "Rematch",
    "RematchOpened",
    "Replay",
    "ReplayPage",
    "Results",
    "ResultsSheet",
    "Resume",
    "Resumed",
    "Said",
    "ServerMessage",
    "Skip",
    "Snapshot",
    "Standing",
    "Start",
    "Started",
    "Stoppage",
    "Turned",
    "Undo",
    "Undone",
    "Unready",
    "Watch",
    "Welcome",
]

PROTOCOL: Final = 1
SUBPROTOCOL_MSGPACK: Final = "samedeal.v1.msgpack"
SUBPROTOCOL_JSON: Final = "samedeal.v1.json"


def _tag(name: str) -> str:
    """`GiveUp` travels as `give-up`."""
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")


RequestId = Annotated[int, Meta(ge=1, le=2**53 - 1)]
RaceId = Annotated[str, Meta(min_length=1, max_length=32)]
MoveText = Annotated[str, Meta(min_length=1, max_length=16)]
Number = Annotated[int, Meta(ge=1, le=1_000_000)]


class Request(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=_tag):
    """What a client asks for."""

    id: RequestId


class RaceRequest(Request, frozen=True, kw_only=True, omit_defaults=True):
    """What a client asks of one race."""

    race: RaceId


# --- from clients ---------------------------------------------------------------------------


class Hello(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Says who is there; the first message, within 5 s. Reply: `welcome`.

    Without a token a new guest is made, under `name` or under a name that the server draws. With
    one, the guest is the one who holds it; a `name` that differs from theirs renames them.
    """

    protocol: int = PROTOCOL
    client: Annotated[str, Meta(max_length=64)] = ""
    """The program that speaks and its version, for the server's log."""
    name: Annotated[str, Meta(max_length=96)] | None = None
    token: Annotated[str, Meta(max_length=128)] | None = None
    bot: bool = False
    """A program plays, not a person. Everybody is shown it."""
    legal: bool = False
    """Send the legal moves with every view of the player's own board."""


class Create(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Opens a race and makes the player its host (not its entrant). Reply: `created`."""

    terms: Terms
    seed: Annotated[str, Meta(max_length=256)] | None = None
    """The deal's seed; without one the server draws 128 random bits and keeps them secret."""
    phrase: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    """The pass phrase, for `visibility: phrase` only."""


class List(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for the listed races that are not over. Reply: `listed`."""

    game: Annotated[str, Meta(max_length=64)] | None = None


class Mine(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for the player's own races, newest first. Reply: `listed`."""


class Join(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Enters an open race, or takes up one's place in it again. Reply: `snapshot`."""

    phrase: Annotated[str, Meta(max_length=64)] | None = None


class Watch(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Watches a race as a spectator. Reply: `snapshot`."""

    phrase: Annotated[str, Meta(max_length=64)] | None = None


class Resume(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Takes a joined or watched race up on a new connection, or asks for the whole again.

    With `after`, the events that came since that seq follow the reply `resumed`, unless they are
    too many; otherwise, and without `after`, the reply is a `snapshot`, which replaces all.
    """

    after: Annotated[int, Meta(ge=0)] | None = None
    phrase: Annotated[str, Meta(max_length=64)] | None = None


class Ready(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Says that the entrant is ready."""


class Unready(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Takes ready back; a countdown that needed it stops."""


class Start(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Begins the countdown. The host's, where the terms leave the start to the host."""


class Begin(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Opens the deal of an async race and starts the entrant's own clock. Reply: `snapshot`."""


class Play(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Plays one move. Reply: `played`.

    Entrants number what they do to their board (play, undo, finish) 1, 2, 3, ... The same number
    again with the same content gets the same answer and is done once.
    """

    number: Number
    move: MoveText


class Undo(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Takes the last move back, with all that followed from it. Reply: `played`."""

    number: Number


class Finish(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Plays every card home by ordinary moves, if that wins; stamped once. Reply: `played`."""

    number: Number


class Hint(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for a legal move worth trying, where the terms allow hints. Reply: `hinted`."""


class GiveUp(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Ends the entrant's race without a finish."""


class Leave(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Withdraws from a race that has not started, or stops watching one."""


class Cancel(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Calls off a race that has not started. The host's."""


class Disqualify(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Takes an entrant out of a running race. The host's."""

    entrant: Annotated[int, Meta(ge=1)]
    reason: Annotated[str, Meta(max_length=200)] = ""


class Rematch(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Opens one race more on the same terms and a fresh deal. Reply: `created`.

    Whoever asks first opens it; everybody who asks later gets the same one.
    """


class Chat(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Says something to everybody in the race."""

    text: Annotated[str, Meta(min_length=1, max_length=300)]


class Results(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Asks how the race stands or ended, as far as the player may know. Reply: `results-sheet`."""


class Replay(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for the log of a race that is over, a page at a time. Reply: `replay-page`."""

    after: Annotated[int, Meta(ge=0)] = 0
    phrase: Annotated[str, Meta(max_length=64)] | None = None


class Ping(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for a sign of life. `sent` is the client's own clock and comes back. Reply: `pong`."""

    sent: int = 0


ClientMessage = (
    Hello
    | Create
    | List
    | Mine
    | Join
    | Watch
    | Resume
    | Ready
    | Unready
    | Start
    | Begin
    | Play
    | Undo
    | Finish
    | Hint
    | GiveUp
    | Leave
    | Cancel
    | Disqualify
    | Rematch
    | Chat
    | Results
    | Replay
    | Ping
)


# --- parts of what the server says ------------------------------------------------------------


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value inside a message."""


class Limits(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What this server takes."""

    frame_bytes: int
    requests_per_second: float
    burst: int
    chat_characters: int
    races_per_player: int
    ping_ms: int
    """Say something at least this often, or the connection counts as dead."""


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


class Turned(Part, frozen=True, kw_only=True, array_like=True):
    """A card that was hidden and now lies face up on top of `pile`."""

    pile: str
    card: str


# --- replies ----------------------------------------------------------------------------------


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=_tag):
    """What the server says."""


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
    standings: tuple[Standing, ...] = ()
    seed: str | None = None
    salt: str | None = None
    rematch: str | None = None


class Resumed(Message, frozen=True, kw_only=True, omit_defaults=True):
    """The events after `after` follow, and then the live ones."""

    race: str
    after: int
    seq: int


class Played(Message, frozen=True, kw_only=True, omit_defaults=True):
    """What a play, an undo or a finish did to the entrant's own board; durable when it is sent.

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


# --- events -----------------------------------------------------------------------------------


class Event(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Something that happened in a race."""

    race: str
    seq: int
    at: int


class Entered(Event, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody entered."""

    entrant: int
    name: str
    bot: bool = False


class Left(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant withdrew before the start."""

    entrant: int


class Readied(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant is ready, or no longer."""

    entrant: int
    ready: bool


class CountdownBegan(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The race starts in so many milliseconds; count from the message's arrival."""

    starts_in_ms: int


class CountdownStopped(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The countdown was called off; the race is open again."""

    reason: str


class Started(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The race runs. The deal is sent now and to all alike; spectators get it as the terms say."""

    board: str | None = None
    digest: str | None = None
    legal: tuple[str, ...] | None = None


class Began(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant of an async race opened the deal; with it for those who may see the board."""

    entrant: int
    board: str | None = None
    digest: str | None = None


class Moved(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant played (or let the server finish): for those who may see the board."""

    entrant: int
    number: int
    moves: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    turned: tuple[Turned, ...] = ()
    covered: tuple[str, ...] = ()
    board: str | None = None
    digest: str
    home: int


class Undone(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant took a move back: for those who may see the board."""

    entrant: int
    number: int
    board: str
    digest: str
    home: int
    penalty_ms: int = 0


class Progressed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant played or took back: for those who may see progress only."""

    entrant: int
    home: int
    moves: int
    penalty_ms: int = 0


class Done(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant's race ended: finished, stuck, gave-up, out-of-time or disqualified."""

    entrant: int
    state: str
    home: int
    elapsed_ms: int | None = None
    penalty_ms: int = 0
    reason: str = ""


class Away(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant's connection is gone; None means that they may be away until the time limit."""

    entrant: int
    grace_ms: int | None = None


class Back(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant is connected again."""

    entrant: int


class Stoppage(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The server was down for so long; the time is on nobody's clock."""

    stopped_ms: int


class Said(Event, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody said something."""

    name: str
    text: str
    bot: bool = False


class RematchOpened(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A rematch can be joined."""

    rematch: str


class Over(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The race is over: the result, and what proves the deal."""

    standings: tuple[Standing, ...]
    seed: str
    salt: str


class Cancelled(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The race will not be run, or was broken off by a fault of the server."""

    reason: str


class Skip(Event, frozen=True, kw_only=True, omit_defaults=True):
    """Something happened that this viewer may not see."""


RaceEvent = (
    Entered
    | Left
    | Readied
    | CountdownBegan
    | CountdownStopped
    | Started
    | Began
    | Moved
    | Undone
    | Progressed
    | Done
    | Away
    | Back
    | Stoppage
    | Said
    | RematchOpened
    | Over
    | Cancelled
    | Skip
)


class Notice(Message, frozen=True, kw_only=True, omit_defaults=True):
    """Something that every connection should know, such as a restart ahead."""

    code: str
    """draining."""
    message: str
    in_ms: int | None = None


ServerMessage = Ok | Error | Notice | Snapshot | RaceEvent
