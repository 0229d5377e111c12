"""Board Patience: ten open piles built down by alternate color, from a base that is dealt."""

from __future__ import annotations

from samedeal_rules.builds import FROM_DEALT_BASE, Build, Space, Steps, Suits
from samedeal_rules.parts import Bases, Foundations, Tableau
from samedeal_rules.spec import Game, Variation

__all__ = ["BOARD_PATIENCE"]

BOARD_PATIENCE = Game(
    key="board-patience",
    name="Board Patience",
    table="""
        F1 F2 F3 F4 .
        T1 T2 T3 T4 T5
        T6 T7 T8 T9 T10
    """,
    foundations=(Foundations(order=FROM_DEALT_BASE, bases=Bases.FIRST_CARD),),
    tableau=Tableau(
        dealt=(6, 5, 5, 5, 5, 5, 5, 5, 5, 5),
        build=Build(Steps.DOWN, Suits.ALTERNATE_COLOR, wrap=True),
        space=Space.ANY,
    ),
    rulings=("Some build up as well; here only down.",),
    variations=(Variation.NO_WRAP, Variation.FOUNDATION_EXIT),
)
