"""A tournament as a value: who plays, what was paired, how it ended; and what comes next.

Everything is frozen: a fold of events makes a new `Tourney` for every event. The order of `players`
means nothing, since their seed numbers say who stands before whom; the order of `matches` is that
in which they were paired. Times are milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from samedeal_protocol.tournament.events import Ending

from .errors import BadTourney

__all__ = [
    "Decided",
    "Ending",
    "Match",
    "Plan",
    "Player",
    "Race",
    "Result",
    "Showing",
    "Tourney",
    "check",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """Somebody in the field."""

    id: str
    seeding: int
    """1 is the strongest; no two players have the same."""
    name: str = ""
    """What the arithmetic calls the player; the id, if empty."""
    joined: int = 1
    """The first round in which the player can be paired; earlier ones count as missed."""
    paused: bool = False
    """Plays what is paired, and is paired no further until this is lifted. In eliminations and
    round robins, whose pairings are fixed, it means nothing."""
    withdrawn: bool = False
    """Plays no more; open matches go to the opponents. May be lifted: what was lost stays lost."""
    disqualified: bool = False
    """As withdrawn, and placed behind everybody else."""

    @property
    def is_in(self) -> bool:
        """The player still plays."""
        return not (self.withdrawn or self.disqualified)

    @property
    def called(self) -> str:
        return self.name or self.id


@dataclass(frozen=True, slots=True)
class Showing:
    """What one player did in one race."""

    player: str
    place: int | None
    """As the race ranked them, ties sharing one; None for the disqualified and who never came."""
    elapsed_ms: int | None
    """A finisher's time; nobody else has one."""
    home: int
    """Cards home."""


@dataclass(frozen=True, slots=True)
class Race:
    """One race of a match. A void one counts for nothing, but its number is used up."""

    showings: tuple[Showing, ...]
    void: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended. A played one without a winner is a draw; a double forfeit has none."""

    ending: Ending
    winner: str | None = None
    races: tuple[Race, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """Players who meet: two, or one with a bye, or the many of a heat."""

    id: str
    """Stable: the same place in the tournament has the same id in every replay."""
    round: int
    players: tuple[str, ...]
    label: str
    deals: str
    """Names the deals; matches that share it play the same ones. See `chance.deal_seed`."""
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Tourney:
    """What a tournament has come to."""

    seed: str
    """Decides every random choice and every deal. Secret until the end, like a race's."""
    players: tuple[Player, ...]
    matches: tuple[Match, ...] = ()
    closed: bool = False
    """The bell has rung: a ladder pairs nobody any more. Other formats have no bell."""

    def field(self) -> tuple[Player, ...]:
        """Returns the players by seeding."""
        return tuple(sorted(self.players, key=lambda player: player.seeding))

    def by_id(self) -> Mapping[str, Player]:
        return {player.id: player for player in self.field()}

    def open(self) -> tuple[Match, ...]:
        """Returns the matches without a result."""
        return tuple(match for match in self.matches if match.result is None)


@dataclass(frozen=True, slots=True)
class Decided:
    """A result that nobody has to play for."""

    match: str
    result: Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the state demands. Record it in this order: void, pair, decide; then ask again."""

    void: tuple[str, ...] = ()
    """Matches that earlier results no longer support, after an override: to be taken back."""
    pair: tuple[Match, ...] = ()
    """To be played next; a bye has its result already."""
    decide: tuple[Decided, ...] = ()
    """Walkovers and double forfeits of open matches, because players are gone."""
    over: bool = False
    champion: str | None = None
    """Of an elimination that is over; other formats have standings."""
    reason: str = ""
    """Why it is over, or what it waits for, if it is not for open matches."""

    @property
    def is_settled(self) -> bool:
        """Nothing is to be recorded: the tournament waits for results, or is over."""
        return not (self.void or self.pair or self.decide)


def check(tourney: Tourney) -> None:
    """Raises BadTourney for a state that is none: see the messages."""
    ids = {player.id for player in tourney.players}
    if len(ids) != len(tourney.players):
        raise BadTourney("two players have the same id")
    if len({player.seeding for player in tourney.players}) != len(tourney.players):
        raise BadTourney("two players have the same seed number")
    if len({match.id for match in tourney.matches}) != len(tourney.matches):
        raise BadTourney("two matches have the same id")
    for match in tourney.matches:
        if not ids.issuperset(match.players) or len(set(match.players)) != len(match.players):
            raise BadTourney(f"match {match.id} is not between players of this tournament")
        result = match.result
        if result is not None and result.winner not in (None, *match.players):
            raise BadTourney(f"match {match.id} was won by somebody who did not play it")
