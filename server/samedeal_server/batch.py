"""What rooms have leave for many, and the gateway lets leave when there is time."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Batch"]


class Batch(Protocol):
    """Something that leaves bit by bit, when there is time."""

    def __len__(self) -> int:
        """To how many it leaves."""
        ...

    def hurry(self) -> bool:
        """Lets a bit of it leave; returns whether that was all."""
        ...
