"""A replay file told event by event: as text, or as steps with everybody's board after each.

It believes the file; `verify` is the one that does not. Pure: the file's bytes in, lines or steps
out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from samedeal_client.board import board
from samedeal_client.telling import clock, move_text, standings_table, state_text, terms_text
from samedeal_protocol import events as log
from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.messages import EntrantView, Standing
from samedeal_protocol.terms import Mode
from samedeal_rules import Game, Position, RulesError, Table, deal, find, notation, parse_move

__all__ = ["BadReplay", "Step", "UnknownEntrant", "by_moves", "entrant_number", "retell", "steps"]


class BadReplay(Exception):
    """The file cannot be told; the text says at which line."""


class UnknownEntrant(Exception):
    """Nobody in the race has the name that was asked for; the text says who there was."""


class _Header(msgspec.Struct):
    samedeal: str
    race: str


class _Footer(msgspec.Struct):
    head: str


@dataclass(frozen=True, slots=True)
class Step:
    """One event of the race, and how things stand after it."""

    lines: tuple[str, ...]
    """What happened, in words."""
    at_ms: int | None
    """The race's clock; None before the start."""
    entrant: int | None
    """Whom it concerns; None for everybody."""
    is_end: bool
    """Somebody's race ends with it, or the whole race."""
    entrants: Mapping[int, EntrantView]
    boards: Mapping[int, Position]
    """As each entrant sees their own."""


def retell(replay: bytes, *, has_boards: bool = False, only: str | None = None) -> Iterator[str]:
    """Yields the replay's lines of text, of one entrant and what concerns everybody if asked.

    Raises `BadReplay` at what cannot be told, and `UnknownEntrant` for a name that nobody has.
    """
    number = None if only is None else entrant_number(steps(replay)[2], only)
    yield f"Race {_race(replay)}"
    story = _Story(has_boards=has_boards)
    for event, lines in _told(replay, story):
        if number is not None and getattr(event, "entrant", number) != number:
            continue
        when = story.when_ms(event)
        for at, line in enumerate(lines):
            shown = "" if when is None or at else clock(when)
            yield f"{shown:>11}  {line}".rstrip()


def steps(replay: bytes) -> tuple[str, Game, list[Step]]:
    """Returns the race's code, its game, and its events one by one.

    Raises `BadReplay` at what cannot be told.
    """
    race, story = _race(replay), _Story(has_boards=False)
    told = [
        Step(
            lines=tuple(lines),
            at_ms=story.when_ms(event),
            entrant=getattr(event, "entrant", None),
            is_end=isinstance(event, log.Done | log.Over | log.Cancelled),
            entrants=dict(story.entrants),
            boards=dict(story.boards),
        )
        for event, lines in _told(replay, story)
    ]
    if not told:
        raise BadReplay("there is nothing in it")
    return race, story.game, told


def by_moves(told: Sequence[Step]) -> list[Step]:
    """Returns the steps at which a board is another or a race ends, from the first deal on.

    What is said between two of them belongs to the one before; what came before the deal is left
    out. Where nothing was ever dealt, the steps stay as they are.
    """
    joined: list[Step] = []
    for step in told:
        if not step.boards:
            continue
        if not joined or step.is_end or step.boards != joined[-1].boards:
            joined.append(step)
        else:
            last = joined[-1]
            lines = (*last.lines, *step.lines)
            joined[-1] = dataclasses.replace(last, lines=lines, entrants=step.entrants)
    return joined or list(told)


def entrant_number(told: Sequence[Step], name: str) -> int:
    """Returns the number of the entrant of that name. Raises `UnknownEntrant`."""
    names = {entrant.name.lower(): number for number, entrant in told[-1].entrants.items()}
    number = names.get(name.strip().lower())
    if number is None:
        there = ", ".join(entrant.name for entrant in told[-1].entrants.values())
        raise UnknownEntrant(f"nobody called {name[:40]!r} was in the race, but {there}")
    return number


def _race(replay: bytes) -> str:
    """Returns the race's code from the header."""
    header = (replay.splitlines() or [b""])[0]
    try:
        told = msgspec.json.decode(header, type=_Header)
    except UNREADABLE as fault:
        raise BadReplay("its first line is no replay header") from fault
    if told.samedeal != "replay/1":
        raise BadReplay(f"it is of the kind {told.samedeal!r}; this program reads replay/1")
    return told.race


def _told(replay: bytes, story: _Story) -> Iterator[tuple[log.Event, list[str]]]:
    """Yields each event, when the story has told it, with the lines of its telling."""
    _, *lines = replay.splitlines()
    for number, line in enumerate(lines[:-1], start=2):
        try:
            event = log.parse_line(line)
            yield event, list(story.tell(event))
        except (*UNREADABLE, RulesError, LookupError) as fault:
            raise BadReplay(f"line {number}: {fault}") from fault
    try:
        msgspec.json.decode(lines[-1] if lines else b"", type=_Footer)
    except UNREADABLE as fault:
        raise BadReplay("its end is missing; was the file cut off?") from fault


class _Story:
    """What one has to remember to tell the next event."""

    def __init__(self, *, has_boards: bool) -> None:
        self._has_boards = has_boards
        self._names: dict[int, str] = {}
        self._bots: set[int] = set()
        self._tables: dict[int, Table] = {}
        self._plays_made: dict[int, list[int]] = {}
        self._began: dict[int, int] = {}
        self._stopped = 0
        self._opened: log.Opened | None = None

        self.entrants: dict[int, EntrantView] = {}
        """Everybody, as a watcher sees them now."""
        self.boards: dict[int, Position] = {}

    @property
    def game(self) -> Game:
        """The race's game."""
        if self._opened is None:
            raise KeyError("an event before the race was opened")
        return find(self._opened.terms.game)

    def when_ms(self, event: log.Event) -> int | None:
        """Returns the race's clock at an event; None before the start."""
        if not self._began:
            return None
        return event.at - min(self._began.values()) - self._stopped

    def tell(self, event: log.Event) -> Iterator[str]:
        """Yields the lines of one event."""
        yield from self._lines(event)
        self._look(event)

    def _look(self, event: log.Event) -> None:
        """Notes how everybody stands after an event."""
        match event:
            case log.Entered():
                self.entrants[event.entrant] = EntrantView(
                    entrant=event.entrant, name=event.name, bot=event.bot, state="entered"
                )
            case log.Withdrew():
                del self.entrants[event.entrant]
            case log.Readied() | log.Unreadied():
                state = "ready" if isinstance(event, log.Readied) else "entered"
                self._note(event.entrant, state=state)
            case log.Started():
                for entrant in self._tables:
                    self._note(entrant, state="racing", moves=0)
                    self._see(entrant)
            case log.Began():
                self._note(event.entrant, state="racing", moves=0)
                self._see(event.entrant)
            case log.Played() | log.AutoFinished() | log.SentHome():
                made = 1 if isinstance(event, log.Played) else len(event.moves)
                self._note(event.entrant, moves=(self.entrants[event.entrant].moves or 0) + made)
                self._see(event.entrant)
            case log.Undone():
                self._see(event.entrant)
            case log.Done():
                self._note(
                    event.entrant, state=event.state.value, elapsed_ms=event.elapsed_ms, away=False
                )
            case log.Dropped() | log.Returned():
                self._note(event.entrant, away=isinstance(event, log.Dropped))
            case _:
                pass

    def _note(self, entrant: int, **fields: object) -> None:
        self.entrants[entrant] = replace(self.entrants[entrant], **fields)

    def _see(self, entrant: int) -> None:
        table = self._tables[entrant]
        self.boards[entrant] = table.view()
        self._note(entrant, home=table.home)

    def _lines(self, event: log.Event) -> Iterator[str]:
        match event:
            case log.Opened():
                self._opened = event
                yield f"opened by {event.host_name}: {terms_text(event.terms)}"
                yield f"seed {event.seed}"
            case log.Entered():
                self._names[event.entrant] = event.name
                if event.bot:
                    self._bots.add(event.entrant)
                yield f"{event.name} entered{' (a bot)' if event.bot else ''}"
            case log.Withdrew():
                yield f"{self._names.pop(event.entrant)} withdrew"
            case log.Readied():
                yield f"{self._names[event.entrant]} is ready"
            case log.Unreadied():
                yield f"{self._names[event.entrant]} is no longer ready"
            case log.CountdownBegan():
                yield f"the countdown begins, {max(0, event.starts - event.at) // 1000} s"
            case log.CountdownStopped():
                yield f"the countdown stops: {event.reason}"
            case log.Started():
                yield from self._start(event)
            case log.Began():
                self._began[event.entrant] = event.at
                self._tables[event.entrant] = self._dealt()
                yield f"{self._names[event.entrant]} opens the deal"
            case log.Played():
                yield from self._plays(event.entrant, (event.move,))
            case log.AutoFinished() | log.SentHome():
                yield from self._plays(event.entrant, event.moves)
            case log.Undone():
                yield from self._takes_back(event.entrant)
            case log.Done():
                yield self._done(event)
            case log.Dropped():
                yield f"{self._names[event.entrant]} loses the connection"
            case log.Returned():
                yield f"{self._names[event.entrant]} is back"
            case log.Stopped():
                self._stopped += event.stopped_ms
                yield f"the server was down for {clock(event.stopped_ms)}, on nobody's clock"
            case log.Said():
                yield f"{event.name}: {event.text}"
            case log.RematchOpened():
                yield f"a rematch is opened: {event.rematch}"
            case log.Over():
                yield "the race is over"
                yield from standings_table(self._standings(event), self.game.goal)
            case log.Cancelled():
                yield f"called off: {event.reason}"

    def _dealt(self) -> Table:
        if self._opened is None:
            raise KeyError("a deal before the race was opened")
        return deal(self.game, self._opened.seed)

    def _start(self, event: log.Started) -> Iterator[str]:
        if self._opened is not None and self._opened.terms.mode is Mode.ASYNC:
            yield "the deal can be opened"
            return
        for entrant in self._names:
            self._began[entrant] = event.at
            self._tables[entrant] = self._dealt()
        yield "the race starts"
        if self._has_boards:
            yield from board(self.game, self._dealt().view())

    def _plays(self, entrant: int, moves: Sequence[str]) -> Iterator[str]:
        table = self._tables[entrant]
        for move in moves:
            table.play(parse_move(table.game, move))
        self._plays_made.setdefault(entrant, []).append(len(moves))
        turned = table.last().turned if len(moves) == 1 else ()
        yield from self._shown(entrant, move_text(moves, turned, table.home, table.game.goal))

    def _takes_back(self, entrant: int) -> Iterator[str]:
        table = self._tables[entrant]
        undone = [table.undo() for _ in range(self._plays_made[entrant].pop())]
        moves = " ".join(notation.move_text(table.game, move) for move in reversed(undone))
        yield from self._shown(entrant, f"takes back {moves}; {table.home}/{table.game.goal} home")

    def _shown(self, entrant: int, said: str) -> Iterator[str]:
        yield f"{self._names[entrant]}  {said}"
        if self._has_boards:
            table = self._tables[entrant]
            yield from board(table.game, table.view())

    def _done(self, event: log.Done) -> str:
        name, goal = self._names[event.entrant], self.game.goal
        if event.state is log.EntrantState.FINISHED:
            return f"{name} finishes in {clock(event.elapsed_ms)}"
        because = f": {event.reason}" if event.reason else ""
        return f"{name}: {state_text(event.state.value)}, {event.home}/{goal} home{because}"

    def _standings(self, event: log.Over) -> list[Standing]:
        return [
            Standing(
                place=line.place,
                entrant=line.entrant,
                name=self._names[line.entrant],
                bot=line.entrant in self._bots,
                state=line.state.value,
                elapsed_ms=line.elapsed_ms,
                penalty_ms=line.penalty_ms,
                home=line.home,
                moves=line.moves,
            )
            for line in event.standings
        ]
