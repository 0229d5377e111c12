"""What a store holds, as values: for copies and checks, which look at a store from outside.

A source is everything in one store, or in one backup, as it was at one instant. Races come with
all of their events, one race at a time, so that no more than one need be in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from samedeal_server.ports import Player, RaceRow, Ruling

__all__ = ["Entrance", "Record", "Source", "StoredRace", "records"]


@dataclass(frozen=True, slots=True)
class StoredRace:
    """One race as it is stored. `head` is the chain's value after `head_seq` events."""

    row: RaceRow
    is_listed: bool
    seqs: list[int]
    """In the order of the store."""
    lines: list[bytes]
    head: bytes | None
    head_seq: int | None
    is_placed: bool
    """What the store notes of where the race's events are is so."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """That a player is an entrant or host of a race; a player's come in the order of entering."""

    player: str
    race: str


Record: TypeAlias = StoredRace | Player | Entrance | Ruling
"""One of the things that make up a store."""


class Source(Protocol):
    """Everything in a store, as it was at one instant. Each iterator is good for once."""

    @property
    def alive_at(self) -> int | None:
        """When a server last noted that it lived, in ms of UTC; a stoppage counts from there."""
        ...

    def count(self) -> int:
        """Returns how many races there are."""
        ...

    def count_events(self) -> int:
        """Returns how many events there are, also such as no race has."""
        ...

    def damage(self) -> list[str]:
        """Returns what is wrong with the store as a whole."""
        ...

    def strays(self) -> list[str]:
        """Returns the codes under which there are events, but no race."""
        ...

    def races(self) -> Iterator[StoredRace]: ...

    def players(self) -> Iterator[Player]: ...

    def entries(self) -> Iterator[Entrance]: ...

    def rulings(self) -> Iterator[Ruling]: ...


def records(source: Source) -> Iterator[Record]:
    """Yields everything: races, then players, then who entered what, then rulings."""
    yield from source.races()
    yield from source.players()
    yield from source.entries()
    yield from source.rulings()
