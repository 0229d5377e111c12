"""Who did how on a day, over all its rooms.

The order is that of every race: finishers by time, then the others by cards home; equals share a
place. Only who has played to an end stands on the board. Of a player who is in two rooms, which two
nodes can bring about that do not know of each other, the attempt counts whose deal was opened
first, and of two unopened ones that in the room with the lower number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from samedeal_protocol.events import Began, Entered, EntrantState, Over, parse_line
from samedeal_server.racing.race import Race
from samedeal_server.racing.standings import key_of, places
from samedeal_server.racing.state import DONE

from .rooms import Room

__all__ = ["Attempt", "Line", "attempts", "by_player", "ranked", "read_back"]

_MOVE: Final = b'{"event":"played"'
"""How nearly all lines of a log begin, and none that is needed here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One player in one room."""

    player: str
    name: str
    bot: bool
    room: Room
    state: EntrantState
    began_at: int | None
    """When the deal was opened."""
    home: int = 0
    moves: int = 0
    elapsed_ms: int | None = None

    @property
    def is_done(self) -> bool:
        """Played to an end, whichever."""
        return self.state in DONE

    @property
    def precedence(self) -> tuple[bool, int, bool, int]:
        """Of a player's attempts the one with the least counts."""
        return self.began_at is None, self.began_at or 0, self.room.bots, self.room.number


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a board."""

    place: int
    attempt: Attempt


def attempts(room: Room, race: Race) -> tuple[Attempt, ...]:
    """Returns everybody who is in a room, as the race stands."""
    return tuple(
        Attempt(
            player=each.player,
            name=each.name,
            bot=each.bot,
            room=room,
            state=each.state,
            began_at=each.began_at,
            home=each.home,
            moves=each.moves,
            elapsed_ms=each.elapsed_ms,
        )
        for each in race.entered()
    )


def read_back(room: Room, lines: Iterable[bytes]) -> tuple[Attempt, ...]:
    """Returns who played in a room, from the log of a race that has ended; deals no board."""
    entered: dict[int, Entered] = {}
    began: dict[int, int] = {}
    over: Over | None = None
    for line in lines:
        if line.startswith(_MOVE):
            continue
        match parse_line(line):
            case Entered() as event:
                entered[event.entrant] = event
            case Began(entrant=number, at=at):
                began[number] = at
            case Over() as event:
                over = event
            case _:
                pass
    return tuple(
        Attempt(
            player=entered[each.entrant].player,
            name=entered[each.entrant].name,
            bot=entered[each.entrant].bot,
            room=room,
            state=each.state,
            began_at=began.get(each.entrant),
            home=each.home,
            moves=each.moves,
            elapsed_ms=each.elapsed_ms,
        )
        for each in (() if over is None else over.standings)
    )


def by_player(everybody: Iterable[Attempt]) -> dict[str, Attempt]:
    """Returns the attempt of each player that counts."""
    counted: dict[str, Attempt] = {}
    for each in everybody:
        other = counted.get(each.player)
        if other is None or each.precedence < other.precedence:
            counted[each.player] = each
    return counted


def ranked(everybody: Iterable[Attempt], *, bots: bool) -> tuple[Line, ...]:
    """Returns the board of the people, or of the bots; equals stand in the order of opening."""
    keyed = sorted(
        (
            (key, each.began_at or 0, each.player, each)
            for each in everybody
            if each.is_done and each.bot == bots
            if (key := key_of(each.state, home=each.home, elapsed_ms=each.elapsed_ms)) is not None
        ),
        key=lambda line: line[:3],
    )
    by_place = places([line[0] for line in keyed])
    return tuple(Line(place, line[3]) for place, line in zip(by_place, keyed, strict=True))
