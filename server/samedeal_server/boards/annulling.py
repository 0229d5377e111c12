"""From a look at the store to a ruling: what is different if a race never happened, or did.

The look checks every race anew, so what is ruled rests on nothing but the logs.
"""

from __future__ import annotations

from collections.abc import Iterator

from samedeal_server.boards.differences import Changed, told, written
from samedeal_server.boards.finished import finished
from samedeal_server.boards.keeper import annulled_by
from samedeal_server.ports import Ruling
from samedeal_server.ratings.book import differences
from samedeal_server.ratings.ledger import Ledger
from samedeal_server.ratings.races import FinishedRace
from samedeal_server.stored import Source, StoredRace

__all__ = ["REASON", "CannotRule", "Counted", "count", "ruling_on", "sentences"]

REASON = 200
"""Characters in a reason at most."""


class CannotRule(Exception):
    """There is nothing to rule; the message is one line that says why."""


class Counted:
    """What a look at a store has found."""

    def __init__(self) -> None:
        self.races: dict[str, FinishedRace] = {}
        self.unfinished: set[str] = set()
        self.annulled: frozenset[str] = frozenset()
        self.names: dict[str, str] = {}


def count(source: Source, counted: Counted) -> Iterator[StoredRace]:
    """Fills `counted` with all that is in a store, yielding each race that was looked at."""
    for stored in source.races():
        code = stored.row.race
        if not stored.row.is_over:
            counted.unfinished.add(code)
        elif (race := finished(code, stored.lines)) is not None:
            counted.races[code] = race
        yield stored
    counted.names = {player.player: player.name for player in source.players()}
    counted.annulled = annulled_by(source.rulings())


def ruling_on(
    counted: Counted, race: str, *, is_annulled: bool, reason: str, at: int
) -> tuple[Ruling, tuple[Changed, ...]]:
    """Returns the ruling, and what it changes; raises `CannotRule`.

    `at` is the instant of the ruling, in milliseconds of UTC.
    """
    if race in counted.unfinished:
        raise CannotRule(f"the race {race} is not over: annul it when it is")
    if race not in counted.races:
        raise CannotRule(f"no race has the code {race}; `samedeal race list --mine` shows codes")
    if is_annulled == (race in counted.annulled):
        how = "is annulled already" if is_annulled else "is not annulled: there is nothing to undo"
        raise CannotRule(f"the race {race} {how}")
    if not reason.strip() or len(reason) > REASON or not reason.isprintable():
        raise CannotRule(f"--reason is a line of 1 to {REASON} characters, which everybody reads")
    races = counted.races.values()
    annulled = counted.annulled | {race} if is_annulled else counted.annulled - {race}
    before, after = Ledger.of(races, counted.annulled), Ledger.of(races, annulled)
    changes = told(differences(before.book, after.book), counted.names)
    ruling = Ruling(
        at=at,
        race=race,
        is_annulled=is_annulled,
        reason=reason.strip(),
        differences=written(changes),
    )
    return ruling, changes


def sentences(changes: tuple[Changed, ...]) -> Iterator[str]:
    """Yields what is different for whom, a line each."""
    for each in changes:
        what = ("bots, " if each.bots else "") + (each.game or "all games")
        match each.before, each.after:
            case None, after if after is not None:
                yield f"{each.name} ({what}): new, {after.mu:.6f}"
            case before, None if before is not None:
                yield f"{each.name} ({what}): {before.mu:.6f}, no longer rated"
            case before, after if before is not None and after is not None:
                gain = after.mu - before.mu
                yield f"{each.name} ({what}): {before.mu:.6f} -> {after.mu:.6f} ({gain:+.6f})"
            case _:
                raise AssertionError("what has no side is no difference")
