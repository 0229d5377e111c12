"""The newest sheet of a tournament: the one that came first, and what has changed since.

Pure. What is told replaces what was; who missed something needs the whole sheet again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from samedeal_protocol.tournament.requests import Extend, StartRound
from samedeal_protocol.tournament.views import (
    MatchView,
    PlayerView,
    RaceView,
    TournamentChanged,
    TournamentSheet,
)

__all__ = ["ENDED", "WANTED", "Ledger", "extension", "round_to_start"]

ENDED: Final = ("over", "called-off")
"""The phases after which nothing comes."""
WANTED: Final = ("called", "running")
"""The states of a race that wants its players."""
_GONE: Final = ("withdrawn", "disqualified", "absent")


class Ledger:
    """One tournament as this viewer may see it."""

    def __init__(self, sheet: TournamentSheet) -> None:
        self.sheet = sheet
        self.is_stale = False
        """The whole sheet is needed: something was missed, or became the viewer's to know."""

    def take(self, sheet: TournamentSheet) -> None:
        """Takes a whole sheet in, unless a newer one is known."""
        if sheet.seq >= self.sheet.seq:
            self.sheet = sheet
            self.is_stale = False

    def apply(self, changed: TournamentChanged, *, name: str) -> bool:
        """Takes in what has changed; returns whether anything has. `name` is the viewer's."""
        sheet = self.sheet
        if changed.seq <= sheet.seq:
            return False
        if changed.after > sheet.seq:
            self.is_stale = True
            return False
        self.is_stale = self.is_stale or _tells_more(sheet, changed, name)
        registered = {player.name for player in changed.players}
        self.sheet = replace(
            sheet,
            seq=changed.seq,
            at=changed.at,
            head=changed.head,
            staff=sheet.staff if changed.staff is None else changed.staff,
            players=_put(sheet.players, changed.players),
            matches=_put_matches(sheet.matches, changed.matches, changed.gone),
            invited=tuple(each for each in sheet.invited if each not in registered),
            next=changed.next or sheet.next,
        )
        return True

    # --- what it says ---------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """The tournament is over, or was called off."""
        return self.sheet.head.phase in ENDED

    def players(self) -> Mapping[int, PlayerView]:
        """Returns the players by number."""
        return {player.player: player for player in self.sheet.players}

    def you(self) -> PlayerView | None:
        """Returns the viewer as a player, if they are one."""
        return None if self.sheet.you is None else self.players().get(self.sheet.you)

    def is_out(self) -> bool:
        """Returns whether the viewer plays no more, or never did."""
        you = self.you()
        return self.is_over or you is None or you.state in _GONE

    def match(self, match: str) -> MatchView | None:
        """Returns the match of this id."""
        return next((each for each in self.sheet.matches if each.match == match), None)

    def wanted(self) -> tuple[tuple[MatchView, RaceView], ...]:
        """Returns the races that want the viewer, those that were called first at the front."""
        you = self.sheet.you
        return tuple(
            (match, race)
            for match in self.sheet.matches
            if you in match.players and match.ending is None
            for race in match.races
            if race.state in WANTED
        )

    def picks(self) -> tuple[MatchView, ...]:
        """Returns the matches for whose next race the viewer is to pick the game."""
        you = self.sheet.you
        return tuple(
            match
            for match in self.sheet.matches
            if you is not None and match.pick is not None and match.pick.player == you
        )


# --- acts that name what they were made for -----------------------------------------------------


def round_to_start(sheet: TournamentSheet) -> StartRound:
    """Returns the act that has the next round paired, and no second one if it is sent again."""
    return StartRound(round=sheet.head.round + 1)


def extension(sheet: TournamentSheet, seconds: int, match: str | None) -> Extend:
    """Returns the act that gives so much more time, once, however often it is sent."""
    shown = _start_or_next(sheet) if match is None else _awaited(sheet, match)
    return Extend(seconds=seconds, match=match, shown=shown)


def _start_or_next(sheet: TournamentSheet) -> int | None:
    head = sheet.head
    if head.next == "check-in" and head.next_at is not None and sheet.terms.check_in is not None:
        return head.next_at + sheet.terms.check_in * 1000  # the start, which is put off with it
    return head.next_at


def _awaited(sheet: TournamentSheet, id: str) -> int | None:
    match = next((each for each in sheet.matches if each.match == id), None)
    if match is None:
        return None
    called = (race.ready_by for race in match.races if race.state == "called")
    return next(called, None if match.pick is None else match.pick.until)


def _tells_more(sheet: TournamentSheet, changed: TournamentChanged, name: str) -> bool:
    """Whether a whole sheet would tell the viewer what a change does not: their number, their
    role, or the seed."""
    is_player_now = sheet.you is None and any(each.name == name for each in changed.players)
    has_role = any(each.name == name for each in changed.staff or ())
    has_other_role = changed.staff is not None and has_role != (sheet.role is not None)
    is_over_now = changed.head.phase in ENDED and sheet.seed is None
    return is_player_now or has_role or has_other_role or is_over_now


def _put(known: Iterable[PlayerView], news: Iterable[PlayerView]) -> tuple[PlayerView, ...]:
    by_number = {player.player: player for player in known}
    by_number |= {player.player: player for player in news}
    return tuple(player for _, player in sorted(by_number.items()))


def _put_matches(
    known: Iterable[MatchView], news: Iterable[MatchView], gone: Iterable[str]
) -> tuple[MatchView, ...]:
    """Matches in the order in which they were paired; one that was taken back and paired anew is
    the last."""
    by_id = {match.match: match for match in known}
    for match in gone:
        by_id.pop(match, None)
    by_id |= {match.match: match for match in news}
    return tuple(by_id.values())
