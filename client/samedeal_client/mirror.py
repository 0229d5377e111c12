"""A board kept by following what the server says was moved, without knowing any rule.

The server sends a move as plain transfers between piles and the cards that they turned up. A
mirror carries them out, hides again what the game's table covers, and compares digests: any
disagreement is a doubt, which only a whole view can settle.
"""

from __future__ import annotations

from collections.abc import Iterable

from samedeal_protocol.messages import Turned
from samedeal_rules.cards import HIDDEN, parse_card, rank_of
from samedeal_rules.errors import RulesError
from samedeal_rules.notation import Position, parse_move, parse_position
from samedeal_rules.views import view_of

__all__ = ["Mirror"]


class Mirror:
    """One board as its viewer sees it."""

    __slots__ = ("position",)

    def __init__(self, position: Position) -> None:
        self.position = position

    @classmethod
    def of(cls, text: str) -> Mirror:
        """Returns the mirror of a whole view. Raises BadNotation for what is no position."""
        return cls(parse_position(text))

    @property
    def home(self) -> int:
        """How many cards are home."""
        return sum(len(self.position.piles[at]) for at in self.position.game.home)

    def play(
        self, steps: Iterable[str], turned: Iterable[Turned], board: str | None, *, digest: str
    ) -> bool:
        """Follows a move; False when the outcome is in doubt and a whole view is needed.

        `board` is the whole view, where steps cannot say the move; it is taken as it is.
        """
        try:
            self.position = (
                _moved(self.position, steps, turned) if board is None else parse_position(board)
            )
        except (RulesError, IndexError):
            return False
        return self.position.digest() == digest


def _moved(position: Position, steps: Iterable[str], turned: Iterable[Turned]) -> Position:
    """Returns the position after the steps. Raises RulesError or IndexError for nonsense."""
    game = position.game
    piles = [list(pile) for pile in position.piles]
    base, plays = position.base, position.plays
    for step in steps:
        source, target, cards = parse_move(game, step)
        pile = piles[source]
        if game.piles[source] == "S":
            taken = pile[:cards]
            del pile[:cards]
        else:
            taken = pile[-cards:]
            del pile[-cards:]
        if cards < 1 or len(taken) != cards:
            raise IndexError(step)
        piles[target] += taken
        if game.piles[target].startswith("F"):
            if base is None and "base" in game.counters:
                base = rank_of(taken[0])
            if "plays" in game.counters:
                plays += cards
    for name, card in ((each.pile, each.card) for each in turned):
        piles[game.piles.index(name) if name in game.piles else len(piles)][-1] = parse_card(card)
    if any(card == HIDDEN for at in game.home for card in piles[at]):
        raise IndexError("a hidden card went home")
    return view_of(
        Position(game, tuple(map(tuple, piles)), position.redeals, base, plays, position.idle)
    )
