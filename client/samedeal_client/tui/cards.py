"""A board as a picture: cards, their backs, empty places, and marks on them.

Pure. Marks have a shape of their own, whatever their colour: `(9♥ )` is picked up, `>9♥ <` is where
that may go, `.9♥` may move, `*9♥` has just been moved, and the pile in hand is named `[T3]`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from samedeal_client.board import is_counted
from samedeal_client.tui.picture import Ink, Picture
from samedeal_client.tui.spots import Face, Layout, Place, Spot
from samedeal_rules import Game, Position
from samedeal_rules.cards import HIDDEN, card_text

__all__ = ["Marks", "draw", "draw_card", "face_text"]

_SIGNS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_SHAPES: Final = {
    "lifted": ("(", ")"),
    "target": (">", "<"),
    "movable": (".", " "),
    "fresh": ("*", " "),
}
_CORNERED: Final = 5
"""The width from which a card's rank stands in its corner."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What is to be seen on a board besides its cards."""

    cursor: str | None = None
    """The pile that the keys are at."""
    lifted: tuple[str, int] | None = None
    """The pile that cards are picked up from, and how many."""
    targets: frozenset[str] = frozenset()
    movable: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()
    """Where cards have just come to."""

    def of(self, pile: str) -> str:
        """The state of a pile's top card."""
        if self.lifted is not None and self.lifted[0] == pile:
            return "lifted"
        for state, piles in (
            ("target", self.targets),
            ("fresh", self.fresh),
            ("movable", self.movable),
        ):
            if pile in piles:
                return state
        return ""


def face_text(card: int, *, has_signs: bool) -> str:
    """`9♥` or `9H`, `10♠`."""
    text = card_text(card)
    rank, suit = text[0], text[1]
    return ("10" if rank == "T" else rank) + (_SIGNS[suit] if has_signs else suit)


def draw(
    game: Game, position: Position, layout: Layout, marks: Marks, *, has_signs: bool = True
) -> Picture:
    """Draws a board as it is laid out."""
    picture = Picture(layout.width, layout.height)
    for name, cards in zip(game.piles, position.piles, strict=True):
        spot = layout.spots[name]
        _draw_name(picture, game, spot, cards, marks)
        for place in spot.places:
            if place.at >= len(cards):
                continue  # still on its way there
            card = cards[place.at] if place.at >= 0 and name != "S" else None
            back = name == "S" and place.at >= 0
            state = _state(spot, place, marks)
            _draw_place(picture, place, card, state, back=back, has_signs=has_signs)
    return picture


def _draw_name(
    picture: Picture,
    game: Game,
    spot: Spot,
    cards: tuple[int, ...],
    marks: Marks,
) -> None:
    is_told = spot.is_cut or is_counted(game, spot.pile, cards)
    name = f"{spot.pile}:{len(cards)}" if is_told else spot.pile
    if marks.cursor == spot.pile:
        picture.put(spot.x - 1, spot.y, f"[{name}]", Ink("label", "cursor"))
    else:
        picture.put(spot.x, spot.y, name, Ink("label"))


def _state(spot: Spot, place: Place, marks: Marks) -> str:
    state = marks.of(spot.pile)
    depth = spot.top.at - place.at + 1
    if state == "lifted" and marks.lifted is not None and depth <= marks.lifted[1]:
        return state
    if place is spot.top and state != "lifted":
        return state
    return "" if place is spot.top else "covered"


def _draw_place(
    picture: Picture,
    place: Place,
    card: int | None,
    state: str,
    *,
    back: bool,
    has_signs: bool,
) -> None:
    size = Face(place.width, place.height if place.is_whole else 1)
    if not place.is_whole and card is not None:
        for line in range(1, place.height):
            blank = " " * place.width
            picture.put(place.x, place.y + line, blank, Ink(card_text(card)[1], state))
    draw_card(picture, place.x, place.y, size, card, state, back=back, has_signs=has_signs)
    before, after = _SHAPES.get(state, (" ", " "))
    for line in range(place.height):
        if before != " ":
            picture.put(place.x - 1, place.y + line, before, Ink("felt", state))
        if after != " ":
            picture.put(place.x + place.width, place.y + line, after, Ink("felt", state))


def draw_card(
    picture: Picture,
    x: int,
    y: int,
    face: Face,
    card: int | None,
    state: str,
    *,
    back: bool = False,
    has_signs: bool = True,
) -> None:
    """Draws one card of that size, its back, or an empty place (`card` is None)."""
    if back or card == HIDDEN:
        lines, kind = ["▒" * face.width if has_signs else "#" * face.width] * face.height, "back"
    elif card is None:
        lines, kind = _empty(face, has_signs=has_signs), "place"
    else:
        text = face_text(card, has_signs=has_signs)
        lines, kind = _face_lines(text, face), card_text(card)[1]
    for line, text in enumerate(lines):
        picture.put(x, y + line, text, Ink(kind, state))


def _face_lines(text: str, face: Face) -> list[str]:
    """The rank in the corners and the suit in the middle, as far as there is room."""
    if face.height == 1:
        edge = text.rjust(3) if face.width < _CORNERED else f" {text}"
        return [edge.ljust(face.width)]
    middle = [" " * face.width] * (face.height - 2)
    middle[(face.height - 3) // 2] = text[-1].center(face.width)
    return [f" {text}".ljust(face.width), *middle, f"{text} ".rjust(face.width)]


def _empty(face: Face, *, has_signs: bool) -> list[str]:
    if face.height == 1:
        return ["[]".center(face.width)]
    inner = face.width - 2
    if has_signs:
        first, side, last = f"╭{'─' * inner}╮", f"│{' ' * inner}│", f"╰{'─' * inner}╯"
    else:
        first, side, last = f"+{'-' * inner}+", f"|{' ' * inner}|", f"+{'-' * inner}+"
    return [first, *[side] * (face.height - 2), last]
