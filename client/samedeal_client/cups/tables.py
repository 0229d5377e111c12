"""Tournaments as tables: lists, registrations, rounds, cross tables, standings.

Pure: what is known goes in, aligned lines come out, none wider than asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Final

from samedeal_client.telling import ELASTIC_MIN, aligned, cells, counted, padded
from samedeal_protocol.tournament.formats import Ladder
from samedeal_protocol.tournament.views import (
    MatchView,
    TableLine,
    TournamentCard,
    TournamentSheet,
    TournamentTable,
)

from .bracket import scores_of
from .matches import in_order, match_text
from .telling import FORMAT_WORDS, away_text, called, phase_text

__all__ = [
    "ANNOUNCE",
    "card_lines",
    "cross_lines",
    "over_text",
    "player_lines",
    "round_lines",
    "standings_lines",
]

ANNOUNCE: Final = ("tournament", "new", "--format", "swiss", "--game", "forty-thieves")
"""What is typed to announce one, for who sees that there is none."""
_SHORT: Final = {
    "head-to-head": "h2h",
    "buchholz": "Buch",
    "buchholz-cut-1": "Buch-1",
    "median-buchholz": "median",
    "sonneborn-berger": "S-B",
    "total-time": "time",
    "deals-won": "deals",
    "cards-home": "cards",
}
"""What stands above a column that would be wider than what is in it."""


def card_lines(cards: Sequence[TournamentCard], *, now: int, width: int | None = None) -> list[str]:
    """A list of tournaments, below its headings.

    Where there is no room, what matters least gives way first: long words for formats, formats,
    how many players there are; then how it stands is cut, and names last.
    """
    texts = [_card(card, now) for card in cards]
    rows: list[tuple[str, ...]] = []
    for columns in _COLUMNS:
        rows = [tuple(heading for _, heading in columns)]
        rows += [tuple(text[at] for at, _ in columns) for text in texts]
        lines = aligned(rows, right=[at for at, (name, _) in enumerate(columns) if name in _FLUSH])
        if width is None or max(map(cells, lines)) <= width:
            return lines
    return aligned(rows, width=width, elastic=1)


_COLUMNS: Final = tuple(
    tuple((name, name.removeprefix("short ")) for name in names.split(", "))
    for names in (
        "code, name, format, phase, players, starts",
        "code, name, short format, phase, players, starts",
        "code, name, phase, players, starts",
        "code, name, phase, starts",
        "code, name, phase",
    )
)
"""Which columns there are, and their headings: the first of these for which there is room."""
_FLUSH: Final = ("players",)


def _card(card: TournamentCard, now: int) -> dict[str, str]:
    starts = "by hand" if card.starts is None else away_text(card.starts - now)
    ahead = f"in {starts}" if card.starts is not None and starts != "now" else starts
    phase = phase_text(card.head)
    return {
        "code": card.tournament,
        "name": card.name,
        "format": FORMAT_WORDS.get(card.format, card.format),
        "short format": FORMAT_WORDS.get(card.format, card.format).replace("elimination", "elim."),
        "phase": f"{phase}: {card.champion} won" if card.champion else phase,
        "players": f"{card.players}{f'/{card.cap}' if card.cap < 512 else ''}",
        "starts": ahead if card.head.phase in ("announced", "check-in") else "",
    }


def over_text(count: int, shows: str) -> str:
    """`, but 3 are over: v shows them`, after that there is none; `shows` says what does."""
    if not count:
        return ""
    is_one = count == 1
    return f", but {count} {'is' if is_one else 'are'} over: {shows} {'it' if is_one else 'them'}"


def player_lines(sheet: TournamentSheet, *, width: int) -> list[str]:
    """Who is registered, in as many columns as there is room for: number, name, state.

    Those who play stand by seed number, the others after them as they registered.
    """
    ordered = sorted(sheet.players, key=lambda each: (each.seed or 10**6, each.player))
    players = {each.player: each for each in sheet.players}
    digits = len(str(max((each.player for each in ordered), default=1)))
    texts = []
    for each in ordered:
        state = "" if each.state == "playing" else f"  {each.state}"
        seed = "" if each.seed is None else f" (seed {each.seed})"
        texts.append(f"#{each.player:<{digits}} {called(players, each.player)}{seed}{state}")
    if not texts:
        return ["Nobody has registered yet."]
    return _in_columns(texts, width)


def _in_columns(texts: Sequence[str], width: int) -> list[str]:
    """Texts down the first column, then the second."""
    wide = max(map(cells, texts)) + 2
    count = max(1, min((width + 2) // wide, -(-len(texts) // 8)))
    height = -(-len(texts) // count)
    return [
        "".join(padded(text, wide) for text in texts[row::height]).rstrip() for row in range(height)
    ]


def round_lines(sheet: TournamentSheet, *, now: int, round: int | None = None) -> list[str]:
    """The matches of a round, or all that are open; where none is, those of the last round."""
    players = {each.player: each for each in sheet.players}
    matches = in_order(sheet.matches)
    if round is None:
        chosen = [each for each in matches if each.ending is None]
        last = max((each.round for each in matches), default=0)
        chosen = chosen or [each for each in matches if each.round == last]
    else:
        chosen = [each for each in matches if each.round == round]
    lines: list[str] = []
    label = ""
    for each in chosen:
        if each.label != label and not isinstance(sheet.terms.format, Ladder):
            label = each.label
            lines.append(f"{label}:")
        lines.append(f"  {match_text(each, players, now)}")
    return lines


# --- standings ---------------------------------------------------------------------------------


def standings_lines(
    table: TournamentTable, sheet: TournamentSheet, *, width: int, why: bool = False
) -> list[str]:
    """The standings; with `why`, below each player how every mark is reckoned."""
    if not table.lines:
        return ["There are no standings yet."]
    players = {each.player: each for each in sheet.players}
    marks = max((line.marks for line in table.lines), key=len)
    heads = [_SHORT.get(mark.what, mark.what) for mark in marks]
    rows = [("", "player", *heads)]
    for line in table.lines:
        values = [mark.value for mark in line.marks]
        blank = [""] * (len(heads) - len(values))
        rows.append((str(line.place), called(players, line.player), *values, *blank))
    right = (0, *range(2, 2 + len(heads)))
    drawn = aligned(rows, width=width, right=right, elastic=1)
    short = [(_SHORT[mark.what], mark.what) for mark in marks if mark.what in _SHORT]
    legend = ", ".join(f"{short} = {name}" for short, name in short)
    if not why:
        return [*drawn, *([f"({legend})"] if legend else [])]
    lines = drawn[:1]
    for text, line in zip(drawn[1:], table.lines, strict=True):
        lines += [text, *_arithmetic(line, width)]
    return lines


def _arithmetic(line: TableLine, width: int) -> list[str]:
    wide = max((len(mark.what) for mark in line.marks), default=0)
    lines: list[str] = []
    for mark in line.marks:
        head = f"      {mark.what:{wide}}  "
        further = " " * len(head)
        lines += wrap(mark.arithmetic, width, initial_indent=head, subsequent_indent=further) or [
            head.rstrip()
        ]
    return lines


def cross_lines(sheet: TournamentSheet, *, width: int) -> list[str]:
    """Who played whom: a row and a column for each player, by seed number. One line of excuse
    where there is no room."""
    field = sorted(
        (each for each in sheet.players if each.seed is not None), key=lambda each: each.seed or 0
    )
    if not field:
        return []
    players = {each.player: each for each in sheet.players}
    results: dict[tuple[int, int], list[str]] = {}
    for match in sheet.matches:
        if len(match.players) == 2:
            one, other = match.players
            first, second = _points(match)
            results.setdefault((one, other), []).append(first)
            results.setdefault((other, one), []).append(second)
    rows = [["", "player", *(str(each.seed) for each in field)]]
    for row in field:
        texts = [
            "×" if row is column else " ".join(results.get((row.player, column.player), ["·"]))
            for column in field
        ]
        rows.append([str(row.seed), called(players, row.player), *texts])
    needed = sum(max(cells(row[at]) for row in rows) + 2 for at in range(len(rows[0])) if at != 1)
    if needed + ELASTIC_MIN > width:
        return [
            f"The table of {counted(len(field), 'player')} needs {needed + ELASTIC_MIN} columns."
        ]
    right = (0, *range(2, 2 + len(field)))
    return aligned(rows, width=width, right=right, elastic=1)


def _points(match: MatchView) -> tuple[str, str]:
    """What a match says of each of its two: `1`, `½`, `0`; in a longer one, its races."""
    if match.ending is None:
        is_on = any(race.state == "running" for race in match.races)
        return ("*", "*") if is_on else ("·", "·")
    if match.ending in ("walkover", "double forfeit"):
        return ("+" if match.winner == match.players[0] else "-"), (
            "+" if match.winner == match.players[1] else "-"
        )
    scores = scores_of(match)
    if match.best_of > 1 and all(scores):
        return f"{scores[0]}:{scores[1]}", f"{scores[1]}:{scores[0]}"
    if match.winner is None:
        return "½", "½"
    return ("1", "0") if match.winner == match.players[0] else ("0", "1")
