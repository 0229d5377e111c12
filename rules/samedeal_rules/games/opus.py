"""Opus and Penguin II: seven open piles and some cells; only the number of cells differs."""

from __future__ import annotations

from dataclasses import replace

from samedeal_rules.builds import FROM_DEALT_BASE, Build, Space, Steps, Suits
from samedeal_rules.parts import Bases, Cells, Foundations, Tableau, Under
from samedeal_rules.spec import Game, Variation

__all__ = ["OPUS", "PENGUIN_II"]

OPUS = Game(
    key="opus",
    name="Opus",
    table="""
        T1 T2 T3 T4 T5 T6 T7 F1
        .  .  .  .  .  .  .  F2
        .  .  .  .  .  .  .  F3
        .  C1 C2 C3 C4 C5 .  F4
    """,
    foundations=(Foundations(order=FROM_DEALT_BASE, bases=Bases.FIRST_THREE),),
    tableau=Tableau(
        dealt=7,
        under=Under.LAST_BASE,
        build=Build(Steps.DOWN, Suits.SAME, wrap=True),
        space=Space.BELOW_BASE,
    ),
    cells=Cells(),
    rulings=(
        "The fourth base card is one of the seven cards of the first pile.",
        "Cards move one at a time; in Penguin itself sequences move as a group.",
    ),
    variations=(Variation.NO_WRAP, Variation.FOUNDATION_EXIT),
)

PENGUIN_II = replace(
    OPUS,
    key="penguin-ii",
    name="Penguin II",
    table="""
        T1 T2 T3 T4 T5 T6 T7 F1
        .  .  .  .  .  .  .  F2
        .  .  .  .  .  .  .  F3
        C1 C2 C3 C4 C5 C6 C7 F4
    """,
)
