"""What every game carries to prove that its rules have not moved: deals, counts, a game, the text.

Each proof is a text, kept under `tests/proofs/<game>/` and compared letter by letter, so that any
change of rules shows as a diff that a person can read. (`positions.txt`, beside them, is written by
hand.) Nothing here writes a file; chance comes from the shuffle's published stream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from .engine import Table, deal, perft
from .games import every_game
from .notation import move_text
from .prose import rules_text
from .shuffle import order
from .spec import Game

__all__ = [
    "PERFT_DEPTH",
    "PERFT_LEAVES",
    "PLAYS_SHOWN",
    "SEEDS",
    "deal_text",
    "perft_text",
    "playthrough_text",
    "proofs",
    "variants_of",
]

SEEDS = ("friday-night", "samedeal", "1")
PERFT_DEPTH = 4
PERFT_LEAVES = 150_000  # a depth that would have more is left out, so that the proof stays quick
PLAYS_SHOWN = 60


def variants_of(game: Game) -> tuple[Game, ...]:
    """The games that differ from this one by named switches."""
    return tuple(each for each in every_game() if each.key.startswith(f"{game.key}:"))


def proofs(game: Game) -> Mapping[str, str]:
    """Every generated proof of the game, by the name of its file."""
    makers: Mapping[str, Callable[[Game], str]] = {
        "deal.txt": deal_text,
        "perft.txt": perft_text,
        "playthrough.txt": playthrough_text,
        "rules.txt": rules_text,
    }
    texts = {name: make(game) for name, make in makers.items()}
    for variant in variants_of(game):
        texts[f"rules.{variant.key.partition(':')[2]}.txt"] = rules_text(variant)
    return MappingProxyType(texts)


def deal_text(game: Game) -> str:
    """The whole deal of three seeds, stock included."""
    deals = [f"seed: {seed}\n{deal(game, seed).position().text().strip()}\n" for seed in SEEDS]
    return "\n".join(deals)


def perft_text(game: Game) -> str:
    """How many sequences of 1, 2, 3 and 4 moves each of those deals allows."""
    lines: list[str] = []
    for seed in SEEDS:
        table = deal(game, seed)
        counts: list[int] = []
        while len(counts) < PERFT_DEPTH and _next_count(counts) <= PERFT_LEAVES:
            counts.append(perft(table, len(counts) + 1))
        lines.append(f"{seed}: {' '.join(str(count) for count in counts)}\n")
    return "".join(lines)


def _next_count(counts: list[int]) -> int:
    """A guess at the next count, from how fast the last ones grew."""
    match counts:
        case []:
            return 1
        case [only]:
            return only * only
        case [*_, before, last]:
            return last * last // max(before, 1)
        case _:
            raise AssertionError("every list is one of the three")


def playthrough_text(game: Game) -> str:
    """One game at random, move by move: what was legal, what was played, which piles it changed."""
    seed = SEEDS[0]
    table = deal(game, seed)
    lines = [f"seed: {seed}", table.position().text().strip(), ""]
    while table.depth < PLAYS_SHOWN and not table.won and not table.stuck:
        lines += _a_play(table, seed)
    lines += [f"{table.status.value}, {table.home} cards home, digest {table.digest()}", ""]
    lines += [table.position().text().strip(), ""]
    return "\n".join(lines)


def _a_play(table: Table, seed: str) -> list[str]:
    """Play one of the legal moves and tell it."""
    moves = sorted(table.legal(), key=lambda move: move_text(table.game, move))
    chosen = order(seed, range(len(moves)), purpose=f"playthrough/{table.depth}")[0]
    before = _shown(table)
    table.play(moves[chosen])
    after = _shown(table)
    legal = " ".join(move_text(table.game, move) for move in moves)
    turned = " ".join(f"{card} on {pile}" for pile, card in table.last().turned)
    return [
        f"{table.depth}. {move_text(table.game, moves[chosen])}   of: {legal}",
        *(f"    {line}" for line in after if line not in before),
        *([f"    turned up: {turned}"] if turned else []),
    ]


def _shown(table: Table) -> list[str]:
    """The position's lines, with the stock as a count: it is whole at the start and at the end."""
    lines = table.position().text().strip().splitlines()
    stock = [f"S: {len(line.split()) - 1} cards" for line in lines if line.startswith("S:")]
    return [*stock, *(line for line in lines if not line.startswith("S:"))]
