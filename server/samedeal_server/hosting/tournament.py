"""One tournament as a pure state machine: the face that runtime, recovery, audit and tests use.

    announce(...)                       the first event, or a refusal
    begin(announced)                    the tournament that it announces
    decide(state, command, now, given)  all events that a command causes, or `Refused`
    evolve(state, event)                the state after one more event
    due(state)                          when it next needs a tick or a report, or None
    replay(events)                      the fold of a whole log
    is_done(state)                      nothing more will ever happen to it

Laws. A state is a function of the events alone. Instants never go back. Commands may come twice:
the second time they cause nothing. A tournament that is over or called off stays so. Every command
is decided together with its consequences: log all of that as one, or none of it.
"""

from __future__ import annotations

from samedeal_server.racing.race import Refused

from .announcing import announce
from .clockwork import due
from .decide import decide
from .demands import is_large
from .fold import begin, evolve, replay
from .state import State

__all__ = [
    "Refused",
    "State",
    "announce",
    "begin",
    "decide",
    "due",
    "evolve",
    "is_done",
    "is_large",
    "replay",
]


def is_done(state: State) -> bool:
    """Says whether the tournament has ended, and none is still to follow it."""
    return state.is_final and due(state) is None
