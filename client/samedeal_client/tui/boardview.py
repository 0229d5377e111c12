"""The widget that shows a board, and tells what is pointed at on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rich.segment import Segment
from textual import events
from textual.geometry import Offset
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from samedeal_client.tui.aim import Aim
from samedeal_client.tui.cards import Marks, draw, draw_card
from samedeal_client.tui.flight import Flight, flights_between, grown, turned_below
from samedeal_client.tui.inks import style_of
from samedeal_client.tui.layout import arrange
from samedeal_client.tui.look import Look
from samedeal_client.tui.picture import FELT, Picture
from samedeal_client.tui.spots import Layout
from samedeal_rules import Game, Position

__all__ = ["BoardView"]

_FRAME_S: Final = 0.025
_FRAMES: Final = 5
_FRESH_S: Final = 1.0
_laid_out = lru_cache(32)(arrange)


class BoardView(Widget, can_focus=True):
    """One board. With an `aim` it can be played at; without one it is only looked at."""

    DEFAULT_CSS = "BoardView { width: 1fr; height: 1fr; }"

    @dataclass
    class Pointed(Message):
        """A pile was clicked at, `count` cards from its top."""

        pile: str
        count: int

    @dataclass
    class Dragged(Message):
        """Cards were dragged from a pile to another; `target` is None beside all piles."""

        pile: str
        count: int
        target: str | None

    def __init__(self, game: Game, look: Look, *, aim: Aim | None = None) -> None:
        super().__init__()
        self.game = game
        self.aim = aim
        self._look = look
        self._position: Position | None = None
        self._fresh: frozenset[str] = frozenset()
        self._flights: tuple[Flight, ...] = ()
        self._frame = 0
        self._fading: Timer | None = None
        self._flying: Timer | None = None
        self._held: tuple[str, int] | None = None
        self._ghost: Offset | None = None
        self._picture: Picture | None = None
        self._key: object = None
        """What the picture was drawn from."""

    # --- what is shown -------------------------------------------------------------------------

    def show(self, position: Position | None) -> None:
        """Shows a board; what has changed is marked for a second, and flies there if wished."""
        before, self._position = self._position, position
        if position is None or before is None or before == position:
            pass
        elif list(map(len, before.piles)) == list(map(len, position.piles)):
            self._flights = turned_below(self._flights, position)
        else:
            self._fresh = grown(self.game, before, position)
            if self._fading is not None:
                self._fading.stop()
            self._fading = self.set_timer(_FRESH_S, self._fade)
            self._flights = ()
            if self._look.animations and self.size.width:
                self._take_off(before, position)
        self.redraw()

    def wear(self, look: Look) -> None:
        """Takes on another look."""
        self._look = look
        self.redraw()

    def redraw(self) -> None:
        """Draws anew what looks otherwise than before."""
        key = (
            self._position,
            self._marks(),
            self._look,
            self.size,
            self._flights and self._frame,
            self._ghost,
        )
        if key != self._key:
            self._key = key
            self._picture = None
            self.refresh()

    def layout_of(self, position: Position) -> Layout:
        """Where everything of a board lies, at the present size."""
        size, look = self.size, self._look
        return _laid_out(
            self.game, position, size.width, size.height, large=look.large, mirror=look.mirror
        )

    def picture(self) -> Picture:
        """What the widget shows."""
        if self._picture is None:
            self._picture = self._drawn()
        return self._picture

    def render_line(self, y: int) -> Strip:
        palette = self._look.palette
        felt = style_of(FELT, palette)
        picture = self.picture()
        if y >= picture.height:
            return Strip.blank(self.size.width, felt)
        segments = [Segment(text, style_of(ink, palette)) for text, ink in picture.row(y)]
        return Strip(segments, picture.width).adjust_cell_length(self.size.width, felt)

    def on_resize(self) -> None:
        self._flights = ()
        self.redraw()

    def _drawn(self) -> Picture:
        position = self._position
        if position is None:
            return Picture(self.size.width, 0)
        has_signs = not self._look.ascii
        layout = self.layout_of(position)
        picture = draw(
            self.game, self._on_table(position), layout, self._marks(), has_signs=has_signs
        )
        for flight in self._flights:
            x, y = flight.at(self._frame / _FRAMES)
            draw_card(picture, x, y, layout.face, flight.card, "fresh", has_signs=has_signs)
        if self._ghost is not None and self._held is not None:
            cards = position.piles[self.game.piles.index(self._held[0])][-self._held[1] :]
            for below, card in enumerate(cards):
                x, y = self._ghost.x - 1, self._ghost.y + below
                face = layout.face if card is cards[-1] else layout.face._replace(height=1)
                draw_card(picture, x, y, face, card, "lifted", has_signs=has_signs)
        return picture

    def _marks(self) -> Marks:
        if self.aim is None:
            return Marks(fresh=self._fresh)
        return self.aim.marks(self._look.highlight, self._fresh)

    def _on_table(self, position: Position) -> Position:
        """The board without the cards that are still in the air."""
        return self._flights[0].under if self._flights else position

    def _fade(self) -> None:
        self._fresh = frozenset()
        self.redraw()

    @property
    def is_flying(self) -> bool:
        """A card is in the air."""
        return bool(self._flights)

    # --- flying --------------------------------------------------------------------------------

    def _take_off(self, before: Position, after: Position) -> None:
        layouts = self.layout_of(before), self.layout_of(after)
        self._flights = flights_between(self.game, before, after, *layouts)
        self._frame = 0
        if self._flights and self._flying is None:
            self._flying = self.set_interval(_FRAME_S, self._fly)

    def _fly(self) -> None:
        self._frame += 1
        if self._frame >= _FRAMES or not self._flights:
            self._flights = ()
            if self._flying is not None:
                self._flying.stop()
                self._flying = None
        self.redraw()

    # --- pointing ------------------------------------------------------------------------------

    def _hit(self, x: int, y: int) -> tuple[str, int] | None:
        return None if self._position is None else self.layout_of(self._position).hit(x, y)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button == 1 and self.aim is not None:
            self._held = self._hit(event.x, event.y)
            if self._held is not None:
                self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._held is None or self.aim is None or self._position is None:
            return
        if self._ghost is None:
            hit = self._hit(event.x, event.y)
            if hit is None or hit[0] == self._held[0] or self._held[0] == "S":
                return  # a hand that trembles is no drag
            self.aim.lift(*self._held)
            if self.aim.lifted is None:
                return
            self._held = self.aim.lifted
        self._ghost = event.offset
        self.redraw()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        held, ghost = self._held, self._ghost
        self._held = self._ghost = None
        self.release_mouse()
        if held is None:
            return
        hit = self._hit(event.x, event.y)
        if ghost is not None:
            self.post_message(self.Dragged(*held, None if hit is None else hit[0]))
        elif hit is not None:
            self.post_message(self.Pointed(*held))
        self.redraw()
