"""What a host announces: the format, the races, who may come, and when what happens.

Terms stand in the log's first line and are shown to everybody, so they hold no secret: pass phrase
and webhooks travel beside them. Durations are whole seconds, instants milliseconds of UTC.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Final

from msgspec import Meta, Struct

from samedeal_protocol.terms import DAY, Mode, Start, Terms, Visibility
from samedeal_protocol.tournament.formats import Format, Heats, Ladder, Swiss
from samedeal_protocol.tournament.schedule import Schedule

__all__ = [
    "PLAYERS_MAX",
    "Choice",
    "Registration",
    "Seeding",
    "TournamentTerms",
    "faults",
]

PLAYERS_MAX: Final = 512


class Registration(Enum):
    """Who may register."""

    OPEN = "open"
    """Everybody."""
    INVITATION = "invitation"
    """Whom the host or a co-host has invited by name."""
    PHRASE = "phrase"
    """Whoever knows the pass phrase."""


class Seeding(Enum):
    """Who gets which seed number when the tournament starts; the host may order them by hand."""

    REGISTRATION = "registration"
    """Who registered first is first."""
    LOTS = "lots"
    """By lot, from the tournament's seed."""
    RATING = "rating"
    """By rating in the first game, the unrated after the rated as they registered."""


class Choice(Enum):
    """Which of several games a race is."""

    ROTATE = "rotate"
    """One after the other: by rounds, and within a match by its races."""
    PICK = "pick"
    """The players of a match pick from the pool: the lower seed for the first race, then whoever
    lost the race before; who does not pick in time is given one by lot."""


class TournamentTerms(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The terms of one tournament; `faults` says what does not fit together."""

    name: Annotated[str, Meta(min_length=1, max_length=80)]
    about: Annotated[str, Meta(max_length=2000)] = ""
    """What players should know."""
    format: Format
    race: Terms
    """The terms of every race. Its game is the first of the tournament's."""
    games: Annotated[tuple[str, ...], Meta(max_length=17)] = ()
    """The other games, if there are more."""
    choice: Choice = Choice.ROTATE
    pick: Annotated[int, Meta(ge=10, le=DAY)] = 60
    """How long a player may take to pick a game."""
    visibility: Visibility = Visibility.PUBLIC
    """Whether it is listed: `public` or `unlisted`."""
    registration: Registration = Registration.OPEN
    cap: Annotated[int, Meta(ge=2, le=PLAYERS_MAX)] = PLAYERS_MAX
    """The most who play; who registers later waits for a place."""
    least: Annotated[int, Meta(ge=2, le=PLAYERS_MAX)] = 2
    """With fewer it is called off when it should start."""
    seeding: Seeding = Seeding.REGISTRATION
    starts: int | None = None
    """The instant at which it starts, in milliseconds of UTC; without one the host starts it."""
    check_in: Annotated[int, Meta(ge=60, le=7 * DAY)] | None = None
    """How long before the start players check in; who has not by then does not play. Without
    `starts`, the window opens when the host says, and the host starts when it has closed or before.
    """
    rounds_by_hand: bool = False
    """The host has every round paired; otherwise it is as soon as the last one is over."""
    between: Annotated[int, Meta(ge=0, le=7 * DAY)] = 0
    """The least time between the end of a round and the pairing of the next."""
    no_show: Annotated[int, Meta(ge=10, le=7 * DAY)] = 300
    """How long after a race is called its players may take to say ready; who is not there then
    has lost the match by walkover, or comes last in the heat."""
    late_until: Annotated[int, Meta(ge=0, le=99)] = 0
    """The last round before which newcomers are let in; 0 for none after the start."""
    late_joins: bool = False
    """A ladder takes newcomers until the bell."""
    bell: Annotated[int, Meta(ge=60, le=30 * DAY)] | None = None
    """How long after the start the bell rings, after which nothing new is paired; races that run
    count until their own limit. A ladder needs one."""
    repeat: Schedule | None = None
    """When the next ones start: each is announced when the one before starts or is called off."""
    announced_ahead: Annotated[int, Meta(ge=0, le=30 * DAY)] = DAY
    """How long before its start the next of a series is announced, at the earliest."""


def faults(terms: TournamentTerms, *, now: int) -> str | None:
    """Says what is wrong with terms that each fit their own bounds, or None.

    `now` is milliseconds of UTC. The keys of games are not looked at here, nor what `race` says by
    itself. The sentence is for people; for programs it has the fields between backticks.
    """
    race = terms.race
    is_live = race.mode is Mode.LIVE
    if race.start is not Start.ALL_READY or race.start_at is not None:
        return "the tournament starts its races: leave `race.start` and `race.start_at` out"
    if race.visibility is not Visibility.PUBLIC:
        return "races are as visible as the tournament: leave `race.visibility` out"
    if terms.visibility is Visibility.PHRASE:
        return (
            "a tournament is listed or not: `visibility` is public or unlisted; for a pass phrase "
            "say `registration: phrase`"
        )
    if is_live and race.limit is None:
        return "a race of a tournament needs a time limit: give `race.limit` in seconds"
    if terms.games and len({race.game, *terms.games}) != len(terms.games) + 1:
        return "a game is named twice"
    if terms.choice is Choice.PICK and not terms.games:
        return "to pick from, there must be more than one game: name others in `games`"
    if terms.choice is Choice.PICK and isinstance(terms.format, Heats):
        return "a heat's game cannot be picked by its players: use `choice: rotate`"
    if terms.least > terms.cap:
        return f"at least {terms.least} players, but at most {terms.cap}: `least` is above `cap`"
    return _faults_of_time(terms, now=now)


def _faults_of_time(terms: TournamentTerms, *, now: int) -> str | None:
    if terms.starts is not None:
        if terms.starts <= now:
            return "it must start later than now: `starts` has passed"
        if terms.starts - now > 366 * DAY * 1000:
            return "it must start within a year: `starts` is too far ahead"
    if terms.repeat is not None and terms.starts is None:
        return "what repeats needs the instant at which the first starts: give `starts`"
    is_ladder = isinstance(terms.format, Ladder)
    if is_ladder and terms.bell is None:
        return "a ladder needs a bell: give `bell` in seconds"
    if terms.bell is not None and not is_ladder:
        return "only a ladder has a bell"
    if terms.late_joins and not is_ladder:
        return (
            "only a ladder lets newcomers in at any time: leave `late_joins` out, and name the "
            "last round before which they come in `late_until`"
        )
    if terms.late_until and not isinstance(terms.format, Swiss | Heats):
        return "only Swiss and heats take newcomers between rounds: leave `late_until` out"
    if isinstance(terms.format, Swiss | Heats) and terms.late_until > terms.format.rounds:
        return f"there are only {terms.format.rounds} rounds: `late_until` is too late"
    if terms.rounds_by_hand and is_ladder:
        return "a ladder has no rounds: leave `rounds_by_hand` out"
    return None
