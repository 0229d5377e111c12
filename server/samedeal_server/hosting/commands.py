"""What is asked of a tournament: acts of people, and what the server reports.

A command says who acts; whether that person may is decided in `decide`. What the state cannot know
travels with it: whether a pass phrase fits, and who is meant by a name. Commands are structs, for a
node tells another what its player asks.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from samedeal_protocol.tags import tag
from samedeal_protocol.tournament.events import Showing
from samedeal_protocol.tournament.requests import AnyAct

__all__ = [
    "Command",
    "Did",
    "Given",
    "Person",
    "RaceHasEnded",
    "RaceHasStarted",
    "RaceWasCancelled",
    "Resumed",
    "Tick",
    "WhoIsThere",
]


class Person(Struct, frozen=True):
    """Who acts: a player id, the name at this time, and whether it is a bot."""

    id: str
    name: str
    bot: bool = False


class _Command(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="command", tag=tag):
    """A command."""


class Did(_Command, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody does something."""

    by: Person
    act: AnyAct
    phrase_fits: bool = False
    """Of `register`: the pass phrase that came with it is the tournament's."""
    named: Person | None = None
    """Of `appoint`: who has the name, if anybody does."""


class RaceHasStarted(_Command, frozen=True, kw_only=True, omit_defaults=True):
    """A race of this code runs."""

    race: str


class RaceHasEnded(_Command, frozen=True, kw_only=True, omit_defaults=True):
    """A race is over. `errands.showings` makes the showings; who is not in them never came."""

    race: str
    showings: tuple[Showing, ...]


class RaceWasCancelled(_Command, frozen=True, kw_only=True, omit_defaults=True):
    """A race was cancelled before it was over."""

    race: str
    reason: str


class WhoIsThere(_Command, frozen=True, kw_only=True, omit_defaults=True):
    """Time to be ready for a race is up, and players of these ids are ready and not away.

    Report it from the race's `ready_by` on while it has not started, and again when that has moved.
    """

    race: str
    ready: tuple[str, ...]


class Resumed(_Command, frozen=True, kw_only=True, omit_defaults=True):
    """No server had the tournament from the instant `since` until now; the first command then.

    While it runs, what is waited for comes as much later, and `reports.RETURN_MS`: players have to
    find their way back.
    """

    since: int


class Tick(_Command, frozen=True, kw_only=True, omit_defaults=True):
    """Time has passed; nobody asks for anything."""


Command = Did | RaceHasStarted | RaceHasEnded | RaceWasCancelled | WhoIsThere | Resumed | Tick


class Given(Struct, frozen=True, kw_only=True):
    """What a decision may rest on beside the state: give all of it with every command."""

    chance: str
    """At least 128 fresh random bits, in hex: seed and salt of the next in a series, a secret."""
    ratings: Mapping[str, float] = field(default_factory=dict[str, float])
    """Ratings in the first game by player id, of those who have one; for `seeding: rating`."""
