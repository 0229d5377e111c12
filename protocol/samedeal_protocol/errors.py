"""Everything that can be refused, and every way in which a connection ends.

Both lists are closed and are printed in docs/protocol.md. Each entry says whether to try again:
`never` (something about the request must change first), `now`, or `after` a number of
milliseconds that travels with the refusal.

    ProtocolError                 somebody broke the protocol
    └── Malformed                 bytes that are no message: code and sentence say why
"""

from __future__ import annotations

from enum import Enum

__all__ = ["CloseCode", "ErrorCode", "Malformed", "ProtocolError", "Retry"]


class ProtocolError(Exception):
    """The base of this package's exceptions."""


class Malformed(ProtocolError):
    """Bytes that are not a message. `request` is the id they carried, if one could be read."""

    def __init__(self, code: ErrorCode, sentence: str, *, request: int | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.request = request


class Retry(Enum):
    """Whether the same request can succeed later."""

    NEVER = "never"
    NOW = "now"
    AFTER = "after"


class ErrorCode(Enum):
    """Why a request was refused: (code, retry, what it means)."""

    # the message itself
    MALFORMED = "malformed", Retry.NEVER, "The frame is not a message: bad encoding or fields."
    UNKNOWN_TYPE = "unknown-type", Retry.NEVER, "The message's type is not one of this protocol."
    TOO_LONG = "too-long", Retry.NEVER, "A text in the message is longer than allowed."
    HELLO_FIRST = "hello-first", Retry.NEVER, "The first message must be hello."
    HELLO_AGAIN = "hello-again", Retry.NEVER, "hello was said already on this connection."
    BAD_PROTOCOL = "bad-protocol", Retry.NEVER, "The server does not speak this protocol number."
    RATE_LIMITED = "rate-limited", Retry.AFTER, "Too many requests; wait as long as it says."
    # identity
    BAD_NAME = "bad-name", Retry.NEVER, "A name is 1-24 visible characters; House begins none."
    NAME_TAKEN = "name-taken", Retry.NEVER, "Somebody else uses this name now."
    BAD_TOKEN = "bad-token", Retry.NEVER, "The server knows no player with this token."
    # finding and opening races
    NO_SUCH_RACE = "no-such-race", Retry.NEVER, "No race has this code."
    NO_SUCH_GAME = "no-such-game", Retry.NEVER, "No game or variant has this key."
    BAD_TERMS = "bad-terms", Retry.NEVER, "The terms contradict each other."
    BAD_SEED = "bad-seed", Retry.NEVER, "A seed is 1-64 characters of text."
    TOO_MANY_RACES = "too-many-races", Retry.AFTER, "The player is in too many unfinished races."
    SERVER_FULL = "server-full", Retry.AFTER, "The server takes no more races or connections."
    DRAINING = "draining", Retry.AFTER, "The server is about to restart and opens nothing new."
    STORE_UNAVAILABLE = "store-unavailable", Retry.AFTER, "The log cannot be written right now."
    # ratings and leaderboards
    BAD_BOARD = "bad-board", Retry.NEVER, "There is no such leaderboard."
    BEING_COUNTED = "being-counted", Retry.AFTER, "The races are still being counted; ask later."
    # getting in
    WRONG_PHRASE = "wrong-phrase", Retry.NEVER, "The pass phrase is not this race's."
    RACE_FULL = "race-full", Retry.NEVER, "The race has all the entrants it takes."
    NO_BOTS = "no-bots", Retry.NEVER, "This race's terms exclude bots."
    NO_HOUSE_BOTS = "no-house-bots", Retry.NEVER, "This server has no bots of its own."
    HOUSE_FULL = "house-full", Retry.AFTER, "All the house's bots that can be had are playing."
    NO_SPECTATORS = "no-spectators", Retry.NEVER, "This race's terms exclude spectators."
    NOT_ENTERED = "not-entered", Retry.NEVER, "Only an entrant may do this."
    ALREADY_ENTERED = "already-entered", Retry.NEVER, "The player is an entrant of this race."
    NOT_HOST = "not-host", Retry.NEVER, "Only the race's host may do this."
    NOT_INVITED = "not-invited", Retry.NEVER, "This is for those who were invited or paired."
    # tournaments
    NO_SUCH_TOURNAMENT = "no-such-tournament", Retry.NEVER, "No tournament has this code."
    NO_SUCH_MATCH = "no-such-match", Retry.NEVER, "The tournament has no such match or race."
    NO_SUCH_PLAYER = "no-such-player", Retry.NEVER, "Nobody has this number or name."
    NOT_STAFF = "not-staff", Retry.NEVER, "Only those who run the tournament may do this."
    NOT_PLAYING = "not-playing", Retry.NEVER, "Only a player of the tournament may do this."
    NOT_NOW = "not-now", Retry.NEVER, "The tournament is not in a phase for this."
    TOO_MANY_TOURNAMENTS = (
        "too-many-tournaments", Retry.AFTER, "The player hosts too many tournaments."
    )  # fmt: skip
    BAD_URL = "bad-url", Retry.NEVER, "Nothing can be posted to this URL."
    # the phases of a race
    NOT_OPEN = "not-open", Retry.NEVER, "The race no longer takes this: it is not open."
    NOT_RUNNING = "not-running", Retry.NEVER, "The race has not started or is over."
    NOT_OVER = "not-over", Retry.NEVER, "This is to be had when the race is over."
    NOT_RACING = "not-racing", Retry.NEVER, "The entrant has no board in play."
    NOT_LIVE = "not-live", Retry.NEVER, "Only a live race has this."
    NOT_ASYNC = "not-async", Retry.NEVER, "Only an async race has this."
    TOO_FEW = "too-few", Retry.NEVER, "The race has fewer entrants than its terms ask for."
    # the board
    BAD_MOVE = "bad-move", Retry.NEVER, "The text is no move of this game."
    ILLEGAL_MOVE = "illegal-move", Retry.NEVER, "The rules refuse the move; `reason` says why."
    BAD_NUMBER = "bad-number", Retry.NEVER, "The move's number is not the next; resume first."
    NUMBER_REUSED = "number-reused", Retry.NEVER, "This number was used for another move."
    NO_UNDO = "no-undo", Retry.NEVER, "The terms or the position allow no undo."
    NOT_FINISHABLE = "not-finishable", Retry.NEVER, "The cards cannot all go home from here."
    NOTHING_SAFE = "nothing-safe", Retry.NEVER, "No card is safe to send home from here."
    NO_HINTS = "no-hints", Retry.NEVER, "This race's terms exclude hints."
    # our fault
    INTERNAL = "internal", Retry.AFTER, "The server failed; the fault is logged."

    def __init__(self, code: str, retry: Retry, meaning: str) -> None:
        self.code = code
        self.retry = retry
        self.meaning = meaning


class CloseCode(Enum):
    """Why the server ends a connection: (WebSocket close code, reason, retry, what it means)."""

    RESTARTING = 1012, "restarting", Retry.AFTER, "The server restarts: come back with jitter."
    TOO_BIG = 1009, "too-big", Retry.NEVER, "A frame was larger than 16 KiB."
    BAD_FRAME = 1003, "bad-frame", Retry.NEVER, "A text frame on msgpack, or binary on json."
    NO_HELLO = 4000, "no-hello", Retry.NEVER, "No hello came in time, or it was refused."
    REPLACED = 4001, "replaced", Retry.NEVER, "A newer connection of the player took over."
    SLOW_READER = 4002, "slow-reader", Retry.NOW, "Frames were not read; resume where you were."
    FLOODING = 4003, "flooding", Retry.AFTER, "Requests went on far above the rate."
    TOO_MANY_CONNECTIONS = 4004, "too-many-connections", Retry.AFTER, "Too many from one address."
    IDLE = 4005, "idle", Retry.NOW, "Nothing was heard, not even a ping."
    TOO_MANY_FAULTS = 4006, "too-many-faults", Retry.NEVER, "Too many malformed messages."

    def __init__(self, number: int, reason: str, retry: Retry, meaning: str) -> None:
        self.number = number
        self.reason = reason
        self.retry = retry
        self.meaning = meaning
