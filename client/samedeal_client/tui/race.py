"""A race as its entrant lives it: the lobby, the countdown, the board, the result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final

from textual.app import ComposeResult

from samedeal_client.client import Hall
from samedeal_client.errors import ClientError
from samedeal_client.run import Run
from samedeal_client.seats import RaceSeat
from samedeal_client.sight import Happening
from samedeal_client.telling import clock, event_text, said_text, terms_lines
from samedeal_client.tui.aside import aside
from samedeal_client.tui.before import Before
from samedeal_client.tui.beside import Beside
from samedeal_client.tui.coloured import coloured
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.hosting import Hosting
from samedeal_client.tui.lines import (
    Line,
    clean,
    lane_line,
    place_text,
)
from samedeal_client.tui.links import race_link
from samedeal_client.tui.pages import Page
from samedeal_client.tui.play import PlayScreen
from samedeal_client.tui.program import Program
from samedeal_client.tui.waiting import owed
from samedeal_protocol import messages as wire
from samedeal_protocol.terms import Start
from samedeal_rules.prose import title

__all__ = ["RaceScreen"]

_TICK_S: Final = 0.2
_WORDS: Final = {"ready": "ready", "start": "start", "begin": "open the deal"}


class RaceScreen(PlayScreen[RaceSeat]):
    """One race. It is left with the code of the rematch, or with nothing."""

    def __init__(
        self, program: Program, hall: Hall, run: Run, *, phrase: str | None = None
    ) -> None:
        """`phrase` is the race's pass phrase, which a bot has to say as well."""
        super().__init__(program, RaceSeat(run))
        self._before = Before(self.game.goal, link=race_link(hall.url, run.race))
        self._hosting = Hosting(self, run, bots=hall.limits.house_bots, phrase=phrase)
        self._hall = hall
        self._run = run
        self._happenings: AsyncIterator[Happening] = run.events()
        said = (Line(clean(said_text(line)), "own") for line in run.said)
        self._side = Beside(self.game, said)
        self._wants_result = True

    def before_board(self) -> ComposeResult:
        yield self._before

    def on_mount(self) -> None:
        aside(self, self._hear, "what happens")
        self.set_interval(_TICK_S, self._tick)

    # --- what happens --------------------------------------------------------------------------

    async def _hear(self) -> None:
        """Tells what happens, to the end of the race and beyond it: there may be a rematch."""
        try:
            async for happening in self._happenings:
                self._happened(happening)
                self.update()
            async for _ in self._run.changes():
                self.update()
        except ClientError as failure:
            self.say(f"{failure}", "warn")
            self.update()

    def _happened(self, happening: Happening) -> None:
        run = self._run
        match happening:
            case wire.Played() | wire.Snapshot():
                return
            case wire.Away(entrant=entrant) | wire.Back(entrant=entrant) if entrant == run.you_are:
                return
            case _:
                said = event_text(happening, run.entrants, goal=self.game.goal, you=run.you_are)
        if said is None:
            return
        self._side.tell(Line(clean(said), "own" * isinstance(happening, wire.Said)))
        self.say(said)
        if isinstance(happening, wire.Done) and happening.entrant == run.you_are:
            self._wants_result = True
            self.app.bell()

    def _tick(self) -> None:
        """Keeps clocks going."""
        if self._run.starts_in_ms is not None:
            self._show_before()
        self.update_frame()

    # --- what is shown -------------------------------------------------------------------------

    def update(self) -> None:
        super().update()
        self._show_before()
        self._show_rail()

    @property
    def _shows_board(self) -> bool:
        if self.view is None:
            return False
        return not (self._run.is_over and self._wants_result)

    def _show_before(self) -> None:
        """Shows the board or what stands in its place: the lobby, the countdown, the result."""
        is_board = self._shows_board
        if self.board.display != is_board:
            self.board.display = is_board
            self._before.display = not is_board
            if is_board:
                self.board.focus()
        if not is_board:
            self._before.show(self._run)

    def _show_rail(self) -> None:
        run, size = self._run, self.size
        fits = self._side.fits(size.width, size.height, large=self.look.large)
        self._rail.display, self._lanes.display = fits, not fits and self._shows_board
        if fits:
            lines = self._side.lines(run, size.height, has_blocks=not self.look.ascii)
            self._rail.update(coloured(lines), layout=False)
        else:
            goal = self.game.goal
            line = lane_line(run.entrants, goal, you=run.you_are, width=size.width - 2)
            self._lanes.update(coloured([Line(line)]), layout=False)

    def on_resize(self) -> None:
        self.update()

    def head(self) -> tuple[str, str]:
        run = self._run
        elapsed, starts = run.elapsed_ms, run.starts_in_ms
        if starts is not None and run.phase == "countdown":
            when = f"[-{-(-starts // 1000)}]"
        elif elapsed is None:
            when = "[lobby]" if run.phase == "open" else f"[{run.phase}]"
        else:
            when = f"[{clock(elapsed)[:-4]}]"
        is_racing = run.you_are is not None and self.view is not None
        place = place_text(run.entrants, self.game.goal, run.you) if is_racing else ""
        right = "   ".join(each for each in (*self.standing(), place) if each)
        return f"{when} {title(self.game)}   {run.race}", right

    # --- what can be done ----------------------------------------------------------------------

    def deeds(self) -> list[Deed]:
        run = self._run
        word = owed(run)
        deeds: list[Deed] = []
        if word is not None:
            act = {"ready": run.ready, "start": run.start, "begin": self._begin}[word]
            deeds.append(self._asked_of_server(("space", "r"), _WORDS[word], act, word=word))
        elif run.phase == "open" and run.state == "ready" and run.terms.start is Start.ALL_READY:
            deeds.append(
                self._asked_of_server(("space", "r"), "not ready", run.unready, word="unready")
            )
        deeds += self._hosting.deeds()
        if run.phase == "open" and run.view is None:
            deeds.append(self._asked_of_server(("g", "f8"), "withdraw", self._leave_race))
        deeds += super().deeds()
        if run.is_over:
            if run.tournament is None:
                meaning = "the same terms, a fresh deal"
                deeds.append(Deed(("N", "f7"), "rematch", self._rematch, meaning, "rematch"))
            deeds += [
                Deed(("v",), "replay", self._replay, "see it again, step by step"),
                Deed(("p",), "practise it", self._practise, "this deal, alone"),
            ]
            if run.view is not None:
                deeds.append(Deed(("b",), "board", self._toggle, "your last board, or the result"))
            deeds.append(
                Deed(("s",), "save", self._save, "save the replay", "replay", is_minor=True)
            )
        elif self._can_watch():
            deeds.append(Deed(("w",), "watch", self._watch, "the others' boards"))
        deeds += [
            Deed(("m",), "chat", self._ask_chat, "say something to everybody"),
            Deed(("y",), "copy link", self._copy, "copy the race's link to the clipboard"),
            Deed(("t",), "terms", self._show_terms, "what the race is run under", "terms", True),
            Deed(
                ("q", "f10"),
                "leave",
                self.leave,
                "go back; your place is kept",
                "quit",
                is_vital=True,
            ),
        ]
        return deeds

    def _asked_of_server(
        self, keys: tuple[str, ...], label: str, ask: Callable[[], Awaitable[None]], word: str = ""
    ) -> Deed:
        """Something that the server is asked for, without holding up keys meanwhile."""

        async def run() -> None:
            await ask()
            self.update()

        return Deed(keys, label, lambda: self._beside(run), label, word)

    def _beside(self, work: Callable[[], Awaitable[None]]) -> None:
        """Does something, and does not hold up keys meanwhile; a refusal is said."""
        aside(self, partial(self.refusable, work), "asked")

    async def _begin(self) -> None:
        await self._run.begin()

    async def _leave_race(self) -> None:
        await self._run.leave()
        self.leave()

    def _can_watch(self) -> bool:
        others = [n for n in self._run.entrants if n != self._run.you_are]
        return self._run.is_done and any(self._run.board(n) is not None for n in others)

    def _watch(self) -> None:
        self.program.look_on(self._run)

    def _rematch(self) -> None:
        async def ask() -> None:
            self.leave(await self._run.rematch())

        self._beside(ask)

    def _replay(self) -> None:
        self.program.fetch_replay(self._run.race)

    def _save(self) -> None:
        async def fetch() -> None:
            file = Path(f"{self._run.race}.jsonl")
            replay = await self._hall.replay(self._run.race)
            try:
                await asyncio.to_thread(file.write_bytes, replay)
            except OSError as refusal:
                self.say(f"No: {file} cannot be written: {refusal.strerror}", "warn")
                return
            self.say(f"Saved {file}. Check it: {self.program.command('verify', str(file))}")

        self._beside(fetch)

    def _practise(self) -> None:
        if self._run.seed is not None:
            self.program.practise(self.game, self._run.seed)

    def _toggle(self) -> None:
        self._wants_result = not self._wants_result
        self.update()

    def _ask_chat(self) -> None:
        self._ask_line("something to say to everybody; Esc leaves it", prefix="say ")

    def _copy(self) -> None:
        link = race_link(self._hall.url, self._run.race)
        self.app.copy_to_clipboard(link)
        self.say(f"Copied {link}")

    def _show_terms(self) -> None:
        self.app.push_screen(Page("The terms of this race", terms_lines(self._run.terms)))

    def won(self) -> None:
        self.say(f"Every card is home, in {clock(self._run.elapsed_ms)}.", "own")

    async def obey(self, word: str, rest: str) -> None:
        if word == "say":
            await self._run.chat(rest)
        else:
            await super().obey(word, rest)
