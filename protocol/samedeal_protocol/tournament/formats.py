"""How a tournament is played: format, length of matches, what they are worth, which tie-breaks.

A format that contradicts itself cannot be made: it raises BadFormat.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Final

from msgspec import Meta, Struct, field

from samedeal_protocol.tags import tag

__all__ = [
    "BY_RACES",
    "EXPLAINED",
    "BadFormat",
    "DoubleElimination",
    "Format",
    "Heats",
    "Ladder",
    "Length",
    "Order",
    "Points",
    "RoundRobin",
    "SingleElimination",
    "Swiss",
    "TieBreak",
]


class BadFormat(ValueError):
    """What was chosen contradicts itself; the sentence says which and why."""


class TieBreak(Enum):
    """What separates players with equal points; `EXPLAINED` says how each is reckoned."""

    HEAD_TO_HEAD = "head-to-head"
    BUCHHOLZ = "buchholz"
    BUCHHOLZ_CUT_1 = "buchholz-cut-1"
    MEDIAN_BUCHHOLZ = "median-buchholz"
    SONNEBORN_BERGER = "sonneborn-berger"
    TOTAL_TIME = "total-time"
    DEALS_WON = "deals-won"
    CARDS_HOME = "cards-home"


EXPLAINED: Final[Mapping[TieBreak, str]] = {
    TieBreak.HEAD_TO_HEAD: (
        "points from the matches among exactly those who are tied; "
        "it counts only if each of them has met each other"
    ),
    TieBreak.BUCHHOLZ: (
        "the sum of the opponents' points; a bye and a match won by walkover count as an opponent "
        "with one's own points, a match forfeited and a round missed as nothing"
    ),
    TieBreak.BUCHHOLZ_CUT_1: "Buchholz without its lowest term",
    TieBreak.MEDIAN_BUCHHOLZ: "Buchholz without its lowest and its highest term",
    TieBreak.SONNEBORN_BERGER: (
        "the points of opponents one has beaten, and half of those one drew with; "
        "byes and walkovers as in Buchholz"
    ),
    TieBreak.TOTAL_TIME: "more races finished, then less time over all of them together",
    TieBreak.DEALS_WON: "races in which one came first; k who share the first place get 1/k each",
    TieBreak.CARDS_HOME: "cards brought home in all races together",
}

BY_RACES: Final = frozenset({TieBreak.TOTAL_TIME, TieBreak.DEALS_WON, TieBreak.CARDS_HOME})
"""Tie-breaks that need no opponents: all that heats and eliminations can use."""


_Worth = Annotated[float, Meta(ge=0, le=1000, multiple_of=0.25)]


class Points(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a match is worth, in quarters of a point. A walkover is a win, a forfeit a loss."""

    win: _Worth = 1
    draw: _Worth = 0.5
    loss: _Worth = 0
    bye: _Worth = 1
    """Not in a round robin, where everybody has as many: there a bye is worth nothing."""

    def __post_init__(self) -> None:
        if not (self.win > self.draw >= self.loss >= 0 and self.win >= self.bye >= 0):
            raise BadFormat("a win must be worth more than a draw, and no less than a bye")


class Length(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How long a match is.

    A drawn race is replayed on a fresh deal until `replays` of the match have been drawn; later
    ones count half for both.
    """

    best_of: Annotated[int, Meta(ge=1, le=99)] = 1
    replays: Annotated[int, Meta(ge=0, le=99)] = 3

    def __post_init__(self) -> None:
        if self.best_of < 1 or self.replays < 0:
            raise BadFormat("a match is best of 1 or more, and replays are 0 or more")


class Order(Enum):
    """Who stands before whom among equals, where a format has to choose."""

    SEEDS = "seeds"
    LOTS = "lots"


class _Format(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="format", tag=tag):
    """A format."""


class SingleElimination(_Format, frozen=True, kw_only=True, omit_defaults=True):
    """Who loses is out. Byes go to the top seeds, unless the host draws the bracket."""

    third_place: bool = False
    length: Length = Length()
    lengths: Mapping[str, Length] = field(default_factory=dict[str, Length])
    """Matches of another length, by label: `final`, `semi-final`, `round of 16`."""
    bracket: tuple[str | None, ...] = ()
    """Who stands where in the first round, None for a bye; empty for the standard seeding."""
    tie_breaks: tuple[TieBreak, ...] = ()

    def __post_init__(self) -> None:
        _odd(self.length, *self.lengths.values())
        _bracket(self.bracket)
        _by_races(self.tie_breaks)


class DoubleElimination(_Format, frozen=True, kw_only=True, omit_defaults=True):
    """Who loses twice is out."""

    reset: bool = True
    """The first final is replayed if it is the winners' champion's first loss."""
    length: Length = Length()
    lengths: Mapping[str, Length] = field(default_factory=dict[str, Length])
    bracket: tuple[str | None, ...] = ()
    tie_breaks: tuple[TieBreak, ...] = ()

    def __post_init__(self) -> None:
        _odd(self.length, *self.lengths.values())
        _bracket(self.bracket)
        _by_races(self.tie_breaks)


class RoundRobin(_Format, frozen=True, kw_only=True, omit_defaults=True):
    """Everybody meets everybody, `times` times."""

    times: Annotated[int, Meta(ge=1, le=2)] = 1
    length: Length = Length()
    points: Points = Points()
    tie_breaks: tuple[TieBreak, ...] = (TieBreak.HEAD_TO_HEAD, TieBreak.SONNEBORN_BERGER)

    def __post_init__(self) -> None:
        if self.times not in (1, 2):
            raise BadFormat("a round robin is single or double")
        _once(self.tie_breaks)


class Swiss(_Format, frozen=True, kw_only=True, omit_defaults=True):
    """Everybody plays all rounds, against players who do as well."""

    rounds: Annotated[int, Meta(ge=1, le=99)]
    order: Order = Order.SEEDS
    """Who is paired with whom among those with equal points: by seed numbers, upper half against
    lower half, or by lot."""
    length: Length = Length()
    points: Points = Points()
    tie_breaks: tuple[TieBreak, ...] = (
        TieBreak.BUCHHOLZ_CUT_1,
        TieBreak.BUCHHOLZ,
        TieBreak.SONNEBORN_BERGER,
    )

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise BadFormat("a Swiss tournament has at least one round")
        _once(self.tie_breaks)


class Heats(_Format, frozen=True, kw_only=True, omit_defaults=True):
    """Many in a race, points for each place, over so many rounds."""

    rounds: Annotated[int, Meta(ge=1, le=99)]
    size: Annotated[int, Meta(ge=3, le=64)] = 8
    """At most so many in a race; more are divided into heats, each on a deal of its own."""
    points: tuple[int, ...] = (10, 8, 6, 5, 4, 3, 2, 1)
    """For the first place, the second, and so on; places beyond get nothing."""
    finishers_only: bool = False
    """Who does not finish gets nothing, whatever the place."""
    order: Order = Order.LOTS
    tie_breaks: tuple[TieBreak, ...] = (TieBreak.DEALS_WON, TieBreak.TOTAL_TIME)

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise BadFormat("heats have at least one round")
        if self.size < 3:
            raise BadFormat("a heat has room for at least three")
        if not self.points or min(self.points) < 0 or sorted(self.points)[::-1] != [*self.points]:
            raise BadFormat("points must not rise from a place to the next, nor be negative")
        _by_races(self.tie_breaks)


class Ladder(_Format, frozen=True, kw_only=True, omit_defaults=True):
    """Whoever is free is paired, until the bell."""

    length: Length = Length()
    points: Points = Points()
    tie_breaks: tuple[TieBreak, ...] = (TieBreak.SONNEBORN_BERGER, TieBreak.DEALS_WON)

    def __post_init__(self) -> None:
        _once(self.tie_breaks)


Format = SingleElimination | DoubleElimination | RoundRobin | Swiss | Heats | Ladder


def _odd(*lengths: Length) -> None:
    if any(length.best_of % 2 == 0 for length in lengths):
        raise BadFormat("a match of an elimination is best of an odd number: somebody must win")


def _bracket(bracket: tuple[str | None, ...]) -> None:
    if not bracket:
        return
    named = [name for name in bracket if name is not None]
    if len(bracket) & (len(bracket) - 1) or len(set(named)) != len(named) or len(named) < 2:
        raise BadFormat("a bracket has 2, 4, 8, 16 ... places, and names nobody twice")
    if any(a is None and b is None for a, b in zip(bracket[::2], bracket[1::2], strict=True)):
        raise BadFormat("two byes cannot meet in the first round")


def _once(tie_breaks: tuple[TieBreak, ...]) -> None:
    if len(set(tie_breaks)) != len(tie_breaks):
        raise BadFormat("a tie-break is named twice")


def _by_races(tie_breaks: tuple[TieBreak, ...]) -> None:
    _once(tie_breaks)
    if not BY_RACES.issuperset(tie_breaks):
        usable = ", ".join(sorted(each.value for each in BY_RACES))
        raise BadFormat(f"heats and eliminations know these tie-breaks only: {usable}")
