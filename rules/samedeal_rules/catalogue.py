"""A game as plain data, for clients that know no rules: what lies where, and what one may ask for.

`describe` says what a lobby lists and what a browser needs to draw the table. It decides nothing:
which moves are legal, the server tells.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from .parts import Collect, Spread
from .spec import Game

__all__ = ["Description", "PileDescription", "PileKind", "VariantDescription", "describe"]

PileKind = Literal["foundation", "tableau", "cell", "reserve", "stock", "waste"]
_KINDS: dict[str, PileKind] = {
    "F": "foundation",
    "T": "tableau",
    "C": "cell",
    "R": "reserve",
    "S": "stock",
    "W": "waste",
}


class PileDescription(TypedDict):
    """One pile: where it stands in the table's grid (from 0), how its cards lie over each other,
    how many it has after the deal, and which of them are hidden."""

    name: str
    kind: PileKind
    row: int
    column: int
    spread: Literal["none", "down", "right"]
    dealt: int
    hidden: Literal["nothing", "all", "below the top"]
    home: bool


class VariantDescription(TypedDict):
    """A named switch of the rules: the key that a race names, and what it changes."""

    key: str
    words: str


class Description(TypedDict):
    """A game for a client: facts, the drawn table, the piles in notation order, the actions.

    `redeals` says how many there are; None where there is none, or nobody counts them.
    """

    key: str
    name: str
    object: str
    packs: int
    ranks: str
    cards: int
    goal: int
    hides_cards: bool
    luck_after_deal: bool
    grid: list[list[str | None]]
    piles: list[PileDescription]
    actions: list[str]
    redeals: int | None
    counters: list[str]
    variants: list[VariantDescription]


def describe(game: Game) -> Description:
    """The game as JSON can carry it: dicts, lists, strings, numbers, booleans and null."""
    return Description(
        key=game.key,
        name=game.name,
        object=game.aim.words,
        packs=game.deck.packs,
        ranks=game.deck.ranks,
        cards=game.size,
        goal=game.goal,
        hides_cards=game.hides,
        luck_after_deal=not game.is_open,
        grid=[list(row) for row in game.grid],
        piles=[_pile(game, name, dealt) for name, dealt in _dealt(game).items()],
        actions=list(game.actions),
        redeals=None if game.redeal is None else game.redeal.times,
        counters=list(game.counters),
        variants=[
            VariantDescription(key=f"{game.key}:{each.value}", words=each.words)
            for each in game.variations
        ],
    )


def _dealt(game: Game) -> dict[str, int]:
    """How many cards each pile has after the deal."""
    dealt = dict.fromkeys(game.piles, 0)
    dealt |= {name: 1 for name, _ in game.bases}
    dealt |= {
        game.piles[at]: cards
        for at, cards in zip(game.named(game.tableau.key), game.dealt, strict=True)
    }
    if game.cells_dealt:
        dealt |= {game.piles[at]: 1 for at in game.named("C")}
    if "S" in dealt:
        dealt["S"] = game.size - sum(dealt.values())
    return dealt


def _pile(game: Game, name: str, dealt: int) -> PileDescription:
    row, column = next((at, line.index(name)) for at, line in enumerate(game.grid) if name in line)
    kind = _KINDS[name[0]]
    hidden: Literal["nothing", "all", "below the top"] = "nothing"
    if kind == "stock":
        hidden = "all"
    elif name[0] == game.tableau.key and game.tableau.hidden:
        hidden = "below the top"
    home = "waste" if isinstance(game.aim, Collect) else "foundation"
    spread = game.tableau.spread if name[0] == game.tableau.key else Spread.NONE
    return PileDescription(
        name=name,
        kind=kind,
        row=row,
        column=column,
        spread=spread.value,
        dealt=dealt,
        hidden=hidden,
        home=kind == home,
    )
