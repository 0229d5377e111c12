"""Whether the log of a tournament is whole, and whether what it concludes follows from it.

Pairings, results and the champion are recorded, never made again; here they are, and must be the
same. After the end nothing can happen but what the rules of hosting leave to a final tournament. A
log that everybody may read when it is over serves as well as the stored one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.events import Opened
from samedeal_protocol.tournament.events import (
    Announced,
    Appointed,
    Followed,
    Paired,
    TakenBack,
    TournamentEvent,
    Unhooked,
    parse_line,
)
from samedeal_rules.errors import BadSeed
from samedeal_rules.shuffle import keeps_commitment

from .causes import unfounded
from .clockwork import What, ripe
from .demands import plan_of
from .formal import match_of
from .state import State
from .tournament import begin, evolve, is_done
from .view import table

__all__ = ["findings", "keeps_promise"]


def findings(code: str, lines: Sequence[bytes], *, is_over: bool) -> Iterator[str]:
    """Yields what is wrong with a tournament's log, in sentences.

    `is_over` says that it is marked as closed, so that nothing more is left to do.
    """
    events: list[TournamentEvent] = []
    for number, line in enumerate(lines, 1):
        try:
            events.append(parse_line(line))
        except UNREADABLE as fault:
            yield f"event {number} cannot be read: {fault}"
            return
    if not events or not isinstance(events[0], Announced):
        yield "it does not begin with its announcement"
        return
    announced = events[0]
    if announced.tournament != code:
        yield f"its events are those of the tournament {announced.tournament}"
    for number, (before, after) in enumerate(pairwise(events), 2):
        if after.at < before.at:
            yield f"event {number} is earlier than the one before it"
    if not keeps_promise(announced):
        yield "its seed and salt are not those that were committed to"
    yield from _fold(announced, events[1:], is_over=is_over)


def keeps_promise(begun: Announced | Opened) -> bool:
    """Says whether seed and salt of a tournament or a race are those that were committed to."""
    try:
        return keeps_commitment(begun.commitment, begun.seed, begun.salt)
    except BadSeed:
        return False


def _fold(
    announced: Announced, events: Sequence[TournamentEvent], *, is_over: bool
) -> Iterator[str]:
    number = 1
    try:
        state = begin(announced)
        # What is paired together with what is taken back was paired with that still there.
        paired_from = state
        for number, event in enumerate(events, 2):
            if not isinstance(event, Paired) or not isinstance(events[number - 3], TakenBack):
                paired_from = state
            if state.is_final and not _outlives(state, event):
                yield f"event {number} cannot happen after the end"
            if isinstance(event, Paired) and not _follows(paired_from, event):
                yield f"the pairings of event {number} do not follow from those before"
            if isinstance(event, TakenBack):
                paired_from = state
            if (wrong := unfounded(state, event)) is not None:
                yield f"{wrong} of event {number} does not follow from those before"
            state = evolve(state, event)
    except Exception as fault:
        # Whatever a damaged file makes the fold raise, it is a finding about that log alone.
        reason = str(fault) or type(fault).__name__
        yield f"event {number} does not follow from those before: {reason}"
        return
    try:
        if state.is_final:
            table(state)
        if is_over and not is_done(state):
            yield "it is marked as over, wrongly"
    except Exception as fault:
        # As above: what it comes to may be such that nothing can be made of it.
        yield f"no standings follow from it: {str(fault) or type(fault).__name__}"


def _outlives(state: State, event: TournamentEvent) -> bool:
    """Says whether an event may still happen to a tournament that is final."""
    match event:
        case Unhooked():
            return event.by == state.announced.host
        case Appointed():
            return event.by == state.announced.host and state.terms.repeat is not None
        case Followed():
            return any(what is What.FOLLOW for _, what in ripe(state, event.at))
        case _:
            return False


def _follows(state: State, paired: Paired) -> bool:
    return plan_of(state).pair == tuple(match_of(each) for each in paired.matches)
