"""Which command is allowed in which phase of a race, and how one that is not is refused.

`ALLOWED` is the table; decisions look it up first and `table()` prints it for the docs.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.terms import Mode

from .commands import (
    Begin,
    Cancel,
    Chat,
    Command,
    Disqualify,
    Drop,
    Enter,
    Finish,
    GiveUp,
    OpenRematch,
    Play,
    Ready,
    Return,
    SendHome,
    Start,
    Stop,
    Tick,
    Undo,
    Unready,
    Withdraw,
)

__all__ = ["ALLOWED", "FINAL", "Phase", "Refused", "refusal", "table"]


class Phase(Enum):
    """Where a race stands."""

    OPEN = "open"
    COUNTDOWN = "countdown"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


FINAL: Final = frozenset({Phase.OVER, Phase.CANCELLED})


class Refused(Exception):
    """A command that the race does not take; it changed nothing.

    `sentence` is for people. `reason` is the rules core's own code, for `illegal-move` only.
    """

    def __init__(self, code: ErrorCode, sentence: str, *, reason: str | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.reason = reason


_Kinds = frozenset[type[Command]]

_LOBBY: Final[_Kinds] = frozenset({Enter, Withdraw, Ready, Unready, Cancel})
_BOARD: Final[_Kinds] = frozenset({Play, Undo, Finish, SendHome})
_ALWAYS: Final[_Kinds] = frozenset({Chat, Drop, Return, Stop, Tick})
# A tournament alone breaks off a race that runs.
_RUNNING: Final[_Kinds] = _BOARD | {GiveUp, Disqualify, Cancel}
# A board's command sent again after the end gets its old answer; a new one is refused.
_AFTER: Final[_Kinds] = _BOARD | _ALWAYS | {OpenRematch}

ALLOWED: Final[Mapping[Mode, Mapping[Phase, frozenset[type[Command]]]]] = {
    Mode.LIVE: {
        Phase.OPEN: _LOBBY | _ALWAYS | {Start},
        Phase.COUNTDOWN: _LOBBY | _ALWAYS | {Start},
        Phase.RUNNING: _RUNNING | _ALWAYS,
        Phase.OVER: _AFTER,
        Phase.CANCELLED: _AFTER,
    },
    Mode.ASYNC: {
        Phase.OPEN: (_LOBBY - {Ready, Unready}) | _ALWAYS | {Begin},
        Phase.COUNTDOWN: _ALWAYS,  # never: an async race has none
        Phase.RUNNING: _RUNNING | _ALWAYS | {Enter, Withdraw, Begin},
        Phase.OVER: _AFTER,
        Phase.CANCELLED: _AFTER,
    },
}
"""A command that is not in its race's set is refused before anything else is looked at."""

_REFUSALS: Final[Mapping[type[Command], tuple[ErrorCode, str]]] = {
    Enter: (ErrorCode.NOT_OPEN, "the race takes no more entrants"),
    Withdraw: (ErrorCode.NOT_OPEN, "the race has started: give up instead"),
    Ready: (ErrorCode.NOT_OPEN, "the race has started"),
    Unready: (ErrorCode.NOT_OPEN, "the race has started"),
    Start: (ErrorCode.NOT_OPEN, "the race has started"),
    Begin: (ErrorCode.NOT_OPEN, "the race takes no more beginners"),
    Cancel: (ErrorCode.NOT_OPEN, "the race has started and cannot be called off"),
    Play: (ErrorCode.NOT_RUNNING, "the race is not running"),
    Undo: (ErrorCode.NOT_RUNNING, "the race is not running"),
    Finish: (ErrorCode.NOT_RUNNING, "the race is not running"),
    SendHome: (ErrorCode.NOT_RUNNING, "the race is not running"),
    GiveUp: (ErrorCode.NOT_RUNNING, "the race is not running"),
    Disqualify: (ErrorCode.NOT_RUNNING, "the race is not running"),
    OpenRematch: (ErrorCode.NOT_OVER, "a rematch can be had when the race is over"),
}

_ENDED: Final = {
    Phase.OVER: "the race is over",
    Phase.CANCELLED: "the race was called off",
}


def refusal(mode: Mode, phase: Phase, kind: type[Command]) -> Refused:
    """Returns why a race of this mode in this phase does not take a command of this kind."""
    if mode is Mode.ASYNC and kind in {Ready, Unready, Start}:
        return Refused(ErrorCode.NOT_LIVE, "an async race has no common start: begin when you like")
    if mode is Mode.LIVE and kind is Begin:
        return Refused(ErrorCode.NOT_ASYNC, "a live race starts for everybody at once")
    code, sentence = _REFUSALS[kind]
    return Refused(code, _ENDED.get(phase, sentence) if phase in FINAL else sentence)


def table() -> str:
    """Returns both tables as Markdown: commands down, phases across.

    `yes`: taken, if the rest is right too; `again`: answered only if it was done before;
    otherwise the code of the refusal.
    """
    lines: list[str] = []
    for mode in Mode:
        phases = [phase for phase in Phase if mode is Mode.LIVE or phase is not Phase.COUNTDOWN]
        lines += [
            f"| {mode.value} | " + " | ".join(phase.value for phase in phases) + " |",
            "|---|" + "---|" * len(phases),
        ]
        for kind in sorted(_REFUSALS.keys() | _ALWAYS, key=lambda kind: kind.__name__):
            cells = [_cell(mode, phase, kind) for phase in phases]
            lines.append(f"| {kind.__name__} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def _cell(mode: Mode, phase: Phase, kind: type[Command]) -> str:
    if kind not in ALLOWED[mode][phase]:
        return f"`{refusal(mode, phase, kind).code.code}`"
    return "again" if kind in _BOARD and phase in FINAL else "yes"
