"""What follows for an entrant of a race from board, clock and terms: the end, the time, the place.

The arithmetic. A clock's zero is the start (an async race: the entrant's own beginning), moved by
every stoppage since. A finisher's time is the winning move's instant less that zero, plus the
penalties. All others have no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from samedeal_protocol.events import Done, EntrantState, Place
from samedeal_protocol.terms import Mode, Terms, Undo
from samedeal_rules.engine import Table

__all__ = ["RACED", "WAITING", "Entrant", "ranked"]

WAITING: Final = (EntrantState.ENTERED, EntrantState.READY)
"""States before the deal; ready is the second."""
RACED: Final = frozenset(EntrantState) - {*WAITING, EntrantState.WITHDRAWN}
"""States of those who are ranked: they have had the deal."""


@dataclass(slots=True)
class Entrant:
    """One entrant, as worked out so far; instants are the server's, in ms."""

    number: int
    player: str
    name: str
    state: EntrantState = EntrantState.ENTERED
    table: Table | None = None
    zero: int = 0
    numbers: int = 0
    moves: int = 0
    undos: int = 0
    last_ms: int = 0
    """What the clock read at the last move."""
    away_since: int | None = None
    elapsed_ms: int | None = None

    @property
    def home(self) -> int:
        """How many cards are home."""
        return 0 if self.table is None else self.table.home

    def may_undo(self, terms: Terms) -> bool:
        """Whether the terms let the last move be taken back."""
        table = self.table
        if table is None or table.depth == 0 or table.won or terms.undo is Undo.NONE:
            return False
        return terms.undo is not Undo.NOT_PAST_A_REVEAL or not table.revealed

    def due(self, terms: Terms, *, closes: int) -> int | None:
        """When the entrant's time runs out, in a race that closes then if it is async."""
        own = None if terms.limit is None else self.zero + terms.limit * 1000
        if terms.mode is not Mode.ASYNC:
            return own
        return closes if own is None else min(own, closes)

    def penalty_ms(self, terms: Terms) -> int:
        """What the undos cost."""
        return self.undos * terms.undo_penalty * 1000 if terms.undo is Undo.PENALTY else 0

    def wrong_end(self, done: Done, table: Table, terms: Terms, *, closes: int) -> str | None:
        """Returns what is wrong with an end, given board and clock; None if it is right."""
        is_stuck = table.stuck and not self.may_undo(terms)
        match done.state:
            case EntrantState.FINISHED:
                return None if table.won else "not every card is home"
            case EntrantState.STUCK:
                return None if is_stuck else "a move or an undo was left"
            case _ if table.won:
                return "every card was home: that is a finish"
            case EntrantState.DISQUALIFIED:
                return None
            case _ if is_stuck:
                return "nothing was left to do: that is stuck"
            case EntrantState.OUT_OF_TIME:
                due = self.due(terms, closes=closes)
                return None if due is not None and done.at >= due else "time was left"
            case EntrantState.GAVE_UP if done.reason == "away":
                grace, since = terms.grace, self.away_since
                if since is not None:
                    since = max(since, self.zero + self.last_ms)
                gone = grace is not None and since is not None and done.at >= since + grace * 1000
                return None if gone else "the entrant was not away for so long"
            case EntrantState.GAVE_UP:
                return None
            case _:
                return f"{done.state.value} is no end"


def ranked(entrants: Sequence[Entrant], terms: Terms) -> tuple[Place, ...]:
    """Returns finishers by time; then the rest by cards home; then, all equal, the disqualified."""
    rows: list[tuple[tuple[int, int], Entrant]] = []
    for entrant in entrants:
        if entrant.state not in RACED:
            continue
        if entrant.elapsed_ms is not None:
            rows.append(((0, entrant.elapsed_ms), entrant))
        elif entrant.state is EntrantState.DISQUALIFIED:
            rows.append(((2, 0), entrant))
        else:
            rows.append(((1, -entrant.home), entrant))
    return tuple(
        Place(
            place=1 + sum(1 for better, _ in rows if better < key),
            entrant=entrant.number,
            state=entrant.state,
            home=entrant.home,
            moves=entrant.moves,
            elapsed_ms=entrant.elapsed_ms,
            penalty_ms=entrant.penalty_ms(terms),
        )
        for key, entrant in sorted(rows, key=lambda row: (row[0], row[1].number))
    )
