"""One tournament in memory: what the log has of it, and who follows it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from samedeal_protocol.tournament.events import TournamentEvent, parse_line
from samedeal_protocol.tournament.views import TournamentTable
from samedeal_server.cups.crowd import Crowd
from samedeal_server.hosting import pages, view
from samedeal_server.hosting.tournament import State, evolve

__all__ = ["Cup"]


class Cup:
    """A tournament of this node's, or of another's, or one that is over.

    `state` is never ahead of the log. Events come through `hear`, whoever decided them.
    """

    def __init__(self, state: State) -> None:
        self.id = state.code
        self.state = state
        self.is_closed = False
        """Whether the log takes nothing more of it."""
        self.crowd = Crowd()
        self.owner: tuple[str, int] | None = None
        """The node whose it is, and the epoch of its claim, as far as is known here."""
        self._table: TournamentTable | None = None
        self._sealed: TournamentTable | None = None

    def hear(self, first: int, lines: Sequence[bytes]) -> tuple[TournamentEvent, ...]:
        """Folds the log's lines from seq `first` on, as far as they are new; returns those events.

        Raises whatever the fold does, for lines that are none of this tournament's log.
        """
        return self.advance([parse_line(line) for line in lines[self.state.seq + 1 - first :]])

    def advance(self, events: Sequence[TournamentEvent]) -> tuple[TournamentEvent, ...]:
        """Folds events that have become durable."""
        state = self.state
        for event in events:
            state = evolve(state, event)
        self.became(state, events)
        return tuple(events)

    def became(self, state: State, events: Sequence[TournamentEvent]) -> None:
        """Takes over the state to which durable events have led."""
        self.state = state
        self.crowd.note(state, events)

    def table(self) -> TournamentTable:
        """Returns the standings; reckoned once for a state, which may take long for a large one."""
        state = self.state
        if self._table is None or self._table.seq != state.seq:
            self._table = view.table(state)
        return self._table

    def sealed(self, lines: Sequence[bytes]) -> TournamentTable:
        """Returns the standings of a tournament that is over, with the chain's end of its log.

        `lines` are the log's; where they are fewer than the events that were folded, its end is not
        told. Reckoned once for a state.
        """
        state, table = self.state, self.table()
        if self._sealed is not None and self._sealed.seq == table.seq:
            return self._sealed
        if len(lines) < table.seq:
            return table
        *_, end = pages.chain(state, map(parse_line, lines[: table.seq]))
        self._sealed = replace(table, chain=end)
        return self._sealed

    @property
    def is_sealed(self) -> bool:
        """Whether that has been reckoned for the state as it is."""
        return self._sealed is not None and self._sealed.seq == self.state.seq
