"""Moves and positions as text and back: the form of the wire, logs, replays, tests and docs.

A move is `T3-F1`, `T1-T4:3` (three cards), or a stock action: `draw`, `deal`, `redeal`. A position
is one line a pile, bottom card first, then the counters that the game has:

    game: forty-thieves
    F1: AS 2S
    T1: 9H 8C 4D 4S
    S: 2D KH
    W: 5C

The stock is written next card first. A missing pile is empty and a missing counter is at its start,
so that a test may write only what matters. `--` is a card that the reader may not see, and
`S: 64 cards hidden` says so for many. Every text round-trips.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import chain
from typing import Final, NamedTuple

from .cards import CARD_TEXTS, HIDDEN, PLAIN, RANKS, card_text, parse_card
from .errors import BadNotation
from .games import find
from .spec import Game

__all__ = [
    "ACTIONS",
    "DEAL",
    "DRAW",
    "REDEAL",
    "Move",
    "Position",
    "check_cards",
    "decode_position",
    "encode_piles",
    "encode_position",
    "move_text",
    "parse_move",
    "parse_position",
    "position_digest",
]


class Move(NamedTuple):
    """The top `cards` of pile `source` onto pile `target`; indexes into `game.piles`.

    `cards` is 0 for a stock action: DRAW, DEAL or REDEAL, which `source` tells apart.
    """

    source: int
    target: int
    cards: int


DRAW: Final = Move(0, 0, 0)
DEAL: Final = Move(1, 1, 0)
REDEAL: Final = Move(2, 2, 0)
ACTIONS: Final = {"draw": DRAW, "deal": DEAL, "redeal": REDEAL}
_ACTION_TEXTS: Final = {move: text for text, move in ACTIONS.items()}

_MOVE = re.compile(r"([A-Z]\d{0,2})-([A-Z]\d{0,2})(?::([1-9]\d{0,2}))?", re.ASCII)
_HIDDEN_CARDS = re.compile(r"(\d{1,3}) cards? hidden", re.ASCII)
_LONGEST_POSITION = 4096
_MOST = 255
_END = bytes((63,))
"""Ends a pile in an encoded position: a byte that stands for no card."""


@cache
def _moves(game: Game) -> dict[str, Move]:
    """Every move of one card between two piles, and every stock action, by its text."""
    piles = list(enumerate(game.piles))
    return ACTIONS | {
        f"{source}-{target}": Move(at, to, 1) for at, source in piles for to, target in piles
    }


def parse_move(game: Game, text: str) -> Move:
    """The move that the text names, whether or not the rules allow it. Case does not matter.

    Raises BadNotation, also for a pile that is not on this game's table.
    """
    known = _moves(game).get(text)
    if known is not None:
        return known
    action = ACTIONS.get(text.strip().lower()) if len(text) < 16 else None
    if action is not None:
        return action
    match = _MOVE.fullmatch(text.strip().upper()) if len(text) < 16 else None
    if match is None:
        raise BadNotation(
            f"{text[:24]!r} is not a move: write T3-F1, T1-T4:3 for three cards, "
            "or draw, deal or redeal"
        )
    source, target, cards = match.groups()
    for name in (source, target):
        if name not in game.piles:
            raise BadNotation(f"{game.name} has no pile {name}: there are {_ranges(game)}")
    return Move(game.piles.index(source), game.piles.index(target), int(cards or 1))


def move_text(game: Game, move: Move) -> str:
    """`T3-F1`, `T1-T4:3`, `draw`, `deal` or `redeal`. Raises BadNotation for piles out of range."""
    source, target, cards = move
    if cards == 0 and move in _ACTION_TEXTS:
        return _ACTION_TEXTS[move]
    piles = game.piles
    if not (0 <= source < len(piles) and 0 <= target < len(piles) and cards > 0):
        raise BadNotation(f"{tuple(move)} is not a move of {game.name}")
    text = f"{piles[source]}-{piles[target]}"
    return text if cards == 1 else f"{text}:{cards}"


@dataclass(frozen=True, slots=True)
class Position:
    """A position as somebody sees it: card codes bottom first, the stock next card first.

    Counters that the game does not have stay at their defaults. `base` is the base rank (1 to 13)
    once it is fixed. A view holds HIDDEN for the cards that its reader may not see.
    """

    game: Game
    piles: tuple[tuple[int, ...], ...]
    redeals: int = 0
    base: int | None = None
    plays: int = 0
    idle: int = 0

    def text(self) -> str:
        """The position, one line a pile, then the game's counters; no newline at the end."""
        texts = CARD_TEXTS
        lines = [f"game: {self.game.key}"]
        for name, pile in zip(self.game.piles, self.piles, strict=True):
            lines.append(" ".join((f"{name}:", *[texts[card] for card in pile])))
        for counter in self.game.counters:
            if counter != "base":
                lines.append(f"{counter}: {getattr(self, counter)}")
            elif self.base is not None:
                lines.append(f"base: {RANKS[self.base - 1]}")
        return "\n".join(lines)

    def digest(self) -> str:
        """16 hexadecimal digits that are equal exactly when the positions are."""
        counters = (self.redeals, self.base or 0, self.plays, self.idle)
        return position_digest(self.game, encode_position(self.piles, counters))

    @property
    def hides(self) -> bool:
        """Whether a card of it is hidden."""
        return any(HIDDEN in pile for pile in self.piles)


def encode_position(piles: Sequence[Sequence[int]], counters: tuple[int, int, int, int]) -> bytes:
    """The position in bytes: the four counters, then the piles as `encode_piles` has them."""
    return bytes(counters) + encode_piles(piles)


def encode_piles(piles: Iterable[Sequence[int]]) -> bytes:
    """The piles' part of an encoded position."""
    return b"".join(map(encode_pile, piles))


def encode_pile(pile: Sequence[int]) -> bytes:
    """One pile's part of an encoded position: its cards and an end mark."""
    return bytes(pile).translate(PLAIN) + _END


def decode_position(game: Game, code: bytes) -> Position:
    """The position that `encode_position` made these bytes of. Raises BadNotation."""
    *piles, rest = code[4:].split(_END)
    if len(piles) != len(game.piles) or rest:
        raise BadNotation(f"these {len(code)} bytes are no position of {game.name}")
    redeals, base, plays, idle = code[:4]
    return Position(game, tuple(map(tuple, piles)), redeals, base or None, plays, idle)


@cache
def digester(game: Game) -> blake2b:
    """What digests of the game's positions begin with; a copy of it takes the encoded position."""
    return blake2b(game.key.encode() + b"\0", digest_size=8)


def position_digest(game: Game, code: bytes) -> str:
    """The digest of an encoded position; the game's key, variant included, is part of it."""
    digest = digester(game).copy()
    digest.update(code)
    return digest.hexdigest()


def parse_position(text: str) -> Position:
    """The position that the text describes; cards may be hidden.

    Raises BadNotation for what is not a position of a table of that game: unknown piles, cards and
    counters, lines that come twice, cards that the pack does not have so often. (Whether piles obey
    the rules is for `Table.from_position` to judge.) Raises UnknownGame.
    """
    if len(text) > _LONGEST_POSITION:
        raise BadNotation(f"a position has at most {_LONGEST_POSITION} characters")
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    label, _, key = lines[0].partition(":") if lines else ("", "", "")
    if label.strip() != "game" or not key.strip():
        raise BadNotation("a position begins with a line such as `game: forty-thieves`")
    game = find(key.strip())
    piles: dict[str, tuple[int, ...]] = {}
    counters: dict[str, int | None] = {}
    for line in lines[1:]:
        label, colon, rest = line.partition(":")
        label, rest = label.strip(), rest.strip()
        if not colon:
            raise BadNotation(f"{line[:40]!r} is not a line of a position: write `T1: 9H 8C`")
        if label in piles or label in counters:
            raise BadNotation(f"the position says {label} twice")
        if label in game.piles:
            piles[label] = _parse_pile(rest)
        elif label in ("redeals", "base", "plays", "idle"):
            counters[label] = _parse_counter(game, label, rest)
        else:
            raise BadNotation(f"{game.name} has no pile {label[:8]!r}: there are {_ranges(game)}")
    position = Position(
        game,
        tuple(piles.get(name, ()) for name in game.piles),
        redeals=counters.get("redeals") or 0,
        base=counters.get("base"),
        plays=counters.get("plays") or 0,
        idle=counters.get("idle") or 0,
    )
    check_cards(position)
    return position


def check_cards(position: Position) -> None:
    """Refuses a position that has more cards than its game's pack. Raises BadNotation."""
    game = position.game
    pack = Tally(game.pack)
    tally = Tally(chain.from_iterable(position.piles))
    for card, count in tally.items():
        if card != HIDDEN and count > pack[card]:
            there = f"{pack[card]} of them" if pack[card] else "no such card"
            raise BadNotation(
                f"the position has {card_text(card)} {_times(count)}: "
                f"the pack of {game.name} has {there}"
            )
    if tally.total() > game.size:
        raise BadNotation(
            f"the position has {tally.total()} cards: the pack of {game.name} has {game.size}"
        )


def _parse_pile(text: str) -> tuple[int, ...]:
    hidden = _HIDDEN_CARDS.fullmatch(text)
    if hidden is not None:
        return (HIDDEN,) * int(hidden[1])
    return tuple(map(parse_card, text.split()))


def _parse_counter(game: Game, label: str, text: str) -> int | None:
    if label not in game.counters:
        if text == "0":
            return None
        raise BadNotation(f"{game.name} has no counter {label}: leave the line out")
    if label == "base":
        if len(text) == 1 and text in RANKS:
            return RANKS.index(text) + 1
        raise BadNotation(f"{text[:8]!r} is not a base rank: write one of {RANKS}")
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and int(text) <= _MOST):
        raise BadNotation(f"{label} counts from 0 to {_MOST}; {text[:8]!r} does not")
    return int(text)


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def _ranges(game: Game) -> str:
    """`F1-F4, T1-T10, S and W`."""
    ranges = []
    for kind in dict.fromkeys(name[0] for name in game.piles):
        count = len(game.named(kind))
        ranges.append(
            kind if kind in "SW" else f"{kind}1-{kind}{count}" if count > 1 else f"{kind}1"
        )
    return ", ".join(ranges)
