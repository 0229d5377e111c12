"""Write a game's proofs anew: `make prove GAME=amazons`, or `GAME=all`.

Read what changed before you keep it: the rules text aloud, the playthrough by eye. `positions.txt`
is written by hand and never touched here.
"""

from __future__ import annotations

import sys
from pathlib import Path

from samedeal_rules import GAMES, RulesError, find
from samedeal_rules.proofs import proofs

PROOFS = Path(__file__).parent.parent / "tests" / "proofs"


def main(keys: list[str]) -> int:
    """Write the proofs of those games and say which files changed; 2 when a game is unknown."""
    if not keys or keys == [""]:
        print("name a game, for instance: make prove GAME=amazons (or GAME=all)", file=sys.stderr)
        return 2
    try:
        games = GAMES if keys == ["all"] else tuple(find(key) for key in keys)
    except RulesError as refusal:
        print(refusal, file=sys.stderr)
        return 2
    for game in games:
        folder = PROOFS / game.key
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in proofs(game).items():
            file = folder / name
            if not file.exists() or file.read_text("utf-8") != text:
                file.write_text(text, "utf-8")
                print(f"wrote {file.relative_to(PROOFS.parent.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
