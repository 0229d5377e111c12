"""Eight On: the Aces lie deepest, and the eight cells start full."""

from __future__ import annotations

from samedeal_rules.builds import Build, Lift, Space, Steps, Suits
from samedeal_rules.parts import Cells, Filled, Tableau, Under
from samedeal_rules.spec import Game, Variation

__all__ = ["EIGHT_ON"]

EIGHT_ON = Game(
    key="eight-on",
    name="Eight On",
    table="""
        T1 T2 T3 T4 T5 T6 T7 T8 F1
        .  .  .  .  .  .  .  .  F2
        .  .  .  .  .  .  .  .  F3
        C1 C2 C3 C4 C5 C6 C7 C8 F4
    """,
    tableau=Tableau(
        dealt=(6, 6, 6, 6, 5, 5, 5, 5),
        under=Under.ACES,
        build=Build(Steps.DOWN, Suits.SAME),
        space=Space.KING,
        lift=Lift.RUNS_TO_SPACES,
    ),
    cells=Cells(filled=Filled.AFTER_TABLEAU),
    rulings=("A group headed by a King may be of any length; other groups do not move.",),
    variations=(Variation.FOUNDATION_EXIT,),
)
