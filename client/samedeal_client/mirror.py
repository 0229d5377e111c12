"""A board kept by following what the server says was moved, without knowing any rule.

The server sends a move as plain transfers between piles, the cards that they turned up, and the
piles on which cards are covered again. A mirror carries that out and compares digests: any
disagreement is a doubt, which only a whole view can settle.
"""

from __future__ import annotations

from collections.abc import Iterable

from samedeal_protocol.messages import Moved, Played
from samedeal_rules.cards import HIDDEN, parse_card, rank_of
from samedeal_rules.errors import RulesError
from samedeal_rules.notation import Position, parse_move, parse_position

__all__ = ["Mirror", "carried_out"]


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

    def follow(self, told: Moved | Played) -> bool:
        """Follows a move; False when the outcome is in doubt and a whole view is needed.

        Where steps cannot say the move, what was told has the whole view, which is taken as it is.
        """
        try:
            if told.board is None:
                turned = [(each.pile, each.card) for each in told.turned]
                self.position = carried_out(
                    self.position, told.steps, covered=told.covered, turned=turned
                )
            else:
                self.position = parse_position(told.board)
        except (RulesError, ValueError, IndexError):
            return False
        return self.position.digest() == told.digest


def carried_out(
    position: Position,
    steps: Iterable[str],
    *,
    covered: Iterable[str] = (),
    turned: Iterable[tuple[str, str]] = (),
) -> Position:
    """Returns the position after the steps; of what they uncover, `turned` is known.

    Raises RulesError, ValueError or IndexError.
    """
    game = position.game
    names = game.piles
    piles = [list(pile) for pile in position.piles]
    base, plays = position.base, position.plays
    for step in steps:
        source, target, cards = parse_move(game, step)
        # The stock is written next card first, all other piles bottom first.
        taken = slice(0, cards) if names[source] == "S" else slice(-cards, None)
        group = piles[source][taken]
        del piles[source][taken]
        if cards < 1 or len(group) != cards:
            raise IndexError(step)
        piles[target] += group
        if target in game.home:
            if base is None and "base" in game.counters:
                base = rank_of(group[0])
            if "plays" in game.counters:
                plays += cards
    for name in covered:
        pile = piles[names.index(name)]
        pile[:-1] = [HIDDEN] * (len(pile) - 1)
    for name, card in turned:
        piles[names.index(name)][-1] = parse_card(card)
    return Position(game, tuple(map(tuple, piles)), position.redeals, base, plays, position.idle)
