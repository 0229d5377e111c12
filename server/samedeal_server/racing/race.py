"""One race as a pure state machine: the face that rooms, recovery, audit and tests use.

    open_race(...)                  the first event, or a refusal
    begin(opened)                   the race that it opens
    decide(race, command, now)      what a command causes, or `Refused`; a look
    evolve(race, event)             folds one event in; never refuses
    consequences(race, now)         what the state itself demands, now or since
    step(race, command, now)        all of these to a fixed point, event by event
    settle(race, now)               consequences only: what a tick does
    deadline(race)                  when the race next needs a tick
    replay(events)                  the fold of a whole log

Laws. Events of a race have contiguous seqs from 1, and instants that never go back. A refused
command changes nothing of its own. A race that is over or cancelled stays so. The state is a
function of the events alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import Event, Opened
from samedeal_protocol.terms import Terms, faults
from samedeal_rules.errors import BadSeed, UnknownGame
from samedeal_rules.games import find
from samedeal_rules.shuffle import SHUFFLE_VERSION, check_seed, commitment

from .clockwork import consequences
from .commands import Command, Stop
from .decisions import decide
from .fold import begin, evolve, replay
from .phases import Phase, Refused
from .state import Entrant, Race

__all__ = [
    "Entrant",
    "Phase",
    "Race",
    "Refused",
    "begin",
    "consequences",
    "deadline",
    "decide",
    "evolve",
    "open_race",
    "replay",
    "settle",
    "step",
]


def open_race(
    *,
    race: str,
    terms: Terms,
    seed: str,
    salt: str,
    host: str,
    host_name: str,
    seeded: bool,
    rules: str,
    now: int,
    tournament: str | None = None,
    invited: tuple[str, ...] = (),
) -> Opened:
    """Returns the first event of a race: its terms fixed, its deal committed to.

    `seeded` says that the host named the seed, which everybody is shown; such a host may know the
    deal, and may enter nevertheless; the race is not rated then.

    A tournament's race takes those invited, by player id, and no others. It begins when all of them
    are ready, or when its host, the tournament, says so: with those who are. Until then it waits.

    Raises:
        Refused: no-such-game, bad-terms or bad-seed.
    """
    try:
        find(terms.game)
        seed = check_seed(seed)
    except UnknownGame as fault:
        raise Refused(ErrorCode.NO_SUCH_GAME, str(fault)) from fault
    except BadSeed as fault:
        raise Refused(ErrorCode.BAD_SEED, str(fault)) from fault
    if (wrong := faults(terms, now=now)) is not None:
        raise Refused(ErrorCode.BAD_TERMS, wrong)
    if terms.rated and seeded:
        raise Refused(
            ErrorCode.BAD_TERMS, "a rated race has a seed that nobody chose: leave the seed out"
        )
    return Opened(
        at=now,
        race=race,
        terms=terms,
        rules=rules,
        deal=SHUFFLE_VERSION,
        seed=seed,
        salt=salt,
        commitment=commitment(seed, salt),
        host=host,
        host_name=host_name,
        seeded=seeded,
        tournament=tournament,
        invited=invited,
    )


def step(race: Race, command: Command, now: int) -> Iterator[Event]:
    """Carries out a command received at `now`, yielding each event just after it is folded.

    What fell due before `now` comes first, so that a late tick is never later than a command.
    Iterate to the end: also what was yielded before a refusal has happened and must be logged.
    Hand over commands in the order of their receipt, and ticks after those received before them.

    Raises:
        Refused: the command causes nothing; what fell due before has been yielded.
    """
    now = max(now, race.at)
    if race.due is not None and now >= race.due:
        if not isinstance(command, Stop):
            yield from settle(race, now)
        elif race.phase is Phase.RUNNING:
            # What fell due during the outage is moved by it; nothing starts without players.
            yield from settle(race, command.since)
    for event in decide(race, command, now):
        evolve(race, event)
        yield event
    yield from settle(race, now)


def settle(race: Race, now: int) -> Iterator[Event]:
    """Yields all that the state demands at `now`, each event just after it is folded."""
    now = max(now, race.at)
    while events := consequences(race, now):
        for event in events:
            evolve(race, event)
            yield event


def deadline(race: Race) -> int | None:
    """Returns the instant at which the race next needs a tick even if nobody speaks, or None."""
    return race.due
