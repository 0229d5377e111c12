"""What is asked in a race."""

from __future__ import annotations

from typing import Final, TypeAlias

from samedeal_protocol import messages

__all__ = ["READS", "RaceRequest"]

RaceRequest: TypeAlias = (
    messages.Join
    | messages.Watch
    | messages.Resume
    | messages.Ready
    | messages.Unready
    | messages.Start
    | messages.Begin
    | messages.Play
    | messages.Undo
    | messages.Finish
    | messages.SendHome
    | messages.Hint
    | messages.GiveUp
    | messages.Leave
    | messages.Cancel
    | messages.Disqualify
    | messages.Rematch
    | messages.InviteBot
    | messages.Chat
    | messages.Results
    | messages.Replay
)

READS: Final = (messages.Watch, messages.Resume, messages.Results, messages.Replay, messages.Hint)
"""What is answered by a fold as it stands."""
