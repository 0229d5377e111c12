"""Sending safe cards home: what is safe by hand, and that it takes no way to win away."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.strategies import GAMES, IDS, Walk, examples, steps_of, walks
from samedeal_rules import (
    Game,
    NothingToUndo,
    Position,
    Table,
    has_safe,
    move_text,
    parse_move,
    parse_position,
    sending_home,
)
from samedeal_rules.builds import Build, InOrder, Order, Space
from samedeal_rules.cards import SUITS, make_card
from samedeal_rules.parts import Bases, Cells, Deck, Exit, Foundations, Turn, Under
from samedeal_rules.routes import ANYWHERE, SameNumber

every_game_and_variant = pytest.mark.parametrize("game", GAMES, ids=IDS)
RANKS = "A23456789TJQK"
MOST = 1500
"""How many positions the search looks at before it gives up."""


def at(key: str, position: str) -> Table:
    return Table.from_position(parse_position(f"game: {key}\n{position}"))


def up_to(suit: str, last: str) -> str:
    return " ".join(rank + suit for rank in RANKS[: RANKS.index(last) + 1])


def sent(table: Table) -> list[str]:
    return [move_text(table.game, move) for move in sending_home(table)]


# -- games in small, and what can be won from where ------------------------------------------------


def in_small(game: Game) -> Game:
    """The game with its own building, spaces, foundations and stock, but few cards and columns."""
    two_passes = game.deck.ranks[-1] == "A"
    ranks = "QKA" if two_passes else "A23K"
    rows = tuple(
        replace(
            row,
            count=row.count and len(SUITS),
            order=InOrder(_counted(row.order, ranks), "in small"),
            bases=Bases.NONE,
            route=row.route if isinstance(row.route, SameNumber) else ANYWHERE,
        )
        for row in game.foundations
    )
    size = len(ranks) * len(SUITS) * game.deck.packs
    homes = len(SUITS) if two_passes else len(SUITS) * game.deck.packs
    columns = 4 if game.stock is Turn.TO_TABLEAU else 3
    lines = [
        " ".join(f"F{number + 1}" for number in range(homes)),
        " ".join(f"{game.tableau.key}{number + 1}" for number in range(columns)),
        " ".join(name for name in game.piles if name in ("S", "W", "C1")),
    ]
    space = game.tableau.space
    return replace(
        game,
        key=f"{game.key}-in-small",
        table="\n".join(line for line in lines if line),
        deck=Deck(packs=game.deck.packs, ranks=ranks),
        foundations=rows,
        tableau=replace(
            game.tableau,
            dealt=tuple(len(range(at, size, columns)) for at in range(columns)),
            under=Under.NOTHING,
            space=Space.KING if space is Space.BELOW_BASE else space,
        ),
        cells=None if game.cells is None else Cells(),
        redeal=None,
        variations=(),
    )


def _counted(order: Order, ranks: str) -> str:
    match order:
        case InOrder(ranks=whole) if len(whole) > len(RANKS):
            return ranks + ranks[-2::-1] + ranks[-1]
        case InOrder(ranks=whole) if whole[0] == "K":
            return ranks[::-1]
        case _:
            return ranks


def somewhere(game: Game, chance: random.Random) -> Position:
    """Foundations that have begun, and the other cards anywhere."""
    piles: dict[str, list[int]] = {name: [] for name in game.piles}
    left = Counter(game.pack)
    most = chance.choice([1, 1, 2, 3])
    for at, row in enumerate(game.rows):
        assert isinstance(row.order, InOrder)
        suit = sum(1 for before in game.rows[:at] if before == row) % len(SUITS)
        order = [make_card(RANKS.index(rank) + 1, suit) for rank in row.order.ranks]
        begun = max(chance.randrange(len(order) + 1) for _ in range(most))
        piles[f"F{at + 1}"] = order[:begun]
        left -= Counter(piles[f"F{at + 1}"])
    cards = list(left.elements())
    chance.shuffle(cards)
    columns = [name for name in piles if name[0] == game.tableau.key]
    if game.tableau.space is Space.FILLED:  # piles begin with a card each, and are built from there
        piles |= {name: [cards.pop()] for name in columns if cards}
        piles["S"], cards = cards, []
    for name in ("C1", "S", "W"):
        if name in piles:
            count = min(len(cards), chance.randrange(2 if name == "C1" else 4))
            piles[name] += [cards.pop() for _ in range(count)]
    for card in cards:
        piles[chance.choice(columns)].append(card)
    return Position(game, tuple(tuple(piles[name]) for name in game.piles))


def stays(row: Foundations) -> bool:
    """Whether the foundation counts in suit and keeps its cards."""
    return row.exit is Exit.NONE and not isinstance(row.order, Build)


def can_win(table: Table) -> bool | None:
    """Whether the game can be won; None if the search takes long."""
    seen = {table.snapshot()}
    ahead = [table.copy()]
    while ahead:
        here = ahead.pop()
        if here.won:
            return True
        if len(seen) > MOST:
            return None
        # The last is looked at first: a move home.
        for move in sorted(here.legal(), key=lambda move: move.target in here.game.home):
            here.play(move)
            snapshot = here.snapshot()
            if snapshot not in seen:
                seen.add(snapshot)
                ahead.append(here.copy())
            here.undo()
    return False


SMALL = [in_small(game) for game in GAMES if game.rows and all(map(stays, game.rows))]


@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.key)
@examples(25)
@given(whim=st.integers(0, 10**9))
def test_what_could_be_won_can_still_be_won_after_sending_home(game: Game, whim: int) -> None:
    table = Table.from_position(somewhere(game, random.Random(whim)), "x")
    plan = sending_home(table)
    if not plan or not can_win(table):
        return
    table.play_together(plan)
    assert can_win(table) is not False


@every_game_and_variant
@examples(3)
@given(walk=walks(120))
def test_sending_home_plays_nothing_before_it_is_asked_to(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    list(steps_of(walk, table))
    before = (table.snapshot(), table.depth)
    plan = sending_home(table)
    assert (table.snapshot(), table.depth) == before
    assert has_safe(table) == bool(plan)
    for at, move in enumerate(plan):
        assert move.target in game.home
        assert move.source not in game.home
        table.play(move)
        assert not table.revealed or at == len(plan) - 1
    if not table.revealed:
        assert not has_safe(table)


# -- by hand ---------------------------------------------------------------------------------------

FT = "\n".join(f"F{at + 1}: {up_to(suit, '6')}" for at, suit in enumerate("CCDDHHS"))
CASTLE = "F1: AC 2C 3C\nF2: AD 2D\nF3: AH 2H 3H\nF4: AS 2S 3S"

SAFE = [
    ("fortress", f"F1: {up_to('S', 'Q')}\nT1: KS\nT2: KH", ["T1-F1"], "nothing builds on it"),
    ("fortress", "F1: AS\nT1: 2S\nT2: 3S", [], "the three builds up on the two"),
    ("fortress", "F1: AS\nT1: 2S\nT2: 4S", ["T1-F1"], "no three is on the table"),
    ("fortress", "T1: AS\nT2: 2S", [], "the two builds up on the Ace"),
    ("chessboard", "F1: KS\nT1: AS\nT2: QH", ["T1-F1"], "the two is not on the table"),
    ("chessboard", "F1: 5H\nT1: 5S\nT2: 4S", [], "a card of the suit is next to it"),
    ("chessboard", f"F1: 2S {up_to('S', 'Q')[6:]}\nT1: KS\nT2: AS", [], "the Ace wraps around"),
    (
        "chessboard:no-wrap",
        f"F1: 2S {up_to('S', 'Q')[6:]}\nT1: KS\nT2: AS",
        ["T1-F1", "T2-F1"],
        "the Ace does not wrap around here",
    ),
    ("chessboard", "T1: 5S\nT2: 9H", [], "the base rank is still to be chosen"),
    (
        "forty-thieves",
        f"{FT}\nF8: {up_to('S', '5')}\nT1: 7S\nT2: 6S\nT3: 7S",
        ["T2-F8", "T1-F7", "T3-F8"],
        "the six would build on the seven; then both sevens are served alike",
    ),
    (
        "forty-thieves",
        f"{FT}\nF8: {up_to('S', '4')}\nT1: 6S 7S\nT2: 5S",
        ["T2-F8"],
        "the six under the seven would build on it",
    ),
    ("beleaguered-castle", f"{CASTLE}\nT1: 4S\nT2: 3D", ["T2-F2", "T1-F4"], "any suit builds"),
    ("beleaguered-castle", f"{CASTLE}\nT1: 4S\nT2: 3D 9H", [], "the three of another suit does"),
    ("beleaguered-castle:foundation-exit", f"{CASTLE}\nT1: 4S", [], "cards may come back"),
    ("small-billee", "F1: AC\nF2: AD\nF3: AH\nF4: AS\nT1: 3S 2S", ["T1-F4", "T1-F4"], "no pile"),
    ("boomerang", "F1: 7S\nT1: 8S\nS: KH", [], "the space would fill itself"),
    ("boomerang", "F1: 7S\nT1: 8S", ["T1-F1"], "nothing is left to fill the space with"),
    ("boomerang", "F1: 7S\nT1: 8S\nT2: 8S", [], "another eight could go there instead"),
    ("amazons", "R1: AS\nR2: AH", [], "which foundation a suit gets is a choice"),
    ("amazons", "F1: AS\nR1: 7S\nR2: 8S", ["R1-F1"], "nothing is ever built"),
    ("abandon-hope", "W: AC\nT1: 9H 5C 2C", ["T1-W", "T1-W"], "clubs are only in the way"),
    ("binary-star", "F1: AS\nF2: KH\nT1: 2C\nT2: 2D", [], "stars may go either way"),
]


@pytest.mark.parametrize(("key", "position", "moves", "why"), SAFE)
def test_a_card_is_safe_if_nothing_can_want_it(
    key: str, position: str, moves: list[str], why: str
) -> None:
    assert sent(at(key, position)) == moves, why


def test_sending_home_ends_with_what_it_turns_up() -> None:
    down = [" ".join(reversed(up_to(suit, "K").split())) for suit in "CDHS"]
    rows = [*down, *(up_to(suit, last) for suit, last in zip("CDHS", "QKKQ", strict=True))]
    home = "\n".join(f"F{at + 1}: {row}" for at, row in enumerate(rows))
    assert sent(at("st-helena", f"{home}\nT6: KS KC\nredeals: 1")) == ["T6-F5"]


def test_moves_played_together_are_taken_back_together() -> None:
    table = at("small-billee", "F1: AC\nF2: AD\nF3: AH\nF4: AS\nT1: 9H 3S 2S\nT2: 2C")
    before = table.position()
    table.play(parse_move(table.game, "T2-F1"))
    table.play_together(sending_home(table))
    assert [move_text(table.game, move) for move in table.take_back()] == ["T1-F4", "T1-F4"]
    assert [move_text(table.game, move) for move in table.take_back()] == ["T2-F1"]
    assert table.position() == before
    with pytest.raises(NothingToUndo):
        table.take_back()
