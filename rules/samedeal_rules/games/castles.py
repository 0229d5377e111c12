"""Beleaguered Castle and Streets and Alleys: open columns built down, whatever the suits."""

from __future__ import annotations

from samedeal_rules.builds import Build, Space, Steps, Suits
from samedeal_rules.parts import Bases, Foundations, Tableau
from samedeal_rules.spec import Game, Variation

__all__ = ["BELEAGUERED_CASTLE", "STREETS_AND_ALLEYS"]

DOWN_ANY_SUIT = Build(Steps.DOWN, Suits.ANY)

BELEAGUERED_CASTLE = Game(
    key="beleaguered-castle",
    name="Beleaguered Castle",
    table="""
        .  .  .  .  F1 F2 F3 F4
        T1 T2 T3 T4 T5 T6 T7 T8
    """,
    foundations=(Foundations(bases=Bases.EACH_SUIT),),
    tableau=Tableau(dealt=6, build=DOWN_ANY_SUIT, space=Space.ANY),
    rulings=("Cards move one at a time; some let runs move as a group.",),
    variations=(Variation.FOUNDATION_EXIT,),
)

STREETS_AND_ALLEYS = Game(
    key="streets-and-alleys",
    name="Streets and Alleys",
    table="""
        .  .  F1 F2 F3 F4 .  .
        T1 T2 T3 T4 T5 T6 T7 T8
    """,
    tableau=Tableau(dealt=(7, 7, 7, 7, 6, 6, 6, 6), build=DOWN_ANY_SUIT, space=Space.ANY),
    rulings=("Cards move one at a time; some let runs move as a group.",),
    variations=(Variation.FOUNDATION_EXIT,),
)
