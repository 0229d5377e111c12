"""What a command causes in a race, or why it is refused. A look only: nothing is changed.

An empty answer means that it is so already: the entrant is ready, is back, has played that number.
To a board's command it means that the same number was used for the same thing before, and that the
old answer is to be given again (`audience.search`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, assert_never

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import (
    AutoFinished,
    Began,
    Cancelled,
    CountdownStopped,
    Done,
    Dropped,
    Entered,
    EntrantState,
    Event,
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
from samedeal_protocol.terms import Start as StartWhen
from samedeal_protocol.terms import Undo as UndoPolicy
from samedeal_rules.errors import BadNotation
from samedeal_rules.homeward import finishing, sending_home
from samedeal_rules.notation import Move, move_text

from .clockwork import countdown_began
from .commands import (
    Begin,
    Cancel,
    Chat,
    Command,
    Disqualify,
    Drop,
    Enter,
    Finish,
    GiveUp,
    OpenRematch,
    Play,
    Ready,
    Return,
    SendHome,
    Start,
    Stop,
    Tick,
    Undo,
    Unready,
    Withdraw,
)
from .fold import FINISH, SEND_HOME, UNDO, parsed
from .phases import FINAL, Phase, Refused, refusal
from .sheets import board_of
from .state import Entrant, Race

__all__ = [
    "CHAT_AFTER_LINES",
    "CHAT_AFTER_MS",
    "CHAT_CHARACTERS",
    "ENTRIES",
    "ENTRIES_EACH",
    "decide",
]

CHAT_CHARACTERS: Final = 300
CHAT_AFTER_MS: Final = 3_600_000
"""How long a race that is over or cancelled can be talked in."""
CHAT_AFTER_LINES: Final = 200
"""How many lines it takes in that time."""
ENTRIES_EACH: Final = 10
"""How often one player can enter a race; whoever withdraws and enters gets another number."""
ENTRIES: Final = 500
"""How often a race can be entered at all: the withdrawn stay in it, and everybody is told them."""


def decide(race: Race, command: Command, now: int) -> tuple[Event, ...]:
    """Returns what the command causes at `now`; nothing if it is so already.

    Raises:
        Refused: with a code and a sentence; nothing changes.
    """
    if type(command) not in race.allows:
        raise refusal(race.terms.mode, race.phase, type(command))
    match command:
        case Play():  # nearly all commands, so it comes first
            return _play(race, command, now)
        case Undo():
            return _undo(race, command, now)
        case Finish():
            return _finish(race, command, now)
        case SendHome():
            return _send_home(race, command, now)
        case Enter():
            return _enter(race, command, now)
        case Withdraw():
            return _withdraw(race, command, now)
        case Ready():
            entrant = _entrant(race, command.player)
            if entrant.state is EntrantState.READY:
                return ()
            return (Readied(at=now, entrant=entrant.number),)
        case Unready():
            entrant = _entrant(race, command.player)
            if entrant.state is not EntrantState.READY:
                return ()
            return (Unreadied(at=now, entrant=entrant.number),)
        case Start():
            return _start(race, command, now)
        case Begin():
            return _begin(race, command, now)
        case GiveUp():
            entrant = _racing(_entrant(race, command.player))
            return (_ended(entrant, EntrantState.GAVE_UP, now),)
        case Disqualify():
            return _disqualify(race, command, now)
        case Cancel():
            of_tournament = race.opened.tournament is not None
            if race.phase is Phase.RUNNING and not of_tournament:
                raise refusal(race.terms.mode, race.phase, Cancel)
            _must_host(race, command.player)
            by = "the tournament" if of_tournament else "the host"
            return (Cancelled(at=now, reason=command.reason or f"called off by {by}"),)
        case Chat():
            return _chat(race, command, now)
        case OpenRematch():
            if race.opened.tournament is not None:
                raise Refused(
                    ErrorCode.NOT_INVITED, "the tournament opens its races: open one of your own"
                )
            if command.player != race.host:
                _entrant(race, command.player)
            if race.rematch is not None and race.rematch != command.instead_of:
                return ()
            return (RematchOpened(at=now, rematch=command.rematch),)
        case Drop():
            return _drop(race, command, now)
        case Return():
            back = race.by_player.get(command.player)
            if race.phase in FINAL or back is None or not back.away:
                return ()
            return (Returned(at=now, entrant=back.number),)
        case Stop():
            return _stop(race, command, now)
        case Tick():
            return ()
        case _:
            assert_never(command)


# --- the board ---------------------------------------------------------------------------------


def _play(race: Race, command: Play, now: int) -> tuple[Event, ...]:
    entrant = race.by_player.get(command.player) or _entrant(race, command.player)
    found = race.texts.get(command.move)
    if found is None:
        try:
            found = parsed(race.game, command.move)
        except BadNotation as fault:
            raise Refused(ErrorCode.BAD_MOVE, str(fault)) from fault
    move, text = found
    number = command.number
    # The common case is told apart first: the next number of a board in play.
    if (entrant.state is not EntrantState.RACING or number != len(entrant.acts) + 1) and _was_done(
        race, entrant, number, text
    ):
        return ()
    table = entrant.table
    if table is None:
        raise AssertionError("a racing entrant has a board")
    if not table.may(move):
        refused = table.refusal(move)
        if refused is None:
            raise AssertionError("may and refusal are one predicate")
        raise Refused(ErrorCode.ILLEGAL_MOVE, refused.sentence, reason=refused.code)
    return (Played(at=now, entrant=entrant.number, number=number, move=text),)


def _undo(race: Race, command: Undo, now: int) -> tuple[Event, ...]:
    entrant = _entrant(race, command.player)
    if _was_done(race, entrant, command.number, UNDO):
        return ()
    if not race.undoable(entrant):
        raise Refused(ErrorCode.NO_UNDO, _why_no_undo(race, entrant))
    return (Undone(at=now, entrant=entrant.number, number=command.number),)


def _why_no_undo(race: Race, entrant: Entrant) -> str:
    if race.terms.undo is UndoPolicy.NONE:
        return "the terms of this race allow no undo"
    if entrant.table is None or entrant.table.depth == 0:
        return "there is nothing to take back"
    return "the last move showed a hidden card: it cannot be taken back in this race"


def _finish(race: Race, command: Finish, now: int) -> tuple[Event, ...]:
    entrant = _entrant(race, command.player)
    if _was_done(race, entrant, command.number, FINISH):
        return ()
    texts = _texts(race, finishing(board_of(entrant)))
    if not texts:
        raise Refused(ErrorCode.NOT_FINISHABLE, "the cards cannot all go home from here one by one")
    return (AutoFinished(at=now, entrant=entrant.number, number=command.number, moves=texts),)


def _send_home(race: Race, command: SendHome, now: int) -> tuple[Event, ...]:
    entrant = _entrant(race, command.player)
    if _was_done(race, entrant, command.number, SEND_HOME):
        return ()
    texts = _texts(race, sending_home(board_of(entrant)))
    if not texts:
        raise Refused(ErrorCode.NOTHING_SAFE, "no card is safe to send home from here")
    return (SentHome(at=now, entrant=entrant.number, number=command.number, moves=texts),)


def _texts(race: Race, moves: Iterable[Move]) -> tuple[str, ...]:
    return tuple(move_text(race.game, move) for move in moves)


def _was_done(race: Race, entrant: Entrant, number: int, act: str) -> bool:
    """Returns whether the number was used for the very same; refuses all but the next number.

    This is looked at before the phase, so that the move that ended a race can be asked again.
    """
    acts = entrant.acts
    if number <= len(acts):
        if acts[number - 1] == act:
            return True
        raise Refused(ErrorCode.NUMBER_REUSED, f"number {number} was {acts[number - 1]}, not {act}")
    if race.phase in FINAL:
        raise refusal(race.terms.mode, race.phase, Play)
    _racing(entrant)
    if number != len(acts) + 1:
        raise Refused(
            ErrorCode.BAD_NUMBER, f"the next number is {len(acts) + 1}, not {number}: resume first"
        )
    return False


# --- coming and going --------------------------------------------------------------------------


def _enter(race: Race, command: Enter, now: int) -> tuple[Event, ...]:
    if command.player in race.by_player:
        raise Refused(ErrorCode.ALREADY_ENTERED, "you are an entrant of this race")
    if race.opened.tournament is not None:
        _may_come(race, command.player)
    if command.bot and not race.terms.bots:
        raise Refused(ErrorCode.NO_BOTS, "this race is for people only")
    if len(race.entered()) >= race.terms.entrants_max:
        raise Refused(
            ErrorCode.RACE_FULL,
            f"the race is full: it takes {race.terms.entrants_max}",
        )
    before = sum(1 for entrant in race.entrants if entrant.player == command.player)
    if before >= ENTRIES_EACH:
        raise Refused(
            ErrorCode.RACE_FULL, f"you have entered and left this race {before} times: that will do"
        )
    number = len(race.entrants) + 1
    if number > ENTRIES:
        raise Refused(ErrorCode.RACE_FULL, f"the race was entered {ENTRIES} times: open another")
    return (
        Entered(at=now, entrant=number, player=command.player, name=command.name, bot=command.bot),
    )


def _may_come(race: Race, player: str) -> None:
    """Refuses whom the tournament has not paired, and whoever comes when it has said start."""
    if player not in race.opened.invited:
        raise Refused(
            ErrorCode.NOT_INVITED, "this race is of a tournament, for those paired: watch it"
        )
    if race.phase is Phase.COUNTDOWN:
        raise Refused(ErrorCode.NOT_OPEN, "the race starts without you: you came too late")


def _withdraw(race: Race, command: Withdraw, now: int) -> tuple[Event, ...]:
    entrant = _entrant(race, command.player)
    if entrant.table is not None:  # an async race that the entrant has begun
        raise Refused(ErrorCode.NOT_OPEN, "you have opened the deal: give up instead")
    withdrew = Withdrew(at=now, entrant=entrant.number)
    if race.phase is Phase.COUNTDOWN and race.terms.start is StartWhen.ALL_READY:
        # Begins again at once if the others are still enough and ready: a full countdown.
        return withdrew, CountdownStopped(at=now, reason="an entrant withdrew")
    return (withdrew,)


def _drop(race: Race, command: Drop, now: int) -> tuple[Event, ...]:
    entrant = race.by_player.get(command.player)
    if race.phase in FINAL or entrant is None:
        return ()
    return _dropped(race, entrant, now)


def _dropped(race: Race, entrant: Entrant, now: int) -> tuple[Event, ...]:
    """Returns that the entrant is away; where all must be ready, who is away is not."""
    if entrant.away or entrant.is_done or not entrant.is_in:
        return ()
    gone = Dropped(at=now, entrant=entrant.number)
    if entrant.state is EntrantState.READY and race.terms.start is StartWhen.ALL_READY:
        return gone, Unreadied(at=now, entrant=entrant.number)
    return (gone,)


def _stop(race: Race, command: Stop, now: int) -> tuple[Event, ...]:
    """Everybody's connection is gone: all are away until they return, and no countdown goes on."""
    if race.phase in FINAL:
        return ()
    events: tuple[Event, ...] = (
        Stopped(at=now, stopped_ms=max(0, now - max(command.since, race.at))),
    )
    if race.phase is Phase.COUNTDOWN:
        events += (CountdownStopped(at=now, reason="the server was restarted"),)
    for entrant in race.entrants:
        events += _dropped(race, entrant, now)
    return events


# --- start and end -----------------------------------------------------------------------------


def _start(race: Race, command: Start, now: int) -> tuple[Event, ...]:
    _must_host(race, command.player)
    match race.terms.start:
        case StartWhen.HOST:
            pass
        case StartWhen.ALL_READY if race.opened.tournament is not None:
            return _start_without(race, now)
        case StartWhen.ALL_READY:
            raise Refused(ErrorCode.NOT_HOST, "this race starts when all are ready, not by word")
        case StartWhen.AT:
            raise Refused(ErrorCode.NOT_HOST, "this race starts at its instant, not by word")
    if race.phase is Phase.COUNTDOWN:
        return ()
    present, wanted = race.present(), race.terms.entrants_min
    if present < wanted:
        raise Refused(
            ErrorCode.TOO_FEW, f"the race needs {wanted} entrants to start, and {present} are there"
        )
    return (countdown_began(race, now),)


def _start_without(race: Race, now: int) -> tuple[Event, ...]:
    """Begins the countdown with those who are ready; the others have come too late."""
    if race.phase is Phase.COUNTDOWN:
        return ()
    late = [
        entrant
        for entrant in race.entered()
        if entrant.state is not EntrantState.READY or entrant.away
    ]
    ready, wanted = len(race.entered()) - len(late), race.terms.entrants_min
    if ready < wanted:
        raise Refused(
            ErrorCode.TOO_FEW, f"the race needs {wanted} entrants to start, and {ready} are ready"
        )
    return (
        *(Withdrew(at=now, entrant=entrant.number) for entrant in late),
        countdown_began(race, now),
    )


def _begin(race: Race, command: Begin, now: int) -> tuple[Event, ...]:
    entrant = _entrant(race, command.player)
    if entrant.table is not None:
        return ()
    began = Began(at=now, entrant=entrant.number)
    if race.phase is Phase.OPEN:
        return Started(at=now), began
    return (began,)


def _disqualify(race: Race, command: Disqualify, now: int) -> tuple[Event, ...]:
    _must_host(race, command.player)
    if command.entrant > len(race.entrants):
        raise Refused(ErrorCode.NOT_ENTERED, f"the race has no entrant {command.entrant}")
    entrant = race.entrants[command.entrant - 1]
    if entrant.state is not EntrantState.RACING:
        raise Refused(ErrorCode.NOT_RACING, f"{entrant.name} has no board in play")
    reason = command.reason.strip() or "by the host"
    return (_ended(entrant, EntrantState.DISQUALIFIED, now, reason=reason),)


def _ended(entrant: Entrant, state: EntrantState, now: int, *, reason: str = "") -> Done:
    return Done(at=now, entrant=entrant.number, state=state, home=entrant.home, reason=reason)


def _chat(race: Race, command: Chat, now: int) -> tuple[Event, ...]:
    text = command.text.strip()
    if not text:
        raise Refused(ErrorCode.MALFORMED, "there is nothing to say in it")
    if len(text) > CHAT_CHARACTERS:
        raise Refused(ErrorCode.TOO_LONG, f"a line has at most {CHAT_CHARACTERS} characters")
    if race.ended_at is not None and (
        now - race.ended_at >= CHAT_AFTER_MS or race.said_after >= CHAT_AFTER_LINES
    ):
        raise Refused(ErrorCode.NOT_OPEN, "the race is long over: open a new one to go on talking")
    return (Said(at=now, player=command.player, name=command.name, text=text, bot=command.bot),)


# --- who asks ----------------------------------------------------------------------------------


def _entrant(race: Race, player: str) -> Entrant:
    entrant = race.by_player.get(player)
    if entrant is None:
        raise Refused(ErrorCode.NOT_ENTERED, "you are not an entrant of this race")
    return entrant


def _racing(entrant: Entrant) -> Entrant:
    """Returns the entrant if their board is in play."""
    if entrant.state is EntrantState.RACING:
        return entrant
    if entrant.table is None:
        raise Refused(ErrorCode.NOT_RACING, "open the deal first")
    raise Refused(ErrorCode.NOT_RACING, f"your race has ended: {entrant.state.value}")


def _must_host(race: Race, player: str) -> None:
    if player != race.host:
        raise Refused(ErrorCode.NOT_HOST, "only the host of the race may do this")
