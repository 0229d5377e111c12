"""What a race has come to, from its own log: checked from the deal to the ranking, then counted.

The store keeps the outcome in a short form, so that a start need not check every race again. It is
made again from the log where it is missing or was made by another version of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.events import Event, Opened, parse_line
from samedeal_server.audit import retold
from samedeal_server.racing.audience import is_public
from samedeal_server.racing.race import Phase, Race
from samedeal_server.ratings.races import Ending, FinishedRace, Ranked

__all__ = ["Summary", "finished", "read_summary", "write_summary"]

VERSION: Final = 2
"""Of how races are checked and told; another one makes all of them anew."""


class Summary(Struct, frozen=True):
    """What the store keeps of one race. Without a race there is nothing to count."""

    version: int
    race: FinishedRace | None


_decode: Final = msgspec.json.Decoder(Summary).decode
_encode: Final = msgspec.json.Encoder().encode


def write_summary(race: FinishedRace | None) -> bytes:
    """Returns the short form of what a race has come to."""
    return _encode(Summary(VERSION, race))


def read_summary(stored: bytes | None) -> Summary | None:
    """Reads a short form back; None for what must be made anew from the log."""
    if stored is None:
        return None
    try:
        summary = _decode(stored)
    except UNREADABLE:
        return None
    return summary if summary.version == VERSION else None


def finished(code: str, lines: Sequence[bytes]) -> FinishedRace | None:
    """Returns what came of a race that has ended; None for lines that are no race's.

    A race whose log does not hold is not verified, and nobody has a place in it.
    """
    events, is_readable = _events(lines)
    if not events or not isinstance(events[0], Opened):
        return None
    opened, last = events[0], events[-1]
    race, wrong = retold(code, events) if is_readable else (None, [])
    is_sound = race is not None and race.is_final and not wrong
    is_over = race is not None and race.phase is Phase.OVER
    return FinishedRace(
        race=code,
        at=last.at if race is None or race.ended_at is None else race.ended_at,
        game=opened.terms.game if race is None else race.game.key,
        deal=opened.seed,
        listed=is_public(opened.terms),
        rated=opened.terms.rated and not opened.seeded,
        verified=is_sound,
        ending=Ending.PLAYED if is_over or not is_sound else Ending.CANCELLED,
        entrants=_ranked(race) if race is not None and is_sound else (),
    )


def _events(lines: Sequence[bytes]) -> tuple[list[Event], bool]:
    """Returns the events up to the first that cannot be read, and whether there is none such."""
    events: list[Event] = []
    for line in lines:
        try:
            events.append(parse_line(line))
        except UNREADABLE:
            return events, False
    return events, True


def _ranked(race: Race) -> tuple[Ranked, ...]:
    """Returns those who began, by place; a race that was cancelled has no ranking."""
    found: list[Ranked] = []
    for place in race.standings:
        entrant = race.entrants[place.entrant - 1]
        if entrant.clock_ms is None:
            raise AssertionError("whoever is ranked in a race that is over is done")
        found.append(
            Ranked(
                player=entrant.player,
                bot=entrant.bot,
                place=place.place,
                state=place.state,
                elapsed_ms=place.elapsed_ms,
                done_at=entrant.zero + entrant.clock_ms,
            )
        )
    return tuple(found)
