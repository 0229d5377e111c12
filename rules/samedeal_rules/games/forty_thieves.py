"""Forty Thieves: two packs, once through the stock."""

from __future__ import annotations

from samedeal_rules.builds import Build, Space, Steps, Suits
from samedeal_rules.parts import Deck, Tableau, Turn
from samedeal_rules.spec import Game, Variation

__all__ = ["FORTY_THIEVES"]

FORTY_THIEVES = Game(
    key="forty-thieves",
    name="Forty Thieves",
    deck=Deck(packs=2),
    table="""
        S  W  F1 F2 F3 F4 F5 F6 F7 F8
        T1 T2 T3 T4 T5 T6 T7 T8 T9 T10
    """,
    tableau=Tableau(dealt=4, build=Build(Steps.DOWN, Suits.SAME), space=Space.ANY),
    stock=Turn.TO_WASTE,
    rulings=("The waste starts empty; some turn its first card at the deal.",),
    variations=(Variation.FOUNDATION_EXIT,),
)
