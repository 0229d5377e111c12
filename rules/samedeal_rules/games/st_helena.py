"""St. Helena and Box Kite: a circle of piles around Kings that go down and Aces that go up."""

from __future__ import annotations

from dataclasses import replace

from samedeal_rules.builds import KING_DOWN, Build, Steps, Suits
from samedeal_rules.parts import Bases, Deck, Foundations, Gather, Redeal, Spread, Tableau
from samedeal_rules.routes import ANYWHERE, Only, UntilRedeal
from samedeal_rules.spec import Game, Variation

__all__ = ["BOX_KITE", "ST_HELENA"]

BOTH_WAYS_ANY_SUIT = Build(Steps.EITHER, Suits.ANY)
KINGS = Foundations(
    count=4,
    order=KING_DOWN,
    bases=Bases.EACH_SUIT,
    route=UntilRedeal(Only(("T12", "T1", "T2", "T3", "T4", "T5"))),
)
ACES = Foundations(
    count=4,
    bases=Bases.EACH_SUIT,
    route=UntilRedeal(Only(("T6", "T7", "T8", "T9", "T10", "T11"))),
)

ST_HELENA = Game(
    key="st-helena",
    name="St. Helena",
    deck=Deck(packs=2),
    table="""
        .   T1  T2  T3  T4  .
        T12 F1  F2  F3  F4  T5
        T11 F5  F6  F7  F8  T6
        .   T10 T9  T8  T7  .
    """,
    foundations=(KINGS, ACES),
    tableau=Tableau(dealt=8, build=BOTH_WAYS_ANY_SUIT, hidden=True, spread=Spread.NONE),
    redeal=Redeal(gather=Gather.LAST_PILE_FIRST, times=2),
    rulings=(
        "Some let the side piles play to either row from the start; here each has its row.",
        "A redeal may be made at any time.",
    ),
    variations=(Variation.FOUNDATION_EXIT, Variation.ROW_EXCHANGE),
)

BOX_KITE = replace(
    ST_HELENA,
    key="box-kite",
    name="Box Kite",
    foundations=(replace(KINGS, route=ANYWHERE), replace(ACES, route=ANYWHERE)),
    tableau=replace(ST_HELENA.tableau, build=replace(BOTH_WAYS_ANY_SUIT, wrap=True)),
    redeal=None,
    rulings=(),
)
