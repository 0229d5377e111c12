"""What a viewer knows of a race, folded from what the server tells: pure, no waiting, no clock.

Events come in the order of their seqs; a snapshot replaces everything. `apply` says whether the
viewer may now be wrong and should ask for a snapshot. Local instants are parameters, in
milliseconds of a clock that never goes back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from msgspec.structs import replace

from samedeal_protocol.messages import (
    Away,
    Back,
    Began,
    Cancelled,
    ChatLine,
    CountdownBegan,
    CountdownStopped,
    Done,
    Entered,
    EntrantView,
    Left,
    Moved,
    Over,
    Played,
    Progressed,
    RaceEvent,
    Readied,
    RematchOpened,
    Said,
    Skip,
    Snapshot,
    Standing,
    Started,
    Stoppage,
    Undone,
)
from samedeal_protocol.terms import Mode, Terms
from samedeal_rules.games import known

from .mirror import Mirror
from .view import View, status_of

__all__ = ["Message", "Scene"]

_CHAT: Final = 50

Message: TypeAlias = RaceEvent | Played | Snapshot


@dataclass(slots=True)
class Scene:
    """One race as one viewer knows it."""

    race: str
    terms: Terms
    seq: int = 0
    phase: str = "open"
    host: str = ""
    commitment: str = ""
    seeded: bool = False
    """The host named the seed, and so may know the deal."""
    entrants: dict[int, EntrantView] = field(default_factory=dict)
    standings: tuple[Standing, ...] = ()
    seed: str | None = None
    salt: str | None = None
    rematch: str | None = None
    chat: tuple[ChatLine, ...] = ()
    """The newest of what was said, the oldest first."""
    reason: str = ""
    """Why the race was cancelled or its countdown stopped."""
    hosting: bool = False
    """The viewer is the host."""
    tournament: str | None = None
    """The tournament whose race it is."""
    you: int | None = None
    number: int = 0
    """The last number that the own board has seen."""
    view: View | None = None
    doubts: int = 0
    """How often what was known disagreed with what was told."""
    snapshots: int = 0
    """How many snapshots have come."""
    _mirrors: dict[int, Mirror] = field(default_factory=dict)
    _starts: float | None = None
    """The local instant of the start, during a countdown."""
    _clock: float | None = None
    """The local instant at which the viewer's clock showed zero."""
    _stopped_at: float | None = None
    """Where that clock stands still since."""
    _closes: float | None = None

    @classmethod
    def of(cls, snapshot: Snapshot, now: float) -> Scene:
        """Returns the scene that a first snapshot shows."""
        scene = cls(snapshot.race, snapshot.terms)
        scene.apply(snapshot, now)
        return scene

    def board(self, entrant: int) -> Mirror | None:
        """Returns an entrant's board as far as the viewer may see it."""
        return self._mirrors.get(entrant)

    @property
    def is_over(self) -> bool:
        """Nothing more will be played."""
        return self.phase in ("over", "cancelled")

    def starts_in_ms(self, now: float) -> int | None:
        """How long until the start, during a countdown or before a start at an instant."""
        if self.phase not in ("open", "countdown") or self._starts is None:
            return None
        return max(0, round(self._starts - now))

    def elapsed_ms(self, now: float) -> int | None:
        """How long the viewer's clock has run; it stands once the viewer is done."""
        if self._clock is None:
            return None
        return max(0, round((now if self._stopped_at is None else self._stopped_at) - self._clock))

    def closes_in_ms(self, now: float) -> int | None:
        """How long until an async race closes."""
        return None if self._closes is None else max(0, round(self._closes - now))

    def apply(self, message: Message, now: float) -> bool:
        """Folds the next message in. True: something is in doubt, ask for a snapshot."""
        self.seq = message.seq
        match message:
            case Snapshot():
                return self._replaced(message, now)
            case Played():
                return self._played(message, now)
            case Entered():
                self.entrants[message.entrant] = EntrantView(
                    entrant=message.entrant, name=message.name, bot=message.bot, state="entered"
                )
            case Left():
                self._change(message.entrant, state="withdrawn", away=False)
            case Readied():
                self._change(message.entrant, state="ready" if message.ready else "entered")
            case CountdownBegan():
                self.phase, self._starts = "countdown", now + message.starts_in_ms
            case CountdownStopped():
                self.phase, self._starts, self.reason = "open", None, message.reason
            case Started():
                return self._started(message, now)
            case Began():
                return self._began(message, now)
            case Moved():
                return self._moved(message)
            case Undone():
                return self._undone(message)
            case Progressed():
                self._change(
                    message.entrant,
                    home=message.home,
                    moves=message.moves,
                    penalty_ms=message.penalty_ms,
                )
            case Done():
                self._done(message, now)
            case Away():
                self._change(message.entrant, away=True)
            case Back():
                self._change(message.entrant, away=False)
            case Stoppage():
                if self._clock is not None and self._stopped_at is None:
                    self._clock += message.stopped_ms
                if self._starts is not None:
                    self._starts += message.stopped_ms
            case RematchOpened():
                self.rematch = message.rematch
            case Over():
                self.phase = "over"
                self.seed, self.salt = message.seed, message.salt
                self._stop_clock(now)
                self._ranked(message.standings)
            case Cancelled():
                self.phase, self.reason = "cancelled", message.reason
                self._stop_clock(now)
            case Said(at=at, name=name, text=text, bot=bot):
                line = ChatLine(at=at, name=name, text=text, bot=bot)
                self.chat = (*self.chat, line)[-_CHAT:]
            case Skip():
                pass
        return False

    # --- inside -----------------------------------------------------------------------------

    def _change(self, entrant: int, **fields: object) -> None:
        known = self.entrants.get(entrant)
        if known is not None:
            self.entrants[entrant] = replace(known, **fields)

    def _doubt(self) -> bool:
        self.doubts += 1
        return True

    def _stop_clock(self, now: float) -> None:
        if self._stopped_at is None:
            self._stopped_at = now

    def _replaced(self, snapshot: Snapshot, now: float) -> bool:
        self.snapshots += 1
        self.terms, self.phase = snapshot.terms, snapshot.phase
        self.host, self.commitment = snapshot.host, snapshot.commitment
        self.seeded, self.hosting = snapshot.seeded, snapshot.hosting
        self.tournament = snapshot.tournament
        self.you, self.number = snapshot.you, snapshot.number
        self.entrants = {
            entrant.entrant: replace(entrant, board=None, digest=None)
            for entrant in snapshot.entrants
        }
        self.standings, self.chat = snapshot.standings, snapshot.chat
        self.seed, self.salt, self.rematch = snapshot.seed, snapshot.salt, snapshot.rematch
        self._starts = None if snapshot.starts_in_ms is None else now + snapshot.starts_in_ms
        self._closes = None if snapshot.closes_in_ms is None else now + snapshot.closes_in_ms
        self._clock = None if snapshot.elapsed_ms is None else now - snapshot.elapsed_ms
        own = None if self.you is None else self.entrants.get(self.you)
        is_running = self.phase == "running" and (own is None or own.state == "racing")
        self._stopped_at = None if is_running else now
        self._mirrors = {
            entrant.entrant: Mirror.of(entrant.board)
            for entrant in snapshot.entrants
            if entrant.board is not None
        }
        self._show(legal=snapshot.legal, undoable=snapshot.undoable)
        return False

    def _show(
        self, *, legal: tuple[str, ...] | None, undoable: bool, status: str | None = None
    ) -> None:
        """Makes the own view anew from the own board."""
        mirror = None if self.you is None else self._mirrors.get(self.you)
        if mirror is None:
            self.view = None
            return
        self.view = View(
            mirror.position,
            self.number,
            status or status_of(mirror.position),
            undoable=undoable,
            sent_legal=legal,
        )

    def _started(self, started: Started, now: float) -> bool:
        self.phase, self._starts = "running", None
        if self.terms.mode is Mode.ASYNC:
            return False
        self._clock, self._stopped_at = now, None
        for number, entrant in list(self.entrants.items()):
            if entrant.state not in ("entered", "ready"):
                continue
            self._dealt(number)
            if started.board is not None and self.you in (None, number):
                self._mirrors[number] = Mirror.of(started.board)
        if self.you is not None and self.you not in self._mirrors:
            return self._doubt()
        if self.you is None and self.terms.blind:
            # The host sees how it goes, and nobody else; which of them this is, a snapshot tells.
            return True
        self._show(legal=started.legal, undoable=False)
        return False

    def _dealt(self, number: int) -> None:
        """Notes that an entrant has the deal, as far as the viewer may know how that goes on."""
        if not self.terms.blind or number == self.you:
            self._change(number, state="racing", home=_home_at_start(self.terms.game), moves=0)
        else:
            self._change(number, state="hidden", away=False)

    def _began(self, began: Began, now: float) -> bool:
        self._dealt(began.entrant)
        if began.board is not None:
            self._mirrors[began.entrant] = Mirror.of(began.board)
        if began.entrant == self.you:
            self._clock, self._stopped_at = now, None
        return self._own(began.entrant, 0)

    def _played(self, played: Played, now: float) -> bool:
        you = self.you
        mirror = None if you is None else self._mirrors.get(you)
        if you is None or mirror is None:
            return self._doubt()
        agrees = mirror.follow(played)
        self.number = max(self.number, played.number)
        known = self.entrants[you]
        self._change(
            you,
            home=played.home,
            moves=(known.moves or 0) + len(played.moves),
            penalty_ms=played.penalty_ms,
        )
        self._clock = now - played.elapsed_ms
        self._show(legal=played.legal, undoable=played.undoable, status=played.status)
        return not agrees and self._doubt()

    def _moved(self, moved: Moved) -> bool:
        known = self.entrants.get(moved.entrant)
        moves = None if known is None or known.moves is None else known.moves + len(moved.moves)
        self._change(moved.entrant, home=moved.home, moves=moves)
        mirror = self._mirrors.get(moved.entrant)
        if mirror is None and moved.board is not None:
            self._mirrors[moved.entrant] = Mirror.of(moved.board)
            agrees = True
        else:
            agrees = mirror is not None and mirror.follow(moved)
        return self._own(moved.entrant, moved.number) or (not agrees and self._doubt())

    def _undone(self, undone: Undone) -> bool:
        self._mirrors[undone.entrant] = Mirror.of(undone.board)
        self._change(undone.entrant, home=undone.home, penalty_ms=undone.penalty_ms)
        return self._own(undone.entrant, undone.number)

    def _own(self, entrant: int, number: int) -> bool:
        """After an own move that came as an event, only a snapshot tells what may be undone.

        Until it comes the view is as it was: whoever plays by it must not be led by a guess.
        """
        if entrant != self.you:
            return False
        self.number = max(self.number, number)
        return True

    def _done(self, done: Done, now: float) -> None:
        self._change(
            done.entrant,
            state=done.state,
            away=False,
            home=done.home,
            elapsed_ms=done.elapsed_ms,
            penalty_ms=done.penalty_ms,
        )
        if done.entrant == self.you:
            self._stop_clock(now)

    def _ranked(self, standings: Iterable[Standing]) -> None:
        self.standings = tuple(standings)
        for line in self.standings:
            self._change(
                line.entrant,
                state=line.state,
                home=line.home,
                moves=line.moves,
                elapsed_ms=line.elapsed_ms,
                penalty_ms=line.penalty_ms,
            )


def _home_at_start(game: str) -> int | None:
    """How many cards the deal puts on the foundations; None for a game that is not known here."""
    found = known(game)
    return None if found is None else sum(pile.startswith("F") for pile, _ in found.bases)
