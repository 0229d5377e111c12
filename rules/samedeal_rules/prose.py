"""A game read aloud: its rules in the classic form, made from the very declaration that is played.

Object, then a line for each kind of pile, then what is ruled where books differ, then the variants.
The words of a rule hang on the rule itself (`Build.words`, `Space.words`); here they are put
together, and what depends on the whole game is said. Nothing is said here of one game by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from .builds import Build, FromBase, Lift, Space, Steps
from .cards import RANK_NAMES, RANKS
from .catalogue import describe
from .parts import Bases, Collect, Filled, Foundations, Gather, Named, Opening, Turn, Under
from .routes import Anywhere, SameNumber
from .spec import Game

__all__ = ["describe", "index_page", "page", "rules_text", "title"]

_START = "At the start of the game"


def title(game: Game) -> str:
    """The game's name, and which variant it is: `Opus`, `Opus (no-wrap)`."""
    variant = game.key.partition(":")[2]
    return f"{game.name} ({variant})" if variant else game.name


def rules_text(game: Game) -> str:
    """The rules on one page, for a person who has never played the game."""
    parts = [title(game)]
    for heading, lines in _sections(game):
        parts += ["", heading, *lines]
    return "\n".join(parts) + "\n"


def _sections(game: Game) -> Iterator[tuple[str, list[str]]]:
    yield "Object", [_object(game)]
    yield "Rules", [f"- {line}" for line in _rules(game)]
    if game.rulings:
        yield "Rulings", [f"- {ruling}" for ruling in game.rulings]
    if game.variations:
        yield "Variants", [f"- {game.key}:{each.value} - {each.words}" for each in game.variations]


def _object(game: Game) -> str:
    return _said_of(game.foundations[0], game.aim.words) if game.foundations else game.aim.words


def _rules(game: Game) -> Iterator[str]:
    yield f"{game.deck.words}."
    for row, names in groupby(zip(game.rows, game.piles, strict=False), key=lambda each: each[0]):
        yield _foundations(game, row, [name for _, name in names])
    yield _tableau(game)
    if game.cells is not None:
        yield _cells(game)
    if "S" in game.piles:
        yield _stock(game)
    if "W" in game.piles:
        yield _waste(game)
    if "redeal" in game.actions:
        yield f"redeal - {_redeal(game)}"


# Foundations


def _foundations(game: Game, row: Foundations, names: list[str]) -> str:
    kind = row.name if len(names) > 1 else row.name.removesuffix("s")
    said = [f"{len(names)} {kind} ({_span(names)}) - {row.order.words}", *_routed(row)]
    if row.opening is Opening.ONE_A_SUIT:
        said.append(_capital(row.opening.words))
    said += [_said_of(row, row.exit.words), _bases(row)]
    return _sentences(said)


def _said_of(row: Foundations, words: str) -> str:
    """The words, with the name that these foundations go by."""
    return words.replace("foundation", row.name.removesuffix(" piles").removesuffix("s"))


def _routed(row: Foundations) -> Iterator[str]:
    words = row.route.words
    if isinstance(row.route, SameNumber) and row.opening is Opening.LEFTMOST:
        words += f" ({row.opening.words})".replace("base cards", f"but {_base_name(row)}s")
    if not isinstance(row.route, Anywhere):
        yield words


def _bases(row: Foundations) -> str:
    match row.bases:
        case Bases.EACH_SUIT:
            name = _base_name(row)
            article = "an" if name[0] in "AE" else "a"
            return row.bases.words.replace("a base card", f"{article} {name}")
        case Bases() | Named():
            return row.bases.words


def _base_name(row: Foundations) -> str:
    """The rank that begins the row's foundations, as a word."""
    if isinstance(row.order, Build | FromBase):
        return "base card"
    return _rank(row.order.ranks[0])


# Tableau, cells


def _tableau(game: Game) -> str:
    tableau = game.tableau
    names = [game.piles[at] for at in game.named(tableau.key)]
    said = [f"{len(names)} {tableau.name} ({_span(names)}) - {_building(game)}"]
    if tableau.build is not None and tableau.build.steps is Steps.EITHER:
        said += [] if tableau.build.one_way else ["Both directions may be mixed in the same pile"]
    if not isinstance(game.aim, Collect):
        said += [_lifting(game), _spaces(game)]
    if tableau.hidden:
        said.append("Only the top card of each pile is visible")
    said.append(_dealt(game))
    return _sentences(said)


def _building(game: Game) -> str:
    if isinstance(game.aim, Collect):
        discard = f"discard {game.aim.name} singly and in any order, from any pile"
        return f"no building; {discard}. Spaces are not filled before a redeal"
    build = game.tableau.build
    return "no building" if build is None else build.words


def _lifting(game: Game) -> str:
    targets = _list([*_homes(game), *(["cells"] if game.cells else []), *_others(game)], "or")
    top = f"The top card of each pile is available for play on {targets}"
    match game.tableau.lift:
        case Lift.TOP if game.tableau.build is not None:
            return f"{top}. Only one card at a time may be moved"
        case Lift.TOP:
            return top
        case Lift.RUNS:
            return f"{top}. {game.tableau.lift.words}"
        case Lift.RUNS_TO_SPACES:
            return top


def _homes(game: Game) -> Sequence[str]:
    if isinstance(game.foundations[0].route, SameNumber):
        return ["the foundation pile immediately above it"]
    return [_said_of(game.foundations[0], "the foundations")]


def _others(game: Game) -> Sequence[str]:
    return [] if game.tableau.build is None else [f"the other {game.tableau.name}"]


def _spaces(game: Game) -> str:
    words = game.tableau.space.words
    if game.stock is Turn.TO_TABLEAU:
        return "Spaces are filled by the next deal only"
    if game.tableau.lift is Lift.RUNS_TO_SPACES and game.tableau.space is Space.KING:
        return (
            "Spaces can be filled only by Kings, or by a group of cards in sequence down in suit "
            "that is headed by a King"
        )
    return words


def _dealt(game: Game) -> str:
    """How the piles are dealt, the cards that lie under them first."""
    dealt = list(game.dealt)
    match game.tableau.under:
        case Under.NOTHING:
            return f"{_START} {_counted(game, dealt)}"
        case Under.ACES:
            dealt = [count - (at < 4) for at, count in enumerate(dealt)]
            return f"{_START} the Aces are dealt to the first 4 piles, then {_counted(game, dealt)}"
        case Under.LAST_BASE:
            return (
                f"{_START} the remaining base card of the foundations is always dealt first to the "
                f"first pile, then cards are dealt until each pile has {dealt[0]}"
            )


def _counted(game: Game, dealt: Sequence[int]) -> str:
    most, fewest = max(dealt), min(dealt)
    up = "" if game.tableau.hidden else " face up"
    if most == fewest:
        return f"{_cards(most)} {'is' if most == 1 else 'are'} dealt{up} to each pile"
    longer = [at for at, count in enumerate(dealt) if count == most]
    if longer == list(range(len(longer))):
        first = "the first pile is" if len(longer) == 1 else f"the first {len(longer)} piles are"
        each = "" if len(longer) == 1 else " each"
        return f"{first} dealt {_cards(most)}{each}{up}, and the other piles {_cards(fewest)} each"
    names = _list([f"{game.tableau.key}{at + 1}" for at in longer], "and")
    return (
        f"{_cards(fewest)} are dealt{up} to each pile, except {names}, which are dealt {most} cards"
    )


def _cells(game: Game) -> str:
    names = [game.piles[at] for at in game.named("C")]
    targets = _list([*_homes(game), *(["tableau"] if game.tableau.build else [])], "or")
    said = [f"{len(names)} cells ({_span(names)}) - storage locations for one card each"]
    said.append(f"The card is available for play on {targets}")
    if game.cells is not None and game.cells.filled is not Filled.EMPTY:
        said.append(game.cells.filled.words)
    else:
        said.append(f"{_START} the cells are empty")
    return _sentences(said)


# Stock, waste, redeal


def _stock(game: Game) -> str:
    start = "stock (S, face down) - "
    if game.stock is None:
        return start + "fills the tableau during a redeal."
    said = [f"{start}{game.stock.words} (move: {game.stock.value})"]
    if game.redeal is None:
        said.append("No redeals")
    elif "redeal" not in game.actions:
        said.append(f"When the stock is empty, {_redeal(game)}")
    return _sentences(said)


def _waste(game: Game) -> str:
    if isinstance(game.aim, Collect):
        return f"waste (W) - where {game.aim.name} go out of play."
    return (
        "waste (W) - top card is available for play on the foundations or tableau. "
        f"{_START} it is empty."
    )


def _redeal(game: Game) -> str:
    redeal = game.redeal
    if redeal is None:
        raise AssertionError("only asked of games with redeals")
    if redeal.gather is Gather.RIGHT_TO_LEFT:
        return _sentences([f"{redeal.gather.words}, from which a row is dealt", redeal.words])
    if redeal.gather is Gather.LAST_PILE_FIRST:
        return _sentences([redeal.words, f"At each, {redeal.gather.words}"])
    stock = " and from the stock" if "S" in game.piles else ""
    gathered = f"all the cards from the {game.tableau.name}{stock} {redeal.gather.words}"
    rest = "; the rest is the new stock" if stock else ""
    return _sentences([redeal.words, f"At each, {gathered}, {max(game.dealt)} to each pile{rest}"])


# Words


def _rank(letter: str) -> str:
    return RANK_NAMES[RANKS.index(letter) + 1]


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _span(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]}–{names[-1]}"


def _list(words: Sequence[str], joint: str) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return f" {joint} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _sentences(parts: Iterable[str]) -> str:
    return " ".join(f"{part.rstrip('.')}." for part in parts if part)


# Pages


def page(game: Game) -> str:
    """The game's page for the docs, in Markdown: facts, the drawn table, the rules."""
    lines = [f"# {title(game)}", "", f"`{game.key}` · {_facts(game)}", "", "```", *_drawing(game)]
    lines += ["```", ""]
    for heading, text in _sections(game):
        lines += [f"## {heading}", "", *text, ""]
    return "\n".join(lines)


def index_page(games: Sequence[Game]) -> str:
    """The list of all games for the docs, in Markdown."""
    lines = [
        "# Games",
        "",
        "Each page is made from the declaration that the game is played by (`make docs`).",
        "",
        "| game | key | packs | what one knows |",
        "| --- | --- | --- | --- |",
    ]
    for game in games:
        link = f"[{game.name}]({game.key}.md)"
        lines.append(f"| {link} | `{game.key}` | {game.deck.packs} | {_knowledge(game)} |")
    return "\n".join(lines) + "\n"


def _facts(game: Game) -> str:
    packs = "1 pack" if game.deck.packs == 1 else f"{game.deck.packs} packs"
    return f"{packs}, {game.size} cards · {_knowledge(game)}"


def _knowledge(game: Game) -> str:
    if game.tableau.hidden:
        return "only top cards are visible"
    if "S" in game.piles:
        return "the stock is hidden"
    return "all cards are open" if game.is_open else "all cards are open, but a redeal shuffles"


def _drawing(game: Game) -> Iterator[str]:
    width = max(len(name or "") for row in game.grid for name in row) + 1
    for row in game.grid:
        yield "".join(f"{name or '':{width}}" for name in row).rstrip()
