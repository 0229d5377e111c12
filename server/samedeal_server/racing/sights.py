"""Who sees how much of a race. The law, in full:

    an entrant, not done          their own board; of the rivals progress, or nothing if blind
    an entrant who is done        progress; boards too, where spectators see them undelayed
    the host, if no entrant       what spectators see, undelayed, and at least progress
    a spectator                   as the terms say, `delay` behind; nothing if blind
    everybody, after the end      everything: boards, seed, salt, ranking

Sight is a player's, not a connection's: nobody sees through a second connection or as a spectator
what they may not see as an entrant; under another name an entrant is a spectator, which is why a
blind race shows spectators nothing. While an async race can be entered, spectators and host see no
boards of it, and of a blind one no results: they could enter next. Before the start nobody sees
anything of the deal but the commitment, not even the host who named the seed.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Final, NamedTuple

from samedeal_protocol import events
from samedeal_protocol.events import Event
from samedeal_protocol.terms import Sight as Spectators
from samedeal_protocol.terms import Terms, Visibility

from .phases import Phase
from .state import Entrant, Race

__all__ = [
    "Level",
    "Role",
    "Sight",
    "changes_sight",
    "hides",
    "is_listed",
    "is_public",
    "lag_ms",
    "lens",
    "may_watch",
    "sight",
]


class Role(Enum):
    """What a viewer is to a race."""

    ENTRANT = "entrant"
    """Entered, and not done."""
    DONE = "done"
    """An entrant whose race has ended."""
    HOST = "host"
    """The host, if they are no entrant."""
    SPECTATOR = "spectator"


class Level(IntEnum):
    """How much is shown of boards that are not the viewer's own."""

    NOTHING = 0
    """Who is there and whether the race runs; no results."""
    PROGRESS = 1
    """Cards home, moves made, results."""
    BOARDS = 2
    """Every board as its own entrant sees it."""


class Sight(NamedTuple):
    """What a player may see of a race; equal sights are shown equal things."""

    role: Role
    level: Level
    entrant: int = 0
    """The viewer's own number, while their race has not ended; otherwise 0."""


_OPEN: Final = Sight(Role.SPECTATOR, Level.BOARDS)
"""Everybody's sight of a race that is over."""

_WATCHING: Final = {
    Spectators.NONE: Level.NOTHING,
    Spectators.PROGRESS: Level.PROGRESS,
    Spectators.BOARDS: Level.BOARDS,
}


def sight(race: Race, player: str) -> Sight:
    """Returns what the player may see of the race as it stands now."""
    if race.phase is Phase.OVER:
        return _OPEN
    terms = race.terms
    watching = _WATCHING[terms.spectators]
    entrant = race.by_player.get(player)
    if entrant is not None:
        if not entrant.is_done:
            level = Level.NOTHING if terms.blind else Level.PROGRESS
            return Sight(Role.ENTRANT, level, entrant.number)
        boards = watching is Level.BOARDS and terms.delay == 0
        return Sight(Role.DONE, Level.BOARDS if boards else Level.PROGRESS)
    role = Role.SPECTATOR
    if player == race.host:
        role, watching = Role.HOST, max(watching, Level.PROGRESS)
    if race.is_async:
        watching = min(watching, Level.PROGRESS)
    if terms.blind and (race.is_async or role is Role.SPECTATOR):
        # Who could play on may watch under another name; who could enter yet may host.
        watching = Level.NOTHING
    return Sight(role, watching)


def is_listed(terms: Terms) -> bool:
    """Returns whether the lobby shows the race."""
    return terms.visibility is not Visibility.UNLISTED


def is_public(terms: Terms) -> bool:
    """Returns whether anybody finds the race, and needs no pass phrase to watch it."""
    return terms.visibility is Visibility.PUBLIC


def may_watch(race: Race, player: str) -> bool:
    """Returns whether the player may be told of the race without entering it."""
    return (
        race.terms.spectators is not Spectators.NONE
        or race.phase is Phase.OVER
        or player == race.host
        or player in race.by_player
    )


def lag_ms(race: Race, seen: Sight) -> int:
    """Returns how far behind a viewer of that sight is kept, in milliseconds.

    Show them a second fold of the same events that is so far behind, and ask that fold for their
    sight and snapshot; for them the race is over, and open, so much later too.
    """
    return race.terms.delay * 1000 if seen.role is Role.SPECTATOR and not race.is_final else 0


def changes_sight(event: Event) -> bool:
    """Returns whether somebody's sight may differ after the event; ask `sight` again then."""
    return isinstance(event, (events.Entered, events.Withdrew, events.Done, events.Over))


def lens(event: Event, seen: Sight) -> Sight:
    """Returns the sight that stands for all who are shown the same of this event.

    Encode `show(race, event, lens(event, sight))` once for each lens, encoding and `legal`.
    """
    if seen.entrant == 0:
        return seen
    match event:
        case events.Said():
            return seen
        case (
            events.Began(entrant=number)
            | events.Played(entrant=number)
            | events.Undone(entrant=number)
            | events.AutoFinished(entrant=number)
            | events.SentHome(entrant=number)
            | events.Done(entrant=number)
            | events.Dropped(entrant=number)
            | events.Returned(entrant=number)
        ) if number == seen.entrant:
            return seen
        case _:
            return seen._replace(entrant=0)


def hides(seen: Sight, entrant: Entrant) -> bool:
    """Returns whether a viewer may not know how that entrant's board goes, or went."""
    return (
        seen.level is Level.NOTHING and entrant.table is not None and seen.entrant != entrant.number
    )
