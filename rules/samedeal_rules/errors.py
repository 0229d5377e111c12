"""Everything that the rules refuse, each with a sentence that a person can act on.

RulesError
├── BadNotation      a card, move or position text that does not parse
├── UnknownGame      no game of that key
├── BadSeed          a seed or salt that cannot make a deal
├── IllegalMove      the rules refuse the move; carries a documented code and a sentence
└── NothingToUndo    no play is left to take back
"""

from __future__ import annotations

__all__ = ["BadNotation", "BadSeed", "IllegalMove", "NothingToUndo", "RulesError", "UnknownGame"]


class RulesError(Exception):
    """The rules refuse what was asked; nothing has changed."""


class BadNotation(RulesError):
    """A text that is not a card, a move or a position."""


class UnknownGame(RulesError):
    """No game of that key; the sentence names the nearest ones."""


class BadSeed(RulesError):
    """A seed must be 1 to 64 characters of text without control characters."""


class IllegalMove(RulesError):
    """The rules refuse the move: `code` is documented and stable, `sentence` is for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class NothingToUndo(RulesError):
    """No play is left that could be taken back."""
