"""Everything that the rules refuse, each with a sentence that a person can act on.

RulesError
├── BadNotation      a card, move or position text that does not parse, or cannot be a position
├── UnknownGame      no game of that key
├── BadSeed          a seed or salt that cannot make a deal
├── IllegalMove      the rules refuse the move; carries a documented code and a sentence
└── NothingToUndo    no play is left to take back
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

__all__ = [
    "REFUSALS",
    "BadNotation",
    "BadSeed",
    "IllegalMove",
    "NothingToUndo",
    "Refusal",
    "RulesError",
    "UnknownGame",
]

REFUSALS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "base-card-stays": "the bottom card of a foundation never leaves it",
        "cell-full": "a cell holds one card, and this one has it",
        "does-not-build": "the card does not build on the pile's top card",
        "does-not-start": "an empty foundation takes another card than this",
        "empty-source": "there is no card to take",
        "foundation-order": "the card is not the foundation's next one",
        "game-won": "nothing is played after the win",
        "idle-limit": "too many passes in a row went by without a play",
        "needs-other-foundation": "the card may not go to this foundation from this pile",
        "no-building": "nothing is ever played onto this pile",
        "no-redeals-left": "all redeals have been made",
        "no-such-action": "the game has no such stock action",
        "no-such-kind": "the game has no moves between piles of these kinds",
        "no-such-pile": "the move names a pile that is not on this table",
        "not-a-run": "the cards are not a run that moves as a group",
        "not-enough-cards": "the pile has fewer cards than the move takes",
        "nothing-to-redeal": "no card is left that a redeal could take",
        "one-card-only": "cards move one at a time here",
        "one-way": "a card on a foundation stays there",
        "runs-to-spaces-only": "a group of cards only fills a space",
        "same-pile": "a pile is not played onto itself",
        "space-closed": "an empty pile is not filled by hand",
        "space-takes-other": "an empty pile takes another card than this",
        "stock-by-action": "cards enter and leave the stock by its own action only",
        "stock-empty": "no card is left in the stock",
        "suit-has-its-foundation": "another foundation has this suit already",
        "waste-by-action": "cards come to the waste by drawing only",
        "out-of-play": "a discarded card stays out of play",
        "wrong-suit": "only cards of one suit are discarded",
    }
)
"""Every code that a refused move can carry, and what it means. Codes never change their meaning."""


class Refusal(NamedTuple):
    """Why a move is refused: a code of `REFUSALS`, and a sentence that names piles and cards."""

    code: str
    sentence: str


class RulesError(Exception):
    """The rules refuse what was asked; nothing has changed."""


class BadNotation(RulesError):
    """A text that is not a card, a move or a position."""


class UnknownGame(RulesError):
    """No game of that key; the sentence names the nearest ones, if any is near."""


class BadSeed(RulesError):
    """A seed must be 1 to 64 characters of text without control characters."""


class IllegalMove(RulesError):
    """The rules refuse the move: `IllegalMove(code, sentence)`."""

    @property
    def refusal(self) -> Refusal:
        """Code and sentence."""
        code, sentence = self.args
        return Refusal(code, sentence)

    @property
    def code(self) -> str:
        """A key of `REFUSALS`."""
        return self.refusal.code

    @property
    def sentence(self) -> str:
        """What is wrong, in a sentence that a player can act on."""
        return self.refusal.sentence

    def __str__(self) -> str:
        return self.refusal.sentence


class NothingToUndo(RulesError):
    """No play is left that could be taken back."""
