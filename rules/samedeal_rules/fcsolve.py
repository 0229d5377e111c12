"""Boards and solutions as Freecell Solver (fc-solve) writes them, for the games it knows exactly.

Players share deals and solutions in its notation. The forms are those that its README and USAGE
document: a board is a line a stack, bottom card first, after lines for foundations and freecells;
a solution is sentences ("Move a card from stack 0 to the foundations", counted from 0) or the
standard notation of FreeCell players (`1h`, `26`, `a3`, and `26v3` for three cards; columns from
1, cells from a, home h).

Laws: only games whose rules agree with the solver's are here; what is read is complete and legal,
or refused. A group that our rules do not grant (G6) is read as the single moves that it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from .cards import card_text, parse_card
from .engine import Table
from .errors import BadNotation, IllegalMove
from .notation import Move, Position, parse_position
from .spec import Game

__all__ = [
    "SOLVER_OPTIONS",
    "Notation",
    "board_text",
    "read_board",
    "read_solution",
    "solution_text",
]

SOLVER_OPTIONS = MappingProxyType(
    {
        "beleaguered-castle": "-g beleaguered_castle",
        "streets-and-alleys": "-g streets_and_alleys",
        "tuxedo": "--freecells-num 7 --stacks-num 7 --decks-num 1 --sequences-are-built-by suit"
        " --sequence-move unlimited --empty-stacks-filled-by kings",
    }
)
"""What to tell fc-solve so that it plays by our rules; the keys are the games that it knows."""

_SUITS_SHOWN = "HCDS"  # the order of fc-solve's foundations line
_RANKS = "0A23456789TJQK"
_CELL_LETTERS = "abcdefgklmnop"  # h is home; i and j are skipped with it
_HOME = "h"
_MOVES_A_LINE = 10

_SENTENCE = re.compile(
    r"move (?:a card|(?P<cards>\d+) cards?) from (?P<source>stack|freecell) (?P<out>\d+)"
    r" to (?:(?P<target>stack|freecell) (?P<into>\d+)|the foundations)",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"(?P<source>[1-9a-z])(?P<target>[1-9a-z])(?:v(?P<cards>[0-9a-f]+))?")
# What stands around the moves in the solver's output and in collections of solutions.
_AROUND = ("-=", "==", "#", ":", "fc:", "freecells:", "founds:", "foundations:")
_REPORT = ("this game is", "total number of states", "this scan", "this run")


class Notation(Enum):
    """How a solution is written."""

    SENTENCES = "sentences"
    STANDARD = "standard"
    EXTENDED = "extended"


class _Wish(NamedTuple):
    """A move as the solver says it: piles by name, `F` for the foundations, None for any number."""

    source: str
    target: str
    cards: int | None


def board_text(position: Position) -> str:
    """The position as a board for fc-solve, in the form that its option -p prints with -t.

    Raises BadNotation for a game that fc-solve does not know.
    """
    _check(position.game)
    home = dict.fromkeys(_SUITS_SHOWN, "0")
    cells: list[str] = []
    stacks: list[str] = []
    for name, pile in zip(position.game.piles, position.piles, strict=True):
        cards = [card_text(card) for card in pile]
        if name.startswith("F") and cards:
            home[cards[-1][1]] = cards[-1][0]
        elif name.startswith("C"):
            cells.append(cards[0] if cards else "-")
        elif name.startswith("T"):
            stacks.append(" ".join([":", *cards]))
    lines = ["Foundations: " + " ".join(f"{suit}-{home[suit]}" for suit in _SUITS_SHOWN)]
    if cells:
        lines.append("Freecells: " + " ".join(f"{cell:>3}" for cell in cells))
    return "\n".join([*lines, *stacks]) + "\n"


def read_board(game: Game, text: str) -> Position:
    """The position that an fc-solve board shows; clubs, diamonds, hearts, spades go to F1 to F4.

    Raises BadNotation for a game that fc-solve does not know, for a line that is none of a board's,
    and for cards that are not the whole pack.
    """
    _check(game)
    stacks = [name for name in game.piles if name.startswith("T")]
    cells = [name for name in game.piles if name.startswith("C")]
    lines = [f"game: {game.key}"]
    filled = 0
    for line in text.splitlines():
        word, colon, rest = line.partition(":")
        match word.strip().lower():
            case "foundations" | "founds" if colon:
                lines += _home_lines(rest)
            case "freecells" | "fc" if colon:
                lines += _cell_lines(rest, cells)
            case _ if not line.strip() or line.startswith("#"):
                continue
            case _ if filled == len(stacks):
                raise BadNotation(f"{game.name} has {len(stacks)} stacks; this is one more: {line}")
            case _:
                cards = line.removeprefix(":").split()
                lines.append(f"{stacks[filled]}: {' '.join(_card(card) for card in cards)}")
                filled += 1
    position = parse_position("\n".join(lines) + "\n")
    missing = game.size - sum(len(pile) for pile in position.piles)
    if missing:
        raise BadNotation(
            f"{missing} of the pack's cards are missing; is there a foundations line?"
        )
    return position


def read_solution(position: Position, text: str) -> tuple[Move, ...]:
    """The moves of an fc-solve solution from that position, each checked by playing it.

    Boards between the moves, rules of dashes, `#` comments and the closing report are passed over.
    A compact move to a space that gives no count is one card in the extended notation, the whole
    run in the standard one: the reading that can be played is taken, the extended one first.
    Raises BadNotation for any other line that is no move, IllegalMove for a move that our rules
    refuse.
    """
    _check(position.game)
    wishes = tuple(_wishes(text))
    try:
        return _played(position, wishes, runs_to_spaces=False)
    except IllegalMove:
        return _played(position, wishes, runs_to_spaces=True)


def solution_text(
    position: Position, moves: Iterable[Move], *, notation: Notation = Notation.SENTENCES
) -> str:
    """The moves from that position as fc-solve prints them: with -m, with -sn, or with -snx.

    Raises BadNotation for a game that fc-solve does not know, IllegalMove for an illegal move.
    """
    game = position.game
    _check(game)
    table = Table.from_position(position)
    words: list[str] = []
    for move in moves:
        to_space = not table.piles()[move.target]
        table.play(move)
        if notation is Notation.SENTENCES:
            words.append(_sentence(game, move))
        else:
            words.append(_compact(game, move, count=to_space and notation is Notation.EXTENDED))
    a_line = 1 if notation is Notation.SENTENCES else _MOVES_A_LINE
    lines = [words[at : at + a_line] for at in range(0, len(words), a_line)]
    return "".join(" ".join(line) + "\n" for line in lines)


def _check(game: Game) -> None:
    if game.key not in SOLVER_OPTIONS:
        known = ", ".join(SOLVER_OPTIONS)
        raise BadNotation(f"Freecell Solver plays {known} by our rules, but not {game.key}")


# Boards


def _card(text: str) -> str:
    """A card of ours from one of theirs: ten may be 10, ace may be 1."""
    rank, suit = text[:-1].upper(), text[-1:].upper()
    return card_text(parse_card({"10": "T", "1": "A"}.get(rank, rank) + suit))


def _home_lines(text: str) -> Iterator[str]:
    for word in text.split():
        suit, dash, rank = word.upper().partition("-")
        rank = {"10": "T", "1": "A"}.get(rank, rank)
        if len(suit) != 1 or suit not in _SUITS_SHOWN or not dash or rank not in _RANKS:
            raise BadNotation(f"a foundation is written like H-5 or S-0, not {word}")
        cards = [f"{each}{suit}" for each in _RANKS[1 : _RANKS.index(rank) + 1]]
        yield f"F{'CDHS'.index(suit) + 1}: {' '.join(cards)}"


def _cell_lines(text: str, cells: list[str]) -> Iterator[str]:
    """Read cells marked with `-` when empty, or standing in columns of four characters."""
    words = text.split()
    columns = [text[at : at + 4].strip() for at in range(0, len(text.rstrip()), 4)]
    if "-" not in words and [each for each in columns if each] == words:
        words = [each or "-" for each in columns]
    if len(words) > len(cells):
        raise BadNotation(f"this game has {len(cells)} cells, not {len(words)}")
    for name, word in zip(cells, words, strict=False):
        if word != "-":
            yield f"{name}: {_card(word)}"


# Solutions, read


def _wishes(text: str) -> Iterator[_Wish]:
    for line in text.splitlines():
        words = line.lower().strip()
        if not words or words.startswith((*_AROUND, *_REPORT)):
            continue
        if sentence := _SENTENCE.fullmatch(words.rstrip(".")):
            yield _said(sentence)
            continue
        for word in words.split():
            if not (compact := _COMPACT.fullmatch(word)):
                raise BadNotation(f"no move of Freecell Solver's: {line.strip()}")
            yield _short(compact)


def _said(sentence: re.Match[str]) -> _Wish:
    piles = {"stack": "T", "freecell": "C"}
    source = f"{piles[sentence['source']]}{int(sentence['out']) + 1}"
    kind = sentence["target"]
    target = f"{piles[kind]}{int(sentence['into']) + 1}" if kind else "F"
    return _Wish(source, target, int(sentence["cards"] or 1))


def _short(compact: re.Match[str]) -> _Wish:
    def pile(letter: str) -> str:
        if letter.isdigit():
            return f"T{letter}"
        if letter == _HOME:
            return "F"
        if letter not in _CELL_LETTERS:
            raise BadNotation(f"{letter} is neither a column, a cell nor home")
        return f"C{_CELL_LETTERS.index(letter) + 1}"

    source, target = pile(compact["source"]), pile(compact["target"])
    if compact["cards"]:
        return _Wish(source, target, int(compact["cards"], 16))
    whole_run = source.startswith("T") and target.startswith("T")
    return _Wish(source, target, None if whole_run else 1)


def _played(
    position: Position, wishes: Iterable[_Wish], *, runs_to_spaces: bool
) -> tuple[Move, ...]:
    """The moves that the wishes stand for, all played. Raises IllegalMove, BadNotation."""
    table = Table.from_position(position)
    moves: list[Move] = []
    for wish in wishes:
        for move in _moves(table, wish, runs_to_spaces=runs_to_spaces):
            table.play(move)
            moves.append(move)
    return tuple(moves)


def _moves(table: Table, wish: _Wish, *, runs_to_spaces: bool) -> Iterator[Move]:
    """The moves of ours that the wish stands for; each must be played before the next is asked."""
    piles = table.game.piles
    if wish.source not in piles:
        raise BadNotation(f"{table.game.name} has no pile {wish.source}")
    source = piles.index(wish.source)
    if wish.target == "F":
        yield _homeward(table, source)
        return
    if wish.target not in piles:
        raise BadNotation(f"{table.game.name} has no pile {wish.target}")
    target = piles.index(wish.target)
    cards = wish.cards
    if cards is None:
        whole = runs_to_spaces or bool(table.piles()[target])
        cards = _count(table, source, target) if whole else 1
    if cards <= 1 or table.may(Move(source, target, cards)):
        yield Move(source, target, cards)
        return
    spaces = [at for at in _spaces(table) if at != target]
    if cards > 1 << len(spaces):
        yield Move(source, target, cards)  # to be refused, with the reason
        return
    yield from _one_by_one(source, target, cards, spaces)


def _homeward(table: Table, source: int) -> Move:
    """The move to whichever foundation takes the card; the refusal of the first if none does."""
    homes = [at for at, name in enumerate(table.game.piles) if name.startswith("F")]
    moves = [Move(source, home, 1) for home in homes]
    return next((move for move in moves if table.may(move)), moves[0])


def _spaces(table: Table) -> list[int]:
    piles = table.piles()
    return [at for at, name in enumerate(table.game.piles) if name[0] == "T" and not piles[at]]


def _count(table: Table, source: int, target: int) -> int:
    """How many cards a compact move means: what fits on the target, on a space the longest run."""
    heights = range(1, len(table.piles()[source]) + 1)
    return max((cards for cards in heights if _goes(table, source, target, cards)), default=1)


def _goes(table: Table, source: int, target: int, cards: int) -> bool:
    """Whether the cards can go over, at once or by way of the other empty piles (G6)."""
    if table.may(Move(source, target, cards)):
        return True
    spaces = [at for at in _spaces(table) if at != target]
    if cards > 1 << len(spaces):
        return False
    played = 0
    try:
        for move in _one_by_one(source, target, cards, spaces):
            table.play(move)
            played += 1
    except IllegalMove:
        return False
    finally:
        for _ in range(played):
            table.undo()
    return True


def _one_by_one(source: int, target: int, cards: int, spaces: list[int]) -> Iterator[Move]:
    """Move the run by halves: the upper half waits in a space while the lower half goes over."""
    if cards == 1:
        yield Move(source, target, 1)
        return
    waiting, others = spaces[0], spaces[1:]
    upper = cards // 2
    yield from _one_by_one(source, waiting, upper, others)
    yield from _one_by_one(source, target, cards - upper, others)
    yield from _one_by_one(waiting, target, upper, others)


# Solutions, written


def _sentence(game: Game, move: Move) -> str:
    source, target = game.piles[move.source], game.piles[move.target]
    kinds = {"T": "stack", "C": "freecell"}
    start = f"from {kinds[source[0]]} {int(source[1:]) - 1}"
    if target.startswith("F"):
        return f"Move a card {start} to the foundations"
    end = f"to {kinds[target[0]]} {int(target[1:]) - 1}"
    between_stacks = source.startswith("T") and target.startswith("T")
    return f"Move {f'{move.cards} cards' if between_stacks else 'a card'} {start} {end}"


def _compact(game: Game, move: Move, *, count: bool) -> str:
    def letter(name: str) -> str:
        if name.startswith("F"):
            return _HOME
        return _CELL_LETTERS[int(name[1:]) - 1] if name.startswith("C") else name[1:]

    source, target = game.piles[move.source], game.piles[move.target]
    tail = f"v{move.cards:x}" if count and move.cards > 1 else ""
    return letter(source) + letter(target) + tail
