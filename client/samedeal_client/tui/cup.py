"""A tournament as its players, its staff and its watchers have it on a full screen.

Who plays in it is brought into each of their races while they are here.
"""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Static

from samedeal_client.client import Hall
from samedeal_client.cups.console import Console
from samedeal_client.cups.cup import Call, Cup, News
from samedeal_client.cups.looking import looked
from samedeal_client.cups.stage import watched_races
from samedeal_client.cups.telling import call_lines, head_lines, news_lines, you_lines
from samedeal_client.cups.touring import played
from samedeal_client.errors import ClientError
from samedeal_client.tui.aside import aside
from samedeal_client.tui.coloured import coloured
from samedeal_client.tui.commandline import CommandLine
from samedeal_client.tui.cupdeeds import Offer, offers
from samedeal_client.tui.cuplooks import looks
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.frame import Frame
from samedeal_client.tui.lines import Line, clean, fitted, wrapped
from samedeal_client.tui.links import cup_link
from samedeal_client.tui.pages import Confirm, Page, Pick, Question
from samedeal_client.tui.program import Program
from samedeal_client.tui.said import Said
from samedeal_protocol.tournament.terms import Registration
from samedeal_protocol.tournament.views import TournamentChanged

__all__ = ["CupScreen"]

_TICK_S: Final = 0.5
_SAID: Final = 200
_WIDE: Final = 120
"""Columns of a screen from which on news stands beside the rest."""
_RAIL: Final = 34
"""Columns of what stands beside the rest, whose size the style sheet has."""
_MOST: Final = 30
"""How many races that run are offered to be watched."""


class CupScreen(Frame):
    """One tournament."""

    key_lines = 2

    def __init__(self, program: Program, hall: Hall, cup: Cup) -> None:
        super().__init__(program)
        self._hall = hall
        self._cup = cup
        self._news_of = cup.events()
        self._look_at = "bracket"
        self._is_stale = True
        self._told: deque[str] = deque(maxlen=_SAID)
        self._is_seen = asyncio.Event()
        """This screen is uppermost: nothing else is being done."""
        self._top = Static(id="top", markup=False)
        self._picture = Static(markup=False)
        self._pane = VerticalScroll(self._picture, id="reading")
        self._news = Static(id="news", markup=False)
        self._rail = Static(id="rail", markup=False)
        self._line = CommandLine()

    def body(self) -> ComposeResult:
        yield self._top
        with Horizontal(id="middle"):
            yield self._pane
            yield self._rail
        yield self._news
        yield self._line

    def on_mount(self) -> None:
        self._pane.focus()
        aside(self, self._hear, "what happens")
        aside(self, self._tour, "tour")
        self.set_interval(_TICK_S, self._tick)

    def on_screen_resume(self) -> None:
        self._is_stale = True
        self._is_seen.set()

    def on_screen_suspend(self) -> None:
        self._is_seen.clear()

    # --- what happens --------------------------------------------------------------------------

    async def _hear(self) -> None:
        try:
            async for news in self._news_of:
                self._heard(news)
        except ClientError as failure:
            self.say(f"{failure}", "warn")

    def _heard(self, news: News) -> None:
        self._is_stale = True
        if isinstance(news, TournamentChanged):
            is_player = self._cup.you is not None
            self._told += map(clean, news_lines(news, self._cup.sheet, is_player=is_player))

    async def _tour(self) -> None:
        """Brings the player into each race that they are called to, one after the other."""
        cup = self._cup
        async for _ in cup.changes():
            while not cup.ledger.is_out():
                call = await cup.next_race()
                if call is not None:
                    await self._called(call)
            if cup.is_over:
                return

    async def _called(self, call: Call) -> None:
        self.app.bell()
        if not self._is_seen.is_set() and isinstance(self.app.screen, Frame):
            said = call_lines(call.match, call.race, self._cup.sheet, self._cup.now_ms)
            self.app.screen.say(f"{said[0]} Leave this, and you are there.", "own")
        await self._is_seen.wait()
        if self._cup.wants(call.race.race):
            await self._play(call)

    async def _play(self, call: Call) -> None:
        async def play(call: Call) -> None:
            await self.program.play(call.race.race)

        self.say("")
        await self.refusable(partial(played, self._cup, call, play))

    async def _tick(self) -> None:
        """Draws at a calm rate, however much happens; what is counted down goes on."""
        if not self.is_current:
            return
        self._show_top()
        self.update_frame()
        if self._is_stale:
            self._is_stale = False
            await self.refusable(self._draw)

    # --- what is shown -------------------------------------------------------------------------

    def _show_top(self) -> None:
        sheet, width = self._cup.sheet, self.size.width - 2
        head = wrapped(map(clean, head_lines(sheet, self._cup.now_ms)), width)
        own = wrapped(map(clean, [*you_lines(sheet), *self._wanted_lines()]), width)
        self._top.update(
            coloured([*(Line(line, "head") for line in head), *(Line(line, "own") for line in own)])
        )

    def _wanted_lines(self) -> list[str]:
        cup = self._cup
        return [
            line
            for match, race in cup.ledger.wanted()
            for line in call_lines(match, race, cup.sheet, cup.now_ms)
        ]

    async def _draw(self) -> None:
        width = max(20, self.size.width - 4 - (_RAIL if self._has_rail else 0))
        lines = await looked(
            self._look_at, (), self._cup, width=width, has_blocks=not self.look.ascii
        )
        if self._look_at == "terms" and self._cup.terms.about:
            lines = [self._cup.terms.about, "", *lines]
        drawn = fitted(map(clean, lines), width) if self._look_at == "terms" else lines
        self._picture.update(Text("\n".join(map(clean, drawn))))
        self._show_news(width)

    @property
    def _has_rail(self) -> bool:
        return self.size.width >= _WIDE and bool(self._told)

    def _show_news(self, width: int) -> None:
        """Shows what was told last: beside the rest where there is room, else below it."""
        is_wide = self._has_rail
        self._rail.display, self._news.display = is_wide, not is_wide
        room = max(2, self.size.height - 10) if is_wide else 3 if self.size.height > 30 else 2
        told = wrapped(list(self._told)[-room:], _RAIL - 3 if is_wide else width)[-room:]
        place = self._rail if is_wide else self._news
        place.update(coloured([Line(said, "dim") for said in told]))

    def head(self) -> tuple[str, str]:
        label = next(
            label for _, word, label, _ in looks(self._cup.terms.format) if word == self._look_at
        )
        return f"samedeal   tournament, {label}", self._cup.code

    def on_resize(self) -> None:
        self._is_stale = True
        self.update_frame()

    # --- what can be done ----------------------------------------------------------------------

    def deeds(self) -> list[Deed]:
        deeds = [
            Deed(each.keys, each.label, partial(self._take_up, each), each.meaning, each.word)
            for each in offers(self._cup)
        ]
        deeds += [
            Deed((key,), label, partial(self._look, word), meaning)
            for key, word, label, meaning in looks(self._cup.terms.format)
            if word != self._look_at
        ]
        if watched_races(self._cup.sheet, most=1):
            deeds.append(Deed(("w", "f6"), "watch", self._watch, "watch a race that runs"))
        return [
            *deeds,
            Deed(("colon", "f5"), "type", self._type, "type a word, as tournament host takes it"),
            Deed(("y",), "copy link", self._copy, "copy its link to the clipboard", is_minor=True),
            Deed(("q", "f10", "escape"), "leave", self.leave, "go back", is_vital=True),
        ]

    def help_page(self) -> tuple[str, list[str]]:
        host = self.program.command("tournament", "host", self._cup.code)
        return clean(self._cup.terms.name), [
            "Who plays is brought into each of their races while they are on this screen.",
            f"Behind : the words of {host} can be typed; help lists them.",
        ]

    def _look(self, word: str) -> None:
        self._look_at = word
        self._is_stale = True
        self._pane.scroll_home(animate=False)

    def _take_up(self, offer: Offer) -> None:
        aside(self, partial(self._carry_out, offer), "deed", alone=True)

    async def _carry_out(self, offer: Offer) -> None:
        if offer.asks and await self.asked(Confirm(offer.asks)) is None:
            return
        match offer.word:
            case "go":
                for match, race in self._cup.ledger.wanted()[:1]:
                    await self._play(Call(match, race))
            case "pick":
                await self.refusable(self._pick)
            case "register":
                await self._register()
            case word:
                await self._say_word(word)

    async def _register(self) -> None:
        phrase: str | None = None
        if self._cup.terms.registration is Registration.PHRASE:
            phrase = await self.asked(Question("Its pass phrase:", is_secret=True))
            if phrase is None:
                return

        async def register() -> None:
            await self._cup.register(phrase=phrase)
            self.say(" ".join(you_lines(self._cup.sheet)))

        await self.refusable(register)

    async def _pick(self) -> None:
        terms = self._cup.terms
        games = list(dict.fromkeys((terms.race.game, *terms.games)))
        for match in self._cup.ledger.picks()[:1]:
            game = await self.asked(
                Pick(
                    f"The game of your next race, {match.match}:", [(each, each) for each in games]
                )
            )
            if game is not None:
                await self._cup.pick(match.match, game)

    def _type(self) -> None:
        self._line.ask("a word, such as help, matches 2, or what hosts and referees do")

    def on_command_line_typed(self, message: CommandLine.Typed) -> None:
        if message.line:
            aside(self, partial(self._say_word, message.line), "typed")

    async def _say_word(self, line: str) -> None:
        """Carries out a word of the console, and shows what comes of it."""
        said = Said(min(94, self.size.width) - 8, has_blocks=not self.look.ascii)
        console = Console(said, self._cup)
        await console.take(line)
        self._is_stale = True
        if console.is_leaving:
            self.leave()
        elif len(said.lines) == 1:
            self.say(said.lines[0], "warn" if said.lines[0].startswith("No: ") else "")
        elif said.lines:
            self.app.push_screen(Page(line, said.lines))

    def _watch(self) -> None:
        aside(self, self._pick_race, "watch", alone=True)

    async def _pick_race(self) -> None:
        races = [(code, clean(title)) for code, title in watched_races(self._cup.sheet, most=_MOST)]
        code = races[0][0] if len(races) == 1 else await self.asked(Pick("Watch which?", races))
        if code is not None:
            self.program.look_at(code)

    def _copy(self) -> None:
        link = cup_link(self._hall.url, self._cup.code)
        self.app.copy_to_clipboard(link)
        self.say(f"Copied {link}")
