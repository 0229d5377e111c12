"""A race that is over, step by step or played at a speed."""

from __future__ import annotations

from functools import partial
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from samedeal_client.reel import Reel
from samedeal_client.retelling import by_moves, steps
from samedeal_client.telling import clock
from samedeal_client.tui.aside import aside
from samedeal_client.tui.coloured import coloured
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.frame import Frame
from samedeal_client.tui.gallery import Gallery
from samedeal_client.tui.lines import Line, clean, wrapped
from samedeal_client.tui.look import Look
from samedeal_client.tui.pages import Question
from samedeal_client.tui.program import Program
from samedeal_rules.prose import rules_text, title

__all__ = ["ReplayScreen"]

_PAGE: Final = 10
"""How many steps PageUp and PageDown go."""


class Scrubber(Widget):
    """Where the replay stands; a click jumps there."""

    DEFAULT_CSS = "Scrubber { height: 1; padding: 0 1; }"

    class Jumped(Message):
        """A place was clicked at; `part` is from 0 to 1."""

        def __init__(self, part: float) -> None:
            super().__init__()
            self.part = part

    def __init__(self) -> None:
        super().__init__()
        self._part = 0.0
        self._ends: tuple[float, ...] = ()
        self._has_blocks = True

    def show(self, part: float, ends: tuple[float, ...], *, has_blocks: bool) -> None:
        """Shows the place, and where somebody's race ended."""
        self._part, self._ends, self._has_blocks = part, ends, has_blocks
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        done, left, here = ("━", "─", "●") if self._has_blocks else ("=", "-", "O")
        at = round(self._part * (width - 1))
        cells = [done if x < at else left for x in range(width)]
        for part in self._ends:
            cells[round(part * (width - 1))] = "|"
        cells[at] = here
        return Strip([Segment("".join(cells), self.rich_style + Style(bold=True))])

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.post_message(self.Jumped((event.x - 1) / max(1, self.size.width - 1)))


class ReplayScreen(Frame):
    """One replay."""

    needs_server = False

    def __init__(self, program: Program, replay: bytes) -> None:
        """Raises `retelling.BadReplay`."""
        super().__init__(program)
        self._race, self._game, every = steps(replay)
        told = by_moves(every)
        self._reel = Reel(self._race, self._game, told, speed=1.0)
        last = max(1, len(told) - 1)
        self._ends = tuple(at / last for at, step in enumerate(told) if step.is_end)
        self._gallery = Gallery(self._game, program.look)
        self._scrubber = Scrubber()
        self._news = Static(id="news", markup=False)
        self._timer: Timer | None = None

    def body(self) -> ComposeResult:
        with Vertical(id="middle"):
            yield self._gallery
        yield self._scrubber
        yield self._news

    def on_mount(self) -> None:
        self.call_after_refresh(self._draw)

    async def _draw(self) -> None:
        reel, step = self._reel, self._reel.step
        await self._gallery.show(step.entrants, step.boards.get, only=reel.only)
        part = reel.at / max(1, reel.total - 1)
        self._scrubber.show(part, self._ends, has_blocks=not self.look.ascii)
        width = self.size.width - 2
        said = [part for line in step.lines for part in wrapped([clean(line)], width)]
        self._news.update(coloured([Line(line) for line in said[:8]]))
        self.update_frame()

    def _await_next(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        wait = self._reel.wait_s()
        if wait is not None:
            self._timer = self.set_timer(max(wait, 0.02), self._advance)

    async def _advance(self) -> None:
        self._reel.advance()
        await self._draw()
        self._await_next()

    def head(self) -> tuple[str, str]:
        reel = self._reel
        at_ms = reel.step.at_ms
        when = "before the start" if at_ms is None else clock(at_ms)
        left = f"[{when}] {title(self._game)}   {self._race}   replay"
        return left, f"{reel.at + 1}/{reel.total}  {reel.pace}"

    def deeds(self) -> list[Deed]:
        def press(key: str) -> Deed:
            keys, label, meaning = _KEYS[key]
            is_minor = not label
            return Deed(keys, label, lambda: self._press(key), meaning, is_minor=is_minor)

        return [
            *(press(key) for key in _KEYS),
            Deed(("pageup",), "", lambda: self._by(-_PAGE), "ten steps back", is_minor=True),
            Deed(("pagedown",), "", lambda: self._by(_PAGE), "ten steps on", is_minor=True),
            Deed(("j", "f3"), "jump", self._ask, "jump to a step"),
            *(
                Deed((str(n),), "", partial(self._press, str(n)), f"one board: {each.name}", "",
                     is_minor=True)
                for n, each in sorted(self._reel.step.entrants.items())
                if n < 10
            ),
            Deed(("q", "f10", "escape"), "leave", self.leave, "go back", is_vital=True),
        ]  # fmt: skip

    def help_page(self) -> tuple[str, list[str]]:
        below = ["A click on the line below the boards jumps to that place.", ""]
        return title(self._game), [*below, *rules_text(self._game).splitlines()[2:]]

    def put_on(self, look: Look) -> None:
        self._gallery.wear(look)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    async def _press(self, key: str) -> None:
        self._reel.press(key)
        await self._draw()
        self._await_next()

    async def _by(self, step: int) -> None:
        self._reel.jump(self._reel.at + step)
        await self._draw()

    async def on_scrubber_jumped(self, message: Scrubber.Jumped) -> None:
        self._reel.jump(round(message.part * (self._reel.total - 1)))
        await self._draw()

    def _ask(self) -> None:
        aside(self, self._jump, "jump")

    async def _jump(self) -> None:
        number = await self.asked(Question(f"Jump to step (1-{self._reel.total}):"))
        if number is not None and number.isdecimal():
            self._reel.jump(int(number) - 1)
            await self._draw()


_KEYS: Final = {
    "right": (("right", "l"), "on", "one step on"),
    "left": (("left", "k"), "back", "one step back"),
    "space": (("space", "p"), "play", "play, or stop"),
    "+": (("plus", "equals_sign"), "faster", "twice as fast"),
    "-": (("minus",), "slower", "half as fast"),
    "f": (("f",), "finish", "to the next end of somebody's race"),
    "home": (("home",), "", "to the beginning"),
    "end": (("end",), "", "to the end"),
    "a": (("a", "0"), "all", "all boards"),
}
"""What the reel knows: our keys, the label on the bar, and what it means."""
