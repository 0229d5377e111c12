"""Why a move is refused, in a code and a sentence that a player can act on.

The tables of `tables` decide; this only says why they did, and only when somebody asks. A sentence
names no card but those that the player sees on top of the two piles.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .builds import Build, Lift, Space
from .cards import CARD_BITS, RANK_NAMES, RANKS, SUIT_NAMES, card_text, suit_of
from .errors import Refusal
from .notation import Move
from .parts import Collect, Exit, Opening
from .spec import Game
from .tables import EMPTY, STAYS, UP, Phase, Tables

__all__ = ["refuse_action", "refuse_group", "refuse_single"]


def refuse_action(game: Game, code: str) -> Refusal:
    """Why a stock action is refused, given the code of the refusal."""
    match code:
        case "no-such-action":
            if not game.actions:
                return Refusal(code, f"{game.name} has no stock action.")
            actions = " or ".join(f"`{action}`" for action in game.actions)
            return Refusal(code, f"The stock action of {game.name} is {actions}.")
        case "game-won":
            return _won_already()
        case "stock-empty":
            return Refusal(code, "The stock is empty.")
        case "no-redeals-left":
            times = game.redeal.times if game.redeal is not None else 0
            return Refusal(code, f"All {times} redeals have been made.")
        case "idle-limit":
            limit = game.redeal.idle_passes if game.redeal is not None else 0
            return Refusal(
                code,
                f"{limit} passes in a row brought no play: play a card before the next deal.",
            )
        case _:
            return Refusal(code, "No card is left that a redeal could take up.")


def refuse_single(tables: Tables, phase: Phase, move: Move, card: int, key: int) -> Refusal:
    """Why a single card does not go.

    `card` is the stored top card of the source, 0 if there is none; `key` is what the target was
    looked up by.
    """
    source, target, _ = move
    count = len(tables.names)
    if not (0 <= source < count and 0 <= target < count):
        return Refusal("no-such-pile", f"{tables.game.name} has {count} piles: 0 to {count - 1}.")
    if phase.over:
        return _won_already()
    if "S" in (tables.kinds[source], tables.kinds[target]):
        return _refuse_stock(tables)
    name = tables.names[source]
    if source == target:
        return Refusal("same-pile", f"{name} is not played onto itself.")
    if not card:
        return Refusal("empty-source", f"{name} is empty: take a card from another pile.")
    return (
        _refuse_source(tables, move, card)
        or _refuse_kinds(tables, source, target)
        or _refuse_target(tables, move, card, key)
    )


def refuse_group(
    tables: Tables, phase: Phase, move: Move, source: Sequence[int], key: int
) -> Refusal:
    """Why several cards do not go together; `source` holds the stored cards of the source pile."""
    at, target, cards = move
    kinds = tables.kinds
    name = tables.names[at]
    if phase.over:
        return _won_already()
    if "S" in (kinds[at], kinds[target]):
        return _refuse_stock(tables)
    tableau = tables.game.tableau
    if tables.lift is Lift.TOP or cards < 1:
        return Refusal("one-card-only", "Cards move one at a time in this game.")
    if not kinds[at] == kinds[target] == tableau.key:
        return Refusal("one-card-only", f"Only {tableau.name} give and take cards in groups.")
    if at == target:
        return Refusal("same-pile", f"{name} is not played onto itself.")
    if cards > len(source):
        holds = f"{len(source)} card" if len(source) == 1 else f"{len(source)} cards"
        return Refusal("not-enough-cards", f"{name} has {holds}: it cannot give {cards}.")
    group = source[-cards:]
    for below, above in pairwise(group):
        if not tables.on_tableau[below][above]:
            return Refusal(
                "not-a-run",
                f"{_text(above)} does not follow {_text(below)} in {name}: "
                "cards move together only in sequence down in suit.",
            )
    if tables.lift is Lift.RUNS_TO_SPACES and key < EMPTY:
        return Refusal(
            "runs-to-spaces-only",
            f"A group only fills a space, and {tables.names[target]} is none: "
            "move its cards one at a time.",
        )
    return refuse_single(tables, phase, Move(at, target, 1), group[0], key)


def _won_already() -> Refusal:
    return Refusal("game-won", "The game is won: there is nothing left to play.")


def _refuse_stock(tables: Tables) -> Refusal:
    actions = " or ".join(f"`{action}`" for action in tables.game.actions)
    return Refusal("stock-by-action", f"Nothing goes to or from the stock by hand: use {actions}.")


def _refuse_source(tables: Tables, move: Move, card: int) -> Refusal | None:
    """What keeps this card in its pile, wherever it would go."""
    source, target, _ = move
    game, kind = tables.game, tables.kinds[source]
    name = tables.names[source]
    if kind == "W" and isinstance(game.aim, Collect):
        return Refusal("out-of-play", "A discarded card is out of play.")
    if kind != "F":
        return None
    exits = game.rows[source].exit
    if exits is Exit.NONE:
        return Refusal("one-way", f"A card on a foundation stays there: {name} gives none back.")
    if card & STAYS:
        return Refusal("base-card-stays", f"{_text(card)} is the first card of {name}: it stays.")
    if exits is not (Exit.FOUNDATIONS if tables.kinds[target] == "F" else Exit.TABLEAU):
        return Refusal("no-such-kind", f"{exits.words} {_kinds_sentence(tables, source, target)}")
    return None


def _refuse_kinds(tables: Tables, source: int, target: int) -> Refusal | None:
    """What is never played there, whichever card it is (G1)."""
    kind, goal = tables.kinds[source], tables.kinds[target]
    if goal == "W" and not isinstance(tables.game.aim, Collect):
        return Refusal("waste-by-action", "Cards come to the waste only by `draw`.")
    if (goal == "C" and kind not in "TR") or (goal == "W" and kind not in "TR"):
        return Refusal("no-such-kind", _kinds_sentence(tables, source, target))
    return None


def _refuse_target(tables: Tables, move: Move, card: int, key: int) -> Refusal:
    """Why this card does not go on that pile."""
    source, target, _ = move
    game, name = tables.game, tables.names[target]
    match tables.kinds[target]:
        case "F":
            return _refuse_foundation(tables, source, target, card, key)
        case "C":
            return Refusal("cell-full", f"{name} holds {_text(key)}: a cell has room for one card.")
        case "W" if isinstance(game.aim, Collect):
            return Refusal(
                "wrong-suit", f"{_text(card)} stays: only {game.aim.name} are discarded."
            )
        case _:
            pass
    tableau = game.tableau
    if tableau.build is None and tableau.space is Space.CLOSED:
        return Refusal("no-building", f"Nothing is played onto the {tableau.name}.")
    if key < EMPTY:
        reason = f"the {tableau.name} {tableau.build.words}" if tableau.build else "no building"
        if tableau.build and tableau.build.one_way and key & CARD_BITS != key:
            reason = f"{name} is built {'up' if key & UP else 'down'} {tableau.build.suits.words}"
        return Refusal("does-not-build", f"{_text(card)} does not go on {_text(key)}: {reason}.")
    if tableau.space in (Space.CLOSED, Space.FILLED):
        return Refusal("space-closed", f"{name} is empty, and nobody fills it by hand.")
    base = tables.base(key)
    if tableau.space is Space.KING:
        wanted = "a King"
    elif base is None:
        wanted = "a card below the base card"
    else:
        wanted = _a_rank((base + 11) % 13 + 1)
    return Refusal("space-takes-other", f"{name} is empty: it takes {wanted}, not {_text(card)}.")


def _refuse_foundation(tables: Tables, source: int, target: int, card: int, key: int) -> Refusal:
    game, name = tables.game, tables.names[target]
    row = game.rows[target]
    fits = tables.on_foundation[target][key][card & CARD_BITS]
    if fits and tables.kinds[source] != "F":
        return Refusal(
            "needs-other-foundation",
            f"{_text(card)} does not go from {tables.names[source]} to {name}. {row.route.words}.",
        )
    if key < EMPTY:
        if isinstance(row.order, Build):
            reason = f"the cards here {row.order.words}"
        else:
            wanted = [card for card in game.pack if tables.on_foundation[target][key][card]]
            reason = f"{name} takes {_text(wanted[0])} next" if wanted else f"{name} is complete"
        return Refusal("foundation-order", f"{_text(card)} does not go on {_text(key)}: {reason}.")
    base = tables.base(key)
    if isinstance(row.order, Build) or not row.order.starts(card & 15, base):
        first = [rank for rank in range(1, 14) if _starts(tables, target, rank, base)]
        takes = f"it takes {_a_rank(first[0])} first, not {_text(card)}" if first else "it stays so"
        return Refusal("does-not-start", f"{name} is empty: {takes}.")
    if row.opening is Opening.LEFTMOST:
        return Refusal(
            "needs-other-foundation",
            f"{_text(card)} goes to the first empty foundation, and that is not {name}.",
        )
    return Refusal(
        "suit-has-its-foundation",
        f"Another foundation has the {SUIT_NAMES[suit_of(card & CARD_BITS)]} already: "
        "each suit has one.",
    )


def _starts(tables: Tables, target: int, rank: int, base: int | None) -> bool:
    order = tables.game.rows[target].order
    return not isinstance(order, Build) and order.starts(rank, base)


def _kinds_sentence(tables: Tables, source: int, target: int) -> str:
    names = {"F": "foundation", "C": "cell", "R": "reserve", "W": "waste"}
    words = [names.get(tables.kinds[at], "tableau") for at in (source, target)]
    return f"No card goes from {_article(words[0])} to {_article(words[1])} in this game."


def _article(word: str) -> str:
    return f"the {word}" if word in ("waste", "tableau") else f"a {word}"


def _a_rank(rank: int) -> str:
    name = RANK_NAMES[rank]
    return f"an {name}" if RANKS[rank - 1] in "A8" else f"a {name}"


def _text(stored: int) -> str:
    return card_text(stored & CARD_BITS)
