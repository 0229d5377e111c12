"""A replay file told as text, event by event, with the boards for whoever wants to see them.

It believes the file; `verify` is the one that does not. Pure: the file's bytes in, lines out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from samedeal_client.board import board
from samedeal_client.telling import clock, move_text, standings_table, state_text, terms_text
from samedeal_protocol import events as log
from samedeal_protocol.messages import Standing
from samedeal_protocol.terms import Mode
from samedeal_rules import Game, RulesError, Table, deal, find, notation, parse_move

__all__ = ["BadReplay", "retell"]


class BadReplay(Exception):
    """The file cannot be told; the text says at which line."""


class _Header(msgspec.Struct):
    samedeal: str
    race: str


class _Footer(msgspec.Struct):
    head: str


def retell(replay: bytes, *, has_boards: bool = False) -> Iterator[str]:
    """Yields the replay's lines of text. Raises `BadReplay` at what cannot be told."""
    header, *lines = replay.splitlines() or [b""]
    try:
        told = msgspec.json.decode(header, type=_Header)
    except msgspec.DecodeError as fault:
        raise BadReplay("its first line is no replay header") from fault
    if told.samedeal != "replay/1":
        raise BadReplay(f"it is of the kind {told.samedeal!r}; this program reads replay/1")
    yield f"Race {told.race}"
    story = _Story(has_boards=has_boards)
    for number, line in enumerate(lines[:-1], start=2):
        try:
            yield from story.tell(log.parse_line(line))
        except (msgspec.DecodeError, RulesError, LookupError) as fault:
            raise BadReplay(f"line {number}: {fault}") from fault
    try:
        msgspec.json.decode(lines[-1] if lines else b"", type=_Footer)
    except msgspec.DecodeError as fault:
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

    @property
    def _game(self) -> Game:
        if self._opened is None:
            raise KeyError("an event before the race was opened")
        return find(self._opened.terms.game)

    def tell(self, event: log.Event) -> Iterator[str]:
        """Yields the lines of one event."""
        for at, line in enumerate(self._lines(event)):
            yield f"{self._when(event) if at == 0 else '':>11}  {line}".rstrip()

    def _when(self, event: log.Event) -> str:
        if not self._began:
            return ""
        return clock(event.at - min(self._began.values()) - self._stopped)

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
            case log.AutoFinished():
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
                yield from standings_table(self._standings(event), self._game.goal)
            case log.Cancelled():
                yield f"called off: {event.reason}"

    def _dealt(self) -> Table:
        if self._opened is None:
            raise KeyError("a deal before the race was opened")
        return deal(self._game, self._opened.seed)

    def _start(self, event: log.Started) -> Iterator[str]:
        if self._opened is not None and self._opened.terms.mode is Mode.ASYNC:
            yield "the deal can be opened"
            return
        for entrant in self._names:
            self._began[entrant] = event.at
            self._tables[entrant] = self._dealt()
        yield "the race starts"
        if self._has_boards:
            yield from board(self._game, self._dealt().view())

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
        name, goal = self._names[event.entrant], self._game.goal
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
