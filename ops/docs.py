"""Write the generated docs anew (`make docs`), or tell which are stale (`make check`).

What is generated: `docs/games/<game>.md` and `docs/games/index.md` from the games' declarations,
`docs/protocol.md`, `docs/tournament-protocol.md` and `docs/schema.json` from the messages' structs,
`docs/bus.md` from the topics.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from samedeal_protocol import describe, describe_bus, describe_tournaments
from samedeal_rules.games import GAMES
from samedeal_rules.prose import index_page, page

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PROTOCOL = ROOT / "protocol" / "samedeal_protocol"


def generated() -> Mapping[Path, str]:
    """Every generated file with the text that it should have."""
    pages = {DOCS / "games" / f"{game.key}.md": page(game) for game in GAMES}
    sources = {name: (PROTOCOL / f"{name}.py").read_text("utf-8") for name in describe.SOURCES}
    tournaments = {
        name: (PROTOCOL / "tournament" / f"{name}.py").read_text("utf-8")
        for name in describe_tournaments.SOURCES
    }
    return {
        DOCS / "games" / "index.md": index_page(GAMES),
        **pages,
        DOCS / "protocol.md": describe.page(sources),
        DOCS / "tournament-protocol.md": describe_tournaments.page(tournaments),
        DOCS / "schema.json": describe.schema(),
        DOCS / "bus.md": describe_bus.page((PROTOCOL / "topics.py").read_text("utf-8")),
    }


def stale(wanted: Mapping[Path, str]) -> list[Path]:
    """The files that differ from what would be written, and those that nothing generates now."""
    differing = [
        file
        for file, text in wanted.items()
        if not file.exists() or file.read_text("utf-8") != text
    ]
    return differing + [file for file in sorted((DOCS / "games").glob("*")) if file not in wanted]


def main() -> int:
    """Write the stale files, or with --check only name them and return 1."""
    parser = argparse.ArgumentParser(description="Write the generated docs anew.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, fail when one is stale"
    )
    check_only = parser.parse_args().check
    wanted = generated()
    files = stale(wanted)
    for file in files:
        print(f"{'stale' if check_only else 'wrote'}: {file.relative_to(DOCS.parent)}")
        if not check_only and file in wanted:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(wanted[file], "utf-8")
        elif not check_only:
            file.unlink()
    if check_only and files:
        print("run `make docs` and read what changed", file=sys.stderr)
    return 1 if check_only and files else 0


if __name__ == "__main__":
    sys.exit(main())
