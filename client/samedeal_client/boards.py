"""Ratings and leaderboards: asked for, and told in lines for a terminal.

Whoever is marked `?` is provisional: too little, or nothing of late, is known of their strength.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TypeAlias

from samedeal_client.client import Hall
from samedeal_client.errors import expect
from samedeal_client.telling import aligned, clock, counted, ordinal
from samedeal_protocol.boards import (
    BestTime,
    Board,
    Leaderboard,
    PlayerSheet,
    RatingBoard,
    RatingChange,
    Ratings,
    StreakBoard,
    StreakLine,
    TimeBoard,
)

__all__ = ["Page", "board_lines", "first_step", "leaderboard", "ratings", "sheet_lines"]

Page: TypeAlias = RatingBoard | TimeBoard | StreakBoard
"""Some lines of a board, with what it is about."""

_PROVISIONAL = "?"
_USUAL = "forty-thieves"
"""The game of a first race where none was named."""


async def leaderboard(
    hall: Hall,
    board: Board = Board.RATING,
    *,
    game: str | None = None,
    deal: str | None = None,
    bots: bool = False,
    offset: int = 0,
    limit: int = 20,
) -> Page:
    """Returns lines of a leaderboard: `limit` of 1 to 100, from the one behind `offset`.

    The fastest are those of a game, or of a `deal`, named by a race on it that is over. Raises
    `Refused`.
    """
    reply = await hall.ask(
        lambda id: Leaderboard(
            id=id, board=board, game=game, deal=deal, bots=bots, offset=offset, limit=limit
        )
    )
    match reply:
        case RatingBoard() | TimeBoard() | StreakBoard():
            return reply
        case _:
            return expect(RatingBoard, reply)


async def ratings(hall: Hall, name: str | None = None, *, game: str | None = None) -> PlayerSheet:
    """Returns a player's ratings, best times, streak and last changes; oneself without a name.

    Raises `Refused`: nobody is called so, or there is no such game.
    """
    return expect(PlayerSheet, await hall.ask(lambda id: Ratings(id=id, name=name, game=game)))


# --- boards ------------------------------------------------------------------------------------


def board_lines(page: Page) -> list[str]:
    """Returns a board for a terminal: what it is, its headings, a line for each of its lines."""
    rows = list(_rows(page))
    said = [_title(page)]
    if not rows:
        return [*said, _nobody(page) if page.total == 0 else "It has no more lines."]
    said += aligned([_headings(page), *rows])
    shown = page.offset + len(rows)
    if page.offset or shown < page.total:
        said.append(f"{page.offset + 1} to {shown} of {page.total}")
    if isinstance(page, RatingBoard) and any(line.place is None for line in page.lines):
        said.append("? provisional: not enough is known, so it has no place yet")
    return said


def _title(page: Page) -> str:
    who = "bots" if page.bots else "people"
    match page:
        case RatingBoard():
            return f"Ratings of {who} in {page.game or 'all games'} ({page.model})"
        case TimeBoard(deal=None):
            return f"The fastest {who} in {page.game}"
        case TimeBoard():
            return f"The fastest {who} on the deal of {page.deal} ({page.game})"
        case StreakBoard():
            return f"Days in a row on which {who} finished a race"


def _nobody(page: Page) -> str:
    """Why nobody stands on it."""
    match page:
        case RatingBoard():
            return "Nobody stands on it yet: points come from rated races."
        case TimeBoard(deal=None):
            return "Nobody stands on it yet: nobody has finished a race in this game."
        case TimeBoard():
            return "Nobody stands on it: nobody has finished on this deal."
        case StreakBoard():
            return "Nobody stands on it yet: days count on which one finishes a race."


def first_step(page: Page) -> tuple[str, ...] | None:
    """Returns the words of the command by which one comes on an empty board, if it takes one."""
    match page:
        case RatingBoard():
            return "race", "new", page.game or _USUAL, "--rated", "--join"
        case TimeBoard(deal=None):
            return "race", "new", page.game, "--join"
        case TimeBoard():
            return None
        case StreakBoard():
            return "daily", "play"


def _headings(page: Page) -> tuple[str, ...]:
    match page:
        case RatingBoard():
            return "place", "player", "points", "sure to", "races", "last"
        case TimeBoard():
            return "place", "player", "time", "day", "race", "look"
        case StreakBoard():
            return "place", "player", "days", "longest", "last"


def _rows(page: Page) -> Iterator[tuple[str, ...]]:
    match page:
        case RatingBoard():
            for line in page.lines:
                place = _PROVISIONAL if line.place is None else str(line.place)
                sigma = f"±{line.sigma:.0f}"
                last = _day(line.last_at)
                yield place, line.name, str(line.points), sigma, str(line.races), last
        case TimeBoard():
            for made in page.lines:
                took, day = clock(made.elapsed_ms), _day(made.at)
                race, look = made.race or "private", ordinal(made.attempt)
                yield str(made.place), made.name, took, day, race, look
        case StreakBoard():
            for each in page.lines:
                days = str(each.current), str(each.longest)
                yield str(each.place), each.name, *days, _day(each.last_at)


# --- a player ----------------------------------------------------------------------------------


def sheet_lines(sheet: PlayerSheet, *, game: str | None = None) -> list[str]:
    """Returns a player's sheet for a terminal, the arithmetic of the last changes included.

    `game` is that in which the sheet was asked for, if in one only.
    """
    bot = " (bot)" if sheet.bot else ""
    where = f" in {game}" if game else ""
    said = [f"{sheet.name}{bot}{where}, by {sheet.model}"]
    if not sheet.ratings:
        said.append("Not rated: no rated race has been counted yet.")
    else:
        rows = [
            (
                rating.game or "all games",
                f"{rating.points}{_PROVISIONAL if rating.place is None else ''}",
                f"±{rating.sigma:.0f}",
                "-" if rating.place is None else str(rating.place),
                str(rating.races),
                _day(rating.last_at),
            )
            for rating in sheet.ratings
        ]
        said += aligned([("rating", "points", "sure to", "place", "races", "last"), *rows])
    if sheet.bests:
        headings = "best time", "time", "day", "race", "look"
        said += ["", *aligned([headings, *(_best_row(best) for best in sheet.bests)])]
    if sheet.streak is not None:
        said += ["", _streak_text(sheet.streak)]
    for change in sheet.changes:
        said += ["", *_change_lines(change)]
    return said


def _best_row(best: BestTime) -> tuple[str, ...]:
    race = best.race or "private"
    return best.game, clock(best.elapsed_ms), _day(best.at), race, ordinal(best.attempt)


def _streak_text(streak: StreakLine) -> str:
    now = "none now" if streak.current == 0 else f"{counted(streak.current, 'day')} now"
    return f"days in a row with a finish: {now}, {streak.longest} at most"


def _change_lines(change: RatingChange) -> Iterator[str]:
    """Yields what one race did to one rating, rival by rival; the points add up to the gain."""
    where = change.race or "a private race"
    entrants = len(change.rivals) + 1
    yield (
        f"{_day(change.at)} {where}, {change.game or 'all games'}: "
        f"place {change.place} of {entrants}, "
        f"{change.before:.2f} {change.gain:+.2f} = {change.after:.2f}, "
        f"±{change.sigma_before:.0f} -> ±{change.sigma_after:.0f}"
    )
    rows = [
        (
            f"  {_OUTCOMES[rival.actual]} {rival.name}",
            f"expected {rival.expected:.2f}",
            f"{rival.points:+.2f}",
        )
        for rival in change.rivals
    ]
    yield from aligned(rows)


_OUTCOMES = {1.0: "before", 0.5: "level with", 0.0: "behind"}


# --- texts -------------------------------------------------------------------------------------


def _day(at: int) -> str:
    """The day of an instant, by UTC."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d")
