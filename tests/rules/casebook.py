"""Reads what tests/proofs holds: hand-written positions with verdicts, and the oracles' cases.

A `positions.txt` is a title and then cases, each a `# heading [RULINGS]`, a position (piles that
are not named are empty; `AH..KH` is a run upwards, past the King to the Ace), and checks:

    - T2-T1 legal                    - T2-T1 legal => T1: 9S TS | T2:   (the piles afterwards)
    - T3-T1 illegal                  - then T2-T1                       (plays it for what follows)
    - only T2-T1 draw                (all legal moves)
    - stuck / playing / won          - counts T: 1 1 1 | S: 24

`game:` names a variant, `seed:` the seed that reshuffles, `deal:` a seed to deal instead of piles.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PROOFS", "Case", "LegalCase", "SolvedCase", "cases", "legal_cases", "solved_cases"]

PROOFS = Path(__file__).parents[1] / "proofs"
RANKS = "A23456789TJQK"


@dataclass(frozen=True)
class Case:
    """One check in one position, after the moves that come before it."""

    name: str
    game: str
    position: str
    seed: str
    dealt: bool
    moves: tuple[str, ...]
    check: str


@dataclass(frozen=True)
class LegalCase:
    """A position with all of its legal moves, from an independent program."""

    name: str
    position: str
    legal: frozenset[str]


@dataclass(frozen=True)
class SolvedCase:
    """A deal with a solution, or proven to have none, from an independent program."""

    name: str
    position: str
    moves: tuple[str, ...] | None


def spelled_out(line: str) -> str:
    """`F1: JH..AH` with every card named."""

    def run(match: re.Match[str]) -> str:
        first, last, suit = match["first"], match["last"], match["suit"]
        ranks = RANKS[RANKS.index(first) :] + RANKS
        return " ".join(rank + suit for rank in ranks[: ranks.index(last) + 1])

    return re.sub(r"\b(?P<first>\w)(?P<suit>[CDHS])\.\.(?P<last>\w)(?P=suit)\b", run, line)


def cases(folder: str) -> Iterator[Case]:
    text = (PROOFS / folder / "positions.txt").read_text(encoding="utf-8")
    for block in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        heading, *lines = block.strip().splitlines()
        game, seed, dealt = folder, "", False
        piles: list[str] = []
        moves: list[str] = []
        for line in map(spelled_out, filter(str.strip, lines)):
            word, _, rest = line.partition(":")
            if not line.startswith("- "):
                match word:
                    case "game":
                        game = rest.strip()
                    case "seed":
                        seed = rest.strip()
                    case "deal":
                        seed, dealt = rest.strip(), True
                    case _:
                        piles.append(line)
                continue
            check = line.removeprefix("- ")
            position = "\n".join([f"game: {game}", *piles])
            after = f", after {' '.join(moves)}" if moves else ""
            name = f"{folder} {heading}{after}: {check}"
            if check.startswith("then "):
                check = check.removeprefix("then ")
                yield Case(name, game, position, seed, dealt, tuple(moves), f"{check} legal")
                moves.append(check)
            else:
                yield Case(name, game, position, seed, dealt, tuple(moves), check)


def _lines(pattern: str) -> Iterator[tuple[str, dict[str, object]]]:
    for path in sorted(PROOFS.glob(pattern)):
        kind = f"{path.parent.name} {path.name.removesuffix('.jsonl.gz')}"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield f"{kind} {number}", json.loads(line)


def _texts(value: object) -> tuple[str, ...]:
    assert isinstance(value, list)
    return tuple(str(move) for move in value)


def legal_cases() -> Iterator[LegalCase]:
    for name, line in _lines("*/legal.*.jsonl.gz"):
        yield LegalCase(name, str(line["position"]), frozenset(_texts(line["legal"])))


def solved_cases() -> Iterator[SolvedCase]:
    for name, line in _lines("*/solved*.jsonl.gz"):
        moves = _texts(line["moves"]) if line["verdict"] == "solvable" else None
        yield SolvedCase(f"{name} {line['id']}", str(line["position"]), moves)
