"""The races that a player was in, as everybody may know them: over, public and not annulled.

One that is unlisted or behind a pass phrase is not told of at all, and what is not over has no
result yet: a blind race, too, is first heard of here when it hides nothing any more.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from samedeal_protocol.bases import Limit, Offset
from samedeal_protocol.events import EntrantState
from samedeal_server.ports import Player
from samedeal_server.ratings.ledger import Ledger
from samedeal_server.ratings.races import why_unrated

__all__ = ["Asked", "PastRace", "PastRaces", "past_races"]


class Asked(Struct, frozen=True, kw_only=True):
    """Which of a player's races are asked for."""

    name: str
    offset: Offset = 0
    """How many of the newest to leave out."""
    limit: Limit = 20


class PastRace(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One race of a player's that is over."""

    race: str
    at: int
    """When it was over, in milliseconds of UTC."""
    game: str
    place: int
    of: int
    """How many began."""
    state: EntrantState
    elapsed_ms: int | None = None
    """The player's time; only who finished has one."""
    rated: bool = False
    """Whether it counted for ratings."""


class PastRaces(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Some of a player's races, the newest first."""

    name: str
    bot: bool = False
    total: int
    offset: int = 0
    races: tuple[PastRace, ...]


def past_races(ledger: Ledger, player: Player, *, offset: int, limit: int) -> PastRaces:
    """Returns some of a player's races; costs no more for those that are not among them."""
    return PastRaces(
        name=player.name,
        bot=player.bot,
        total=len(ledger.listed(player.player)),
        offset=offset,
        races=tuple(_newest(ledger, player.player, offset, limit)),
    )


def _newest(ledger: Ledger, player: str, offset: int, limit: int) -> Iterator[PastRace]:
    races = ledger.listed(player)
    end = max(0, len(races) - offset)
    for race in reversed(races[max(0, end - limit) : end]):
        own = next(each for each in race.entrants if each.player == player)
        yield PastRace(
            race=race.race,
            at=race.at,
            game=race.game,
            place=own.place,
            of=len(race.entrants),
            state=own.state,
            elapsed_ms=own.elapsed_ms,
            rated=why_unrated(race) is None,
        )
