"""What a player is told of a day and of a week.

Law: who has not played a day that is not over is told how many have, and nothing of how they did.
A league counts days that are over, and tells everybody the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from samedeal_protocol.daily import Attempt as Progress
from samedeal_protocol.daily import DailyLine, DailySheet, LeagueDay, LeagueLine, LeagueTable
from samedeal_protocol.events import EntrantState, Opened
from samedeal_rules import GAMES

from . import league
from .board import Attempt, Line, ranked
from .days import Day, Week
from .rooms import Room, game_of

__all__ = ["Page", "Seen", "league_table", "sheet"]

_T = TypeVar("_T")


@dataclass(frozen=True)
class Seen:
    """A day as it stands."""

    day: Day
    opened: Opened | None = None
    """The beginning of its first room; None if nobody has asked to play."""
    is_over: bool = False
    """All its rooms are over, or there are none and its time is past."""
    attempts: tuple[Attempt, ...] = ()
    """One of each player, the one that counts."""

    @property
    def game(self) -> str:
        """The key of the day's game."""
        if self.opened is not None:
            return self.opened.terms.game
        return game_of(self.day, (game.key for game in GAMES))

    def of(self, player: str) -> Attempt | None:
        """Returns the player's attempt."""
        return self._by_player.get(player)

    def board(self, *, bots: bool) -> tuple[Line, ...]:
        """Returns who has played, in order: the people, or the bots."""
        return self._bots if bots else self._people

    @cached_property
    def openers(self) -> frozenset[str]:
        """Who has opened the deal."""
        return frozenset(each.player for each in self.attempts if each.began_at is not None)

    @cached_property
    def _by_player(self) -> dict[str, Attempt]:
        return {each.player: each for each in self.attempts}

    @cached_property
    def _people(self) -> tuple[Line, ...]:
        return ranked(self.attempts, bots=False)

    @cached_property
    def _bots(self) -> tuple[Line, ...]:
        return ranked(self.attempts, bots=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Which board, and which lines of it; without a limit all from `offset` on."""

    bots: bool = False
    offset: int = 0
    limit: int | None = None

    def of(self, lines: Sequence[_T]) -> Sequence[_T]:
        """Returns the lines that are on the page."""
        return lines[self.offset : None if self.limit is None else self.offset + self.limit]


def sheet(
    seen: Seen, player: str, page: Page, *, now: int, room: Room | None = None, streak: int = 0
) -> DailySheet:
    """Returns what a player may know of a day; `room` is the one to enter, if they asked for one.

    A stranger is a player whom nobody knows.
    """
    own = seen.of(player)
    may_see = seen.is_over or (own is not None and own.is_done)
    board = seen.board(bots=page.bots)
    place: Line | None = None
    if own is not None:
        room = own.room
        if may_see:
            its = seen.board(bots=own.bot)
            place = next((line for line in its if line.attempt is own), None)
    opened = seen.opened
    left = seen.day.closes_at - now
    return DailySheet(
        day=str(seen.day),
        week=str(seen.day.week),
        game=seen.game,
        is_over=seen.is_over,
        closes_in_ms=left if left > 0 else None,
        commitment=None if opened is None else opened.commitment,
        attempt=_progress(own),
        race=None if room is None else room.code,
        streak=streak,
        played=len(board),
        is_hidden=not may_see,
        own=None if place is None else _line(place),
        bots=page.bots,
        offset=page.offset,
        lines=tuple([_line(each) for each in page.of(board)]) if may_see else (),
        seed=opened.seed if opened is not None and seen.is_over else None,
        salt=opened.salt if opened is not None and seen.is_over else None,
    )


def league_table(week: Week, days: Sequence[Seen], player: str, page: Page) -> LeagueTable:
    """Returns a week's league with the player's own line; `days` are its seven, as they stand."""
    boards = [each.board(bots=page.bots) if each.is_over else None for each in days]
    lines = league.table(boards)
    own = next((line for line in lines if line.player == player), None)
    return LeagueTable(
        week=str(week),
        days=tuple(
            [
                LeagueDay(
                    day=str(each.day),
                    game=each.game,
                    is_over=each.is_over,
                    played=len(board or ()),
                )
                for each, board in zip(days, boards, strict=True)
            ]
        ),
        is_over=all(each.is_over for each in days),
        bots=page.bots,
        total=len(lines),
        offset=page.offset,
        own=None if own is None else _league_line(own),
        lines=tuple([_league_line(line) for line in page.of(lines)]),
    )


def _progress(own: Attempt | None) -> Progress:
    if own is None:
        return Progress.NONE
    if own.is_done:
        return Progress.PLAYED
    return Progress.PLAYING if own.state is EntrantState.RACING else Progress.ENTERED


def _line(line: Line) -> DailyLine:
    attempt = line.attempt
    return DailyLine(
        place=line.place,
        name=attempt.name,
        state=attempt.state.value,
        elapsed_ms=attempt.elapsed_ms,
        home=attempt.home,
        moves=attempt.moves,
        race=attempt.room.code,
    )


def _league_line(line: league.LeagueLine) -> LeagueLine:
    return LeagueLine(
        place=line.place,
        name=line.name,
        points=_number(line.points),
        days=tuple([None if each is None else _number(each) for each in line.days]),
    )


def _number(points: Fraction) -> float:
    """Returns points to the hundredth, as they travel."""
    return round(float(points), 2)
