"""What the events of a race have come to: the race and its entrants, mutable, folded in place.

Only `fold` writes these (but for `digested`). Times are milliseconds of UTC by the server's clock
unless a name ends in `_ms`, which is a duration. A clock's `zero` is the instant at which it read
0; a stoppage moves it, so that the time for which the server was down is on nobody's clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from samedeal_protocol.events import EntrantState, Opened, Place
from samedeal_protocol.messages import ChatLine
from samedeal_protocol.terms import Mode, Terms, Undo
from samedeal_rules.engine import Outcome, Table
from samedeal_rules.notation import Move
from samedeal_rules.spec import Game

from .commands import Command
from .phases import FINAL, Phase

__all__ = ["DONE", "Entrant", "Hearers", "Race", "Spoken"]

DONE = frozenset(
    {
        EntrantState.FINISHED,
        EntrantState.STUCK,
        EntrantState.GAVE_UP,
        EntrantState.OUT_OF_TIME,
        EntrantState.DISQUALIFIED,
    }
)
"""States of an entrant whose race ended after it had begun."""


@dataclass(slots=True, eq=False)
class Entrant:
    """One player in one race."""

    number: int
    player: str
    name: str
    bot: bool
    state: EntrantState = EntrantState.ENTERED
    away: bool = False
    away_since: int = 0
    """When the entrant went away, or when it began to matter; meaningless while `away` is off."""
    table: Table | None = None
    """The board, from the start on."""
    acts: list[str] = field(default_factory=list)
    """What each number of the entrant's was: a move text, or what else was asked."""
    moves: int = 0
    """Moves played, those made by the server one by one; taking back does not lower it."""
    undos: int = 0
    penalty_ms: int = 0
    began_at: int | None = None
    zero: int = 0
    """When the entrant's clock read 0."""
    last_seq: int = 0
    last_at: int = 0
    last_ms: int = 0
    """Seq, instant and clock of the last thing done to the board."""
    together: tuple[Outcome, ...] = ()
    """What moves made together did one by one, if that was the last thing done."""
    digested: tuple[int, Table, str] | None = None
    """The digest of the view that was asked for last, with seq and table: audience's memory."""
    clock_ms: int | None = None
    """What the clock read when the entrant's race ended."""
    elapsed_ms: int | None = None
    """A finisher's time, penalties included; nobody else has one."""
    reason: str = ""
    """Why the entrant's race ended, where the state alone does not say."""

    @property
    def last(self) -> int:
        """The last number of the entrant's own that was used; the next is one more."""
        return len(self.acts)

    @property
    def home(self) -> int:
        """Cards home; 0 before the start."""
        return 0 if self.table is None else self.table.home

    @property
    def is_done(self) -> bool:
        """The entrant had a board, and it is no longer in play."""
        return self.state in DONE

    @property
    def is_in(self) -> bool:
        """The entrant has not withdrawn."""
        return self.state is not EntrantState.WITHDRAWN


class Hearers(Enum):
    """Who hears a line of chat, besides its speaker."""

    ALL = "all"
    NOT_RACING = "not racing"
    """All but entrants whose race has not ended."""
    DONE = "done"
    """Entrants whose race has ended."""


class Spoken(NamedTuple):
    """A line of chat."""

    line: ChatLine
    speaker: int
    """The entrant's number; 0 if it was none."""
    hearers: Hearers


@dataclass(slots=True, eq=False)
class Race:
    """One race. Made by `fold.begin`; read by everybody, written by `fold.evolve` alone.

    The hash chain is not kept here: it covers the log's lines, which the room has and a fold has
    not. Keep `chain = link(chain, line)` beside the race.
    """

    opened: Opened
    game: Game
    terms: Terms
    texts: Mapping[str, tuple[Move, str]]
    """Moves of the game that have been read before: what was typed, the move, its proper text."""
    allows: frozenset[type[Command]]
    """What the phase allows."""
    at: int
    """When the last event counted."""
    closes_at: int
    """When an async race closes; stoppages move it, unless the race is punctual."""
    planned_at: int | None
    """The start instant of `start: at`."""
    lobby_since: int
    empty_since: int | None
    """Since when no entrant has been there, before the start."""
    seq: int = 1
    """Events folded; the seq of the last one."""
    phase: Phase = Phase.OPEN
    entrants: list[Entrant] = field(default_factory=list)
    """By number: entrant 1 first. The withdrawn stay."""
    by_player: dict[str, Entrant] = field(default_factory=dict)
    """Entrants who have not withdrawn."""
    starts_at: int | None = None
    """When the countdown ends."""
    started_at: int | None = None
    zero: int = 0
    """When the race's own clock read 0; counts in a live race."""
    ended_at: int | None = None
    racing: int = 0
    """Entrants whose boards are in play."""
    touched: tuple[Entrant, ...] = ()
    """Whose boards changed last: only these can have been won or got stuck."""
    due: int | None = None
    """When time alone next changes something; see `clockwork.next_due`."""
    standings: tuple[Place, ...] = ()
    """The ranking, once the race is over."""
    rematch: str | None = None
    cancelled: str | None = None
    """Why the race was cancelled."""
    talk: tuple[Spoken, ...] = ()
    """The newest of what was said; see `talk.with_line`."""
    said_after: int = 0
    """Lines of chat since the race ended."""

    @property
    def id(self) -> str:
        return self.opened.race

    @property
    def host(self) -> str:
        """The host's player id."""
        return self.opened.host

    @property
    def host_name(self) -> str:
        return self.opened.host_name

    @property
    def seeded(self) -> bool:
        """The host named the seed, and so may know the deal."""
        return self.opened.seeded

    @property
    def commitment(self) -> str:
        return self.opened.commitment

    @property
    def is_final(self) -> bool:
        return self.phase in FINAL

    @property
    def is_async(self) -> bool:
        return self.terms.mode is Mode.ASYNC

    def entered(self) -> list[Entrant]:
        """Returns the entrants who have not withdrawn, by number."""
        return [entrant for entrant in self.entrants if entrant.is_in]

    def present(self) -> int:
        """Returns how many entrants are there: neither withdrawn nor away."""
        return sum(1 for entrant in self.entrants if entrant.is_in and not entrant.away)

    def undoable(self, entrant: Entrant) -> bool:
        """Returns whether the terms and the position allow an undo, if the board is in play."""
        table = entrant.table
        if table is None or table.depth == 0:
            return False
        policy = self.terms.undo
        if policy is Undo.NOT_PAST_A_REVEAL:
            return not table.revealed
        return policy is not Undo.NONE
