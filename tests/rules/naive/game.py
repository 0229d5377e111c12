"""What every game has: a position and its text, and the closed world of G1 with its ends."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .cards import RANKS, a_pack, rank, shuffled, suit


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
