"""What an annulment changes for whom, as it is published: with the ruling, for good.

Names are those of the day of the ruling. Whoever has all finished races can recompute each number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
from msgspec import Struct

from samedeal_server.ports import Ruling
from samedeal_server.ratings.book import Difference
from samedeal_server.ratings.ledger import Ledger
from samedeal_server.ratings.model import Rating

__all__ = ["Annulment", "Changed", "Side", "annulment", "told", "written"]


class Side(Struct, frozen=True, kw_only=True):
    """A rating before or after."""

    mu: float
    sigma: float
    races: int


class Changed(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One rating that an annulment has changed. Without a side, the player has none on it."""

    name: str
    bots: bool = False
    game: str | None = None
    """None for all games together."""
    before: Side | None = None
    after: Side | None = None


class Annulment(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A ruling and what it changed."""

    race: str | None = None
    """None where the race was unlisted."""
    at: int
    """When it was ruled, in milliseconds of UTC."""
    annulled: bool
    """False where the race counts again."""
    reason: str
    changes: tuple[Changed, ...]


_decode: Final = msgspec.json.Decoder(tuple[Changed, ...]).decode
_encode: Final = msgspec.json.Encoder().encode


def told(differences: Iterable[Difference], names: Mapping[str, str]) -> tuple[Changed, ...]:
    """Returns differences with the players' names; who has none keeps the id."""
    return tuple(
        Changed(
            name=names.get(each.player, each.player),
            bots=each.pool.bots,
            game=each.pool.game,
            before=_side(each.before),
            after=_side(each.after),
        )
        for each in differences
    )


def written(changes: Iterable[Changed]) -> bytes:
    """Returns changes as a ruling keeps them."""
    return _encode(tuple(changes))


def annulment(ruling: Ruling, ledger: Ledger) -> Annulment:
    """Returns a ruling as it is published."""
    race = ledger.race(ruling.race) or ledger.annulled.get(ruling.race)
    return Annulment(
        race=ruling.race if race is not None and race.listed else None,
        at=ruling.at,
        annulled=ruling.is_annulled,
        reason=ruling.reason,
        changes=_decode(ruling.differences),
    )


def _side(rating: Rating | None) -> Side | None:
    if rating is None:
        return None
    return Side(mu=rating.mu, sigma=rating.sigma, races=rating.races)
