"""`python -m samedeal_server` is `samedeal-server`."""

from __future__ import annotations

import sys

from samedeal_server.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
