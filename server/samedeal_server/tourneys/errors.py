"""What is wrong with what a tournament was given.

TourneyError
├── BadTerms      terms that no tournament can be run by; the sentence says which and why
└── BadTourney    players or matches that do not belong together: our fault, not a player's
"""

from __future__ import annotations

__all__ = ["BadTerms", "BadTourney", "TourneyError"]


class TourneyError(Exception):
    """The root of the tree."""


class BadTerms(TourneyError):
    """Terms that contradict themselves."""


class BadTourney(TourneyError):
    """A state that no log of a tournament can have come to."""
