"""Games in which cards are dealt again or turned up after the deal: those with a stock action."""

from __future__ import annotations

from .cards import SUITS, a_pack, redeal_order, suit
from .game import Naive, by_rows, numbered
from .laid_out import BoxKite


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
