"""Making plans and following them: the mind of the bots that look ahead.

A planner knows what its views have shown it and remembers it: a card that was seen before others
were laid on it stays known. Of what is hidden it knows as little as a person.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Final

from samedeal_rules.cards import HIDDEN
from samedeal_rules.dealing import deal_again
from samedeal_rules.notation import REDEAL, Move, Position, move_text
from samedeal_rules.parts import Gather

from .lookahead import Horizon, Step, first_steps, look_ahead
from .outlook import Piles
from .view import View

__all__ = ["Planner", "Weariness"]

_PATIENCE: Final = 100
"""Moves without a card home, a draw or a deal after which a bot gives up."""
_NODES_MIN: Final = 40
"""How little a planner looks ahead that has looked in vain for a while."""
_HIDDEN_PART: Final = 20
"""What part of its nodes goes into a plan where cards are hidden: it will need many plans."""


@dataclass(slots=True)
class Weariness:
    """When a bot has had enough: too many moves in a row that got it nowhere."""

    moves: int = 0
    best: tuple[int, int, int] | None = None

    def grows(self, view: View) -> bool:
        """Notes another move to be made; True when it is time to give up."""
        position = view.position
        stock = sum(len(position.piles[at]) for at in view.game.named("S"))
        reached = (view.home, position.redeals + position.idle, -stock)
        if self.best is None or any(new > old for new, old in zip(reached, self.best, strict=True)):
            self.best = reached if self.best is None else _most(self.best, reached)
            self.moves = 0
        self.moves += 1
        return self.moves > _PATIENCE


def _most(first: tuple[int, int, int], second: tuple[int, int, int]) -> tuple[int, int, int]:
    a, b, c = (max(pair) for pair in zip(first, second, strict=True))
    return a, b, c


class Planner:
    """Answers one view after the other with a move.

    `nodes` is about how many positions it may look at for one plan of a game in which nothing is
    hidden; a plan that ends at the next hidden card gets a part of that.
    """

    def __init__(self, chance: random.Random, *, nodes: int) -> None:
        self._chance = chance
        self._nodes = nodes
        self._horizon: Horizon | None = None
        self._plan: list[Step] = []
        self._foreseen: Piles = ()
        """What is known of the piles after the last move; empty if nothing is."""
        self._plans = 0
        """How many plans of a whole game there were; each gets less to think about."""
        self._vain = 0
        """How often in a row nothing better was in sight; each time half as much is looked at."""
        self._been: set[bytes] = set()
        self._tried: set[tuple[str, Move]] = set()
        self._weariness = Weariness()

    @property
    def known(self) -> Piles:
        """The piles after the last move, as far as they are known then."""
        return self._foreseen

    def next_move(self, view: View) -> str | None:
        """Returns the next move, or None to give up."""
        if view.status != "playing":
            return None
        position = _remembering(view.position, self._foreseen)
        is_weary = self._weariness.grows(view)
        if not self._plan or position is None:
            if is_weary:
                return None
            self._plan = self._plan_from(view, position or view.position)
        if not self._plan:
            return None
        move, self._foreseen = self._plan.pop(0)
        self._tried.add((view.digest, move))
        if not self._foreseen:
            self._foreseen = _redealt(position or view.position, move)
        return move_text(view.game, move)

    def _plan_from(self, view: View, position: Position) -> list[Step]:
        """Returns what to do next, at least one step unless it is better to give up."""
        if self._horizon is None or self._horizon.game != view.game:
            self._horizon = Horizon(view.game)
        self._been.add(self._horizon.key(position))
        plan = look_ahead(
            self._horizon,
            position,
            nodes=self._budget(position),
            chance=self._chance,
            avoid=self._been,
        )
        if plan.steps:
            self._vain = 0
            return list(plan.steps)
        self._vain += 1
        actions = [move for move in view.table().legal() if move.cards == 0]
        for action in sorted(actions):
            if (view.digest, action) not in self._tried:
                return [Step(action, ())]
        if plan.is_all:
            return []
        steps = first_steps(self._horizon, position, avoid=self._been)
        return [step for step in steps if (view.digest, step.move) not in self._tried][:1]

    def _budget(self, position: Position) -> int:
        if position.hides:
            part = self._nodes // _HIDDEN_PART
        else:
            part = round(self._nodes * 0.7**self._plans)
            self._plans += 1
        return max(min(self._nodes, _NODES_MIN), part >> self._vain)


def _remembering(position: Position, foreseen: Piles) -> Position | None:
    """Returns the position with what was known before; None if it is not as foreseen."""
    if [len(pile) for pile in position.piles] != [len(pile) for pile in foreseen]:
        return None
    piles: list[tuple[int, ...]] = []
    for pile, known in zip(position.piles, foreseen, strict=True):
        if any(
            seen not in (HIDDEN, card) and card != HIDDEN
            for seen, card in zip(pile, known, strict=True)
        ):
            return None
        piles.append(tuple(seen or card for seen, card in zip(pile, known, strict=True)))
    return replace(position, piles=tuple(piles))


def _redealt(position: Position, action: Move) -> Piles:
    """Returns the piles as far as they are known after a stock action; empty if nothing is.

    A redeal that does not shuffle lays out again what everybody has seen.
    """
    game = position.game
    if action != REDEAL or game.redeal is None or game.redeal.gather is Gather.SHUFFLED:
        return ()
    tableau = game.named(game.tableau.key)
    old = [list(position.piles[at]) for at in tableau]
    new, _ = deal_again(game, "", position.redeals + 1, old, ())
    piles = [bytes(pile) for pile in position.piles]
    for at, pile in zip(tableau, new, strict=True):
        piles[at] = bytes(pile)
    return tuple(piles)
