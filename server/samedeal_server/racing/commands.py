"""What can be asked of a race, by its players, by its host and by the server itself.

A command names the player who asks; whether that player is an entrant, and may, is decided in
`race.decide`. Pass phrases are checked before a command is made.

The bounds of numbers and texts hold for what is decoded: a node tells another what its player asks.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from samedeal_protocol.requests import Number

__all__ = [
    "Begin",
    "BoardCommand",
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
    "SendHome",
    "Start",
    "Stop",
    "Tick",
    "Undo",
    "Unready",
    "Withdraw",
]


Text = Annotated[str, Meta(max_length=2000)]


class Enter(Struct, frozen=True):
    player: Text
    name: Text
    bot: bool


class Withdraw(Struct, frozen=True):
    player: Text


class Ready(Struct, frozen=True):
    player: Text


class Unready(Struct, frozen=True):
    player: Text


class Start(Struct, frozen=True):
    """The host lets the countdown begin."""

    player: Text


class Begin(Struct, frozen=True):
    """An entrant of an async race opens the deal."""

    player: Text


class Play(Struct, frozen=True):
    player: Text
    number: Number
    move: Text


class Undo(Struct, frozen=True):
    player: Text
    number: Number


class Finish(Struct, frozen=True):
    """Plays every card home, if that wins."""

    player: Text
    number: Number


class SendHome(Struct, frozen=True):
    """Plays home what is safe there."""

    player: Text
    number: Number


class GiveUp(Struct, frozen=True):
    player: Text


class Disqualify(Struct, frozen=True):
    player: Text
    entrant: Number
    reason: Text


class Cancel(Struct, frozen=True):
    player: Text
    reason: Text = ""
    """Why; else it is told by whom."""


class Chat(Struct, frozen=True):
    player: Text
    name: Text
    bot: bool
    text: Text


class OpenRematch(Struct, frozen=True):
    """Notes the code of the race that follows; causes nothing if one follows already.

    `instead_of` is one that follows no more, since it was called off.
    """

    player: Text
    rematch: str
    instead_of: str | None = None


class Drop(Struct, frozen=True):
    """The player's last connection to this race is gone."""

    player: Text


class Return(Struct, frozen=True):
    """The player is connected to this race again."""

    player: Text


class Stop(Struct, frozen=True):
    """The server was down from the instant `since` until now."""

    since: int


class Tick(Struct, frozen=True):
    """Time has passed; nobody asks for anything."""


BoardCommand = Play | Undo | Finish | SendHome
"""What is done to a board, under its entrant's next number."""

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
    | SendHome
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
