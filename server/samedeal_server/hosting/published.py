"""What the log of a tournament that is over proves to whoever has nothing but the log.

Nothing in it is believed: seed and salt are held against the commitment that everybody saw from the
beginning, every pairing, result and the end are made once more, and the standings are reckoned anew
for whoever compares them with what was published. How a race went, its own replay proves.

A log that was cut off after its end, or that was forged as a whole, agrees with itself: only the
chain's end that the server publishes with the standings shows that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.tournament.events import Announced, parse_line
from samedeal_server.spelling import seemly

from .audit import findings
from .fold import replay
from .pages import chain
from .state import State
from .view import table

__all__ = ["Report", "look"]


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, in lines to be read."""

    passed: bool
    lines: tuple[str, ...]


def look(log: bytes, *, head: str | None = None) -> Report:
    """Audits a log: an event a line, or one JSON list of events. Never raises for a bad one.

    `head` is the published end of its hash chain, in hex, if that is known. The log may have gone
    on since.
    """
    lines: Sequence[bytes] = ()
    announced = None
    with suppress(*UNREADABLE):
        lines = _lines(log)
        announced = parse_line(lines[0]) if lines else None
    if not isinstance(announced, Announced):
        return _report(False, ["this is no log of a tournament: it begins with no announcement"])
    called = f"{announced.terms.name} ({announced.tournament})"
    if not announced.seed:
        missing = "its seed is not in it: ask for the log when it is over"
        return _report(False, [f"{called}: {missing}"])
    found = list(findings(announced.tournament, lines, is_over=False))
    if not found:
        events = [parse_line(line) for line in lines]
        state = replay(events)
        if state.is_final:
            verdict = f"{called}: {len(lines):,} events, all in order"
            is_published, ends = _compared(list(chain(state, events)), head)
            if not is_published:
                return _report(False, [f"{called}: {ends}"])
            return _report(True, [verdict, ends, *_standings(state)])
        found = ["its end is missing"]
    return _report(False, [f"{called}: {each}" for each in found])


def _compared(chained: Sequence[str], head: str | None) -> tuple[bool, str]:
    """Returns whether a log is what was published, and how far that is known, as a sentence."""
    count = len(chained)
    if head is None:
        return True, (
            f"it ends in {chained[-1]}; whether it was published so is not known: "
            "say with --head what the standings say"
        )
    published = head.strip().lower()
    if published not in chained:
        return False, (
            f"no event ends the chain as it was published, in {published[:16]}...: "
            "something has been changed or is missing"
        )
    number = chained.index(published) + 1
    if number < count:
        later = f"it was published up to event {number:,}, and {count - number:,} came later"
        return True, later
    return True, f"complete: event {count:,} ends the chain as it was published"


def _report(passed: bool, lines: Sequence[str]) -> Report:
    # Whoever made the file chose the names in it.
    return Report(passed, tuple(map(seemly, lines)))


def _lines(log: bytes) -> Sequence[bytes]:
    if log.lstrip().startswith(b"["):
        return [msgspec.json.encode(event) for event in msgspec.json.decode(log, type=list[object])]
    return [line for line in log.splitlines() if line.strip()]


def _standings(state: State) -> Iterator[str]:
    for line in table(state).lines:
        marks = "".join(f", {mark.what} {mark.value}" for mark in line.marks)
        yield f"{line.place} {state.players[line.player].name}{marks}"
