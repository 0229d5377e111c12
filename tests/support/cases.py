"""Many cases in one test, where ten thousand tests would cost more than what they try."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["case"]


@contextmanager
def case(*name: object) -> Iterator[None]:
    """Names the case in whatever fails within the block."""
    try:
        yield
    except BaseException as fault:
        fault.add_note(f"the case: {' '.join(map(str, name))}")
        raise
