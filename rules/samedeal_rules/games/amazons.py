"""Amazons: four reserves under four foundations, and as many passes as bring a play."""

from __future__ import annotations

from samedeal_rules.builds import InOrder
from samedeal_rules.parts import Deck, Foundations, Gather, Opening, Redeal, Tableau, Turn
from samedeal_rules.routes import SameNumber
from samedeal_rules.spec import Game

__all__ = ["AMAZONS"]

AMAZONS = Game(
    key="amazons",
    name="Amazons",
    deck=Deck(ranks="A789TJQ"),
    table="""
        S F1 F2 F3 F4
        . R1 R2 R3 R4
    """,
    foundations=(
        Foundations(
            order=InOrder("A789TJQ", "up in suit from Ace, then Sevens to Queens"),
            opening=Opening.LEFTMOST,
            route=SameNumber(),
        ),
    ),
    tableau=Tableau(key="R", name="reserve piles", dealt=1),
    stock=Turn.TO_TABLEAU,
    redeal=Redeal(gather=Gather.RIGHT_TO_LEFT, idle_passes=2),
    rulings=(
        "Some let a Queen go to any foundation; here she goes only straight up.",
        "A deal from an empty stock first takes up the reserves, then deals a row.",
        "If fewer cards than piles are left, the leftmost piles get them.",
        "For the limit on redeals, a deal is a whole pass through the stock.",
    ),
)
