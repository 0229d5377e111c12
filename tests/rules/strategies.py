"""Random play, reproducible from a few numbers, and small positions of every game."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st

from rules import naive
from samedeal_rules import Game, Move, Table, deal, every_game, move_text

__all__ = ["GAMES", "IDS", "Walk", "examples", "legal_texts", "small_position", "steps_of", "walks"]

SOAK = int(os.environ.get("SAMEDEAL_SOAK", "1"))
GAMES: tuple[Game, ...] = tuple(every_game())
IDS = [game.key for game in GAMES]


def examples(count: int) -> settings:
    """Half as many examples in `make test`, and five times as many in `make soak`."""
    return settings(max_examples=-(-count * SOAK // 2))


def legal_texts(table: Table) -> set[str]:
    return {move_text(table.game, move) for move in table.legal()}


@dataclass(frozen=True)
class Walk:
    """A random game: its deal, its whims, its length, and how keen on going home (0 to 9)."""

    seed: str
    whim: int
    length: int
    keen: int

    def table(self, game: Game) -> Table:
        return deal(game, self.seed)

    def chance(self) -> random.Random:
        return random.Random(f"{self.seed} {self.whim}")


def walks(longest: int = 80) -> st.SearchStrategy[Walk]:
    """The first example is a long walk, not an empty one: few examples must be worth something."""
    return st.builds(
        Walk,
        seed=st.integers(0, 10**6).map(str),
        whim=st.integers(0, 10**6),
        length=st.integers(0, longest).map(lambda left: longest - left),
        keen=st.integers(0, 9).map(lambda less: (7 - less) % 10),
    )


def next_move(table: Table, chance: random.Random, keen: int) -> Move | None:
    moves = table.legal()
    if not moves:
        return None
    if chance.randrange(10) < keen:
        homeward = [move for move in moves if move.cards and move.target in table.game.home]
        moves = homeward or moves
    return chance.choice(moves)


def steps_of(walk: Walk, table: Table) -> Iterator[Move]:
    """Plays the walk on the table; yields each move after it was played."""
    chance = walk.chance()
    for _ in range(walk.length):
        move = next_move(table, chance, walk.keen)
        if move is None:
            return
        table.play(move)
        yield move


def small_position(key: str, chance: random.Random) -> str:
    """A few cards of the pack anywhere that a card of that game can lie, with any counters.

    Mostly of every other rank, so that it is stuck often enough.
    """
    kind = naive.GAMES[key.split(":")[0]]
    dealt = kind.deal(key, str(chance.randrange(1000)))
    cards = dealt.pack()
    piles: dict[str, list[str]] = {name: [] for name in dealt.board.piles}
    if kind is naive.AbandonHope:
        piles["W"] = [card for card in cards if card[1] == "C"][: chance.randrange(9, 14)]
    for name, pile in dealt.of("F").items():
        piles[name] = list(pile)
    board = dealt.board.copy()
    board.piles = piles
    for pile in piles.values():
        for card in pile:
            cards.remove(card)
    chance.shuffle(cards)
    if kind is naive.BinaryStar:
        lengthen_the_stars(piles, cards, chance)
    if kind is naive.Chessboard and chance.random() < 0.7:
        piles["F1"] = [cards.pop()]
        board.base = naive.rank(piles["F1"][0])
    if chance.random() < 0.7:
        ranks = chance.choice(["469TQ", "3579J", "8TQA" if kind is naive.Boomerang else "468TQ"])
        cards.sort(key=lambda card: card[0] in ranks and chance.random() < 0.95)
    columns = [name for name in piles if name[0] in "TR"]
    cells = [name for name in piles if name[0] == "C"]
    for name in columns[chance.choice([0, 0, 0, 1, 2]) :] + cells[chance.choice([0, 0, 0, 1]) :]:
        piles[name] = [cards.pop()]
    if kind not in (naive.Boomerang, naive.AbandonHope):
        for name in chance.sample(columns[2:], 2):
            piles[name].insert(0, cards.pop(0))
    if kind is not naive.AbandonHope:
        for name in ("S", "W"):
            if name in piles and chance.random() < 0.2:
                piles[name] = [cards.pop() for _ in range(min(len(cards), chance.randint(1, 2)))]
    if "redeals" in kind.counters:
        most = 2 if kind is naive.StHelena else 3
        board.redeals = chance.choice([0, most, most])
    if "plays" in kind.counters:
        board.plays, board.idle = chance.choice([0, 0, 1]), chance.choice([0, 1, 1])
    return f"game: {key}\n{board}"


def lengthen_the_stars(
    piles: dict[str, list[str]], cards: list[str], chance: random.Random
) -> None:
    """Builds both stars of Binary Star on, up or down at whim."""
    for star in ("F1", "F2"):
        for _ in range(chance.randrange(6)):
            step = naive.rank(piles[star][-1]) + chance.choice([-1, 1])
            card = next((card for card in cards if (naive.rank(card) - step) % 13 == 0), None)
            if card is not None:
                cards.remove(card)
                piles[star].append(card)
