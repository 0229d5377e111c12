"""Work that goes on beside a screen or the program, and ends with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

from textual.dom import DOMNode
from textual.worker import WorkType

__all__ = ["aside"]


def aside(
    node: DOMNode, work: Callable[[], Awaitable[object]], name: str, *, alone: bool = False
) -> None:
    """Starts a task of that name, which ends when the screen or the program does.

    `alone`: what goes on under this name already is given up for it.
    """
    node.run_worker(cast("WorkType[object]", work), name=name, group=name, exclusive=alone)
