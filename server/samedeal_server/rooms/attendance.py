"""Whether somebody is still at the race in which a bot of the house sits.

Somebody is there who is connected and none of the house: an entrant, on whatever node, or on this
one whoever watches or hosts. Other people's bots are somebody: they race for them. Whoever is there
but does nothing for long is as good as gone, except before an instant that the race waits for.
Nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final

from samedeal_protocol.terms import Start
from samedeal_server.racing.race import Phase, Race
from samedeal_server.rooms.room import Room

__all__ = ["ALONE_MS", "AWAY_MS", "STILL_MS", "Attendance"]

ALONE_MS: Final = 2 * 60_000
"""How long a bot waits for a start with nobody there."""
AWAY_MS: Final = 5 * 60_000
"""How long it plays on with nobody there."""
STILL_MS: Final = 10 * 60_000
"""How long it stays where people are and nobody does anything."""


class Attendance:
    """What was seen of others at one bot's race."""

    def __init__(self, now: int) -> None:
        self._signs: object = None
        self._stirred_at = now
        self._seen_at = now
        self.due = now + ALONE_MS
        """When the bot is to leave if everything stays as it was seen last."""

    def look(self, room: Room | None, now: int, *, house: AbstractSet[str]) -> None:
        """Notes who is there at `now`; a race that is not in memory has nobody.

        `house` is who the house's own bots are, by player id.
        """
        if room is None:
            self.due = self._seen_at + ALONE_MS
            return
        race = room.race
        has_not_begun = race.phase is Phase.OPEN
        signs = _signs(race, house)
        if signs != self._signs or (has_not_begun and race.terms.start is Start.AT):
            self._signs, self._stirred_at = signs, now
        self.due = self._stirred_at + STILL_MS
        if _is_attended(room, house):
            self._seen_at = now
        else:
            self.due = min(self.due, self._seen_at + (ALONE_MS if has_not_begun else AWAY_MS))


def _is_attended(room: Room, house: AbstractSet[str]) -> bool:
    entrants = room.race.by_player.values()
    return any(
        each.is_in and not each.away and each.player not in house for each in entrants
    ) or any(not viewer.is_afar and viewer.who.player not in house for viewer in room.viewers())


def _signs(race: Race, house: AbstractSet[str]) -> object:
    """Returns what is another whenever somebody has done something."""
    if race.phase is Phase.OPEN:
        return race.seq
    entrants = race.by_player.values()
    return race.phase, [(each.state, each.last) for each in entrants if each.player not in house]
