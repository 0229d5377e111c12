"""Small Billee: fans that build nowhere, cells, and three redeals."""

from __future__ import annotations

from samedeal_rules.parts import Bases, Cells, Foundations, Gather, Redeal, Spread, Tableau
from samedeal_rules.spec import Game, Variation

__all__ = ["SMALL_BILLEE"]

SMALL_BILLEE = Game(
    key="small-billee",
    name="Small Billee",
    table="""
        T1 T2 T3 T4 T5 T6    F1
        T7 T8 T9 T10 T11 T12 F2
        C1 C2 C3 C4 C5 C6    F3
        .  .  .  .  .  .     F4
    """,
    foundations=(Foundations(bases=Bases.EACH_SUIT),),
    tableau=Tableau(name="fans", dealt=4, spread=Spread.RIGHT),
    cells=Cells(),
    redeal=Redeal(gather=Gather.SHUFFLED, times=3),
    rulings=("A redeal takes the cards of the fans only, at any time; the last fan may be short.",),
    variations=(Variation.CELLS_FILLED,),
)
