"""What can be asked of a race, by its players, by its host and by the server itself.

A command names the player who asks; whether that player is an entrant, and may, is decided in
`race.decide`. Pass phrases are checked before a command is made.
"""

from __future__ import annotations

from msgspec import Struct

__all__ = [
    "Begin",
    "Cancel",
    "Chat",
    "Command",
    "Disqualify",
    "Drop",
    "Enter",
    "Finish",
    "GiveUp",
    "OpenRematch",
    "Play",
    "Ready",
    "Return",
    "Start",
    "Stop",
    "Tick",
    "Undo",
    "Unready",
    "Withdraw",
]


class Enter(Struct, frozen=True):
    player: str
    name: str
    bot: bool


class Withdraw(Struct, frozen=True):
    player: str


class Ready(Struct, frozen=True):
    player: str


class Unready(Struct, frozen=True):
    player: str


class Start(Struct, frozen=True):
    """The host lets the countdown begin."""

    player: str


class Begin(Struct, frozen=True):
    """An entrant of an async race opens the deal."""

    player: str


class Play(Struct, frozen=True):
    player: str
    number: int
    move: str


class Undo(Struct, frozen=True):
    player: str
    number: int


class Finish(Struct, frozen=True):
    """Plays every card home, if that wins."""

    player: str
    number: int


class GiveUp(Struct, frozen=True):
    player: str


class Disqualify(Struct, frozen=True):
    player: str
    entrant: int
    reason: str


class Cancel(Struct, frozen=True):
    player: str


class Chat(Struct, frozen=True):
    player: str
    name: str
    bot: bool
    text: str


class OpenRematch(Struct, frozen=True):
    """Notes the code of the race that follows; causes nothing if one follows already.

    `instead_of` is one that follows no more, since it was called off.
    """

    player: str
    rematch: str
    instead_of: str | None = None


class Drop(Struct, frozen=True):
    """The player's last connection to this race is gone."""

    player: str


class Return(Struct, frozen=True):
    """The player is connected to this race again."""

    player: str


class Stop(Struct, frozen=True):
    """The server was down from the instant `since` until now."""

    since: int


class Tick(Struct, frozen=True):
    """Time has passed; nobody asks for anything."""


Command = (
    Enter
    | Withdraw
    | Ready
    | Unready
    | Start
    | Begin
    | Play
    | Undo
    | Finish
    | GiveUp
    | Disqualify
    | Cancel
    | Chat
    | OpenRematch
    | Drop
    | Return
    | Stop
    | Tick
)
