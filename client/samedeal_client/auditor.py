"""A race recomputed from its log by plain arithmetic, believing nothing that the log concludes.

It shares the rules core and the shapes of the log's events with the server, and no judgement: the
deal and the clocks are worked out here once more, the ends and the ranking in `reckoning`. Where a
line is wrong, the first such line of each check is noted and the audit goes on as well as it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, assert_never

from samedeal_protocol.events import (
    AutoFinished,
    Began,
    Cancelled,
    CountdownBegan,
    CountdownStopped,
    Done,
    Dropped,
    Entered,
    EntrantState,
    Event,
    OnBoard,
    Opened,
    Over,
    Place,
    Played,
    Readied,
    RematchOpened,
    Returned,
    Said,
    SentHome,
    Started,
    Stopped,
    Undone,
    Unreadied,
    Withdrew,
)
from samedeal_protocol.terms import Mode, Start, Terms
from samedeal_rules import RULES_VERSION
from samedeal_rules.engine import Table, deal
from samedeal_rules.errors import RulesError
from samedeal_rules.games import find
from samedeal_rules.notation import parse_move
from samedeal_rules.shuffle import SHUFFLE_VERSION
from samedeal_rules.spec import Game

from .reckoning import RACED, WAITING, Entrant, ranked

__all__ = ["CHECKS", "Auditor", "Fault"]

CHECKS: Final = ("commitment", "deal", "order", "moves", "clocks", "finishes", "ranking")
"""What an auditor looks at."""

_LOBBY: Final = ("open", "countdown")


@dataclass(frozen=True, slots=True)
class Fault:
    """The first line at which a check fails."""

    sentence: str
    line: int


class _Stop(Exception):
    """What follows makes no sense without this line."""


@dataclass(slots=True)
class Auditor:
    """Looks at a log's events one by one. Afterwards `faults` and `findings` say what it saw."""

    faults: dict[str, Fault] = field(default_factory=dict)
    findings: dict[str, str] = field(default_factory=dict)
    standings: tuple[Place, ...] = ()
    """The ranking as recomputed; empty unless the race is over."""
    has_stopped: bool = False
    """A fault was such that nothing after its line could be looked at."""
    _opened: Opened | None = None
    _game: Game | None = None
    _phase: str = "open"
    _at: int = 0
    _before: int = 0
    """The instant of the line above."""
    _starts: int | None = None
    _closes: int = 0
    _entrants: list[Entrant] = field(default_factory=list)
    _moves: int = 0
    _stoppages: int = 0
    _reason: str = ""
    _line: int = 0

    @property
    def names(self) -> tuple[tuple[int, str], ...]:
        """(entrant, name), by number."""
        return tuple((entrant.number, entrant.name) for entrant in self._entrants)

    def look(self, event: Event, *, line: int) -> None:
        """Looks at the next event, which stands in that line of the file."""
        if self.has_stopped:
            return
        self._line = line
        try:
            self._look(event)
        except _Stop:
            self.has_stopped = True

    def end(self, *, line: int) -> None:
        """Says that there are no more events; the file ends at that line."""
        self._line = line
        if not self.has_stopped and self._phase not in ("over", "cancelled"):
            self._fault("order", "the log ends before the race does")
        self._sum_up()

    # --- inside -----------------------------------------------------------------------------

    def _fault(self, name: str, sentence: str) -> None:
        self.faults.setdefault(name, Fault(sentence, self._line))

    def _must(self, holds: bool, name: str, sentence: str) -> None:
        if not holds:
            self._fault(name, sentence)

    def _need(self, holds: bool, name: str, sentence: str) -> None:
        """As `_must`, where nothing after this line can be worked out."""
        if not holds:
            self._fault(name, sentence)
            raise _Stop

    def _sum_up(self) -> None:
        opened, raced = self._opened, [each for each in self._entrants if each.state in RACED]
        stopped = f"; {self._stoppages} ms of stoppages are on no clock" if self._stoppages else ""
        finished = sum(1 for each in raced if each.state is EntrantState.FINISHED)
        ranking = f"{len(self.standings)} places follow from the results"
        if self._phase == "cancelled":
            ranking = f"nobody is ranked: the race was cancelled ({self._reason})"
        self.findings = {
            "commitment": "seed and salt are those that were promised before the start",
            "deal": "no deal" if opened is None else f"{opened.terms.game} by seed {opened.seed!r}",
            "order": "every event is one that the race could have at that point",
            "moves": f"{self._moves} moves by {len(raced)} entrants are all legal",
            "clocks": f"instants never go back{stopped}",
            "finishes": f"{finished} of {len(raced)} finished, each end follows from its board",
            "ranking": ranking,
        }

    @property
    def _terms(self) -> Terms:
        if self._opened is None:
            raise _Stop
        return self._opened.terms

    @property
    def _is_async(self) -> bool:
        return self._terms.mode is Mode.ASYNC

    def _look(self, event: Event) -> None:
        if isinstance(event, Opened):
            self._look_at_opening(event)
            return
        self._need(self._opened is not None, "order", "a race begins with its opening")
        self._must(event.at >= self._at, "clocks", "an instant before the one of the line above")
        self._before, self._at = self._at, event.at
        ended = self._phase in ("over", "cancelled")
        self._must(
            not ended or isinstance(event, Said | RematchOpened),
            "order",
            "something happens after the race has ended",
        )
        match event:
            case Entered():
                self._enter(event)
            case Withdrew():
                entrant = self._entrant(event.entrant)
                self._must(
                    entrant.state in WAITING, "order", "an entrant withdraws after the start"
                )
                entrant.state = EntrantState.WITHDRAWN
                entrant.away_since = None
            case Readied() | Unreadied():
                entrant = self._entrant(event.entrant)
                is_ready = isinstance(event, Readied)
                self._must(
                    entrant.state is WAITING[not is_ready] and not self._is_async,
                    "order",
                    "ready is said where it cannot be",
                )
                entrant.state = EntrantState.READY if is_ready else EntrantState.ENTERED
            case CountdownBegan():
                self._must(self._phase == "open", "order", "a countdown begins in no open race")
                self._must(event.starts >= event.at, "clocks", "the start lies in the past")
                if self._terms.start is Start.AT:
                    planned = self._terms.start_at
                    in_time = planned is None or event.starts >= planned
                else:
                    in_time = event.starts == event.at + self._terms.countdown * 1000
                self._must(in_time, "clocks", "the countdown is not that of the terms")
                self._phase, self._starts = "countdown", event.starts
            case CountdownStopped():
                self._must(self._phase == "countdown", "order", "no countdown could stop")
                self._phase, self._starts = "open", None
            case Started():
                self._start(event)
            case Began():
                entrant = self._entrant(event.entrant)
                could = self._is_async and self._phase == "running" and entrant.state in WAITING
                self._must(could, "order", "the deal is opened by somebody who may not")
                self._must(event.at < self._closes, "clocks", "the race had closed")
                self._give_deal(entrant)
            case Played() | Undone() | AutoFinished() | SentHome():
                self._act(event)
            case Done():
                self._done(event)
            case Dropped():
                entrant = self._entrant(event.entrant)
                could = entrant.state in (*WAITING, EntrantState.RACING)
                could = could and entrant.away_since is None
                self._must(could, "order", "somebody goes away who is not there")
                entrant.away_since = event.at
            case Returned():
                entrant = self._entrant(event.entrant)
                is_away = entrant.away_since is not None
                self._must(is_away, "order", "somebody returns who was not away")
                entrant.away_since = None
            case Stopped():
                self._stop(event)
            case Said() | RematchOpened():
                pass
            case Over():
                self._over(event)
            case Cancelled():
                self._phase, self._reason = "cancelled", event.reason
            case _:
                assert_never(event)

    def _entrant(self, number: int) -> Entrant:
        self._need(
            1 <= number <= len(self._entrants),
            "order",
            f"there is no entrant {number} at this point",
        )
        return self._entrants[number - 1]

    # --- lobby and start --------------------------------------------------------------------

    def _look_at_opening(self, opened: Opened) -> None:
        self._need(self._opened is None, "order", "a race is opened once")
        self._opened, self._at = opened, opened.at
        self._closes = opened.at + opened.terms.closes * 1000
        self._need(
            opened.rules == RULES_VERSION,
            "order",
            f"the rules are of version {opened.rules}; this verifies {RULES_VERSION}",
        )
        self._need(
            opened.deal == SHUFFLE_VERSION,
            "deal",
            f"the deal is of version {opened.deal}; this verifies {SHUFFLE_VERSION}",
        )
        try:
            salt = bytes.fromhex(opened.salt)
            promise = sha256(opened.seed.encode() + salt).hexdigest()
        except ValueError:
            promise = ""
        self._must(
            promise == opened.commitment, "commitment", "seed and salt are not those promised"
        )
        try:
            self._game = find(opened.terms.game)
            deal(self._game, opened.seed)
        except RulesError as fault:
            self._need(False, "deal", str(fault))

    def _enter(self, entered: Entered) -> None:
        terms = self._terms
        could = self._phase in _LOBBY or (self._is_async and self._phase == "running")
        self._must(could, "order", "somebody enters who comes too late")
        self._need(
            entered.entrant == len(self._entrants) + 1, "order", "entrants are not numbered 1, 2, 3"
        )
        there = [each for each in self._entrants if each.state is not EntrantState.WITHDRAWN]
        self._must(
            entered.player not in [each.player for each in there], "order", "a player enters twice"
        )
        self._must(len(there) < terms.entrants_max, "order", "more enter than the terms allow")
        self._must(terms.bots or not entered.bot, "order", "a bot enters where the terms say no")
        self._entrants.append(Entrant(entered.entrant, entered.player, entered.name))

    def _start(self, started: Started) -> None:
        if self._is_async:
            self._must(self._phase == "open", "order", "the race starts twice")
            self._phase = "running"
            return
        self._must(self._phase == "countdown", "order", "the race starts without a countdown")
        too_early = self._starts is not None and started.at < self._starts
        self._must(not too_early, "clocks", "the race starts before its countdown ends")
        there = [each for each in self._entrants if each.state in WAITING]
        self._must(
            len(there) >= self._terms.entrants_min, "order", "the race starts with too few entrants"
        )
        if self._terms.start is Start.ALL_READY:
            ready = all(each.state is EntrantState.READY for each in there)
            self._must(ready, "order", "the race starts before everybody is ready")
        self._phase = "running"
        for entrant in there:
            self._give_deal(entrant)

    def _give_deal(self, entrant: Entrant) -> None:
        if self._game is None or self._opened is None:
            raise _Stop
        entrant.table = deal(self._game, self._opened.seed)
        entrant.zero = self._at
        entrant.state = EntrantState.RACING
        if entrant.away_since is not None:
            entrant.away_since = self._at

    def _stop(self, stopped: Stopped) -> None:
        outage = stopped.stopped_ms
        self._must(outage >= 0, "clocks", "a stoppage takes less than no time")
        self._must(
            outage <= max(0, self._at - self._before),
            "clocks",
            "a stoppage takes away time in which something happened",
        )
        self._stoppages += outage
        if not self._terms.punctual:
            self._closes += outage
        if self._starts is not None:
            self._starts += outage
        for entrant in self._entrants:
            if entrant.state is EntrantState.RACING:
                entrant.zero += outage
                self._must(
                    entrant.zero + entrant.last_ms <= self._at,
                    "clocks",
                    "a stoppage takes away time in which moves were made",
                )
            if entrant.away_since is not None:
                entrant.away_since += outage

    # --- boards -----------------------------------------------------------------------------

    def _act(self, event: OnBoard) -> None:
        entrant = self._entrant(event.entrant)
        table = entrant.table
        racing = self._phase == "running" and entrant.state is EntrantState.RACING
        self._must(racing, "order", f"entrant {event.entrant} plays without a board in play")
        if table is None:
            raise _Stop
        self._must(
            event.number == entrant.numbers + 1, "moves", "an entrant's numbers are not 1, 2, 3"
        )
        entrant.numbers = event.number
        due = entrant.due(self._terms, closes=self._closes)
        self._must(due is None or event.at < due, "clocks", "a move is played after time ran out")
        match event:
            case Undone():
                self._must(entrant.may_undo(self._terms), "moves", "the terms allow no undo here")
                self._need(table.depth > 0, "moves", "there is nothing to take back")
                table.take_back()
                entrant.undos += 1
            case Played():
                self._play(entrant, table, event.move)
            case AutoFinished():
                home = self._play_together(entrant, table, event.moves)
                self._must(home and table.won, "moves", "an auto-finish does not finish")
            case SentHome():
                home = self._play_together(entrant, table, event.moves)
                # What counts as safe may be seen better one day: any cards may be sent home.
                self._must(home and bool(event.moves), "moves", "what is sent home goes elsewhere")
            case _:
                assert_never(event)
        entrant.last_ms = event.at - entrant.zero

    def _play(self, entrant: Entrant, table: Table, text: str) -> None:
        try:
            table.play(parse_move(table.game, text))
        except RulesError as fault:
            self._need(False, "moves", f"{entrant.name} plays {text}: {fault}")
        entrant.moves += 1
        self._moves += 1

    def _play_together(self, entrant: Entrant, table: Table, texts: Sequence[str]) -> bool:
        """Plays what the server found to play; returns whether it only brings cards home."""
        try:
            moves = [parse_move(table.game, text) for text in texts]
            table.play_together(moves)
        except RulesError as fault:
            self._need(False, "moves", f"{entrant.name} plays {' '.join(texts)}: {fault}")
            return False
        entrant.moves += len(moves)
        self._moves += len(moves)
        return all(move.target in table.game.home for move in moves)

    # --- ends -------------------------------------------------------------------------------

    def _done(self, done: Done) -> None:
        entrant = self._entrant(done.entrant)
        table = entrant.table
        racing = self._phase == "running" and entrant.state is EntrantState.RACING
        self._must(racing, "order", f"entrant {done.entrant} ends without racing")
        if table is None:
            raise _Stop
        entrant.state = done.state
        self._must(
            done.home == table.home, "finishes", f"{table.home} cards are home, not {done.home}"
        )
        wanted = None
        if done.state is EntrantState.FINISHED:
            wanted = entrant.last_ms + entrant.penalty_ms(self._terms)
        entrant.elapsed_ms = wanted
        self._must(
            done.elapsed_ms == wanted,
            "finishes",
            f"the time is {_ms(wanted)}, not {_ms(done.elapsed_ms)}",
        )
        wrong = entrant.wrong_end(done, table, self._terms, closes=self._closes)
        self._must(wrong is None, "finishes", wrong or "")
        entrant.away_since = None

    def _over(self, over: Over) -> None:
        self._must(self._phase == "running", "order", "a race ends that does not run")
        self._phase = "over"
        racing = [each.number for each in self._entrants if each.state is EntrantState.RACING]
        self._must(not racing, "finishes", f"the race ends while entrant {racing[:1]} still races")
        if self._is_async:
            there = [each for each in self._entrants if each.state is not EntrantState.WITHDRAWN]
            full = len(there) >= self._terms.entrants_max and not self._terms.punctual
            done = all(each.state in RACED for each in there)
            self._must(
                over.at >= self._closes or (full and done),
                "clocks",
                "the race ends before it closes",
            )
        self.standings = ranked(self._entrants, self._terms)
        for wanted, written in zip(self.standings, over.standings, strict=False):
            self._must(
                wanted == written,
                "ranking",
                f"entrant {wanted.entrant} has place {wanted.place}, by what is known: {wanted}",
            )
        self._must(
            len(self.standings) == len(over.standings),
            "ranking",
            "not everybody who raced is ranked",
        )


def _ms(elapsed: int | None) -> str:
    return "none" if elapsed is None else f"{elapsed} ms"
