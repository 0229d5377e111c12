"""Games in which everything is done by the deal: whatever follows is moves of cards."""

from __future__ import annotations

from itertools import pairwise

from .cards import SUITS, a_pack, is_red, rank, suit
from .game import Naive, by_rows


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
