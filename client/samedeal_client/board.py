"""Boards as text: on the grid that the game's own table draws, or as a list of piles.

Pure: a view goes in, lines come out. No rule is looked at; what the viewer may not see is a count.
Names and cards are those of the move notation, so that what is read is what is typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from samedeal_rules import Game, Position
from samedeal_rules.builds import Build, InOrder
from samedeal_rules.cards import HIDDEN, card_text

__all__ = ["EMPTY", "aim", "board", "facts", "is_counted", "piles"]

EMPTY: Final = "[]"
"""A place where a pile could lie and none does."""

_RED: Final = "\x1b[31m"
_DIM: Final = "\x1b[2m"
_PLAIN: Final = "\x1b[0m"


class _Ink(NamedTuple):
    """A word, and the escape sequence that colours it."""

    word: str
    colour: str = ""

    def at(self, width: int, *, has_colour: bool) -> str:
        padding = " " * (width - len(self.word))
        if not has_colour or not self.colour:
            return self.word + padding
        return f"{self.colour}{self.word}{_PLAIN}{padding}"


_BLANK: Final = _Ink("")


def board(game: Game, view: Position, *, has_colour: bool = False) -> list[str]:
    """Draws every pile where it lies on the table; tableau piles grow downwards.

    A pile reaches down past the free places below it, and no row begins before it is clear.
    """
    names = dict(zip(game.piles, view.piles, strict=True))
    blocks = {
        (row, column): _block(game, name, names[name])
        for row, line in enumerate(game.grid)
        for column, name in enumerate(line)
        if name is not None
    }
    tops = _tops(blocks, len(game.grid))
    height = max(tops[row] + len(block) for (row, _), block in blocks.items())
    columns = max(len(line) for line in game.grid)
    lines: list[list[_Ink]] = [[_BLANK] * columns for _ in range(height)]
    for (row, column), block in blocks.items():
        for below, ink in enumerate(block):
            lines[tops[row] + below][column] = ink
    width = max(len(ink.word) for line in lines for ink in line) + 2
    return [_row(line, width, has_colour=has_colour) for line in lines]


def piles(game: Game, view: Position, *, width: int = 80, has_colour: bool = False) -> list[str]:
    """Lists every pile, bottom card first: what lies squared up on one line, then fan by fan."""
    squared: list[list[_Ink]] = []
    fanned: list[list[_Ink]] = []
    for name, cards in zip(game.piles, view.piles, strict=True):
        listed = [_name(game, name, cards), *(_card(card) for card in _shown(name, cards))]
        (fanned if _is_fanned(name) else squared).append(listed)
    return [
        *_flow(squared, width, has_colour=has_colour),
        *_flow(fanned, width, has_colour=has_colour),
    ]


def aim(game: Game) -> str:
    """Says what is played for: where home is, in the names of the table."""
    home = [game.piles[at] for at in game.home]
    where = f"{home[0]} to {home[-1]}" if len(home) > 2 else " and ".join(home)
    return f"Bring {game.goal} cards home, onto {where}: whoever is first there wins."


def facts(game: Game, view: Position) -> str:
    """Says what no pile shows: the base rank, the redeals; empty where a game has neither."""
    said = []
    if "base" in game.counters:
        said.append("base not chosen yet" if view.base is None else f"base {_rank(view.base)}")
    if game.redeal is not None and game.redeal.times is not None:
        said.append(f"redeals {view.redeals} of {game.redeal.times}")
    if view.idle:
        said.append(
            "a pass without a play" if view.idle == 1 else f"{view.idle} passes without one"
        )
    return ", ".join(said)


def _rank(base: int) -> str:
    return card_text(base)[0]


def _is_fanned(name: str) -> bool:
    return name[0] in "TR"


def _shown(name: str, cards: Sequence[int]) -> Sequence[int]:
    """The cards that are drawn: of a fan those that are visible, of any other pile the top one."""
    if name == "S":
        return cards[:0] if not cards else (HIDDEN,)
    if not _is_fanned(name):
        return cards[-1:]
    return [card for card in cards if card != HIDDEN]


def _name(game: Game, name: str, cards: Sequence[int]) -> _Ink:
    """The pile's name, with the count of its cards where they do not all show it."""
    return _Ink(f"{name}:{len(cards)}" if is_counted(game, name, cards) else name, _DIM)


def is_counted(game: Game, name: str, cards: Sequence[int]) -> bool:
    """Whether a pile has cards that do not show how many they are."""
    return bool(cards) and (HIDDEN in cards or name in ("S", "W") or _may_mislead(game, name))


def _may_mislead(game: Game, name: str) -> bool:
    """Whether a foundation's top card does not tell how many cards lie below it."""
    if name[0] != "F":
        return False
    order = game.rows[int(name[1:]) - 1].order
    repeats = isinstance(order, InOrder) and len(set(order.ranks)) < len(order.ranks)
    return repeats or isinstance(order, Build)


def _card(card: int) -> _Ink:
    text = card_text(card)
    return _Ink(text, _RED if text[1] in "DH" else "")


def _block(game: Game, name: str, cards: Sequence[int]) -> list[_Ink]:
    shown = [_card(card) for card in _shown(name, cards)]
    return [_name(game, name, cards), *(shown or [_Ink(EMPTY, _DIM)])]


def _tops(blocks: dict[tuple[int, int], list[_Ink]], rows: int) -> list[int]:
    """The line on which each row of the grid begins, a free line above it."""
    tops = [0] * rows
    for row in range(1, rows):
        clear = [tops[row - 1] + 3]
        for column in {column for at, column in blocks if at == row}:
            above = [at for at, where in blocks if where == column and at < row]
            if above:
                clear.append(tops[max(above)] + len(blocks[max(above), column]) + 1)
        tops[row] = max(clear)
    return tops


def _row(line: Iterable[_Ink], width: int, *, has_colour: bool) -> str:
    return "".join(ink.at(width, has_colour=has_colour) for ink in line).rstrip()


def _flow(listed: list[list[_Ink]], width: int, *, has_colour: bool) -> list[str]:
    """Sets the piles out in as many equal columns as fit."""
    if not listed:
        return []
    label = max(len(inks[0].word) for inks in listed) + 1
    longest = max(sum(len(ink.word) + 1 for ink in inks[1:]) for inks in listed)
    cell = label + max(longest, 3) + 2
    columns = max(1, (width + 2) // cell)
    rows = -(-len(listed) // columns)
    lines = []
    for row in range(rows):
        line = ""
        for inks in listed[row::rows]:
            cards = " ".join(ink.at(0, has_colour=has_colour) for ink in inks[1:]) or EMPTY
            used = sum(len(ink.word) + 1 for ink in inks[1:]) - 1 if len(inks) > 1 else len(EMPTY)
            line += inks[0].at(label, has_colour=has_colour) + cards + " " * (cell - label - used)
        lines.append(line.rstrip())
    return lines
