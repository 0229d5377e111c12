"""Abandon Hope: find all the Clubs in four deals."""

from __future__ import annotations

from samedeal_rules.parts import Collect, Gather, Redeal, Spread, Tableau
from samedeal_rules.spec import Game

__all__ = ["ABANDON_HOPE"]

ABANDON_HOPE = Game(
    key="abandon-hope",
    name="Abandon Hope",
    table="""
        T1  T2  T3  T4  T5  T6  S
        T7  T8  T9  T10 T11 T12 W
        T13 T14 T15 T16 T17 T18 .
        T19 T20 T21 T22 T23 T24 .
    """,
    foundations=(),
    tableau=Tableau(dealt=1, spread=Spread.NONE),
    redeal=Redeal(gather=Gather.SHUFFLED, times=3),
    aim=Collect("C"),
    rulings=(
        "A pile whose Club is discarded stays empty until the next redeal.",
        "A redeal may be made at any time, also while Clubs are showing.",
    ),
)
