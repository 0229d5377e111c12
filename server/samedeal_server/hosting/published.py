"""What the log of a tournament that is over proves to whoever has nothing but the log.

Nothing in it is believed: seed and salt are held against the commitment that everybody saw from the
beginning, every pairing, result and the end are made once more, and the standings are reckoned anew
for whoever compares them with what was published. How a race went, its own replay proves.

A log that was cut off and called off, or that was forged as a whole, agrees with itself: only the
chain's end that the server publishes with the standings shows that. Who was not ready in time, who
has left, what staff ruled and how a race went are the server's word; without that end it is said of
which matches nothing more is proven than that it could have been so. A line is just its event as
the server writes it, so that nothing can stand in it unseen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import msgspec

from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.tournament.events import Announced, TournamentEvent, parse_line, to_line
from samedeal_server.spelling import seemly

from .audit import findings
from .fold import replay
from .pages import chain, redacted
from .state import Match, RaceState, State
from .view import table

__all__ = ["Report", "look"]

_NAMED: Final = 10
"""How many matches are named of which something is not proven."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, in lines to be read."""

    passed: bool
    lines: tuple[str, ...]


def look(log: bytes, *, head: str | None = None) -> Report:
    """Audits a log: an event a line, or one JSON list of events. Never raises for a bad one.

    `head` is the published end of its hash chain, in hex, if that is known. The log may have gone
    on since by what the rules leave to a tournament that is over; the standings told are those of
    the event whose end was published, and the rest is said to be vouched for by nobody. It passes
    only if that event is the tournament's end or comes after it.
    """
    try:
        return _looked(_lines(log), head)
    except Exception as fault:
        # Whoever made the file may have thought of anything; it is a finding about that file alone.
        reason = str(fault) or type(fault).__name__
        return _report(False, [f"this is no log of a tournament: {reason}"])


def _looked(lines: Sequence[bytes], head: str | None) -> Report:
    announced = None
    with suppress(*UNREADABLE):
        announced = parse_line(lines[0]) if lines else None
    if not isinstance(announced, Announced):
        return _report(False, ["this is no log of a tournament: it begins with no announcement"])
    called = f"{announced.terms.name} ({announced.tournament})"
    if not announced.seed:
        missing = "its seed is not in it: ask for the log when it is over"
        return _report(False, [f"{called}: {missing}"])
    found = list(findings(announced.tournament, lines, is_over=False))
    if found:
        return _report(False, [f"{called}: {each}" for each in found])
    events = [parse_line(line) for line in lines]
    state = replay(events)
    if not state.is_final:
        return _report(False, [f"{called}: its end is missing"])
    number = _misspelt(state, lines, events)
    if number is not None:
        wrong = f"event {number} is not written as the server writes it, to the byte"
        return _report(False, [f"{called}: {wrong}"])
    try:
        known, ends = _compared(state, events, head)
    except _Unpublished as fault:
        return _report(False, [f"{called}: {fault}"])
    verdict = f"{called}: {len(lines):,} events, all in order"
    unproven = _unproven(known) if head is None else ()
    return _report(True, [verdict, ends, *unproven, *_standings(known)])


def _misspelt(
    state: State, lines: Sequence[bytes], events: Sequence[TournamentEvent]
) -> int | None:
    """Returns the number of the first line that is not its event as the server shows it."""
    # The host reads all that anybody may.
    host = state.announced.host
    for number, (line, event) in enumerate(zip(lines, events, strict=True), 1):
        if line != to_line(redacted(state, host, event)):
            return number
    return None


class _Unpublished(Exception):
    """The log is not what was published, as a sentence."""


def _compared(
    state: State, events: Sequence[TournamentEvent], head: str | None
) -> tuple[State, str]:
    """Returns what is known to have been published, and how far, as a sentence.

    The lines are those that the server writes, so that hashing these events hashes the lines.
    """
    chained = list(chain(state, events))
    count = len(chained)
    if head is None:
        return state, (
            f"it ends in {chained[-1]}; whether it was published so is not known: "
            "say with --head what the standings say"
        )
    published = head.strip().lower()
    if published not in chained:
        raise _Unpublished(
            f"no event ends the chain as it was published, in {published[:16]}...: "
            "something has been changed or is missing"
        )
    number = chained.index(published) + 1
    if number == count:
        return state, f"complete: event {count:,} ends the chain as it was published"
    known = replay(events[:number])
    if not known.is_final:
        raise _Unpublished(
            f"{published[:16]}... ends the chain at event {number:,}, before the end: "
            "it says nothing of the results; the final standings name theirs"
        )
    return known, (
        f"it was published up to event {number:,}, and the standings are those; "
        f"for what came later ({count - number:,}) nothing vouches"
    )


def _unproven(state: State) -> Iterator[str]:
    """Yields what the log alone cannot prove of how its matches ended, as one sentence, if any."""
    matches = state.matches.values()
    unplayed = [_unplayed(match) for match in matches if match.unplayed]
    ruled = [match.id for match in matches if match.overridden]
    ruled += [f"{entry.name} is out" for entry in state.players.values() if entry.disqualified]
    races = sum(race.state is RaceState.OVER for match in matches for race in match.races)
    said: list[str] = []
    if unplayed:
        said.append(f"why matches were not played ({_listed(unplayed)})")
    if ruled:
        said.append(f"what staff ruled ({_listed(ruled)})")
    if races:
        went = "1 race" if races == 1 else f"{races:,} races"
        said.append(f"how {went} went, beyond what their own replays prove")
    if said:
        yield f"not proven without --head: {'; '.join(said)}"


def _unplayed(match: Match) -> str:
    """Returns why nobody played for a match, and whose replay shows who was ready."""
    seen = f", see race {match.races[-1].code}" if match.races else ""
    return f"{match.id}: {match.unplayed}{seen}"


def _listed(things: Sequence[str]) -> str:
    more = len(things) - _NAMED
    return "; ".join([*things[:_NAMED], *([f"and {more:,} more"] if more > 0 else [])])


def _report(passed: bool, lines: Sequence[str]) -> Report:
    # Whoever made the file chose the names in it.
    return Report(passed, tuple(map(seemly, lines)))


def _lines(log: bytes) -> Sequence[bytes]:
    if log.lstrip().startswith(b"["):
        # Spaces and escapes are whoever's that wrote the list; the lines are made anew.
        listed: list[object] = json.loads(log, object_pairs_hook=_once)
        return [msgspec.json.encode(event) for event in listed]
    return [line for line in log.splitlines() if line.strip()]


def _once(fields: list[tuple[str, object]]) -> dict[str, object]:
    named = dict(fields)
    if len(named) < len(fields):
        raise ValueError("a field of an event stands in it twice")
    return named


def _standings(state: State) -> Iterator[str]:
    for line in table(state).lines:
        marks = "".join(f", {mark.what} {mark.value}" for mark in line.marks)
        yield f"{line.place} {state.players[line.player].name}{marks}"
