"""What is sent of a race: events, boards, replies. No other way leads from a race to a viewer.

`sights` says who sees how much; this says it in messages. A board is always the board as its own
entrant may see it, and a digest always that of such a view: the digest of a whole position would
let somebody guess at hidden cards.

`show` is asked right after `evolve`, once a `lens`; `played` answers the entrant who asked, and
`search` does so for an older number. How the race stands is said by `sheets`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypedDict, assert_never

from samedeal_protocol import events, messages
from samedeal_protocol.events import EntrantState, Event
from samedeal_protocol.messages import RaceEvent, Skip, Turned
from samedeal_rules.engine import Status, Table
from samedeal_rules.homeward import finishing, has_safe
from samedeal_rules.notation import move_text

from .fold import TOGETHER, UNDO, begin, evolve
from .sheets import board_of, card, digest_of, legal_texts, lines, results, snapshot
from .sights import (
    Level,
    Role,
    Sight,
    changes_sight,
    hides,
    is_listed,
    is_public,
    lag_ms,
    lens,
    may_watch,
    sight,
)
from .state import Entrant, Race
from .talk import hears, spoken

__all__ = [
    "Level",
    "Role",
    "Sight",
    "card",
    "changes_sight",
    "is_listed",
    "is_public",
    "lag_ms",
    "legal_texts",
    "lens",
    "may_watch",
    "played",
    "results",
    "search",
    "show",
    "sight",
    "snapshot",
]


PAUSE_AFTER: Final = 256
"""Events that `search` folds at a stretch."""


class _Where(TypedDict):
    race: str
    seq: int
    at: int


_Did = tuple[tuple[str, ...], tuple[str, ...], tuple[Turned, ...], tuple[str, ...], str | None]
"""What the last thing done to a board did: moves, steps, turned, covered, and the board if need be.

Plain, like the calls that use it: a move's reply and events are all of its cost outside the rules.
"""


# --- events ------------------------------------------------------------------------------------


def show(race: Race, event: Event, seen: Sight, *, legal: bool = False) -> RaceEvent:
    """Returns what a viewer of that sight is told of the event that was folded last.

    `legal` adds the legal moves to a deal that is the viewer's own.
    """
    where: _Where = {"race": race.opened.race, "seq": race.seq, "at": race.at}
    match event:
        case events.Played() | events.AutoFinished() | events.SentHome() | events.Undone():
            return _show_board(race, event, seen)
        case events.Opened():
            return Skip(**where)
        case events.Entered(entrant=number, name=name, bot=bot):
            return messages.Entered(**where, entrant=number, name=name, bot=bot)
        case events.Withdrew(entrant=number):
            return messages.Left(**where, entrant=number)
        case events.Readied(entrant=number):
            return messages.Readied(**where, entrant=number, ready=True)
        case events.Unreadied(entrant=number):
            return messages.Readied(**where, entrant=number, ready=False)
        case events.CountdownBegan(starts=starts):
            return messages.CountdownBegan(**where, starts_in_ms=max(0, starts - race.at))
        case events.CountdownStopped(reason=reason):
            return messages.CountdownStopped(**where, reason=reason)
        case events.Started():
            return _show_started(race, seen, legal=legal)
        case events.Began(entrant=number):
            entrant = race.entrants[number - 1]
            if seen.level is not Level.BOARDS and seen.entrant != number:
                return messages.Began(**where, entrant=number)
            table = board_of(entrant)
            board, digest = table.view().text(), digest_of(entrant)
            return messages.Began(**where, entrant=number, board=board, digest=digest)
        case events.Done():
            return _show_done(race, event, seen)
        case events.Dropped(entrant=number):
            entrant = race.entrants[number - 1]
            if hides(seen, entrant):
                return Skip(**where)
            return messages.Away(**where, entrant=number, grace_ms=_grace_ms(race, entrant))
        case events.Returned(entrant=number):
            if hides(seen, race.entrants[number - 1]):
                return Skip(**where)
            return messages.Back(**where, entrant=number)
        case events.Stopped(stopped_ms=stopped):
            return messages.Stoppage(**where, stopped_ms=stopped)
        case events.Said(name=name, text=text, bot=bot):
            if not hears(spoken(race, event), seen):
                return Skip(**where)
            return messages.Said(**where, name=name, text=text, bot=bot)
        case events.RematchOpened(rematch=rematch):
            return messages.RematchOpened(**where, rematch=rematch)
        case events.Over():
            return messages.Over(
                **where,
                standings=lines(race, race.standings),
                seed=race.opened.seed,
                salt=race.opened.salt,
            )
        case events.Cancelled(reason=reason):
            return messages.Cancelled(**where, reason=reason)
        case _:
            assert_never(event)


def _show_board(race: Race, event: events.OnBoard, seen: Sight) -> RaceEvent:
    """What was done to a board, to those who see it or how it goes."""
    number = event.entrant
    entrant = race.entrants[number - 1]
    table = board_of(entrant)
    if seen.level is not Level.BOARDS and seen.entrant != number:
        if seen.level is Level.NOTHING:
            return Skip(race=race.opened.race, seq=race.seq, at=race.at)
        return messages.Progressed(
            race=race.opened.race,
            seq=race.seq,
            at=race.at,
            entrant=number,
            home=table.home,
            moves=entrant.moves,
            penalty_ms=entrant.penalty_ms,
        )
    if isinstance(event, events.Undone):
        return messages.Undone(
            race=race.opened.race,
            seq=race.seq,
            at=race.at,
            entrant=number,
            number=event.number,
            board=table.view().text(),
            digest=digest_of(entrant),
            home=table.home,
            penalty_ms=entrant.penalty_ms,
        )
    moves, steps, turned, covered, board = _did(race, entrant, table)
    return messages.Moved(
        race=race.opened.race,
        seq=race.seq,
        at=race.at,
        entrant=number,
        number=event.number,
        moves=moves,
        steps=steps,
        turned=turned,
        covered=covered,
        board=board,
        digest=digest_of(entrant),
        home=table.home,
    )


def _show_started(race: Race, seen: Sight, *, legal: bool) -> RaceEvent:
    """The start: the deal, the same to every entrant; to spectators where they see boards."""
    where: _Where = {"race": race.opened.race, "seq": race.seq, "at": race.at}
    racer = next((entrant for entrant in race.entrants if entrant.table is not None), None)
    own = seen.role is Role.ENTRANT
    if racer is None or not (own or seen.level is Level.BOARDS):
        return messages.Started(**where)
    table = board_of(racer)
    return messages.Started(
        **where,
        board=table.view().text(),
        digest=digest_of(racer),
        legal=legal_texts(table) if legal and own else None,
    )


def _show_done(race: Race, event: events.Done, seen: Sight) -> RaceEvent:
    where: _Where = {"race": race.opened.race, "seq": race.seq, "at": race.at}
    entrant = race.entrants[event.entrant - 1]
    if hides(seen, entrant):
        return Skip(**where)
    return messages.Done(
        **where,
        entrant=event.entrant,
        state=event.state.value,
        home=event.home,
        elapsed_ms=event.elapsed_ms,
        penalty_ms=entrant.penalty_ms,
        reason=event.reason,
    )


# --- the entrant's own board -------------------------------------------------------------------


def played(race: Race, entrant: Entrant, *, legal: bool = False) -> messages.Played:
    """Returns the reply to what the entrant did to their board last.

    It is the same whenever it is asked, as long as it was the last. `legal` adds the legal moves.
    """
    table = board_of(entrant)
    status = table.status
    moves, steps, turned, covered, board = _did(race, entrant, table)
    return messages.Played(
        race=race.opened.race,
        seq=entrant.last_seq,
        at=entrant.last_at,
        number=len(entrant.acts),
        moves=moves,
        steps=steps,
        turned=turned,
        covered=covered,
        board=board,
        digest=digest_of(entrant),
        home=table.home,
        status=status.value,
        elapsed_ms=entrant.last_ms,
        penalty_ms=entrant.penalty_ms,
        undoable=status is not Status.WON and race.undoable(entrant),
        finishable=legal and bool(finishing(table)),
        homeward=legal and has_safe(table),
        legal=legal_texts(table) if legal else None,
    )


def search(
    log: Iterable[Event], entrant: int, number: int, *, legal: bool = False
) -> Iterator[messages.Played | None]:
    """Yields again the reply to an older number, from the race's events so far.

    A log can be long: None is yielded now and then before it. This folds the race anew, but of the
    boards only the entrant's. The newest number's is had from `played` at once. For a number that
    the entrant has not used nothing is found.
    """
    stream = iter(log)
    opened = next(stream)
    if not isinstance(opened, events.Opened):
        raise AssertionError("a log begins with its race's opening")
    race = begin(opened)
    for count, event in enumerate(stream, 1):
        if count % PAUSE_AFTER == 0:
            yield None
        match event:
            case events.Played() | events.Undone() | events.AutoFinished() | events.SentHome():
                if event.entrant != entrant:
                    race.seq += 1
                    race.at = event.at
                    continue
                evolve(race, event)
                if event.number == number:
                    yield played(race, race.entrants[entrant - 1], legal=legal)
                    return
            case _:
                evolve(race, event)


def _did(race: Race, entrant: Entrant, table: Table) -> _Did:
    """Returns what the last thing done to the board did: steps if they can say it, or a board."""
    act = entrant.acts[-1]
    if act == UNDO:
        return (), (), (), (), table.view().text()
    if act not in TOGETHER:
        outcome = table.last()
        turned: tuple[Turned, ...] = ()
        if outcome.turned:
            turned = tuple([Turned(pile=pile, card=card) for pile, card in outcome.turned])
        board = table.view().text() if outcome.whole else None
        return (act,), outcome.steps, turned, outcome.covered, board
    outcomes = entrant.together
    moves = tuple([move_text(race.game, outcome.move) for outcome in outcomes])
    if any(outcome.whole or outcome.turned or outcome.covered for outcome in outcomes):
        return moves, (), (), (), table.view().text()
    return moves, tuple([step for outcome in outcomes for step in outcome.steps]), (), (), None


def _grace_ms(race: Race, entrant: Entrant) -> int | None:
    """Returns how long the entrant may be away from now on; None where nothing ends it."""
    grace = race.terms.grace
    if grace is None or entrant.state is not EntrantState.RACING:
        return None
    return grace * 1000
