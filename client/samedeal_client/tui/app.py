"""The full-screen client: the connection, the look, and the screen that comes first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from msgspec.structs import replace
from textual import events
from textual.app import App
from textual.filter import LineFilter, NoColor
from textual.screen import Screen

from samedeal_client.cli.parts import Context, Exit, Fault, open_hall
from samedeal_client.client import Hall
from samedeal_client.errors import ClientError, GaveUpConnecting, Refused
from samedeal_client.retelling import BadReplay
from samedeal_client.sight import Sight
from samedeal_client.tui.alone import PracticeScreen
from samedeal_client.tui.aside import aside
from samedeal_client.tui.cup import CupScreen
from samedeal_client.tui.frame import Frame
from samedeal_client.tui.lobby import LobbyScreen
from samedeal_client.tui.look import Look, Palette, keep_look, kept_look, legible
from samedeal_client.tui.pages import Question
from samedeal_client.tui.race import RaceScreen
from samedeal_client.tui.replay import ReplayScreen
from samedeal_client.tui.watch import WatchScreen
from samedeal_protocol.errors import ErrorCode
from samedeal_rules import Game

__all__ = ["Opening", "Samedeal"]

_TOO_LATE = (ErrorCode.NOT_OPEN.code, ErrorCode.RACE_FULL.code)
_PATIENCE = 600.0
"""Seconds of an outage after which the connection is given up; the lobby then tries anew."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What is opened on top of the lobby at first, if anything."""

    race: str | None = None
    phrase: str | None = None
    watches: bool = False
    game: Game | None = None
    """A game to practise."""
    seed: str | None = None
    replay: bytes | None = None
    tournament: str | None = None


class Samedeal(App[int]):
    """The program."""

    TITLE = "samedeal"
    ENABLE_COMMAND_PALETTE = False
    CSS_PATH = "samedeal.tcss"
    BINDINGS: ClassVar = []

    def __init__(self, context: Context, opening: Opening | None = None) -> None:
        look = kept_look(context.settings.home)
        self.context = context
        self.is_colourless = not context.settings.has_colour
        self.look = look
        self.hall: Hall | None = None
        self._opening = opening or Opening()
        self._arrived = asyncio.Event()
        self._left: set[Screen[object]] = set()
        """Screens from which a way is being gone: a key that is pressed twice leads there once."""
        self._is_there = False
        """The first screen has been shown: what was typed before was typed at nothing."""
        self._link = "connecting"
        self._outage = ""
        """What was said when there was no connection any more."""
        self.stays_away = False
        """The server does not want this player back as things are."""
        super().__init__()
        shown = legible(look.palette, self.console.color_system)
        self.look = replace(look, palette=Palette.MONO if self.is_colourless else shown)
        self.theme = "ansi-dark" if self.is_mono else "textual-dark"

    @property
    def is_mono(self) -> bool:
        """No colours are shown."""
        return self.look.palette is Palette.MONO

    def get_line_filters(self) -> list[LineFilter]:
        filters = list(super().get_line_filters())
        return [*filters, NoColor()] if self.is_mono else filters

    # --- the look ------------------------------------------------------------------------------

    def choose(self, look: Look) -> None:
        """Takes on another look, and keeps it."""
        self.look = look
        keep_look(self.context.settings.home, look)
        self.theme = "ansi-dark" if self.is_mono else "textual-dark"
        for screen in self.screen_stack:
            if isinstance(screen, Frame):
                screen.put_on(look)
                screen.update_frame()
                screen.refresh()

    # --- the connection ------------------------------------------------------------------------

    @property
    def server(self) -> str:
        """The server's address, as the player knows it."""
        return self.context.settings.server

    @property
    def link_text(self) -> str:
        """What is wrong with the connection; empty if nothing is."""
        if self.hall is not None and not self.hall.is_up:
            return "connection lost, trying again"
        return self._link

    def command(self, *words: str) -> str:
        """A command line for this player to type, with the program as it was started."""
        return self.context.settings.command(*words)

    async def _keep_hall(self) -> None:
        """Keeps a connection to the server for as long as there is one."""
        self._link, self.stays_away = "connecting", False
        try:
            async with open_hall(self.context, patience=_PATIENCE, say=self._tell) as hall:
                self.hall, self._link = hall, ""
                self._untell(self._outage)
                self._arrived.set()
                self._update()
                await asyncio.Event().wait()
        except (Fault, ClientError) as fault:
            self._lost(fault)
        except BaseExceptionGroup as group:
            faults, rest = group.split((Fault, ClientError))
            if faults is None or rest is not None:
                raise
            self._lost(_first(faults))

    def _lost(self, fault: BaseException) -> None:
        self.hall, self._link = None, "offline"
        is_nobody_there = isinstance(fault, Fault) and fault.code is Exit.UNREACHABLE
        self.stays_away = not (is_nobody_there or isinstance(fault, GaveUpConnecting))
        said = f"no server answers at {self.server}" if is_nobody_there else f"{fault}"
        self._outage = said.removeprefix("* ")  # how to start one is on the lobby, at length
        self._tell(self._outage)
        self._update()

    def connect(self, *, is_asked: bool = False) -> None:
        """Tries to reach the server, if there is no connection.

        Where the server has sent the player away for good, only if the player asks for it.
        """
        if self.hall is None and (is_asked or not self.stays_away):
            aside(self, self._keep_hall, "hall", alone=True)

    async def _connected(self) -> Hall:
        """Waits for the connection."""
        while self.hall is None:
            self._arrived.clear()
            await self._arrived.wait()
        return self.hall

    def _tell(self, sentence: str) -> None:
        if isinstance(self.screen, Frame):
            self.screen.say(sentence.removeprefix("* "), "warn")
            self.screen.update_frame()

    def _untell(self, sentence: str) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, Frame):
                screen.unsay(sentence)

    def _update(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, Frame):
                screen.link_changed()

    # --- screens -------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.push_screen(LobbyScreen(self))
        self.call_after_refresh(self._arrive)
        opening = self._opening
        if opening.replay is not None:
            self.replay(
                opening.replay, then=lambda _: self.exit(0)
            )  # for which no server is needed
            return
        self.connect()
        if opening.game is not None:
            self.practise(opening.game, opening.seed)
        elif opening.tournament is not None:
            self.visit(opening.tournament)
        elif opening.race is not None and opening.watches:
            self.look_at(opening.race, phrase=opening.phrase)
        elif opening.race is not None:
            self.enter(opening.race, phrase=opening.phrase)

    def _arrive(self) -> None:
        self._is_there = True

    async def on_event(self, event: events.Event) -> None:
        if self._is_there or not isinstance(event, events.Key):
            await super().on_event(event)

    def enter(self, race: str, *, phrase: str | None = None) -> None:
        """Goes to a race, as its entrant; or as its spectator, if it is too late for that."""
        self._go(partial(self._enter, race, phrase))

    async def play(self, race: str) -> None:
        """Sits the player down at a race until they leave it. Raises `ClientError`."""
        hall = await self._connected()
        async with hall.join(race) as run:
            await self.push_screen_wait(RaceScreen(self, hall, run))

    def visit(self, tournament: str) -> None:
        """Goes to a tournament."""
        self._go(partial(self._visit, tournament))

    def look_at(self, race: str, *, phrase: str | None = None, note: str = "") -> None:
        """Goes to a race, as its spectator."""
        self._go(partial(self._watch, race, phrase, note))

    def look_on(self, sight: Sight) -> None:
        """Looks at the boards of a race that one is in."""
        if self.hall is not None:
            self.push_screen(WatchScreen(self, self.hall, sight))

    def practise(self, game: Game, seed: str | None = None) -> None:
        """Deals a game to practise."""
        self.push_screen(PracticeScreen(self, game, seed))

    def replay(self, replay: bytes, *, then: Callable[[str | None], None] | None = None) -> None:
        """Shows a replay; `then` is what comes when it is left, if not the screen before."""
        try:
            self.push_screen(ReplayScreen(self, replay), then)
        except BadReplay as fault:
            self._tell(f"That is no replay that can be told: {fault}")

    def fetch_replay(self, race: str) -> None:
        """Fetches a replay, and shows it."""
        self._go(partial(self._fetch, race))

    def _go(self, way: Callable[[], Awaitable[None]]) -> None:
        if self.screen not in self._left:
            self._left.add(self.screen)
            aside(self, partial(self._told, way, self.screen), "way")

    async def _told(self, way: Callable[[], Awaitable[None]], start: Screen[object]) -> None:
        """Goes a way from a screen to another; what stands in it is said."""
        try:
            await way()
        except (Fault, ClientError) as fault:
            self._tell(f"No: {fault}")
        finally:
            self._left.discard(start)

    async def _enter(self, race: str, phrase: str | None) -> None:
        following: str | None = race
        while following is not None:
            race = following
            hall = await self._connected()
            try:
                async with hall.join(race, phrase=phrase) as run:
                    screen = RaceScreen(self, hall, run, phrase=phrase)
                    following = await self.push_screen_wait(screen)
            except Refused as refusal:
                following = None
                if refusal.code in _TOO_LATE:
                    await self._watch(race, phrase, f"{refusal}; so you watch")
                elif refusal.code == ErrorCode.WRONG_PHRASE.code:
                    phrase = await self._ask_phrase(race)
                    following = None if phrase is None else race
                else:
                    raise

    async def _visit(self, tournament: str) -> None:
        hall = await self._connected()
        async with hall.tournament(tournament) as cup:
            await self.push_screen_wait(CupScreen(self, hall, cup))

    async def _watch(self, race: str, phrase: str | None, note: str) -> None:
        is_let_in = False
        while not is_let_in:
            hall = await self._connected()
            try:
                async with hall.watch(race, phrase=phrase) as watch:
                    is_let_in = True
                    screen = WatchScreen(self, hall, watch, note=note, phrase=phrase)
                    await self.push_screen_wait(screen)
            except Refused as refusal:
                if refusal.code != ErrorCode.WRONG_PHRASE.code or is_let_in:
                    raise
                phrase = await self._ask_phrase(race)
                is_let_in = phrase is None

    async def _ask_phrase(self, race: str) -> str | None:
        return await self.push_screen_wait(Question(f"The pass phrase of {race}:", is_secret=True))

    async def _fetch(self, race: str) -> None:
        hall = await self._connected()
        self.replay(await hall.replay(race))


def _first(group: BaseException) -> BaseException:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group
