"""Binary Star: two stars that grow up and down, and trade cards."""

from __future__ import annotations

from samedeal_rules.builds import Build, Steps, Suits
from samedeal_rules.parts import Deck, Exit, Foundations, Named, Spread, Tableau
from samedeal_rules.spec import Game

__all__ = ["BINARY_STAR"]

BINARY_STAR = Game(
    key="binary-star",
    name="Binary Star",
    deck=Deck(packs=2),
    table="""
        T1  T2  T3  T4  T5  T6
        T7  .   F1  F2  .   T8
        T9  T10 T11 T12 T13 T14
        .   T15 T16 T17 .   .
    """,
    foundations=(
        Foundations(
            name="stars",
            order=Build(Steps.EITHER, Suits.ANY, wrap=True),
            bases=Named(("AS", "KH")),
            exit=Exit.FOUNDATIONS,
            transfers=True,
        ),
    ),
    tableau=Tableau(name="fans", dealt=6, spread=Spread.RIGHT),
    rulings=("A star always keeps its first card; how the cards are split does not matter.",),
)
