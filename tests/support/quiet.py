"""Whether anything goes on by itself in a loop without time, sockets and threads."""

from __future__ import annotations

import asyncio
from collections.abc import Sized
from typing import Final

__all__ = ["TURNS", "is_quiet"]

TURNS: Final = 3
"""After so many turns in which everything was flushed and nobody went on, nothing is to come."""


def is_quiet() -> bool:
    """Says whether nobody but who asks is ready to run."""
    ready: Sized = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    return not ready
