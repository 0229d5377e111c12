"""What a client asks: every message towards the server, and their union.

Each has an `id` and gets exactly one reply, `ok` or `error`, with that id.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Final

from msgspec import Meta

from samedeal_protocol import boards, daily
from samedeal_protocol.bases import Request
from samedeal_protocol.tags import PROTOCOL
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament import requests as tournament

__all__ = [
    "NAME_CHARACTERS",
    "Begin",
    "Cancel",
    "Chat",
    "ClientMessage",
    "Create",
    "Disqualify",
    "Finish",
    "GiveUp",
    "Hello",
    "Hint",
    "HouseBot",
    "InviteBot",
    "Join",
    "Leave",
    "List",
    "Mine",
    "Ping",
    "Play",
    "RaceRequest",
    "Ready",
    "Rematch",
    "Replay",
    "Results",
    "Resume",
    "SendHome",
    "Start",
    "Undo",
    "Unready",
    "Watch",
]

RaceId = Annotated[str, Meta(min_length=1, max_length=32)]
MoveText = Annotated[str, Meta(min_length=1, max_length=16)]
Number = Annotated[int, Meta(ge=1, le=1_000_000)]


class RaceRequest(Request, frozen=True, kw_only=True, omit_defaults=True):
    """What a client asks of one race."""

    race: RaceId


NAME_CHARACTERS: Final = 24
"""How many a player's name has at most."""


class Hello(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Says who is there; the first message, within 5 s. Reply: `welcome`.

    Without a token a new guest is made, under `name` or under a name that the server draws. With
    one, the guest is the one who holds it; a `name` that differs from theirs renames them.

    Names are compared without regard to case and width. A new one does not begin with House, has no
    word with letters of several alphabets (East Asian ones go with Latin), and does not look in one
    alphabet as somebody's does in another. Whoever has had such a name for longer keeps it.
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

    Entrants number what they do to their board (play, undo, finish, send home) 1, 2, 3, ... The
    same number again with the same content gets the same answer and is done once.
    """

    number: Number
    move: MoveText


class Undo(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Takes the last move back, with all that followed from it. Reply: `played`."""

    number: Number


class Finish(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Plays every card home by ordinary moves, if that wins; stamped once. Reply: `played`."""

    number: Number


class SendHome(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Plays every card home that is safe there, by ordinary moves; stamped once. Reply: `played`.

    One undo takes them all back. Refused with `nothing-safe` where none is.
    """

    number: Number


class Hint(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for a legal move worth trying, where the terms allow hints. Reply: `hinted`.

    Moves that bring a card home come first, then those that uncover or empty something, then others
    that change the table, then the stock, and last those that change nothing or take a move back;
    among equals by their text.
    """

    skip: Annotated[int, Meta(ge=0, le=9999)] = 0
    """How many better ones to leave out; after the last move the first comes again."""


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

    Whoever asks first opens it; everybody who asks later gets the same one, unless it was called
    off.
    """


class HouseBot(Enum):
    """A bot that the server has at hand."""

    RANDOM = "random"
    GREEDY = "greedy"
    PATIENT = "patient"


class InviteBot(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Has a bot of the server's own enter the open race; for its host and its entrants.

    The bot comes a moment after the `ok`: it enters like anybody and says that it is ready. It
    enters rematches too. It leaves a race that has not started within half an hour, at which nobody
    but bots of the house has been for two minutes (five, once it runs), or at which nobody else has
    done anything for ten. `welcome.limits.house_bots` says how many a race may have.
    """

    bot: HouseBot = HouseBot.GREEDY
    pace_ms: Annotated[int, Meta(ge=20, le=60_000)] | None = None
    """About how long it takes over a move; without it, as long as a bot of its kind does."""
    phrase: Annotated[str, Meta(max_length=64)] | None = None
    """The race's pass phrase, if it has one: the bot has to say it as well."""


class Chat(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Says something to everybody in the race who may hear it.

    While boards are in play whoever races is not told what those say who may know more of the deal
    or of the result: who has played it, who sees boards, and in a blind race who watches. In an
    async race only those who are done hear whoever has opened the deal: others may open it yet.
    Before the start everybody hears everybody; when the race is over everybody reads everything.
    Whoever may not hear a line gets `skip`, and it is in no snapshot of theirs.
    """

    text: Annotated[str, Meta(min_length=1, max_length=300)]


class Results(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Asks how the race stands or ended, as far as the player may know. Reply: `results-sheet`.

    To whom results are hidden until the end, its standings are empty.
    """


class Replay(RaceRequest, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for the log of a race that is over, a page at a time. Reply: `replay-page`.

    Of one that was called off it is had as well, unless its seed was named: that may be dealt yet.
    """

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
    | SendHome
    | Hint
    | GiveUp
    | Leave
    | Cancel
    | Disqualify
    | Rematch
    | InviteBot
    | Chat
    | Results
    | Replay
    | Ping
    | boards.Leaderboard
    | boards.Ratings
    | daily.Daily
    | daily.League
    | tournament.AnnounceTournament
    | tournament.ListTournaments
    | tournament.FollowTournament
    | tournament.UnfollowTournament
    | tournament.TournamentStandings
    | tournament.TournamentLog
    | tournament.ActInTournament
)
