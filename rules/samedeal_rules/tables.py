"""A game compiled once into lookup tables, from which `engine` judges a move without an `if`.

Clarity belongs in the declaration, speed in the tables. For every pair of piles there is a *cell*:

    phase.rules[source][target][key][card]  ->  what comes to lie on the target, or 0: refused

`key` is what lies on top of the target; if the target is empty it is EMPTY plus the table's *mode*,
a small number that says all that an empty pile may depend on (the base rank, or which foundations
or suits have begun). A card is stored with two spare bits that say what a pile's next card depends
on beyond its top card, so that orientation lives in the pile and undoing needs no bookkeeping:

    on a one-way tableau   UP or DOWN, the way it is built; the bottom card has neither (B2)
    on a foundation        AGAIN, the second time that its order counts this rank (2.2);
                           STAYS, a base card that never leaves where others may (S1)

Cells are shared between all piles with the same rules; the cell NOTHING refuses every card. Each
matrix is padded with NOTHING, so that an index out of range is refused and not read from the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import permutations
from typing import Final

from .builds import Build, FromBase, InOrder, Place, Space
from .cards import CARD_BITS, rank_of, suit_of
from .notation import ACTIONS, Move, digester
from .parts import Collect, Exit, Foundations, Gather, Opening
from .spec import Game

__all__ = [
    "AGAIN",
    "DOWN",
    "EMPTY",
    "NOTHING",
    "STAYS",
    "UP",
    "Cell",
    "Mode",
    "Phase",
    "Scope",
    "Tables",
    "compile_game",
]

UP: Final = 64
DOWN: Final = 128
AGAIN: Final = 64
STAYS: Final = 128
EMPTY: Final = 256
MODES: Final = 16

Cell = list[bytes]
Matrix = list[list[Cell]]
Fits = dict[int, int]
"""The cards that fit, and how each is stored."""

_BITS: Final = (0, UP, DOWN, UP | DOWN)
_REFUSED: Final = bytes(256)
NOTHING: Final[Cell] = [_REFUSED] * (EMPTY + MODES)


class Mode(Enum):
    """What empty piles depend on in a game."""

    NOTHING = "nothing"
    BASE = "base"
    BEGUN = "begun"
    SUITS = "suits"


@dataclass(frozen=True, slots=True)
class Scope:
    """Piles with the same rules, and where their top cards may go: what listing moves walks over.

    `transfers`: their moves only rearrange the foundations (S3).
    """

    sources: tuple[int, ...]
    none: bytes
    targets: tuple[tuple[int, Cell, tuple[Move, ...]], ...]
    transfers: bool


@dataclass(frozen=True, slots=True)
class Phase:
    """The rules of a part of the game: before the first redeal, after it, or after the win."""

    rules: Matrix
    scopes: tuple[Scope, ...]
    over: bool = False


class Tables:
    """Everything that a table needs to know about its game, in the form that is fastest to use."""

    def __init__(self, game: Game) -> None:
        self.game: Final = game
        self.names: Final = game.piles
        self.kinds: Final = tuple(name[0] for name in game.piles)
        self.foundations: Final = game.named("F")
        self.tableau: Final = game.named(game.tableau.key)
        self.home: Final = game.home
        self.goal: Final = game.goal
        self.stock: Final = self._only("S")
        self.waste: Final = self._only("W")
        self.gathers: Final = self._gathers()
        self.actions: Final = tuple(ACTIONS[action] for action in game.actions)
        self.lift: Final = game.tableau.lift
        fills = game.tableau.space is Space.FILLED
        self.is_filled: Final = tuple(fills and at in self.tableau for at in self._indexes)
        self.is_home: Final = tuple(at in self.home for at in self._indexes)
        self.hidden: Final = frozenset(self.tableau if game.tableau.hidden else ())
        self.veiled: Final = self.hidden | {self.stock}
        """Piles that their player does not see whole."""
        self.digester: Final = digester(game)
        self.mode: Final = _mode_of(game)
        self.counts_plays: Final = game.redeal is not None and game.redeal.idle_passes is not None
        exits = any(row.exit is not Exit.NONE for row in game.rows)
        self.ends_early: Final = exits or isinstance(game.aim, Collect)
        """Whether a won table may have moves left that must be refused (G11)."""
        self.begins: Final = self._mode_changes
        """Whether the first card on a foundation changes what empty piles take."""
        self.has_consequences: Final = fills or self.ends_early or self.counts_plays or self.begins
        """Whether a play can change more than the two piles that it names."""

        self._deck: Final = tuple(dict.fromkeys(game.pack))
        self._cells: dict[tuple[object, ...], Cell] = {}
        self.texts: Final = [
            [f"{source}-{target}" for target in self.names] for source in self.names
        ]
        self.moves: Final = [
            [Move(source, target, 1) for target in self._indexes] for source in self._indexes
        ]
        first = self._phase(redealt=False)
        self.phases: Final = (first, self._phase(redealt=True) if game.redeal else first)
        self.over: Final = Phase(self._padded([]), (), over=True)
        self.columns: Final = self._columns()
        """Of each tableau pile: its index, its number's foundation, and when that is complete."""
        self.transfers: Final = self._transfers()
        """The moves, legal or not, that only rearrange foundations (S3)."""
        self.on_tableau: Final = self._counted(self.tableau[0])
        """What builds on a tableau card, wherever it comes from; runs are judged by it."""
        self.on_foundation: Final = tuple(self._counted(at) for at in self.foundations)
        """What each foundation counts, wherever it comes from."""

    def _columns(self) -> tuple[tuple[int, int, int], ...]:
        orders = [row.order for row in self.game.rows]
        return tuple(
            (at, above, self.game.size if isinstance(order, Build) else order.length)
            for at, above, order in zip(self.tableau, self.foundations, orders, strict=False)
        )

    def _transfers(self) -> tuple[Move, ...]:
        return tuple(
            self.moves[source][target]
            for source, target in permutations(self.foundations, 2)
            if self.game.rows[source].transfers
        )

    def _counted(self, at: int) -> Cell:
        """What the pile counts, wherever it comes from."""
        return self._cell(at, leaves_foundation=False, follows=True, opens=True)

    def base(self, empty: int) -> int | None:
        """The base rank that a key for empty piles stands for, in games where it varies."""
        return (empty - EMPTY or None) if self.mode is Mode.BASE else None

    def empty_key(self, piles: list[list[int]], base: int | None) -> int:
        """The key for empty piles of a table with these piles and this base rank."""
        begun = [(at, piles[at][0]) for at in self.foundations if piles[at]]
        match self.mode:
            case Mode.NOTHING:
                return EMPTY
            case Mode.BASE:
                return EMPTY + (base or 0)
            case Mode.BEGUN:
                return EMPTY + sum(1 << at for at, _ in begun)
            case Mode.SUITS:
                return EMPTY + sum({1 << suit_of(card & CARD_BITS) for _, card in begun})

    def begun_key(self, empty: int, target: int, card: int) -> int:
        """The key for empty piles after `card` began the foundation `target`."""
        match self.mode:
            case Mode.NOTHING:
                return empty
            case Mode.BASE:
                return empty if empty > EMPTY else EMPTY + rank_of(card)
            case Mode.BEGUN:
                return empty | 1 << target
            case Mode.SUITS:
                return empty | 1 << suit_of(card)

    @property
    def _mode_changes(self) -> bool:
        orders = [row.order for row in self.game.rows]
        by_play = any(isinstance(order, FromBase) and order.by_play for order in orders)
        return by_play or self.mode in (Mode.BEGUN, Mode.SUITS)

    @property
    def _indexes(self) -> range:
        return range(len(self.names))

    def _gathers(self) -> tuple[int, ...]:
        """The piles whose cards a redeal takes up."""
        redeal = self.game.redeal
        if redeal is not None and redeal.gather is Gather.SHUFFLED:
            return (*self.tableau, *self.game.named("S"))
        return self.tableau

    def _only(self, kind: str) -> int:
        """The pile of that kind; an index that is on no table if there is none."""
        return (*self.game.named(kind), len(self.names))[0]

    def _phase(self, *, redealt: bool) -> Phase:
        rules = [
            [self._between(source, target, redealt=redealt) for target in self._indexes]
            for source in self._indexes
        ]
        alike: dict[tuple[int, ...], list[int]] = {}
        for source, row in enumerate(rules):
            if any(cell is not NOTHING for cell in row):
                alike.setdefault(tuple(map(id, row)), []).append(source)
        scopes = tuple(self._scope(rules, sources) for sources in alike.values())
        return Phase(self._padded(rules), scopes)

    def _scope(self, rules: Matrix, sources: list[int]) -> Scope:
        targets = tuple(
            (target, cell, tuple(self.moves[source][target] for source in sources))
            for target, cell in enumerate(rules[sources[0]])
            if cell is not NOTHING
        )
        transfers = self.kinds[sources[0]] == "F" and self.game.rows[sources[0]].transfers
        return Scope(tuple(sources), bytes(len(sources)), targets, transfers)

    def _padded(self, rules: Matrix) -> Matrix:
        count = len(self.names)
        rows = [[*row, *[NOTHING] * count] for row in rules]
        return rows + [[NOTHING] * (2 * count)] * (2 * count - len(rows))

    def _between(self, source: int, target: int, *, redealt: bool) -> Cell:
        """The cell for moves between two piles: which kinds of moves there are at all (G1)."""
        game, kinds = self.game, self.kinds
        collects = isinstance(game.aim, Collect)
        match kinds[source], kinds[target]:
            case "F", "F":
                granted = source != target and game.rows[source].exit is Exit.FOUNDATIONS
            case "F", "T" | "R":
                granted = game.rows[source].exit is Exit.TABLEAU
            case "T" | "R", "F" | "T" | "R" | "C":
                granted = True
            case "T" | "R", "W":
                granted = collects
            case "C", "F" | "T" | "R":
                granted = True
            case "W", "F" | "T" | "R":
                granted = not collects
            case _:
                granted = False
        if not granted:
            return NOTHING
        follows = opens = True
        if kinds[target] == "F" and kinds[source] != "F":  # foundations trade at any time
            route, names = game.rows[target].route, (self.names[source], self.names[target])
            follows = route.allows(*names, opens=False, redealt=redealt)
            opens = route.allows(*names, opens=True, redealt=redealt)
        leaves_foundation = kinds[source] == "F"
        return self._cell(target, leaves_foundation=leaves_foundation, follows=follows, opens=opens)

    def _cell(self, target: int, *, leaves_foundation: bool, follows: bool, opens: bool) -> Cell:
        """The cell that accepts what the target accepts, on a card and as an empty pile."""
        alike: object = self.kinds[target]
        if alike == "F":
            row = self.game.rows[target]
            alike = (row, target if row.opening is Opening.LEFTMOST else None)
        key = (alike, leaves_foundation, follows, opens)
        if key not in self._cells:
            cell = list(NOTHING)
            if follows:
                for top in self._deck:
                    plain = _row(self._on(target, top), leaves_foundation)
                    for bits in _BITS:
                        fits = self._on(target, top | bits) if self._heeds_bits(target) else None
                        cell[top | bits] = plain if fits is None else _row(fits, leaves_foundation)
            if opens:
                for mode in range(MODES):
                    cell[EMPTY + mode] = _row(self._into_empty(target, mode), leaves_foundation)
            self._cells[key] = NOTHING if cell == NOTHING else cell
        return self._cells[key]

    def _heeds_bits(self, target: int) -> bool:
        """Whether the spare bits of the target's top card change what fits on it."""
        if self.kinds[target] == "F":
            return isinstance(self.game.rows[target].order, InOrder)
        build = self.game.tableau.build
        return build is not None and build.one_way

    def _on(self, target: int, top: int) -> Fits:
        """What fits on that stored card."""
        game = self.game
        match self.kinds[target]:
            case "F":
                return self._next(game.rows[target], top)
            case "T" | "R" if game.tableau.build is not None:
                return self._built(game.tableau.build, top)
            case "W" if isinstance(game.aim, Collect):
                return {card: card for card in self._deck if game.aim.takes(card)}
            case _:
                return {}

    def _next(self, row: Foundations, top: int) -> Fits:
        card = top & CARD_BITS
        if isinstance(row.order, Build):
            return self._built(row.order, card)
        place = row.order.after(Place(rank_of(card), bool(top & AGAIN)))
        if place is None:
            return {}
        follower = card - rank_of(card) + place.rank
        return {follower: follower | (AGAIN if place.again else 0)}

    def _built(self, build: Build, top: int) -> Fits:
        fits: Fits = {}
        for card in self._deck:
            step = build.step(self.game.deck.ranks, card, top & CARD_BITS)
            way = UP if step > 0 else DOWN
            if step and not build.one_way:
                fits[card] = card
            elif step and top & (UP | DOWN) in (0, way):
                fits[card] = card | way
        return fits

    def _into_empty(self, target: int, mode: int) -> Fits:
        """What fits on the empty pile in that mode."""
        game = self.game
        base = mode or None
        match self.kinds[target]:
            case "F":
                row = game.rows[target]
                if isinstance(row.order, Build):
                    return {}
                stays = 0 if row.exit is Exit.NONE else STAYS
                return {
                    card: card | stays
                    for card in self._deck
                    if row.order.starts(rank_of(card), base)
                    and _may_open(row.opening, target, card, mode)
                }
            case "T" | "R":
                takes = game.tableau.space.takes
                return {card: card for card in self._deck if takes(rank_of(card), base)}
            case "C":
                return {card: card for card in self._deck}
            case _:
                return self._on(target, 0)


@cache
def compile_game(game: Game) -> Tables:
    """The game's tables, made when they are first asked for."""
    return Tables(game)


def _mode_of(game: Game) -> Mode:
    modes = {Mode.BASE} if game.varies_base else set[Mode]()
    for row in game.rows:
        if row.opening is Opening.LEFTMOST:
            modes.add(Mode.BEGUN)
        elif row.opening is Opening.ONE_A_SUIT:
            modes.add(Mode.SUITS)
    if len(modes) > 1:
        raise ValueError(f"{game.key}: empty piles depend on two things, and a mode says only one")
    if Mode.BEGUN in modes and 1 << len(game.rows) > MODES:
        raise ValueError(f"{game.key}: a mode says of four foundations at most whether they began")
    return modes.pop() if modes else Mode.NOTHING


def _may_open(opening: Opening, target: int, card: int, mode: int) -> bool:
    match opening:
        case Opening.ANY:
            return True
        case Opening.LEFTMOST:
            return all(mode >> at & 1 for at in range(target))
        case Opening.ONE_A_SUIT:
            return not mode >> suit_of(card) & 1


def _row(fits: Fits, leaves_foundation: bool) -> bytes:
    """The row of a cell, for the card with any spare bits; a card that STAYS never leaves."""
    row = bytearray(256)
    for card, placed in fits.items():
        for bits in _BITS:
            if not (leaves_foundation and bits & STAYS):
                row[card | bits] = placed
    return bytes(row) if fits else _REFUSED
