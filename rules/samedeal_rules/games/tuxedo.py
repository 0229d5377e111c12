"""Tuxedo: seven piles, seven cells, and runs that move as a group."""

from __future__ import annotations

from samedeal_rules.builds import Build, Lift, Space, Steps, Suits
from samedeal_rules.parts import Cells, Tableau
from samedeal_rules.spec import Game, Variation

__all__ = ["TUXEDO"]

TUXEDO = Game(
    key="tuxedo",
    name="Tuxedo",
    table="""
        T1 T2 T3 T4 T5 T6 T7 F1
        .  .  .  .  .  .  .  F2
        .  .  .  .  .  .  .  F3
        C1 C2 C3 C4 C5 C6 C7 F4
    """,
    tableau=Tableau(
        dealt=(8, 7, 7, 8, 7, 7, 8),
        build=Build(Steps.DOWN, Suits.SAME),
        space=Space.KING,
        lift=Lift.RUNS,
    ),
    cells=Cells(),
    rulings=(
        "Groups may be of any length, however many cells are free.",
        "A group may fill a space if its first card is a King; Kings do not go on Aces.",
    ),
    variations=(Variation.FOUNDATION_EXIT,),
)
