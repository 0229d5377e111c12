"""What the opening of a store may be refused with."""

from __future__ import annotations

__all__ = ["CannotOpen"]


class CannotOpen(Exception):
    """The store cannot be opened; the message is one line that says what to do."""
