"""A finished race as plain data, and whether it is rated.

Whoever began is among the entrants, and nobody else: the withdrawn, and those who never opened an
async race, left no trace. A place is that of the race's own ranking, in which those who did not
finish come after all who did, and equals share a place.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from samedeal_protocol.events import EntrantState

__all__ = ["Ending", "FinishedRace", "Ranked", "Unrated", "why_unrated"]

RANKED: Final = frozenset(
    {
        EntrantState.FINISHED,
        EntrantState.STUCK,
        EntrantState.GAVE_UP,
        EntrantState.OUT_OF_TIME,
        EntrantState.DISQUALIFIED,
    }
)
"""States in which somebody who began may end."""


class Ending(Enum):
    """How a race came to its end."""

    PLAYED = "played"
    WALKOVER = "walkover"
    """It was awarded without being played."""
    CANCELLED = "cancelled"


class Unrated(Enum):
    """Why a race changes no rating."""

    CASUAL = "casual"
    """Its terms do not say that it is rated."""
    CANCELLED = "cancelled"
    WALKOVER = "walkover"
    UNVERIFIED = "unverified"
    """Its log does not stand up to being checked."""
    ALONE = "alone"
    """Fewer than two began."""
    MIXED = "mixed"
    """People and bots both began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One who began, and what came of it."""

    player: str
    bot: bool = False
    place: int
    state: EntrantState
    elapsed_ms: int | None = None
    """A finisher's time, penalties included; nobody else has one."""
    done_at: int
    """When the entrant's own race ended, in milliseconds of UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRace:
    """One race that is over.

    Raises:
        ValueError: the entrants contradict themselves: a player twice, a time without a finish, a
            place below 1, somebody who did not finish level with or before a finisher.
    """

    race: str
    at: int
    """When the race was over, in milliseconds of UTC; ratings count from this instant."""
    game: str
    """The game's key, or `key:variant`: a variant is a game of its own."""
    deal: str
    """What tells deals of the game apart: the seed."""
    listed: bool = True
    """Anybody may be told its code."""
    rated: bool = True
    """The terms say that the race is rated."""
    verified: bool = True
    """The log was checked from deal to ranking, and holds."""
    ending: Ending = Ending.PLAYED
    entrants: tuple[Ranked, ...]

    @property
    def order(self) -> tuple[int, str]:
        """Where the race stands among all: by its end, and then by its code."""
        return self.at, self.race

    def __post_init__(self) -> None:
        if len({each.player for each in self.entrants}) != len(self.entrants):
            raise ValueError(f"race {self.race}: a player is there twice")
        last_finish = 0
        for each in self.entrants:
            if each.state not in RANKED or each.place < 1:
                raise ValueError(f"race {self.race}: {each.player} has no rank")
            if (each.state is EntrantState.FINISHED) != (each.elapsed_ms is not None):
                raise ValueError(f"race {self.race}: finishers have a time, and nobody else")
            if each.state is EntrantState.FINISHED:
                last_finish = max(last_finish, each.place)
        if any(
            each.place <= last_finish
            for each in self.entrants
            if each.state is not EntrantState.FINISHED
        ):
            raise ValueError(f"race {self.race}: those who did not finish come after all who did")


def why_unrated(race: FinishedRace) -> Unrated | None:
    """Returns the first reason for which a race changes no rating, or None for a rated race."""
    if not race.rated:
        return Unrated.CASUAL
    if race.ending is Ending.CANCELLED:
        return Unrated.CANCELLED
    if race.ending is Ending.WALKOVER:
        return Unrated.WALKOVER
    if not race.verified:
        return Unrated.UNVERIFIED
    if len(race.entrants) < 2:
        return Unrated.ALONE
    if len({each.bot for each in race.entrants}) > 1:
        return Unrated.MIXED
    return None
