"""What is wrong with what a tournament was given. What a format may be, `formats` says."""

from __future__ import annotations

__all__ = ["BadTourney"]


class BadTourney(Exception):
    """Players and matches that no log of a tournament can have come to: our fault, no player's."""
