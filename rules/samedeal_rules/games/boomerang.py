"""Boomerang: up to the Ace and down again, on piles that are built one way at a time."""

from __future__ import annotations

from samedeal_rules.builds import Build, InOrder, Space, Steps, Suits
from samedeal_rules.parts import Deck, Foundations, Opening, Tableau, Turn
from samedeal_rules.spec import Game, Variation

__all__ = ["BOOMERANG"]

THERE_AND_BACK = InOrder(
    "789TJQKAKQJT987A",
    "up in suit from Seven to King, Ace then King and down in suit to Seven, then Ace",
)

BOOMERANG = Game(
    key="boomerang",
    name="Boomerang",
    deck=Deck(packs=2, ranks="789TJQKA"),
    table="""
        S  W  F1 F2 F3 F4
        T1 T2 T3 T4 T5 T6
        T7 T8 T9 T10 T11 T12
    """,
    foundations=(Foundations(order=THERE_AND_BACK, opening=Opening.ONE_A_SUIT),),
    tableau=Tableau(
        dealt=1, build=Build(Steps.EITHER, Suits.SAME, one_way=True), space=Space.FILLED
    ),
    stock=Turn.TO_WASTE,
    rulings=(
        "A pile that is back to one card may be built either way again.",
        "The waste starts empty; a pile that nothing is left to fill stays empty.",
    ),
    variations=(Variation.ACE_APART, Variation.FOUNDATION_EXIT),
)
