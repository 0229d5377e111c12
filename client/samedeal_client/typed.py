"""What a player types, understood: words, full moves and short ones, forgivingly.

Pure. A short move is understood by the legal moves that it could mean, so it needs no rules:
`3f` is T3 to its foundation, `34` is T3 onto T4, `w4` the waste onto T4, `3` alone is T3's only
sensible move. What could mean two different things is never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from samedeal_rules import BadNotation, Game, Position, parse_move

__all__ = ["WORDS", "Ask", "Try", "Typed", "Unclear", "needs_board", "understand"]


@dataclass(frozen=True, slots=True)
class Ask:
    """A word that is no move, such as `rivals`, and what followed it."""

    word: str
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Try:
    """A move to be tried, in full notation; it need not be legal."""

    move: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """Nothing that can be done; `sentence` says what to type instead."""

    sentence: str


Typed = Ask | Try | Unclear

WORDS: Final = MappingProxyType(
    {
        "help": ("h ?", "this list"),
        "board": ("b", "draw the board"),
        "piles": ("p", "list every pile, bottom card first"),
        "legal": ("l moves", "list the legal moves"),
        "undo": ("u", "take the last move back"),
        "hint": ("", "name a move worth trying; again, the next best"),
        "finish": ("f", "play every card home, when that wins"),
        "home": ("", "play home what no card on the table can want"),
        "rivals": ("r", "how the others are doing"),
        "time": ("t", "the time on your clock"),
        "rules": ("", "the rules of this game"),
        "terms": ("", "the terms of this race"),
        "say": ("", "say TEXT to everybody in the race"),
        "bot": ("", "have a bot of the server's enter: random, greedy or patient"),
        "ready": ("", "be ready for the start"),
        "unready": ("", "be no longer ready"),
        "start": ("", "begin the countdown, as the host"),
        "begin": ("", "open the deal of an async race: your clock starts"),
        "cancel": ("", "call the race off before its start, as the host"),
        "leave": ("", "withdraw before the start"),
        "giveup": ("resign", "end your race without a finish"),
        "wait": ("", "for scripts: take no more lines until the race is over"),
        "results": ("", "the standings"),
        "rematch": ("", "one race more on the same terms, with a fresh deal"),
        "replay": ("", "save the replay of a race that is over, to FILE if you name one"),
        "quit": ("q exit", "leave this program; your place in the race is kept"),
    }
)
"""Every word, with its short forms and what it does."""

_BOARDLESS: Final = frozenset(
    "help rivals time rules terms say bot ready unready start begin cancel leave wait results "
    "rematch replay quit".split()
)

_ALIASES: Final = {
    spelling: word for word, (others, _) in WORDS.items() for spelling in (word, *others.split())
}
_STOCK_KEY: Final = "d"
_BETWEEN: Final = re.compile(r"[\s\-:>,.]+")
_JOINED: Final = re.compile(r"([a-z]\d*)([a-z]\d*)|(\d)([a-z]\d*)|(\d)(\d)", re.ASCII)
_PILE: Final = re.compile(r"([a-z]?)(\d{0,2})", re.ASCII)


def understand(
    line: str,
    game: Game,
    view: Position | None,
    legal: Sequence[str],
    *,
    early: str = "the race has not started",
) -> Typed:
    """Understands a line in the light of the player's own board; `view` is None before the deal,
    and `early` says then why there is none."""
    text = line.strip().lower()
    word = text.partition(" ")[0]
    if text in ("give up", "i give up"):
        return Ask("giveup")
    if word in _ALIASES:
        return Ask(_ALIASES[word], line.strip()[len(word) :].strip())
    tokens = tuple(token for token in _BETWEEN.split(text) if token and token != "to")
    if view is None:
        return _before_the_deal(line, text, tokens, game, early)
    if text in ("", _STOCK_KEY, *game.actions):
        return _stock(text, game)
    meant = [move for move in legal if tokens in _spellings(move, game)]
    if meant:
        return _one_of(meant, tokens, game, view)
    if len(tokens) == 1 and (source := _source(tokens[0], game)) is not None:
        return _quick(source, game, view, legal)
    return _refusable(tokens, game) or _not_understood(line, tokens, game)


def _before_the_deal(line: str, text: str, tokens: Sequence[str], game: Game, early: str) -> Typed:
    is_pile = len(tokens) == 1 and _source(tokens[0], game) is not None
    is_action = text in ("", _STOCK_KEY, *game.actions)
    if is_pile or is_action or _names(tokens, game) is not None:
        return Unclear(f"there is no board yet: {early}")
    return _not_understood(line, tokens, game)


def needs_board(line: str) -> bool:
    """Whether the line makes sense only once there is a board."""
    return _ALIASES.get(line.strip().lower().partition(" ")[0]) not in _BOARDLESS


def _not_understood(line: str, tokens: Sequence[str], game: Game) -> Unclear:
    """Names the piles that there are to whoever named another, else the word nearest to it."""
    if (no_pile := _no_pile(tokens, game)) is not None:
        return Unclear(no_pile)
    typed = line.strip()
    words = [word for word in (*_ALIASES, *game.actions) if len(word) > 2]
    near = get_close_matches(typed.lower().partition(" ")[0], words, n=1, cutoff=0.7)
    hint = f"did you mean {near[0]}?" if near else "type help"
    return Unclear(f"{typed[:40]!r} is no move and no word that I know: {hint}")


def _no_pile(tokens: Sequence[str], game: Game) -> str | None:
    """Says which piles there are, if the tokens name a move but a pile that is not on the table."""
    piles = [_spelt(part, game) for part in _parts(tokens)[:2]]
    if not piles or not (piles[0][1:] or piles[0] in game.piles) or "" in piles:
        return None
    try:
        parse_move(game, f"{piles[0]}-{piles[-1]}")
    except BadNotation as refusal:
        return str(refusal)
    return None


def _stock(text: str, game: Game) -> Typed:
    """The stock's action. An empty line only turns cards: a redeal is too much for a slip."""
    if text in game.actions:
        return Try(text)
    if not game.actions:
        return Ask("board") if text == "" else Unclear(f"{game.name} has no stock to turn")
    if text == "" and game.actions[0] == "redeal":
        return Ask("board")
    return Try(game.actions[0])


def _spellings(move: str, game: Game) -> set[tuple[str, ...]]:
    """Every way to type the move, as tokens: `3 4`, `34`, `t3 t4 2`, ..."""
    source, dash, rest = move.partition("-")
    if not dash:
        return {(move,)}
    target, _, count = rest.partition(":")
    ways: set[tuple[str, ...]] = set()
    for start in _short(source, game):
        for end in (*_short(target, game), *_family(target)):
            for way in ((start, end), (start + end,)):
                ways |= {way, (*way, count or "1")}
    return ways


def _short(name: str, game: Game) -> tuple[str, ...]:
    """`t3` and `3`: the piles that the game is played on need no letter."""
    name = name.lower()
    return (name, name[1:]) if name[0] == game.tableau.key.lower() else (name,)


def _family(name: str) -> tuple[str, ...]:
    """`f` and `c` mean any foundation or cell that takes the card."""
    return (name[0].lower(),) if name[0] in "FC" else ()


def _one_of(meant: list[str], tokens: Sequence[str], game: Game, view: Position) -> Typed:
    """The move that was meant, if all that it can be come to the same."""
    first = meant[0]
    if all(_alike(first, move, game, view) for move in meant):
        return Try(first)
    return Unclear(f"{' '.join(tokens)} could be {_listed(meant)}: type one of them")


def _alike(one: str, other: str, game: Game, view: Position) -> bool:
    """Whether two moves do the same: one source, and targets with the same card on top."""
    (source, target), (source2, target2) = one.split("-"), other.split("-")
    if source != source2 or target[0] != target2[0]:
        return False
    tops = [view.piles[game.piles.index(name.partition(":")[0])][-1:] for name in (target, target2)]
    return tops[0] == tops[1] and target.partition(":")[2] == target2.partition(":")[2]


def _source(token: str, game: Game) -> str | None:
    """The pile that a token alone names."""
    name = _spelt(token, game)
    return name if name in game.piles else None


def _spelt(token: str, game: Game) -> str:
    """The name of the pile that a token is meant for, whether there is one or not; else nothing."""
    match = _PILE.fullmatch(token)
    return "" if match is None else f"{match[1].upper() or game.tableau.key}{match[2]}"


def _quick(source: str, game: Game, view: Position, legal: Iterable[str]) -> Typed:
    """The one sensible move of a pile: home, else onto a card, else wherever it can go."""
    moves = [move for move in legal if move.partition("-")[0] == source]
    if not moves:
        return Unclear(f"{source} has no legal move")
    homes = {game.piles[at] for at in game.home}
    home = [move for move in moves if _target(move) in homes]
    onto = [move for move in moves if view.piles[game.piles.index(_target(move))]]
    chosen = home or onto or moves
    if all(_alike(chosen[0], move, game, view) for move in chosen):
        return Try(chosen[0])
    return Unclear(f"{source} has more than one move, {_listed(chosen)}: type one of them")


def _target(move: str) -> str:
    return move.partition("-")[2].partition(":")[0]


def _names(tokens: Sequence[str], game: Game) -> tuple[str, str, str] | None:
    """Source, target and count, if the tokens name two piles of this table."""
    parts = _parts(tokens)
    if not 2 <= len(parts) <= 3 or (len(parts) == 3 and not parts[2].isdigit()):
        return None
    source, target = _source(parts[0], game), _source(parts[1], game)
    if source is None or (target is None and parts[1] not in ("f", "c")):
        return None
    return source, target or parts[1].upper(), parts[2] if len(parts) == 3 else "1"


def _parts(tokens: Sequence[str]) -> list[str]:
    """The tokens, with two piles that run together as two of them."""
    if len(tokens) == 1 and (joined := _JOINED.fullmatch(tokens[0])) is not None:
        return [part for part in joined.groups() if part]
    return list(tokens)


def _refusable(tokens: Sequence[str], game: Game) -> Typed | None:
    """A move that is not legal but clear, for the rules to say why they refuse it."""
    named = _names(tokens, game)
    if named is None:
        return None
    source, target, count = named
    if target in ("F", "C"):
        place = "a foundation" if target == "F" else "a cell"
        return Unclear(f"{source} has nothing that can go to {place} now")
    return Try(f"{source}-{target}" if count == "1" else f"{source}-{target}:{count}")


def _listed(moves: Sequence[str]) -> str:
    return " or ".join(", ".join(moves).rsplit(", ", 1))
