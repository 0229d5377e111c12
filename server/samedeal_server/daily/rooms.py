"""The races of a day: their codes, their terms, and which game it is.

A day's deal is played in rooms, since a race takes so many and no more. People and bots have rooms
of their own: `daily-20261130`, `daily-20261130-2`, ... and `daily-20261130-bots`,
`daily-20261130-bots-2`, ... Each is opened when the ones before it are full. The first room of the
people has the deal that all have: whoever opens another reads the seed there.

All rooms of a day end at one instant, since the first to be over gives the seed away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from samedeal_protocol.terms import DAY, Mode, Sight, Terms, Undo, Visibility
from samedeal_server.racing.decisions import ENTRIES
from samedeal_server.racing.race import Race

from .days import Day

__all__ = ["LIMIT_S", "PLACES", "Room", "first_room", "game_of", "is_full", "terms_of"]

PLACES: Final = 64
"""Entrants of a room."""
LIMIT_S: Final = 3600
"""How long an attempt may take."""
_CODE: Final = re.compile(r"daily-(\d{8})(-bots)?(?:-([1-9]\d{0,5}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Room:
    """One race of a day."""

    day: Day
    number: int = 1
    bots: bool = False

    @classmethod
    def read(cls, code: str) -> Room | None:
        """Returns the room with that code; None for the code of another race."""
        found = _CODE.fullmatch(code)
        if found is None:
            return None
        try:
            room = cls(Day.read(found[1]), int(found[3] or 1), found[2] is not None)
        except ValueError:
            return None
        return room if room.code == code else None

    @property
    def code(self) -> str:
        """The race's code."""
        kind = "-bots" if self.bots else ""
        number = "" if self.number == 1 else f"-{self.number}"
        return f"daily-{self.day}{kind}{number}"

    @property
    def next(self) -> Room:
        """The room that is opened when this one is full."""
        return Room(self.day, self.number + 1, self.bots)


def first_room(day: Day) -> Room:
    """Returns the room that has the day's seed; it is opened before all others."""
    return Room(day)


def game_of(day: Day, games: Iterable[str]) -> str:
    """Returns the key of the day's game: all games in the order of the alphabet, one a day.

    A day that has begun plays what its first room says, whatever games there are by then.
    """
    keys = sorted(games)
    return keys[day.number % len(keys)]


def terms_of(room: Room, game: str) -> Terms:
    """Returns the terms of a room, which is opened as of the day's first instant."""
    return Terms(
        game=game,
        mode=Mode.ASYNC,
        limit=LIMIT_S,
        closes=DAY,
        punctual=True,
        entrants_min=1,
        entrants_max=PLACES,
        undo=Undo.NOT_PAST_A_REVEAL,
        visibility=Visibility.UNLISTED,
        spectators=Sight.NONE,
        blind=True,
        bots=room.bots,
        # The clock runs on for whoever is away; nobody loses their only attempt for it.
        grace=None,
    )


def is_full(race: Race) -> bool:
    """Returns whether a room takes nobody more."""
    return len(race.entered()) >= race.terms.entrants_max or len(race.entrants) >= ENTRIES
