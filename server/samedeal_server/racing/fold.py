"""One event folded into a race: total, undecided, and the same for recovery, replay and tests.

Nothing here refuses. An event that could not have been logged (a move that the rules refuse, an
entrant that is not there) is a fault of the log or of this code, and raises whatever it raises.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    Opened,
    Over,
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
from samedeal_protocol.terms import Undo
from samedeal_rules.engine import Table, deal
from samedeal_rules.games import find
from samedeal_rules.notation import Move, move_text, parse_move
from samedeal_rules.spec import Game

from .clockwork import next_due
from .phases import ALLOWED, FINAL, Phase
from .state import Entrant, Race
from .talk import spoken, with_line

__all__ = [
    "FINISH",
    "GATHER_MS",
    "SEND_HOME",
    "TOGETHER",
    "UNDO",
    "begin",
    "evolve",
    "parsed",
    "replay",
]

GATHER_MS: Final = 10_000
"""After a stoppage, a start at an instant is at least so far ahead that players can come back."""

UNDO: Final = "undo"
FINISH: Final = "finish"
SEND_HOME: Final = "send-home"
"""What an entrant's number was, where it was no move; none is the text of one."""
TOGETHER: Final = (FINISH, SEND_HOME)
"""What makes any number of moves at once."""

_TEXTS: Final = 4096
_parsed: Final[dict[str, dict[str, tuple[Move, str]]]] = {}


def _known(game: Game) -> dict[str, tuple[Move, str]]:
    """Returns the game's moves that have been read, by what was read."""
    return _parsed.setdefault(game.key, {})


def parsed(game: Game, text: str) -> tuple[Move, str]:
    """Returns the move and its proper text, from memory where it has been read before.

    Raises:
        BadNotation: it is no move of this game.
    """
    known = _known(game)
    found = known.get(text)
    if found is None:
        move = parse_move(game, text)
        found = move, move_text(game, move)
        if len(known) < _TEXTS:  # what strangers type must not fill the memory
            known[text] = found
    return found


def begin(event: Opened) -> Race:
    """Returns the race that was opened."""
    terms = event.terms
    game = find(terms.game)
    race = Race(
        opened=event,
        game=game,
        terms=terms,
        texts=_known(game),
        allows=ALLOWED[terms.mode][Phase.OPEN],
        at=event.at,
        closes_at=event.at + terms.closes * 1000,
        planned_at=terms.start_at,
        lobby_since=event.at,
        empty_since=event.at,
    )
    race.due = next_due(race)
    return race


def replay(events: Iterable[Event]) -> Race:
    """Returns the race that the events, from the first, have come to."""
    rest = iter(events)
    opened = next(rest)
    if not isinstance(opened, Opened):
        raise AssertionError("a log begins with its race's opening")
    race = begin(opened)
    for event in rest:
        evolve(race, event)
    return race


def evolve(race: Race, event: Event) -> None:
    """Folds one event into the race, in place."""
    race.seq += 1
    race.at = event.at
    match event:
        case Played():  # nearly all events, so it comes first; only who is away moves a deadline
            _played(race, event)
            return
        case Undone():
            _undone(race, event)
            return
        case AutoFinished():
            _made(race, event, FINISH)
            return
        case SentHome():
            _made(race, event, SEND_HOME)
            return
        case Said():
            race.talk = with_line(race.talk, spoken(race, event))
            if race.phase in FINAL:
                race.said_after += 1
            return
        case Entered():
            entrant = Entrant(event.entrant, event.player, event.name, event.bot)
            race.entrants.append(entrant)
            race.by_player[event.player] = entrant
            _count_present(race)
        case Withdrew():
            entrant = _entrant(race, event.entrant)
            entrant.state = EntrantState.WITHDRAWN
            entrant.away = False
            del race.by_player[entrant.player]
            _count_present(race)
        case Readied():
            _entrant(race, event.entrant).state = EntrantState.READY
        case Unreadied():
            _entrant(race, event.entrant).state = EntrantState.ENTERED
        case CountdownBegan():
            race.starts_at = event.starts
            _enter_phase(race, Phase.COUNTDOWN)
        case CountdownStopped():
            race.starts_at = None
            _enter_phase(race, Phase.OPEN)
        case Started():
            _started(race, event)
        case Began():
            entrant = _entrant(race, event.entrant)
            _give_deal(race, entrant, deal(race.game, race.opened.seed))
            race.touched = (entrant,)
        case Done():
            _done(race, event)
        case Dropped():
            entrant = _entrant(race, event.entrant)
            entrant.away = True
            entrant.away_since = event.at
            _count_present(race)
        case Returned():
            _entrant(race, event.entrant).away = False
            _count_present(race)
        case Stopped():
            _stopped(race, event)
        case RematchOpened():
            race.rematch = event.rematch
        case Over():
            race.standings = event.standings
            race.ended_at = event.at
            _enter_phase(race, Phase.OVER)
        case Cancelled():
            race.cancelled = event.reason
            race.ended_at = event.at
            _enter_phase(race, Phase.CANCELLED)
        case Opened():
            raise AssertionError("a race is opened once, by its first event")
        case _:
            assert_never(event)
    race.due = next_due(race)


def _entrant(race: Race, number: int) -> Entrant:
    return race.entrants[number - 1]


def _enter_phase(race: Race, phase: Phase) -> None:
    race.phase = phase
    race.allows = ALLOWED[race.terms.mode][phase]


def _count_present(race: Race) -> None:
    if race.present():
        race.empty_since = None
    elif race.empty_since is None:
        race.empty_since = race.at


def _started(race: Race, event: Started) -> None:
    """Gives everybody the deal, unless each opens it for themself."""
    race.starts_at = None
    race.started_at = race.zero = event.at
    _enter_phase(race, Phase.RUNNING)
    if race.is_async:
        return
    racers = race.entered()
    first = deal(race.game, race.opened.seed)
    whole = first.snapshot()
    for racer in racers:
        own = first if racer is racers[0] else Table.restore(race.game, whole, race.opened.seed)
        _give_deal(race, racer, own)
    race.touched = tuple(racers)


def _give_deal(race: Race, entrant: Entrant, table: Table) -> None:
    entrant.state = EntrantState.RACING
    entrant.table = table
    entrant.began_at = entrant.zero = race.at
    entrant.away_since = race.at
    race.racing += 1


def _board(entrant: Entrant) -> Table:
    if entrant.table is None:
        raise AssertionError("only who has the deal does anything to a board")
    return entrant.table


def _did(race: Race, entrant: Entrant, act: str) -> None:
    """Notes what the entrant's next number was."""
    entrant.acts.append(act)
    entrant.last_seq = race.seq
    entrant.last_at = race.at
    entrant.last_ms = race.at - entrant.zero
    race.touched = (entrant,)
    if entrant.away:
        race.due = next_due(race)


def _played(race: Race, event: Played) -> None:
    entrant = race.entrants[event.entrant - 1]
    text = event.move
    move, text = race.texts.get(text) or parsed(race.game, text)
    table = entrant.table
    if table is None:
        raise AssertionError("only who has the deal does anything to a board")
    table.play(move)
    entrant.moves += 1
    entrant.acts.append(text)
    entrant.last_seq = race.seq
    entrant.last_at = at = race.at
    entrant.last_ms = at - entrant.zero
    race.touched = (entrant,)
    if entrant.away:
        race.due = next_due(race)


def _undone(race: Race, event: Undone) -> None:
    entrant = race.entrants[event.entrant - 1]
    _board(entrant).take_back()
    entrant.undos += 1
    if race.terms.undo is Undo.PENALTY:
        entrant.penalty_ms += race.terms.undo_penalty * 1000
    _did(race, entrant, UNDO)


def _made(race: Race, event: AutoFinished | SentHome, act: str) -> None:
    """Plays together what the server found to play."""
    entrant = race.entrants[event.entrant - 1]
    moves = [parsed(race.game, text)[0] for text in event.moves]
    entrant.together = tuple(_board(entrant).play_together(moves))
    entrant.moves += len(moves)
    _did(race, entrant, act)


def _done(race: Race, event: Done) -> None:
    entrant = _entrant(race, event.entrant)
    if entrant.state is EntrantState.RACING:
        race.racing -= 1
    entrant.state = event.state
    entrant.clock_ms = event.at - entrant.zero
    entrant.elapsed_ms = event.elapsed_ms
    entrant.reason = event.reason
    entrant.away = False


def _stopped(race: Race, event: Stopped) -> None:
    """Takes the outage off every clock and moves every deadline by it, but a punctual closing."""
    outage = event.stopped_ms
    race.zero += outage
    if not race.terms.punctual:
        race.closes_at += outage
    race.lobby_since += outage
    if race.empty_since is not None:
        race.empty_since += outage
    if race.planned_at is not None:
        race.planned_at = max(race.planned_at, event.at + GATHER_MS)
    if race.starts_at is not None:
        race.starts_at += outage
    for entrant in race.entrants:
        if entrant.state is EntrantState.RACING:
            entrant.zero += outage
        if entrant.away:
            entrant.away_since += outage
