"""The tie-breaks, each as a number to compare and as the arithmetic that anybody can redo.

`formats.EXPLAINED` is the documented list; this is the reckoning. Marks are of a group: those who
are level on everything that came before. Only head to head depends on who else is in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from samedeal_protocol.tournament.formats import TieBreak

from .arithmetic import clock, said, summed
from .scores import Book, Meeting, Outcome, term

__all__ = ["Mark", "marks", "points_marks"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What one criterion says of one player."""

    name: str
    key: tuple[Fraction, ...]
    """To compare within the group: higher is better."""
    value: str
    arithmetic: str
    """How the value came about, ending in it."""


def points_marks(book: Book) -> Mapping[str, Mark]:
    """Returns everybody's points."""
    return {
        player: Mark("points", (points,), said(points), summed(book.sums[player], said(points)))
        for player, points in book.points.items()
    }


def marks(tie_break: TieBreak, group: Sequence[str], book: Book) -> Mapping[str, Mark]:
    """Returns what the tie-break says of each of the group."""
    match tie_break:
        case TieBreak.HEAD_TO_HEAD:
            return _head_to_head(group, book)
        case TieBreak.BUCHHOLZ:
            return {player: _buchholz(tie_break, player, book) for player in group}
        case TieBreak.BUCHHOLZ_CUT_1:
            return {player: _buchholz(tie_break, player, book, low=1) for player in group}
        case TieBreak.MEDIAN_BUCHHOLZ:
            return {player: _buchholz(tie_break, player, book, low=1, high=1) for player in group}
        case TieBreak.SONNEBORN_BERGER:
            return {player: _sonneborn_berger(player, book) for player in group}
        case TieBreak.TOTAL_TIME:
            return {player: _total_time(player, book) for player in group}
        case TieBreak.DEALS_WON:
            return {player: _deals_won(player, book) for player in group}
        case TieBreak.CARDS_HOME:
            return {player: _cards_home(player, book) for player in group}
        case _:
            assert_never(tie_break)


def _head_to_head(group: Sequence[str], book: Book) -> Mapping[str, Mark]:
    name = TieBreak.HEAD_TO_HEAD.value
    inside = {
        player: [meeting for meeting in book.meetings[player] if meeting.opponent in group]
        for player in group
    }
    if len(group) < 2:
        return {player: Mark(name, (), "–", "nobody is level") for player in group}
    for player in group:
        if len({meeting.opponent for meeting in inside[player]}) < len(group) - 1:
            return {player: Mark(name, (), "–", "not all of them have met") for player in group}
    found: dict[str, Mark] = {}
    for player in group:
        total = sum((meeting.points for meeting in inside[player]), Fraction(0))
        terms = [term(meeting, book.names) for meeting in inside[player]]
        found[player] = Mark(name, (total,), said(total), summed(terms, said(total)))
    return found


def _buchholz(tie_break: TieBreak, player: str, book: Book, *, low: int = 0, high: int = 0) -> Mark:
    terms = sorted(
        (
            (points, f"{said(points)} ({who})")
            for meeting in book.meetings[player]
            for points, who in _opponents(player, meeting, book)
        ),
        key=lambda each: each[0],
    )
    kept = terms[low : len(terms) - high] if low + high < len(terms) else []
    total = sum((points for points, _ in kept), Fraction(0))
    text = summed([text for _, text in reversed(kept)], said(total))
    if low or high:
        cut = [
            text for number, (_, text) in enumerate(terms) if not low <= number < len(terms) - high
        ]
        text += f", without {' and '.join(cut)}" if cut else ""
    return Mark(tie_break.value, (total,), said(total), text)


def _opponents(player: str, meeting: Meeting, book: Book) -> list[tuple[Fraction, str]]:
    if meeting.is_played and meeting.opponent is not None:
        return [(book.points[meeting.opponent], _name(meeting, book))]
    if meeting.is_free:
        return [(book.points[player], f"{meeting.outcome.value}, own points")]
    return []


def _sonneborn_berger(player: str, book: Book) -> Mark:
    total = Fraction(0)
    terms: list[str] = []
    for meeting in book.meetings[player]:
        if meeting.outcome is Outcome.LOST:
            continue
        half = meeting.outcome is Outcome.DREW
        for points, who in _opponents(player, meeting, book):
            total += points / 2 if half else points
            terms.append(f"{'½ × ' if half else ''}{said(points)} ({who})")
    name = TieBreak.SONNEBORN_BERGER.value
    return Mark(name, (total,), said(total), summed(terms, said(total)))


def _total_time(player: str, book: Book) -> Mark:
    times = [
        showing.elapsed_ms for _, showing in book.races[player] if showing.elapsed_ms is not None
    ]
    total = sum(times)
    text = f"{len(times)} finished"
    if times:
        text += f": {summed([clock(time) for time in times], clock(total))}"
    value = f"{clock(total)} in {len(times)}" if times else "–"
    return Mark(TieBreak.TOTAL_TIME.value, (Fraction(len(times)), Fraction(-total)), value, text)


def _deals_won(player: str, book: Book) -> Mark:
    shares: list[Fraction] = []
    for race, showing in book.races[player]:
        if showing.place == 1:
            first = sum(1 for other in race.showings if other.place == 1)
            shares.append(Fraction(1, first))
    total = sum(shares, Fraction(0))
    text = summed([said(share) for share in shares], said(total))
    return Mark(TieBreak.DEALS_WON.value, (total,), said(total), text)


def _cards_home(player: str, book: Book) -> Mark:
    homes = [showing.home for _, showing in book.races[player]]
    total = sum(homes)
    text = summed([str(home) for home in homes], str(total))
    return Mark(TieBreak.CARDS_HOME.value, (Fraction(total),), str(total), text)


def _name(meeting: Meeting, book: Book) -> str:
    if meeting.opponent is None:
        raise AssertionError("only meetings with an opponent are named")
    return book.names[meeting.opponent]
