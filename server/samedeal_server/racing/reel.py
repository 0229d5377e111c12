"""A race that is over as a film: what each entrant had before them after each of their moves.

Whoever shows it needs no rules: a frame holds the whole position, as its entrant saw it. Positions
that follow each other differ by a line or two, so that they compress to about 12 bytes each.
"""

from __future__ import annotations

from msgspec import Struct

from samedeal_protocol import events
from samedeal_protocol.events import Event, Opened
from samedeal_protocol.messages import Standing
from samedeal_protocol.terms import Terms
from samedeal_rules.engine import Table

from .fold import begin, evolve, parsed
from .phases import Phase
from .sheets import board_of, lines
from .state import Entrant, Race

__all__ = ["Frame", "Reel", "Reeling", "Run"]


class Frame(Struct, frozen=True, array_like=True):
    """One position, and what led to it."""

    elapsed_ms: int
    """On the entrant's own clock, from which outages are taken out."""
    move: str
    """A move's text, `undo`, or nothing for the deal."""
    home: int
    """Cards home."""
    position: str
    """As the entrant saw it."""


class Pause(Struct, frozen=True, array_like=True):
    """The server was down while somebody raced."""

    elapsed_ms: int
    """What the entrant's clock read meanwhile."""
    stopped_ms: int
    """How long."""


class Run(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one entrant did."""

    entrant: int
    name: str
    bot: bool = False
    state: str
    """finished, stuck, gave-up, out-of-time, disqualified; withdrawn, or still as it was when the
    race was broken off."""
    ended_ms: int | None = None
    """What the entrant's clock read at the end of their race; penalties are no part of it."""
    reason: str = ""
    frames: tuple[Frame, ...] = ()
    stops: tuple[Pause, ...] = ()


class Reel(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A whole race. All clocks begin at 0 with the deal."""

    race: str
    phase: str
    """over; or cancelled, if it was broken off."""
    terms: Terms
    commitment: str
    seed: str
    salt: str
    started_at: int | None = None
    """When it started, in milliseconds of UTC."""
    standings: tuple[Standing, ...]
    entrants: tuple[Run, ...]


class Reeling:
    """A race folded event by event, of which everything seen is kept."""

    def __init__(self, opened: Opened) -> None:
        self._race: Race = begin(opened)
        self._frames: dict[int, list[Frame]] = {}
        self._stops: dict[int, list[Pause]] = {}
        self.length = 0
        """How many frames there are."""

    def add(self, event: Event) -> None:
        """Folds the next event of the log."""
        race = self._race
        match event:
            case events.AutoFinished() | events.SentHome():
                self._make(race.entrants[event.entrant - 1], event)
                return
            case _:
                evolve(race, event)
        match event:
            case events.Started() if not race.is_async:
                for entrant in race.touched:
                    self._note(entrant, "")
            case events.Began():
                self._note(race.entrants[event.entrant - 1], "")
            case events.Played() | events.Undone():
                entrant = race.entrants[event.entrant - 1]
                self._note(entrant, entrant.acts[-1])
            case events.Stopped():
                for entrant in race.entrants:
                    if entrant.state is events.EntrantState.RACING:
                        stop = Pause(event.at - entrant.zero, event.stopped_ms)
                        self._stops.setdefault(entrant.number, []).append(stop)
            case _:
                pass

    def reel(self) -> Reel:
        """Returns the film of a race that is over."""
        race = self._race
        return Reel(
            race=race.id,
            phase=race.phase.value,
            terms=race.terms,
            commitment=race.commitment,
            seed=race.opened.seed,
            salt=race.opened.salt,
            started_at=race.started_at,
            standings=lines(race, race.standings) if race.phase is Phase.OVER else (),
            entrants=tuple([self._run(entrant) for entrant in race.entrants]),
        )

    def _note(self, entrant: Entrant, move: str) -> None:
        elapsed_ms = entrant.last_ms if move else 0
        self._keep(entrant, _shot(board_of(entrant), elapsed_ms, move))

    def _make(self, entrant: Entrant, event: events.AutoFinished | events.SentHome) -> None:
        """Shows one by one the moves that the server made at one instant."""
        table = board_of(entrant).copy()
        evolve(self._race, event)
        for text in event.moves:
            move, name = parsed(table.game, text)
            table.play(move)
            self._keep(entrant, _shot(table, entrant.last_ms, name))

    def _keep(self, entrant: Entrant, frame: Frame) -> None:
        self._frames.setdefault(entrant.number, []).append(frame)
        self.length += 1

    def _run(self, entrant: Entrant) -> Run:
        return Run(
            entrant=entrant.number,
            name=entrant.name,
            bot=entrant.bot,
            state=entrant.state.value,
            ended_ms=entrant.clock_ms,
            reason=entrant.reason,
            frames=tuple(self._frames.get(entrant.number, ())),
            stops=tuple(self._stops.get(entrant.number, ())),
        )


def _shot(table: Table, elapsed_ms: int, move: str) -> Frame:
    return Frame(elapsed_ms, move, table.home, table.view().text())
