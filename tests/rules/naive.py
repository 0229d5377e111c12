"""A second, slow reading of the rulebook, to hold the engine against.

It shares nothing with the engine: its own position parser, its own dealing (plain hashlib, see
`docs/deal.md`), cards as two-character texts, piles as a dict of lists, and one class a game whose
methods say the game's prose in the order in which the rulebook says it. Plain before fast.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise

__all__ = ["GAMES", "Naive", "deal", "open_position", "redeal_order", "shuffled"]

RANKS = "A23456789TJQK"
SUITS = "CDHS"


def rank(card: str) -> int:
    return RANKS.index(card[0]) + 1


def suit(card: str) -> str:
    return card[1]


def is_red(card: str) -> bool:
    return card[1] in "DH"


# -- the shuffle: the twenty lines that docs/deal.md asks of a stranger ---------------------------


def words(purpose: str, seed: str) -> Iterator[int]:
    seed = unicodedata.normalize("NFC", seed)
    block = 0
    while True:
        digest = sha256(f"samedeal/1\n{purpose}\n{seed}\n{block}".encode()).digest()
        for i in range(4):
            yield int.from_bytes(digest[8 * i : 8 * i + 8], "big")
        block += 1


def shuffled(seed: str, pack: list[str], purpose: str = "deal") -> list[str]:
    cards = list(pack)
    numbers = words(purpose, seed)
    for i in range(len(cards) - 1, 0, -1):
        while True:
            word = next(numbers)
            if word < 2**64 // (i + 1) * (i + 1):
                break
        j = word % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def redeal_order(seed: str, number: int, pack: list[str], remaining: list[str]) -> list[str]:
    numbers = words(f"redeal/{number}", seed)
    key = {card: next(numbers) for card in pack}
    return sorted(remaining, key=lambda card: key[card])


def a_pack(copies: int = 1, ranks: str = RANKS) -> list[str]:
    return [r + s for _ in range(copies) for s in SUITS for r in ranks]


# -- a position ------------------------------------------------------------------------------------


@dataclass
class Board:
    piles: dict[str, list[str]]
    redeals: int = 0
    base: int | None = None
    plays: int = 0
    idle: int = 0
    seed: str = ""
    counters: tuple[str, ...] = field(default=())

    def copy(self) -> Board:
        return replace(self, piles={name: list(cards) for name, cards in self.piles.items()})

    def __str__(self) -> str:
        lines = [f"{name}: {' '.join(cards)}".rstrip() for name, cards in self.piles.items()]
        for counter in self.counters:
            value = getattr(self, counter)
            if value is not None:
                lines.append(f"{counter}: {RANKS[value - 1] if counter == 'base' else value}")
        return "\n".join(lines)


def numbered(letter: str, count: int) -> list[str]:
    return [f"{letter}{i}" for i in range(1, count + 1)]


def by_rows(cards: list[str], sizes: dict[str, int]) -> dict[str, list[str]]:
    """One card a pile, left to right, again and again; a full pile receives no more (G12)."""
    piles: dict[str, list[str]] = {name: [] for name in sizes}
    left = list(cards)
    while any(len(piles[name]) < sizes[name] for name in sizes):
        for name, size in sizes.items():
            if len(piles[name]) < size:
                piles[name].append(left.pop(0))
    assert not left
    return piles


# -- what every game has ---------------------------------------------------------------------------


class Naive:
    """A game being played: the closed world of G1, in which a subclass grants kinds of moves."""

    foundations = 4
    tableau = 0
    cells = 0
    reserves = 0
    has_stock = False
    has_waste = False
    counters: tuple[str, ...] = ()
    goal = 52
    stock_word = "deal"
    wrap = False

    def __init__(self, key: str, board: Board) -> None:
        self.key = key
        self.options = set(key.split(":")[1:])
        self.board = board
        if "no-wrap" in self.options:
            self.wrap = False

    # pile names, in the order of the notation

    @classmethod
    def pile_names(cls) -> list[str]:
        names = numbered("F", cls.foundations) + numbered("T", cls.tableau)
        names += numbered("C", cls.cells) + numbered("R", cls.reserves)
        return names + ["S"] * cls.has_stock + ["W"] * cls.has_waste

    @classmethod
    def empty(cls) -> Board:
        return Board({name: [] for name in cls.pile_names()}, counters=cls.counters)

    @classmethod
    def parse(cls, key: str, text: str) -> Naive:
        board = cls.empty()
        for line in text.strip().splitlines():
            name, _, rest = line.partition(":")
            if name in board.piles:
                board.piles[name] = rest.split()
            elif name == "base":
                board.base = RANKS.index(rest.strip()) + 1
            elif name != "game":
                assert name in ("redeals", "plays", "idle"), line
                setattr(board, name, int(rest))
        game = cls(key, board)
        if board.base is None and "base" in cls.counters:
            bottoms = [cards[0] for cards in game.of("F").values() if cards]
            board.base = rank(bottoms[0]) if bottoms else None
        return game

    @classmethod
    def deal(cls, key: str, seed: str) -> Naive:
        game = cls(key, cls.empty())
        game.board.seed = seed
        game.lay_out(shuffled(seed, cls.pack()))
        return game

    @classmethod
    def pack(cls) -> list[str]:
        return a_pack()

    def lay_out(self, cards: list[str]) -> None:
        raise NotImplementedError

    def of(self, letter: str) -> dict[str, list[str]]:
        return {name: cards for name, cards in self.board.piles.items() if name[0] == letter}

    def copy(self) -> Naive:
        return type(self)(self.key, self.board.copy())

    def text(self) -> str:
        return f"game: {self.key}\n{self.board}"

    # moves

    def may_lift(self, source: str, cards: list[str]) -> bool:
        """Whether these top cards may leave a pile (no foundation) together: one alone (G6)."""
        return source[0] in "TCRW" and len(cards) == 1

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        """Whether the game's prose grants this; the cards are the source's top ones, in order."""
        raise NotImplementedError

    def may_come_back(self, source: str, cards: list[str], target: str) -> bool:
        """The variants of G2; by default a card on a foundation never leaves it."""
        if len(cards) != 1 or len(self.board.piles[source]) < 2:
            return False
        if "foundation-exit" in self.options:
            return target[0] == "T" and self.may_move("T0", cards, target)
        return False

    def may(self, source: str, count: int, target: str) -> bool:
        """Whether these cards may go there, unless the game is won."""
        pile = self.board.piles[source]
        if source == target or count < 1 or count > len(pile):
            return False
        if source == "S" or target == "S":
            return False
        cards = pile[-count:]
        if source[0] == "F" and "F" not in self.leaves():
            return self.may_come_back(source, cards, target)
        return self.may_lift(source, cards) and self.may_move(source, cards, target)

    def leaves(self) -> str:
        """Kinds of piles that the default game lets cards leave, besides those of may_lift."""
        return ""

    def may_press(self) -> bool:
        """Whether the stock action is allowed now."""
        return False

    def press(self) -> None:
        raise NotImplementedError

    def legal(self) -> set[str]:
        if self.won:
            return set()
        moves = set()
        for source, pile in self.board.piles.items():
            for target in self.board.piles:
                for count in range(1, len(pile) + 1):
                    if self.may(source, count, target):
                        moves.add(f"{source}-{target}" + (f":{count}" if count > 1 else ""))
        if self.may_press():
            moves.add(self.stock_word)
        return moves

    def play(self, move: str) -> None:
        assert not self.won, f"{move} after the win"
        if move == self.stock_word:
            assert self.may_press(), f"{move} is illegal in\n{self.text()}"
            self.press()
            return
        route, _, count = move.partition(":")
        source, target = route.split("-")
        assert self.may(source, int(count or 1), target), f"{move} is illegal in\n{self.text()}"
        pile = self.board.piles[source]
        cards = pile[len(pile) - int(count or 1) :]
        del pile[len(pile) - len(cards) :]
        self.board.piles[target].extend(cards)
        self.afterwards(source, target, cards)

    def afterwards(self, source: str, target: str, cards: list[str]) -> None:
        """What the move brings about besides."""

    # ends

    @property
    def home(self) -> int:
        return sum(len(cards) for cards in self.of("F").values())

    @property
    def won(self) -> bool:
        return self.home == self.goal

    def is_null(self, move: str) -> bool:
        """G9: a whole pile to an empty pile of its kind changes nothing."""
        if move == self.stock_word:
            return False
        route, _, count = move.partition(":")
        source, target = route.split("-")
        piles = self.board.piles
        same_kind = source[0] == target[0]
        return same_kind and not piles[target] and len(piles[source]) == int(count or 1)

    @property
    def stuck(self) -> bool:
        return not self.won and all(self.is_null(move) for move in self.legal())

    def perft(self, depth: int) -> int:
        if depth == 0:
            return 1
        total = 0
        for move in self.legal():
            after = self.copy()
            after.play(move)
            total += len(after.legal()) if depth == 2 else after.perft(depth - 1)
        return total

    def hidden(self) -> set[tuple[str, int]]:
        """(pile, place from the bottom or from the next card) of what the player may not see."""
        return {(name, i) for name, cards in self.of("S").items() for i in range(len(cards))}

    # words that several games use

    def ace_up(self, card: str, target: str) -> bool:
        """Foundations from Ace to King in suit; an Ace to any empty one (G4)."""
        pile = self.board.piles[target]
        if not pile:
            return rank(card) == 1
        return suit(card) == suit(pile[-1]) and rank(card) == rank(pile[-1]) + 1

    def base_up(self, card: str, target: str) -> bool:
        """Foundations from the base rank up in suit, King to Ace, thirteen cards."""
        pile = self.board.piles[target]
        if not pile:
            return rank(card) == self.board.base
        if len(pile) == 13:
            return False
        return suit(card) == suit(pile[-1]) and rank(card) == rank(pile[-1]) % 13 + 1

    def is_one_lower(self, card: str, top: str) -> bool:
        if rank(card) == rank(top) - 1:
            return True
        return self.wrap and rank(card) == 13 and rank(top) == 1

    def is_neighbour(self, card: str, top: str) -> bool:
        return self.is_one_lower(card, top) or self.is_one_lower(top, card)


# -- 2.1 .. 2.17 -----------------------------------------------------------------------------------


class SmallBillee(Naive):
    tableau = 12
    cells = 6
    counters = ("redeals",)
    stock_word = "redeal"

    def lay_out(self, cards: list[str]) -> None:
        for name, s in zip(self.of("F"), SUITS, strict=True):
            self.board.piles[name] = ["A" + s]
            cards.remove("A" + s)
        sizes = dict.fromkeys(self.of("T"), 4)
        if "cells-filled" in self.options:
            for name in self.of("C"):
                self.board.piles[name] = [cards.pop(0)]
            sizes.update(dict.fromkeys(numbered("T", 12)[6:], 3))
        self.board.piles.update(by_rows(cards, sizes))

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        if target[0] == "F":
            return self.ace_up(cards[0], target)
        return source[0] == "T" and target[0] == "C" and not self.board.piles[target]

    def may_press(self) -> bool:
        return self.board.redeals < 3 and any(self.of("T").values())

    def press(self) -> None:
        self.board.redeals += 1
        remaining = [card for fan in self.of("T").values() for card in fan]
        cards = redeal_order(self.board.seed, self.board.redeals, self.pack(), remaining)
        for name in self.of("T"):
            self.board.piles[name], cards = cards[:4], cards[4:]


class Boomerang(Naive):
    tableau = 12
    has_stock = has_waste = True
    goal = 64
    stock_word = "draw"
    route = "789TJQKAKQJT987A"
    ladder = "789TJQKA"

    @classmethod
    def pack(cls) -> list[str]:
        return a_pack(2, "A789TJQK")

    def lay_out(self, cards: list[str]) -> None:
        for name in self.of("T"):
            self.board.piles[name] = [cards.pop(0)]
        self.board.piles["S"] = cards

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        (card,) = cards
        pile = self.board.piles[target]
        if target[0] == "F":
            if len(pile) == len(self.route) or card[0] != self.route[len(pile)]:
                return False
            owners = {suit(f[0]) for f in self.of("F").values() if f}
            return suit(card) == suit(pile[0]) if pile else suit(card) not in owners
        if target[0] != "T" or not pile or suit(card) != suit(pile[-1]):
            return False
        step = self.ladder.index(card[0]) - self.ladder.index(pile[-1][0])
        if abs(step) != 1:
            return False
        if "ace-apart" in self.options and "A" in (card[0], pile[-1][0]):
            return False
        if len(pile) == 1:
            return True
        return step == self.ladder.index(pile[1][0]) - self.ladder.index(pile[0][0])

    def afterwards(self, source: str, target: str, cards: list[str]) -> None:
        piles = self.board.piles
        if source[0] == "T" and not piles[source]:
            if piles["S"]:
                piles[source].append(piles["S"].pop(0))
            elif piles["W"]:
                piles[source].append(piles["W"].pop())

    def may_press(self) -> bool:
        return bool(self.board.piles["S"])

    def press(self) -> None:
        self.board.piles["W"].append(self.board.piles["S"].pop(0))


class Amazons(Naive):
    reserves = 4
    has_stock = True
    goal = 28
    counters = ("plays", "idle")
    route = "A789TJQ"

    @classmethod
    def pack(cls) -> list[str]:
        return a_pack(1, "A789TJQ")

    def lay_out(self, cards: list[str]) -> None:
        for name in self.of("R"):
            self.board.piles[name] = [cards.pop(0)]
        self.board.piles["S"] = cards

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        (card,) = cards
        if source[0] != "R" or target[0] != "F":
            return False
        pile = self.board.piles[target]
        if card[0] == "A":
            return target == next((f for f, held in self.of("F").items() if not held), None)
        if source[1] != target[1] or not pile or len(pile) == 7:
            return False
        return suit(card) == suit(pile[-1]) and card[0] == self.route[len(pile)]

    def afterwards(self, source: str, target: str, cards: list[str]) -> None:
        self.board.plays += 1

    def may_press(self) -> bool:
        if self.board.piles["S"]:
            return True
        return (self.board.idle + 1 if self.board.plays == 0 else 0) < 2

    def press(self) -> None:
        piles = self.board.piles
        if not piles["S"]:
            self.board.idle = self.board.idle + 1 if self.board.plays == 0 else 0
            self.board.plays = 0
            for name in ("R4", "R3", "R2", "R1"):
                piles["S"] += piles[name]
                piles[name] = []
        for i in "1234":
            if piles["S"] and len(piles["F" + i]) < 7:
                piles["R" + i].append(piles["S"].pop(0))


class AbandonHope(Naive):
    foundations = 0
    tableau = 24
    has_stock = has_waste = True
    goal = 13
    counters = ("redeals",)
    stock_word = "redeal"

    def lay_out(self, cards: list[str]) -> None:
        for name in self.of("T"):
            self.board.piles[name] = [cards.pop(0)]
        self.board.piles["S"] = cards

    def may_lift(self, source: str, cards: list[str]) -> bool:
        return source[0] == "T" and len(cards) == 1

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        return target == "W" and suit(cards[0]) == "C"

    @property
    def home(self) -> int:
        return len(self.board.piles["W"])

    def may_press(self) -> bool:
        return self.board.redeals < 3

    def press(self) -> None:
        self.board.redeals += 1
        remaining = [card for pile in self.of("T").values() for card in pile]
        remaining += self.board.piles["S"]
        cards = redeal_order(self.board.seed, self.board.redeals, self.pack(), remaining)
        for name in self.of("T"):
            self.board.piles[name] = [cards.pop(0)] if cards else []
        self.board.piles["S"] = cards


class BinaryStar(Naive):
    foundations = 2
    tableau = 17
    goal = 104
    wrap = True

    @classmethod
    def pack(cls) -> list[str]:
        return a_pack(2)

    def lay_out(self, cards: list[str]) -> None:
        self.board.piles["F1"] = [cards.pop(cards.index("AS"))]
        self.board.piles["F2"] = [cards.pop(cards.index("KH"))]
        self.board.piles.update(by_rows(cards, dict.fromkeys(self.of("T"), 6)))

    def leaves(self) -> str:
        return "F"

    def may_lift(self, source: str, cards: list[str]) -> bool:
        if source[0] == "F" and len(self.board.piles[source]) < 2:
            return False
        return len(cards) == 1

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        pile = self.board.piles[target]
        return target[0] == "F" and bool(pile) and self.is_neighbour(cards[0], pile[-1])

    @property
    def stuck(self) -> bool:
        """No fan plays to a star, now or after any number of moves from star to star."""
        if self.won:
            return False
        seen: set[str] = set()
        ahead = [self]
        while ahead:
            game = ahead.pop()
            if game.text() in seen:
                continue
            seen.add(game.text())
            for move in game.legal():
                if move[0] == "T":
                    return False
                after = type(self)(self.key, game.board.copy())
                after.play(move)
                ahead.append(after)
        return True


class FortyThieves(Naive):
    foundations = 8
    tableau = 10
    has_stock = has_waste = True
    goal = 104
    stock_word = "draw"

    @classmethod
    def pack(cls) -> list[str]:
        return a_pack(2)

    def lay_out(self, cards: list[str]) -> None:
        self.board.piles.update(by_rows(cards[:40], dict.fromkeys(self.of("T"), 4)))
        self.board.piles["S"] = cards[40:]

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        (card,) = cards
        if target[0] == "F":
            return self.ace_up(card, target)
        if target[0] != "T":
            return False
        pile = self.board.piles[target]
        return not pile or (suit(card) == suit(pile[-1]) and self.is_one_lower(card, pile[-1]))

    def may_press(self) -> bool:
        return bool(self.board.piles["S"])

    def press(self) -> None:
        self.board.piles["W"].append(self.board.piles["S"].pop(0))


class BeleagueredCastle(Naive):
    tableau = 8

    def lay_out(self, cards: list[str]) -> None:
        for name, s in zip(self.of("F"), SUITS, strict=True):
            self.board.piles[name] = ["A" + s]
            cards.remove("A" + s)
        self.board.piles.update(by_rows(cards, dict.fromkeys(self.of("T"), 6)))

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        if target[0] == "F":
            return self.ace_up(cards[0], target)
        pile = self.board.piles[target]
        return not pile or self.is_one_lower(cards[0], pile[-1])


class StreetsAndAlleys(BeleagueredCastle):
    def lay_out(self, cards: list[str]) -> None:
        sizes = dict(zip(self.of("T"), [7] * 4 + [6] * 4, strict=True))
        self.board.piles.update(by_rows(cards, sizes))


class Fortress(Naive):
    tableau = 10

    def lay_out(self, cards: list[str]) -> None:
        sizes = dict(zip(self.of("T"), [6] * 2 + [5] * 8, strict=True))
        self.board.piles.update(by_rows(cards, sizes))

    def goes_home(self, card: str, target: str) -> bool:
        return self.ace_up(card, target)

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        (card,) = cards
        if target[0] == "F":
            return self.goes_home(card, target)
        pile = self.board.piles[target]
        return not pile or (suit(card) == suit(pile[-1]) and self.is_neighbour(card, pile[-1]))


class Chessboard(Fortress):
    wrap = True
    counters = ("base",)

    def goes_home(self, card: str, target: str) -> bool:
        if not any(self.of("F").values()):
            return True
        return self.base_up(card, target)

    def afterwards(self, source: str, target: str, cards: list[str]) -> None:
        if target[0] == "F" and self.board.base is None:
            self.board.base = rank(cards[0])


class BoardPatience(Naive):
    tableau = 10
    wrap = True
    counters = ("base",)

    def lay_out(self, cards: list[str]) -> None:
        self.board.base = rank(cards[0])
        self.board.piles["F1"] = [cards.pop(0)]
        sizes = dict(zip(self.of("T"), [6] + [5] * 9, strict=True))
        self.board.piles.update(by_rows(cards, sizes))

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        (card,) = cards
        if target[0] == "F":
            return self.base_up(card, target)
        pile = self.board.piles[target]
        return not pile or (is_red(card) != is_red(pile[-1]) and self.is_one_lower(card, pile[-1]))


class Opus(Naive):
    tableau = 7
    cells = 5
    wrap = True
    counters = ("base",)

    def lay_out(self, cards: list[str]) -> None:
        self.board.base = rank(cards[0])
        bases = [card for card in cards if rank(card) == self.board.base]
        others = [card for card in cards if rank(card) != self.board.base]
        for name, card in zip(("F1", "F2", "F3"), bases, strict=False):
            self.board.piles[name] = [card]
        tableau = by_rows(others[6:], dict.fromkeys(self.of("T"), 6))
        for name, card in zip(self.of("T"), [bases[3], *others[:6]], strict=True):
            self.board.piles[name] = [card, *tableau[name]]

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        (card,) = cards
        pile = self.board.piles[target]
        if target[0] == "F":
            return self.base_up(card, target)
        if target[0] == "C":
            return source[0] == "T" and not pile
        if not pile:
            assert self.board.base is not None
            return rank(card) == (self.board.base - 1 or 13)
        return suit(card) == suit(pile[-1]) and self.is_one_lower(card, pile[-1])


class PenguinII(Opus):
    cells = 7


def is_run(cards: list[str]) -> bool:
    """Each card exactly one lower than the one beneath it, in its suit."""
    return all(suit(b) == suit(a) and rank(b) == rank(a) - 1 for a, b in pairwise(cards))


class Tuxedo(Naive):
    tableau = 7
    cells = 7

    def lay_out(self, cards: list[str]) -> None:
        sizes = dict(zip(self.of("T"), [8, 7, 7, 8, 7, 7, 8], strict=True))
        self.board.piles.update(by_rows(cards, sizes))

    def may_lift(self, source: str, cards: list[str]) -> bool:
        return (source[0] == "T" and is_run(cards)) or (source[0] == "C" and len(cards) == 1)

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        pile = self.board.piles[target]
        if target[0] == "F":
            return len(cards) == 1 and self.ace_up(cards[0], target)
        if target[0] == "C":
            return source[0] == "T" and len(cards) == 1 and not pile
        if not pile:
            return rank(cards[0]) == 13
        return suit(cards[0]) == suit(pile[-1]) and self.is_one_lower(cards[0], pile[-1])


class EightOn(Naive):
    tableau = 8
    cells = 8

    def lay_out(self, cards: list[str]) -> None:
        aces = [card for card in cards if rank(card) == 1]
        others = [card for card in cards if rank(card) != 1]
        tableau = by_rows(others[:40], dict.fromkeys(self.of("T"), 5))
        for name, ace in zip(("T1", "T2", "T3", "T4"), aces, strict=True):
            tableau[name].insert(0, ace)
        self.board.piles.update(tableau)
        for name, card in zip(self.of("C"), others[40:], strict=True):
            self.board.piles[name] = [card]

    def may_lift(self, source: str, cards: list[str]) -> bool:
        if len(cards) == 1:
            return source[0] in "TC"
        return source[0] == "T" and rank(cards[0]) == 13 and is_run(cards)

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        pile = self.board.piles[target]
        if target[0] == "T" and not pile:
            return rank(cards[0]) == 13
        if len(cards) > 1:
            return False
        if target[0] == "F":
            return self.ace_up(cards[0], target)
        if target[0] == "C":
            return source[0] == "T" and not pile
        return suit(cards[0]) == suit(pile[-1]) and self.is_one_lower(cards[0], pile[-1])


class BoxKite(Naive):
    foundations = 8
    tableau = 12
    goal = 104
    wrap = True

    @classmethod
    def pack(cls) -> list[str]:
        return a_pack(2)

    def lay_out(self, cards: list[str]) -> None:
        for name, card in zip(
            self.of("F"), ["K" + s for s in SUITS] + ["A" + s for s in SUITS], strict=True
        ):
            self.board.piles[name] = [cards.pop(cards.index(card))]
        self.board.piles.update(by_rows(cards, dict.fromkeys(self.of("T"), 8)))

    def goes_home(self, card: str, target: str) -> bool:
        pile = self.board.piles[target]
        if not pile:
            return rank(card) == (13 if target in ("F1", "F2", "F3", "F4") else 1)
        step = -1 if target in ("F1", "F2", "F3", "F4") else 1
        return suit(card) == suit(pile[-1]) and rank(card) == rank(pile[-1]) + step

    def is_allowed_from(self, source: str, target: str) -> bool:
        return True

    def may_move(self, source: str, cards: list[str], target: str) -> bool:
        (card,) = cards
        if target[0] == "F":
            return self.is_allowed_from(source, target) and self.goes_home(card, target)
        pile = self.board.piles[target]
        return bool(pile) and self.is_neighbour(card, pile[-1])

    def may_come_back(self, source: str, cards: list[str], target: str) -> bool:
        if "row-exchange" in self.options and target[0] == "F":
            base_stays = len(self.board.piles[source]) > 1
            return len(cards) == 1 and base_stays and self.goes_home(cards[0], target)
        return super().may_come_back(source, cards, target)

    def hidden(self) -> set[tuple[str, int]]:
        piles = self.of("T").items()
        return {(name, i) for name, cards in piles for i in range(len(cards) - 1)}


class StHelena(BoxKite):
    wrap = False
    counters = ("redeals",)
    stock_word = "redeal"

    def is_allowed_from(self, source: str, target: str) -> bool:
        if self.board.redeals > 0:
            return True
        if target in ("F1", "F2", "F3", "F4"):
            return source in ("T12", "T1", "T2", "T3", "T4", "T5")
        return source in ("T6", "T7", "T8", "T9", "T10", "T11")

    def may_press(self) -> bool:
        return self.board.redeals < 2

    def press(self) -> None:
        self.board.redeals += 1
        cards: list[str] = []
        for name in reversed(numbered("T", 12)):
            cards += reversed(self.board.piles[name])
            self.board.piles[name] = []
        for i, card in enumerate(cards):
            self.board.piles[f"T{i % 12 + 1}"].append(card)


GAMES: dict[str, type[Naive]] = {
    "small-billee": SmallBillee,
    "boomerang": Boomerang,
    "amazons": Amazons,
    "abandon-hope": AbandonHope,
    "binary-star": BinaryStar,
    "forty-thieves": FortyThieves,
    "beleaguered-castle": BeleagueredCastle,
    "chessboard": Chessboard,
    "fortress": Fortress,
    "board-patience": BoardPatience,
    "streets-and-alleys": StreetsAndAlleys,
    "opus": Opus,
    "tuxedo": Tuxedo,
    "penguin-ii": PenguinII,
    "eight-on": EightOn,
    "st-helena": StHelena,
    "box-kite": BoxKite,
}


def deal(key: str, seed: str) -> Naive:
    return GAMES[key.split(":")[0]].deal(key, seed)


def open_position(text: str, seed: str = "") -> Naive:
    key = text.split("\n", 1)[0].removeprefix("game:").strip()
    game = GAMES[key.split(":")[0]].parse(key, text)
    game.board.seed = seed
    return game
