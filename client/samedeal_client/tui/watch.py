"""A race as a spectator sees it: lanes or boards."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from samedeal_client.client import Hall
from samedeal_client.errors import ClientError
from samedeal_client.lanes import lane_lines, lanes_of
from samedeal_client.sight import Happening, Sight
from samedeal_client.stage import sight_lines
from samedeal_client.telling import clock, event_text, said_text, terms_text
from samedeal_client.tui.aside import aside
from samedeal_client.tui.coloured import coloured
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.frame import Frame
from samedeal_client.tui.gallery import Gallery
from samedeal_client.tui.hosting import Hosting
from samedeal_client.tui.lines import Line, clean, result_lines, wrapped
from samedeal_client.tui.links import race_link
from samedeal_client.tui.look import Look
from samedeal_client.tui.program import Program
from samedeal_client.tui.waiting import lobby_lines
from samedeal_protocol import messages as wire
from samedeal_rules import find
from samedeal_rules.prose import rules_text, title

__all__ = ["WatchScreen"]

_TICK_S: Final = 0.25
_SAID: Final = 200


class WatchScreen(Frame):
    """One race that is watched; entrants whose own race is done may do so, too."""

    def __init__(
        self,
        program: Program,
        hall: Hall,
        sight: Sight,
        *,
        note: str = "",
        phrase: str | None = None,
    ) -> None:
        super().__init__(program)
        self._hosting = Hosting(self, sight, bots=hall.limits.house_bots, phrase=phrase)
        self._hall = hall
        self._sight = sight
        self._game = find(sight.terms.game)
        self._happenings: AsyncIterator[Happening] = sight.events()
        said = (clean(said_text(line)) for line in sight.said)
        self._told: deque[str] = deque([*said, *([note] if note else [])], maxlen=_SAID)
        self._has_boards = True
        self._only: int | None = None
        self._is_stale = True
        self._gallery = Gallery(self._game, program.look)
        self._list = Static(markup=False)
        self._news = Static(id="news", markup=False)

    def body(self) -> ComposeResult:
        with Vertical(id="middle"):
            yield self._gallery
            yield self._list
        yield self._news

    def on_mount(self) -> None:
        aside(self, self._hear, "what happens")
        self.set_interval(_TICK_S, self._tick)

    async def _hear(self) -> None:
        try:
            async for happening in self._happenings:
                self._is_stale = True
                if isinstance(happening, wire.Snapshot | wire.Played):
                    continue
                said = event_text(happening, self._sight.entrants, goal=self._game.goal)
                if said is not None:
                    self._told.append(clean(said))
            async for _ in self._sight.changes():
                self._is_stale = True
        except ClientError as failure:
            self.say(f"{failure}", "warn")

    async def _tick(self) -> None:
        """Draws at a calm rate, however much happens."""
        self.update_frame()
        if self._is_stale or self._sight.starts_in_ms is not None:
            self._is_stale = False
            await self._draw()

    async def _draw(self) -> None:
        sight = self._sight
        shows_boards = self._has_boards and any(
            sight.board(number) is not None for number in sight.entrants
        )
        self._gallery.display = shows_boards
        self._list.display = not shows_boards
        if shows_boards:
            await self._gallery.show(sight.entrants, sight.board, only=self._only)
        else:
            self._list.update(coloured(self._lines()))
        room = 3 if self.size.height > 30 else 2
        width = self.size.width - 2
        told = [part for said in list(self._told)[-room:] for part in wrapped([said], width)]
        self._news.update(coloured([Line(said) for said in told[-room:]]))

    def _lines(self) -> list[Line]:
        sight, width = self._sight, self.size.width - 4
        if sight.is_over:
            return result_lines(sight.standings, self._game.goal, you=sight.you_are)
        notes = sight_lines(
            sight.terms, phase=sight.phase, role=self._role, wants_boards=self._has_boards
        )
        said = [Line(part, "dim") for note in notes for part in wrapped([note], width)]
        if sight.phase in ("open", "countdown"):
            link = race_link(self._hall.url, sight.race)
            return [*said, *lobby_lines(sight, code=sight.race, link=link)]
        lanes = lanes_of(sight.entrants, self._game.goal)
        lines = lane_lines(lanes, width=width, has_blocks=not self.look.ascii, has_gaps=True)
        return [Line(clean(terms_text(sight.terms)), "dim"), *said, Line(""), *map(Line, lines)]

    @property
    def _role(self) -> str:
        if self._sight.you_are is not None:
            return "entrant"
        return "host" if self._sight.is_host else "spectator"

    def head(self) -> tuple[str, str]:
        sight = self._sight
        elapsed, starts = sight.elapsed_ms, sight.starts_in_ms
        if starts is not None:
            when = f"[-{-(-starts // 1000)}]"
        else:
            when = f"[{sight.phase}]" if elapsed is None else f"[{clock(elapsed)[:-4]}]"
        states = [each.state for each in sight.entrants.values()]
        racing = sum(state == "racing" for state in states)
        late = f"{sight.terms.delay} s late, " if sight.terms.delay and not sight.is_over else ""
        return f"{when} {title(self._game)}   {sight.race}   watching", f"{late}{racing} racing"

    def deeds(self) -> list[Deed]:
        label = "lanes" if self._has_boards else "boards"
        deeds = self._hosting.deeds()
        if self._sight.phase not in ("open", "countdown"):
            deeds.append(Deed(("b", "f2"), label, self._toggle, "boards, or lanes and result"))
        if len(self._sight.entrants) > 1 and self._has_boards:
            deeds.append(Deed(("0",), "all", lambda: self._choose(None), "all boards"))
            deeds += [
                Deed((str(n),), "", partial(self._choose, n), f"one board: {e.name}", "", True)
                for n, e in sorted(self._sight.entrants.items())
                if n < 10
            ]
        if self._sight.is_over:
            deeds.append(Deed(("v",), "replay", self._replay, "see it again, step by step"))
        deeds += [
            Deed(("y",), "copy link", self._copy, "copy the race's link to the clipboard"),
            Deed(("q", "f10", "escape"), "leave", self.leave, "go back", is_vital=True),
        ]
        return deeds

    def help_page(self) -> tuple[str, list[str]]:
        return title(self._game), rules_text(self._game).splitlines()[2:]

    def put_on(self, look: Look) -> None:
        self._gallery.wear(look)
        self._is_stale = True

    def on_resize(self) -> None:
        self._is_stale = True
        self.update_frame()

    def _toggle(self) -> None:
        self._has_boards = not self._has_boards
        self._is_stale = True

    def _choose(self, number: int | None) -> None:
        self._only = number
        self._is_stale = True

    def _copy(self) -> None:
        link = race_link(self._hall.url, self._sight.race)
        self.app.copy_to_clipboard(link)
        self.say(f"Copied {link}")

    def _replay(self) -> None:
        self.program.fetch_replay(self._sight.race)
