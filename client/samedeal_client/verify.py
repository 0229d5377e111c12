"""What a replay file proves: the report, and the checks that need only the file's bytes.

A replay file is JSON lines in UTF-8: a header, the race's log exactly as it was kept, and the end
of the log's hash chain. Nothing in it is believed. `auditor` recomputes the race itself.

Whoever rewrites a whole file can make it agree with itself again: only a chain end that was
published elsewhere (`head`) shows that. The header's `server` is a remark and proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import msgspec

from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.events import Event, Opened, Place, parse_line, to_line
from samedeal_protocol.terms import Terms

from .auditor import CHECKS as RACE_CHECKS
from .auditor import Auditor

__all__ = ["CHECKS", "Check", "Report", "verify"]

CHECKS: Final = ("file", "chain", *RACE_CHECKS)
"""What is looked at, in the order of the report."""

_FORMAT: Final = "replay/1"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    """One of `CHECKS`."""
    passed: bool
    found: str
    """What was found, as a sentence."""
    line: int | None = None
    """The file's line (1 is the header) at which it first fails."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a replay file proves."""

    checks: tuple[Check, ...]
    race: str | None = None
    terms: Terms | None = None
    seed: str | None = None
    standings: tuple[Place, ...] = ()
    """As recomputed, whatever the file says."""
    names: tuple[tuple[int, str], ...] = ()
    """(entrant, name), by number."""
    head: str | None = None
    """The hash chain's end as recomputed; compare it with what the server publishes."""

    @property
    def passed(self) -> bool:
        """Everything holds."""
        return all(check.passed for check in self.checks)

    @property
    def failure(self) -> Check | None:
        """The failure of the earliest line, if any check failed."""
        failed = [check for check in self.checks if not check.passed]
        return min(failed, key=lambda check: (check.line is None, check.line or 0), default=None)

    def text(self) -> str:
        """Returns the report for people, one line a check."""
        lines = []
        for check in self.checks:
            where = "" if check.line is None else f" (line {check.line})"
            lines.append(f"{'ok  ' if check.passed else 'FAIL'} {check.name}: {check.found}{where}")
        return "\n".join(lines)


class _Header(msgspec.Struct):
    samedeal: str
    race: str
    server: str = ""


class _Footer(msgspec.Struct, forbid_unknown_fields=True):
    head: str


def verify(replay: bytes | Iterable[bytes | str], *, head: str | None = None) -> Report:
    """Audits a replay file: its bytes, or its lines. `head` is the published chain end, if known.

    Never raises for a bad file: the report says what is wrong and where.
    """
    lines = _lines(replay)
    try:
        header, events, footer = _parsed(lines)
    except _BadFile as fault:
        return Report((Check("file", False, fault.sentence, fault.line),))
    file = Check("file", True, f"a replay of race {header.race} with {len(events)} events")
    opened = events[0]
    if isinstance(opened, Opened) and opened.race != header.race:
        file = Check("file", False, f"the header says {header.race}, the log {opened.race}", 1)
    for number, (line, event) in enumerate(zip(lines[1:-1], events, strict=True), 2):
        if line != to_line(event):
            said = "this line is not its event as the server writes it, to the byte"
            file = Check("file", False, said, number)
            break
    chain = bytes(32)
    for line in lines[1:-1]:
        chain = sha256(chain + line).digest()
    auditor = Auditor()
    for number, event in enumerate(events, 2):
        auditor.look(event, line=number)
    auditor.end(line=len(lines))
    checks = [file, _chain(chain.hex(), footer.head, head, len(lines))]
    for name in RACE_CHECKS:
        wrong = auditor.faults.get(name)
        if wrong is None and auditor.has_stopped:
            checks.append(Check(name, False, "could not be looked at to the end"))
        elif wrong is None:
            checks.append(Check(name, True, auditor.findings[name]))
        else:
            checks.append(Check(name, False, wrong.sentence, wrong.line))
    return Report(
        checks=tuple(checks),
        race=header.race,
        terms=opened.terms if isinstance(opened, Opened) else None,
        seed=opened.seed if isinstance(opened, Opened) else None,
        standings=auditor.standings,
        names=auditor.names,
        head=chain.hex(),
    )


class _BadFile(Exception):
    """The file cannot be read as a replay."""

    def __init__(self, sentence: str, line: int) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.line = line


def _lines(replay: bytes | Iterable[bytes | str]) -> list[bytes]:
    if isinstance(replay, bytes):
        lines = replay.split(b"\n")
    else:
        lines = [line.encode() if isinstance(line, str) else line for line in replay]
        lines = [line[:-1] if line.endswith(b"\n") else line for line in lines]
    return lines[:-1] if lines and not lines[-1] else lines


def _parsed(lines: Sequence[bytes]) -> tuple[_Header, list[Event], _Footer]:
    if len(lines) < 3:
        raise _BadFile("a replay has a header, events and a last line with the chain's end", 1)
    try:
        header = msgspec.json.decode(lines[0], type=_Header)
    except UNREADABLE as fault:
        raise _BadFile(f"the header cannot be read: {fault}", 1) from fault
    if header.samedeal != _FORMAT:
        raise _BadFile(f"the format is {header.samedeal!r}; this reads {_FORMAT}", 1)
    events = []
    for number, line in enumerate(lines[1:-1], 2):
        try:
            events.append(parse_line(line))
        except UNREADABLE as fault:
            raise _BadFile(f"no event can be read here: {fault}", number) from fault
    try:
        footer = msgspec.json.decode(lines[-1], type=_Footer)
    except UNREADABLE as fault:
        sentence = f"the last line is no end of a replay; was the file cut off? ({fault})"
        raise _BadFile(sentence, len(lines)) from fault
    return header, events, footer


def _chain(computed: str, written: str, published: str | None, last: int) -> Check:
    if computed != written:
        sentence = "the events are not those that the chain's end was made from"
        return Check("chain", False, sentence, last)
    if published is not None and published.strip().lower() != computed:
        sentence = f"the chain agrees with itself, but its end is not the published {published}"
        return Check("chain", False, sentence, last)
    known = "the published end" if published is not None else "its own end"
    return Check("chain", True, f"the events hash to {known}, {computed[:16]}...")
