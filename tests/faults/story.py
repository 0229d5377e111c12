"""What one viewer is told of one race, over all their connections: every seq once, in order.

A reply that carries a seq stands in for its event; a snapshot that is asked for stands for all
before it; the answer to a repeated move has an old seq and tells nothing new. The first gap or
repeat fails.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from samedeal_protocol import messages
from samedeal_protocol.messages import Ok, ServerMessage

__all__ = ["Story", "StoryBroken"]


class StoryBroken(AssertionError):
    """A viewer was told something twice, too early, or not at all."""


@dataclass
class Story:
    """`seq` is the last one told; `told` has what was told at each, replies included."""

    race: str
    whose: str
    seq: int = 0
    begins: int = 0
    """The seq of the first snapshot: it stands for everything up to there."""
    told: dict[int, ServerMessage | messages.Played] = field(default_factory=dict)
    snapshots: list[messages.Snapshot] = field(default_factory=list)
    jumps: int = 0
    """How often a snapshot stood for events that were not told."""
    is_over: bool = False

    def take(self, message: ServerMessage) -> None:
        """Takes a message in; what is of no race or of another is let pass."""
        match message:
            case Ok(result=messages.Snapshot() as snapshot) if snapshot.race == self.race:
                self._whole(snapshot)
            case Ok(result=messages.Resumed() as resumed) if resumed.race == self.race:
                if resumed.after != self.seq:
                    self._break(f"resumed after {resumed.after}")
                if resumed.seq < self.seq:
                    self._break(f"resumed at {resumed.seq}: what was told is not stored")
            case Ok(result=messages.Played() as played) if played.race == self.race:
                if played.seq > self.seq:
                    self._next(played.seq, played)
            case Ok() | messages.Error() | messages.Notice() | messages.TournamentChanged():
                pass
            case messages.Snapshot():
                if message.race == self.race:
                    if message.seq != self.seq:
                        self._break(f"a snapshot of {message.seq} was pushed")
                    self.snapshots.append(message)
            case _:
                if message.race == self.race:
                    self._next(message.seq, message)

    @property
    def is_whole(self) -> bool:
        """Whether every seq from the first snapshot to the last was told."""
        return not self.jumps and list(self.told) == list(range(self.begins + 1, self.seq + 1))

    def _whole(self, snapshot: messages.Snapshot) -> None:
        if snapshot.seq < self.seq:
            self._break(f"a snapshot of {snapshot.seq}: what was told is not stored")
        if not self.begins:
            self.begins = snapshot.seq
        elif snapshot.seq > self.seq:
            self.jumps += 1
        self.seq = snapshot.seq
        self.snapshots.append(snapshot)
        self.is_over = self.is_over or snapshot.phase in ("over", "cancelled")

    def _next(self, seq: int, message: ServerMessage | messages.Played) -> None:
        if seq != self.seq + 1:
            self._break(f"told {seq} by {message}")
        self.seq = seq
        self.told[seq] = message
        if isinstance(message, messages.Over | messages.Cancelled):
            self.is_over = True

    def _break(self, sentence: str) -> None:
        raise StoryBroken(f"{self.whose} of {self.race} has heard up to {self.seq}: {sentence}")
