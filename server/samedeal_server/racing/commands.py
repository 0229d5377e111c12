"""What can be asked of a race, by its players, by its host and by the server itself.

A command names the player who asks; whether that player is an entrant, and may, is decided in
`race.decide`. Pass phrases are checked before a command is made.
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Enter:
    player: str
    name: str
    bot: bool


@dataclass(frozen=True, slots=True)
class Withdraw:
    player: str


@dataclass(frozen=True, slots=True)
class Ready:
    player: str


@dataclass(frozen=True, slots=True)
class Unready:
    player: str


@dataclass(frozen=True, slots=True)
class Start:
    """The host lets the countdown begin."""

    player: str


@dataclass(frozen=True, slots=True)
class Begin:
    """An entrant of an async race opens the deal."""

    player: str


@dataclass(frozen=True, slots=True)
class Play:
    player: str
    number: int
    move: str


@dataclass(frozen=True, slots=True)
class Undo:
    player: str
    number: int


@dataclass(frozen=True, slots=True)
class Finish:
    """Plays every card home, if that wins."""

    player: str
    number: int


@dataclass(frozen=True, slots=True)
class GiveUp:
    player: str


@dataclass(frozen=True, slots=True)
class Disqualify:
    player: str
    entrant: int
    reason: str


@dataclass(frozen=True, slots=True)
class Cancel:
    player: str


@dataclass(frozen=True, slots=True)
class Chat:
    player: str
    name: str
    bot: bool
    text: str


@dataclass(frozen=True, slots=True)
class OpenRematch:
    """Notes the code of the race that follows; causes nothing if one follows already."""

    player: str
    rematch: str


@dataclass(frozen=True, slots=True)
class Drop:
    """The player's last connection to this race is gone."""

    player: str


@dataclass(frozen=True, slots=True)
class Return:
    """The player is connected to this race again."""

    player: str


@dataclass(frozen=True, slots=True)
class Stop:
    """The server was down from the instant `since` until now."""

    since: int


@dataclass(frozen=True, slots=True)
class Tick:
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
