"""What every screen has: a head, a line for what is said, a bar of keys; keys, help and options."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Input, Static

from samedeal_client.errors import TakenBack
from samedeal_client.seats import REFUSALS
from samedeal_client.tui.coloured import coloured
from samedeal_client.tui.commandline import CommandLine
from samedeal_client.tui.deeds import Deed, called
from samedeal_client.tui.keybar import KeyBar
from samedeal_client.tui.leaving import Leaving
from samedeal_client.tui.lines import Line, clean, spread
from samedeal_client.tui.look import Look, Palette
from samedeal_client.tui.pages import Options, Page
from samedeal_client.tui.program import Program

__all__ = ["Frame"]


class Frame(Leaving["str | None"]):
    """A screen of the client."""

    key_lines = 1
    """Lines for the keys."""
    needs_server = True
    """It has to do with a server, whose connection is worth a word."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
        # Held rather than looked for: news may come before they are on the screen, or after.
        self._head = Static(id="head", markup=False)
        self._said = Static(id="said", markup=False)
        self._bar = KeyBar(self.key_lines)
        self._sentence = ""
        """What stands in the line for what is said."""
        self._shown_head = ""

    def compose(self) -> ComposeResult:
        yield self._head
        yield from self.body()
        yield self._said
        yield self._bar

    def body(self) -> ComposeResult:
        """What stands between the head and the line for what is said."""
        yield from ()

    @property
    def look(self) -> Look:
        """What the player has chosen for their screen."""
        return self.program.look

    # --- for those that inherit ----------------------------------------------------------------

    def deeds(self) -> list[Deed]:
        """What can be done on this screen now."""
        return []

    def head(self) -> tuple[str, str]:
        """What the first line says, at its left and right ends."""
        return "samedeal", ""

    def help_page(self) -> tuple[str, list[str]]:
        """A title, and the lines below the keys in the help."""
        return "samedeal", []

    def put_on(self, look: Look) -> None:
        """Takes on another look."""

    def link_changed(self) -> None:
        """The connection has come or gone."""
        self.update_frame()

    # --- what is said --------------------------------------------------------------------------

    def say(self, sentence: str, kind: str = "") -> None:
        """Says something in the line above the keys."""
        self._sentence = sentence
        self._said.update(coloured([Line(clean(sentence), kind)]), layout=False)

    def unsay(self, sentence: str | None = None) -> None:
        """Takes back what was said, or only that sentence: what it was about is gone."""
        if self._sentence and sentence in (None, self._sentence):
            self.say("")

    def update_frame(self) -> None:
        """Shows head and keys as they are now."""
        left, right = self.head()
        link = self.program.link_text if self.needs_server else ""
        right = f"{link}  {right}" if link else right
        head = spread(left, right, max(20, self.size.width - 2))
        if head != self._shown_head:
            self._shown_head = head
            self._head.update(Text(head), layout=False)
        self._bar.show(
            [*self.deeds(), *self._common()],
            shortcuts=self.look.shortcuts,
            is_mono=self.look.palette is Palette.MONO,
        )

    def _common(self) -> list[Deed]:
        return [
            Deed(
                ("question_mark", "f1"),
                "help",
                self.show_help,
                "this help, and the rules",
                is_vital=True,
            ),
            Deed(("o", "f9"), "options", self.show_options, "how all this looks"),
        ]

    def on_mount(self) -> None:
        self.update_frame()

    def on_screen_resume(self) -> None:
        self.update_frame()

    def on_resize(self) -> None:
        self.update_frame()

    # --- keys ----------------------------------------------------------------------------------

    async def on_key(self, event: events.Key) -> None:
        if isinstance(self.focused, CommandLine):
            return  # every key is the line's
        if isinstance(self.focused, Input) and (event.is_printable or event.key == "enter"):
            return
        if self.is_mounted and self._deed_of(event.key) is not None:
            event.stop()
            event.prevent_default()
            await self.press(event.key)

    def _deed_of(self, key: str) -> Deed | None:
        return called([*self.deeds(), *self._common()], key, shortcuts=self.look.shortcuts)

    async def press(self, key: str) -> None:
        """Does what a key means, if it means anything here and now."""
        deed = self._deed_of(key)
        if deed is not None:
            await self.do(deed)

    async def on_key_bar_chosen(self, message: KeyBar.Chosen) -> None:
        await self.do(message.deed)

    async def do(self, deed: Deed) -> None:
        """Does what a deed says; a refusal is said.

        Of keys that came faster than a screen could, the first has covered this one: the others
        mean nothing here any more.
        """
        if not self.is_active:
            return

        async def run() -> None:
            result = deed.run()
            if result is not None:
                await result

        await self.refusable(run)
        self.update_frame()

    async def refusable(self, job: Callable[[], Awaitable[None]]) -> bool:
        """Does something; a refusal is said. Returns whether it was done."""
        try:
            await job()
        except TakenBack:
            return False  # what it followed was refused, and that was said
        except REFUSALS as refusal:
            self.say(f"No: {refusal}", "warn")
            return False
        return True

    # --- help and options ----------------------------------------------------------------------

    def show_help(self) -> None:
        """Lays the help over the screen."""
        title, below = self.help_page()
        deeds = [*self.deeds(), *self._common()]
        self.app.push_screen(Page.of_help(title, deeds, below, shortcuts=self.look.shortcuts))

    def show_options(self) -> None:
        """Lays the options over the screen."""

        def chosen(look: Look | None) -> None:
            if look is not None:
                self.program.choose(look)

        self.app.push_screen(Options(self.look), chosen)

    async def asked(self, page: Screen[str | None]) -> str | None:
        """Lays a question over the screen and waits for the answer; a covered one asks none."""
        if not self.is_active:
            return None
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def take(text: str | None) -> None:
            if not answer.done():
                answer.set_result(text)

        await self.app.push_screen(page, take)
        return await answer
