"""The first event of a tournament: of one that a host announces, and of the next in a series."""

from __future__ import annotations

import msgspec

from samedeal_protocol import terms as racing
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.tournament.events import Announced, Followed
from samedeal_protocol.tournament.terms import Registration, TournamentTerms, faults
from samedeal_rules.errors import BadSeed, UnknownGame
from samedeal_rules.games import find
from samedeal_rules.shuffle import check_seed, commitment
from samedeal_server.racing.race import Refused
from samedeal_server.spelling import fold, seemly
from samedeal_server.tourneys import calendar

from .commands import Person
from .formal import drawn_bracket
from .state import State

__all__ = ["announce", "following"]


def announce(
    *,
    tournament: str,
    terms: TournamentTerms,
    seed: str,
    salt: str,
    host: Person,
    phrase_hash: str,
    now: int,
) -> Announced:
    """Returns the first event of a tournament: its terms fixed, all its chance committed to.

    `tournament` is its code (`codes.new_code`), `seed` and `salt` 128 fresh random bits each, in
    hex; `phrase_hash` is empty unless registration needs a pass phrase.

    Raises:
        Refused: no-such-game, bad-terms or bad-seed.
    """
    try:
        for game in (terms.race.game, *terms.games):
            find(game)
        seed = check_seed(seed)
    except UnknownGame as fault:
        raise Refused(ErrorCode.NO_SUCH_GAME, str(fault)) from fault
    except BadSeed as fault:
        raise Refused(ErrorCode.BAD_SEED, str(fault)) from fault
    if (wrong := _wrong(terms, has_phrase=bool(phrase_hash), now=now)) is not None:
        raise Refused(ErrorCode.BAD_TERMS, wrong)
    return Announced(
        at=now,
        by=host.id,
        tournament=tournament,
        terms=terms,
        seed=seed,
        salt=salt,
        commitment=commitment(seed, salt),
        host=host.id,
        host_name=host.name,
        phrase_hash=phrase_hash,
    )


def _wrong(terms: TournamentTerms, *, has_phrase: bool, now: int) -> str | None:
    if (wrong := faults(terms, now=now)) is not None:
        return wrong
    if (wrong := racing.faults(terms.race, now=now)) is not None:
        return f"in `race`: {wrong}"
    if has_phrase != (terms.registration is Registration.PHRASE):
        return "`registration: phrase` and a pass phrase go together"
    if not terms.name.strip():
        return "`name` is blank: call the tournament something"
    if seemly(terms.name) != terms.name:
        return "`name` holds characters that cannot be seen: write it without them"
    if bracket := drawn_bracket(terms.format):
        named = [fold(name) for name in bracket if name is not None]
        if len(named) > terms.cap:
            return f"the bracket names {len(named)} players, and `cap` is {terms.cap}"
        if len(set(named)) < len(named):
            return "the bracket names somebody twice, but for the spelling"
    if terms.repeat is not None and terms.starts is not None:
        wrong = calendar.fault(terms.repeat, after=terms.starts)
        return None if wrong is None else f"in `repeat`: {wrong}"
    return None


def following(state: State, followed: Followed) -> Announced:
    """Returns the first event of the next tournament of a series, as it was recorded before.

    It has the same terms, host, staff, invitations, pass phrase and hooks, and nothing else.
    """
    before = state.announced
    starts = followed.starts
    return Announced(
        at=followed.at,
        tournament=followed.next,
        terms=msgspec.structs.replace(before.terms, starts=starts),
        seed=followed.seed,
        salt=followed.salt,
        commitment=commitment(followed.seed, followed.salt),
        host=before.host,
        host_name=before.host_name,
        phrase_hash=before.phrase_hash,
        follows=before.tournament,
        staff=tuple(
            (each.id, each.name, each.role) for each in state.staff.values() if each.role != "host"
        ),
        invited=state.invited,
        hooks=tuple(state.hooks.items()),
    )
