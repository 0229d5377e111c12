"""Whether a stored race is whole: what `samedeal-server check` finds.

A race is in order when its events are numbered without a gap, each is readable and none goes back
in time; when it folds from its opening to its end, every move through the rules; when its seed and
salt keep the commitment, its finishes and its ranking follow from its events, and the hash that was
kept of its lines (a file keeps one at the race's end, a PostgreSQL always) is still theirs. What
makes a tournament whole, `hosting.audit` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.events import (
    EntrantState,
    Event,
    Opened,
    RematchOpened,
    Said,
    chained,
    parse_line,
)
from samedeal_server.hosting.audit import findings, keeps_promise
from samedeal_server.hosting.codes import is_cup
from samedeal_server.racing.race import Entrant, Race, begin, evolve
from samedeal_server.racing.standings import rank
from samedeal_server.stored import StoredRace

__all__ = ["audit", "retold"]


def audit(race: StoredRace) -> list[str]:
    """Returns what is wrong with a race or tournament, in sentences; nothing if it is in order."""
    if is_cup(race.row.race):
        of_events = findings(race.row.race, race.lines, is_over=race.row.is_over)
        return [*_chain(race), *of_events]
    events: list[Event] = []
    for number, line in enumerate(race.lines, 1):
        try:
            events.append(parse_line(line))
        except UNREADABLE as fault:
            return [f"event {number} cannot be read: {fault}"]
    return [*_chain(race), *_content(race, events)]


def _chain(race: StoredRace) -> Iterator[str]:
    if race.seqs != list(range(1, len(race.seqs) + 1)):
        yield f"its events are not numbered 1 to {len(race.seqs)}"
    if not race.is_placed:
        yield "the store's note of where its events are is wrong"
    if race.head is None or race.head_seq is None:
        if race.row.is_over:
            yield "it ended, but the hash of its events was not kept"
        return
    if race.head_seq > len(race.lines):
        yield "not all events that it had are there"
        return
    if chained(race.lines[: race.head_seq]) != race.head:
        yield "its events are not those that were stored: the hash chain differs"


def _content(race: StoredRace, events: Sequence[Event]) -> Iterator[str]:
    folded, wrong = retold(race.row.race, events)
    yield from wrong
    if folded is not None and folded.is_final != race.row.is_over:
        yield f"it is marked as {'over' if race.row.is_over else 'unfinished'}, wrongly"


def retold(code: str, events: Sequence[Event]) -> tuple[Race | None, list[str]]:
    """Returns what a race's events come to, None if to nothing, and what is wrong with them."""
    if not events or not isinstance(events[0], Opened):
        return None, ["it does not begin with its opening"]
    opened = events[0]
    wrong: list[str] = []
    if opened.race != code:
        wrong.append(f"its events are those of the race {opened.race}")
    for number, (before, after) in enumerate(pairwise(events), 2):
        if after.at < before.at:
            wrong.append(f"event {number} is earlier than the one before it")
    if not keeps_promise(opened):
        wrong.append("its seed and salt are not those that were committed to")
    folded = _folded(opened, events[1:])
    if isinstance(folded, str):
        return None, [*wrong, folded]
    if folded.standings and folded.standings != rank(folded.entrants):
        wrong.append("its ranking does not follow from its events")
    wrong += [
        f"entrant {each.number} has not finished as it says"
        for each in folded.entrants
        if each.state is EntrantState.FINISHED and not _has_finished(each)
    ]
    return folded, wrong


def _has_finished(entrant: Entrant) -> bool:
    """Says whether the board is won, and the time that of the last move, with the penalties."""
    table = entrant.table
    time_ms = entrant.last_ms + entrant.penalty_ms
    return table is not None and table.won and entrant.elapsed_ms == time_ms


def _folded(opened: Opened, events: Sequence[Event]) -> Race | str:
    """Returns what the race has come to, or which event cannot be and why."""
    number = 0
    try:
        race = begin(opened)
        while number < len(events):
            if race.is_final and not isinstance(events[number], Said | RematchOpened):
                return f"event {number + 2} cannot happen after the end"
            evolve(race, events[number])
            number += 1
    except Exception as fault:
        # Whatever a damaged file makes the fold raise, it is a finding about that race alone.
        reason = str(fault) or type(fault).__name__
        return f"event {number + 2} does not follow from those before: {reason}"
    return race
