"""The log as a viewer may read it: whole once the tournament is final, but for lasting secrets.

Until then it is the audit: everything that was done, by whom and why, without what would tell of
deals to come. Never shown are the pass phrase's hash, where results are posted and how they are
signed, and the seed and salt of the next in a series; names of people invited only to the staff.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from samedeal_protocol.events import CHAIN_START, link
from samedeal_protocol.tournament import events
from samedeal_protocol.tournament.events import TournamentEvent, to_line

from .rights import Right, right_of
from .state import State

__all__ = ["chain", "lines", "redacted"]

_STRANGER = ""


def lines(state: State, viewer: str, log: Iterable[TournamentEvent]) -> tuple[str, ...]:
    """Returns events of the log as lines for the player of that id."""
    return tuple(to_line(redacted(state, viewer, event)).decode() for event in log)


def chain(state: State, log: Iterable[TournamentEvent]) -> Iterator[str]:
    """Yields the end of the hash chain after each event, in hex, as everybody may read the log.

    For a tournament that is over: those of staff may read more of it, and have the same chain.
    """
    end = CHAIN_START
    for line in lines(state, _STRANGER, log):
        end = link(end, line.encode())
        yield end.hex()


def redacted(state: State, viewer: str, event: TournamentEvent) -> TournamentEvent:
    """Returns the event without what the viewer may not know, as the tournament stands now."""
    is_staff = right_of(state, viewer) >= Right.REFEREE
    match event:
        case events.Announced():
            shown = replace(event, phrase_hash="", hooks=())
            if not is_staff:
                shown = replace(shown, invited=())
            return shown if state.is_final else replace(shown, seed="", salt="")
        case events.Invited():
            return event if is_staff else replace(event, names=())
        case events.Called():
            return event if state.is_final else replace(event, salt="")
        case events.Hooked():
            return replace(event, url="", secret="")
        case events.Unhooked():
            return replace(event, url="")
        case events.Followed():
            return replace(event, seed="", salt="")
        case _:
            return event
