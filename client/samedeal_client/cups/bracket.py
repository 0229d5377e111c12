"""The bracket of an elimination, drawn from the matches that are known.

Pure. A match is two lines. Who wins it goes on along the line to the match that it leads to: from
its lower line where that one stands below it, from its upper line where it stands above. What has
no room beside the rest is drawn below it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from samedeal_client.telling import cells, padded
from samedeal_protocol.tournament.formats import DoubleElimination
from samedeal_protocol.tournament.views import MatchView, PlayerView, TournamentSheet

from .ledger import ENDED

__all__ = ["bracket_lines", "scores_of"]

_GUTTER: Final = 3
_NARROWEST: Final = 12
_WIDEST: Final = 26
_STEP: Final = 3
"""Lines from one match of the first round to the next."""
_LABELS: Final = {1: "final", 2: "semi-final", 4: "quarter-final"}
_PLAIN: Final = str.maketrans("─│┐└┘┌▸•·", "-|++++>*.")

Column = Sequence[str]
"""The matches of one round, by id, from top to bottom."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Rounds that lead to each other, with a title."""

    title: str
    columns: Sequence[Column]
    heads: Sequence[str]
    into: tuple[str | None, str | None] | None = None
    """Of finals: the matches whose winners meet in the first. They lead nowhere else."""


def bracket_lines(sheet: TournamentSheet, *, width: int, has_blocks: bool = True) -> list[str]:
    """Draws the bracket, no line wider than `width`; a sentence, before there is one.

    `▸` marks who has won a match, `•` who is at a match now.
    """
    drawing = _Drawing(sheet)
    if not sheet.matches:
        return ["There is no bracket yet: it is drawn when the tournament starts."]
    lines: list[str] = []
    for part in drawing.parts():
        lines += [*([""] if lines else []), *([part.title] if part.title else [])]
        lines += drawing.drawn(part, width)
    if not has_blocks:
        lines = [line.translate(_PLAIN) for line in lines]
    return lines


def scores_of(match: MatchView) -> tuple[str, str]:
    """Returns what stands behind each of two players: races won, `w/o` for who won without one,
    `drawn` where the only race was."""
    if match.ending == "walkover":
        return ("w/o", "") if match.winner == match.players[0] else ("", "w/o")
    if match.ending == "double forfeit":
        return "–", "–"
    scored = re.match(r"([^–-]+)[–-]([^–,-]+)", match.score)
    if scored is None:
        return "", ""
    one, other = scored[1].strip(), scored[2].strip()
    return ("drawn", "drawn") if match.best_of == 1 and one == other == "½" else (one, other)


class _Drawing:
    def __init__(self, sheet: TournamentSheet) -> None:
        self._sheet = sheet
        self._matches: Mapping[str, MatchView] = {each.match: each for each in sheet.matches}
        self._players: Mapping[int, PlayerView] = {each.player: each for each in sheet.players}
        seeds = (each.seed for each in sheet.players if each.seed is not None)
        self._digits = len(str(max(seeds, default=1)))
        scores = (cells(score) for each in sheet.matches for score in scores_of(each))
        self._scores = max(3, *scores, 0)
        self._unknown = f"{'·':>{self._digits}}"
        self._size = 2 * max(1, *(self._row("W1", each.match) for each in sheet.matches), 1)

    @staticmethod
    def _row(round: str, match: str) -> int:
        name, _, row = match.partition(".")
        return int(row) if name == round and row.isdigit() else 0

    # --- what there is -------------------------------------------------------------------------

    def parts(self) -> list[_Part]:
        if isinstance(self._sheet.terms.format, DoubleElimination):
            return self._double(reset=self._sheet.terms.format.reset)
        columns = self._winners("F")
        parts = [_Part("", columns, [_name(len(column)) for column in columns])]
        if "T" in self._matches:
            parts.append(_Part("", [["T"]], ["third place"]))
        return parts

    def _winners(self, last: str | None) -> list[Column]:
        columns: list[Column] = []
        count, number = self._size // 2, 1
        while count:
            is_last = count == 1 and last is not None
            ids = [f"W{number}.{row}" for row in range(1, count + 1)]
            columns.append([last] if is_last and last is not None else ids)
            count, number = count // 2, number + 1
        return columns

    def _double(self, *, reset: bool) -> list[_Part]:
        winners = self._winners(None)
        losers: list[Column] = []
        count = self._size // 4
        while count:
            for _ in range(2):
                number = len(losers) + 1
                losers.append([f"L{number}.{row}" for row in range(1, count + 1)])
            count //= 2
        parts = [_Part("Winners", winners, [f"round {n}" for n in range(1, len(winners) + 1)])]
        if losers:
            parts.append(_Part("Losers", losers, [f"round {n}" for n in range(1, len(losers) + 1)]))
        finals: list[Column] = [["F"], *([["F2"]] if reset and "F2" in self._matches else [])]
        names = ["final", "second final"]
        into = (winners[-1][0], losers[-1][0] if losers else None)
        return [*parts, _Part("Finals", finals, names[: len(finals)], into)]

    # --- one part ------------------------------------------------------------------------------

    def drawn(self, part: _Part, width: int) -> list[str]:
        """Draws the part's columns, as many side by side as there is room for."""
        longest = max((cells(self._called(each)) for each in self._players), default=0)
        wanted = min(_WIDEST, max(_NARROWEST, longest + 2 + self._scores))
        most = max(1, (width + _GUTTER) // (wanted + _GUTTER))
        lines: list[str] = []
        for first in range(0, len(part.columns), most):
            chosen = part.columns[first : first + most]
            before = part.columns[first - 1] if first else None
            lines += [""] if lines else []
            heads = (padded(head, wanted + _GUTTER) for head in part.heads[first : first + most])
            lines.append("".join(heads).rstrip())
            lines += self._forest(chosen, before, wanted, into=part.into)
        return lines

    def _forest(
        self,
        columns: Sequence[Column],
        before: Column | None,
        wide: int,
        *,
        into: tuple[str | None, str | None] | None,
    ) -> list[str]:
        height = _STEP * len(columns[0]) - 1
        canvas = [[" "] * (len(columns) * (wide + _GUTTER)) for _ in range(height)]
        texts: dict[tuple[int, int], str] = {}
        tops = [_STEP * row for row in range(len(columns[0]))]
        previous = before
        for number, column in enumerate(columns):
            left = number * (wide + _GUTTER)
            if number:
                tops = _linked(canvas, tops, len(column), left - _GUTTER, is_drawn=into is None)
            for row, match in enumerate(column):
                if into is not None:
                    feeding: Sequence[str | None] = into if number == 0 else ()
                else:
                    feeding = () if previous is None else _feeders(previous, column, row)
                for line, text in enumerate(self._match(match, feeding, wide)):
                    texts[tops[row] + line, left] = text
            previous = column
        return [_row_text(canvas[row], row, texts, wide) for row in range(height)]

    def _match(self, id: str, feeding: Sequence[str | None], wide: int) -> tuple[str, str]:
        """The two lines of a match; before it is paired, whoever is known to come."""
        match = self._matches.get(id)
        if match is None and self._sheet.head.phase in ENDED:
            return " " * wide, " " * wide  # it was never to be played
        if match is None:
            coming = [self._winner(each) for each in (*feeding, None, None)[:2]]
            return self._slot("", coming[0], "", wide), self._slot("", coming[1], "", wide)
        if len(match.players) < 2:
            mark = "▸" if match.winner is not None else ""
            bye = padded(f" {' ' * self._digits} bye", wide)
            return self._slot(mark, next(iter(match.players), None), "", wide), bye
        scores = scores_of(match)
        is_on = match.ending is None and any(each.state == "running" for each in match.races)
        lines = [
            self._slot("▸" if player == match.winner else "•" if is_on else "", player, score, wide)
            for player, score in zip(match.players, scores, strict=False)
        ]
        return lines[0], lines[1]

    def _winner(self, id: str | None) -> int | None:
        match = None if id is None else self._matches.get(id)
        return None if match is None else match.winner

    def _slot(self, mark: str, player: int | None, score: str, wide: int) -> str:
        room = wide - 1 - (cells(score) + 1 if score else 0)
        name = padded(self._unknown if player is None else self._called(player), room)
        return f"{mark or ' '}{name}{f' {score}' if score else ''}"

    def _called(self, player: int) -> str:
        known = self._players.get(player)
        if known is None:
            return f"#{player}"
        seed = "" if known.seed is None else str(known.seed)
        return f"{seed:>{self._digits}} {known.name}"


def _name(matches: int) -> str:
    return _LABELS.get(matches, f"round of {2 * matches}")


def _feeders(previous: Column, column: Column, row: int) -> tuple[str | None, str | None]:
    """The matches whose winners come to the two lines of a match. Where a round has as many as
    the one before, its upper line is for somebody who drops in."""
    if len(previous) == len(column):
        return None, previous[row]
    return previous[2 * row], previous[2 * row + 1]


def _linked(
    canvas: list[list[str]], tops: Sequence[int], count: int, left: int, *, is_drawn: bool
) -> list[int]:
    """Draws the lines from one column to the next; returns where the next one's matches stand."""
    if len(tops) == count:
        for top in tops:
            if is_drawn:
                canvas[top + 1][left : left + _GUTTER] = "───"
        return list(tops)
    standing: list[int] = []
    for upper, lower in zip(tops[::2], tops[1::2], strict=True):
        top = (upper + lower) // 2
        standing.append(top)
        _stroke(canvas, upper + 1, top, left)
        _stroke(canvas, lower, top + 1, left)
    return standing


def _stroke(canvas: list[list[str]], start: int, end: int, left: int) -> None:
    """A line from the right of one match to the left of another."""
    if start == end:
        canvas[start][left : left + _GUTTER] = "───"
        return
    down = start < end
    canvas[start][left : left + 2] = "─┐" if down else "─┘"
    canvas[end][left + 1 : left + 3] = "└─" if down else "┌─"
    for row in range(min(start, end) + 1, max(start, end)):
        canvas[row][left + 1] = "│"


def _row_text(
    canvas: Sequence[str], row: int, texts: Mapping[tuple[int, int], str], wide: int
) -> str:
    """One line: the strokes, and the texts of the matches in their places."""
    step = wide + _GUTTER
    parts = [
        texts.get((row, left), " " * wide) + "".join(canvas[left + wide : left + step])
        for left in range(0, len(canvas), step)
    ]
    return "".join(parts).rstrip()
