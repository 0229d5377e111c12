"""Fortress and Chessboard: ten open piles built up and down in suit."""

from __future__ import annotations

from dataclasses import replace

from samedeal_rules.builds import FROM_FIRST_PLAY, Build, Space, Steps, Suits
from samedeal_rules.parts import Foundations, Tableau
from samedeal_rules.spec import Game, Variation

__all__ = ["CHESSBOARD", "FORTRESS"]

BOTH_WAYS_IN_SUIT = Build(Steps.EITHER, Suits.SAME)

FORTRESS = Game(
    key="fortress",
    name="Fortress",
    table="""
        F1 F2 F3 F4 .
        T1 T2 T3 T4 T5
        T6 T7 T8 T9 T10
    """,
    tableau=Tableau(dealt=(6, 6, 5, 5, 5, 5, 5, 5, 5, 5), build=BOTH_WAYS_IN_SUIT, space=Space.ANY),
    rulings=("Ace and King do not meet in the tableau.",),
    variations=(Variation.FOUNDATION_EXIT,),
)

CHESSBOARD = replace(
    FORTRESS,
    key="chessboard",
    name="Chessboard",
    foundations=(Foundations(order=FROM_FIRST_PLAY),),
    tableau=replace(FORTRESS.tableau, build=replace(BOTH_WAYS_IN_SUIT, wrap=True)),
    rulings=("The first card may go to any foundation, and cards may move before it does.",),
    variations=(Variation.NO_WRAP, Variation.FOUNDATION_EXIT),
)
