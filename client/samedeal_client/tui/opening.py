"""A new race: a game, a preset, every term, and the command that would do the same."""

from __future__ import annotations

import time
from functools import partial
from shlex import join
from typing import Final

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input, Label, Select, Static

from samedeal_client.cli.parts import Fault
from samedeal_client.tui.aside import aside
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.drafting import FIELDS, PRESETS, Draft, draft, words
from samedeal_client.tui.frame import Frame
from samedeal_rules import GAMES
from samedeal_rules.games import every_game, find
from samedeal_rules.prose import rules_text, title

__all__ = ["NewRaceScreen"]

_GAMES: Final = tuple((title(game), game.key) for game in every_game())


class NewRaceScreen(Frame):
    """The form. It is left with nothing; the race that was opened is entered."""

    def __init__(self) -> None:
        super().__init__()
        self._is_changed = False

    def body(self) -> ComposeResult:
        with VerticalScroll(id="form", can_focus=False):
            with Horizontal(classes="field"):
                yield Label("game")
                yield Select(_GAMES, value=GAMES[0].key, allow_blank=False, id="game", compact=True)
            with Horizontal(classes="field"):
                yield Label("preset")
                presets = [(name, name) for name, _ in PRESETS]
                yield Select(
                    presets, value=PRESETS[0][0], allow_blank=False, id="preset", compact=True
                )
            yield Label("")
            for field in FIELDS:
                with Horizontal(classes="field"):
                    yield Label(field.label)
                    if field.choices:
                        yield Select(
                            field.choices,
                            value=field.usual,
                            allow_blank=False,
                            id=field.name,
                            compact=True,
                        )
                    else:
                        yield Input(field.usual, id=field.name, compact=True)
                    yield Label(field.meaning, classes="meaning")
        yield Static(id="command", markup=False)

    def on_mount(self) -> None:
        self.query_one("#game").focus()
        self._check()

    # --- the form ------------------------------------------------------------------------------

    @property
    def _game(self) -> str:
        return str(self.query_one("#game", Select).value)

    def _values(self) -> dict[str, str]:
        return {
            field.name: str(self.query_one(f"#{field.name}", Select).value)
            if field.choices
            else self.query_one(f"#{field.name}", Input).value
            for field in FIELDS
        }

    def fill(self, preset: str) -> None:
        """Sets every term to what the preset says, or to what is usual."""
        values = dict(PRESETS)[preset]
        for field in FIELDS:
            value = values.get(field.name, field.usual)
            if field.choices:
                self.query_one(f"#{field.name}", Select).value = value
            else:
                self.query_one(f"#{field.name}", Input).value = value

    def _draft(self) -> Draft | None:
        """The terms as they stand; what does not hold is said."""
        try:
            drafted = draft(self._game, self._values(), now=time.time_ns() // 1_000_000)
        except Fault as fault:
            self.say(f"{fault}", "warn")
            return None
        return drafted

    def _changed(self) -> None:
        """Looks at the whole form once, however much of it has changed."""
        if not self._is_changed:
            self._is_changed = True
            self.call_later(self._check)

    def _check(self) -> None:
        self._is_changed = False
        command = join(["samedeal", *words(self._game, self._values())])
        self.query_one("#command", Static).update(f"The same as: {command}")
        if self._draft() is not None:
            self.say("")

    def on_select_changed(self, event: Select.Changed) -> None:
        if event.select.id == "preset":
            self.fill(str(event.value))
        self._changed()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._open()

    # --- what can be done ----------------------------------------------------------------------

    def head(self) -> tuple[str, str]:
        return "A new race", ""

    def deeds(self) -> list[Deed]:
        return [
            Deed(("f7", "ctrl+o"), "open it", self._open, "open the race, and enter it"),
            Deed(("f10", "escape"), "leave", self._leave, "back to the lobby"),
        ]

    def help_page(self) -> tuple[str, list[str]]:
        lines = rules_text(find(self._game)).splitlines()
        said = ["Tab goes from term to term, Enter opens a list. Durations: 90s, 10min, 2h, 1d."]
        return lines[0], [*said, "", *lines[2:]]

    def _leave(self) -> None:
        self.dismiss(None)

    def _open(self) -> None:
        drafted = self._draft()
        if drafted is not None:
            aside(self, partial(self._create, drafted), "open", alone=True)

    async def _create(self, drafted: Draft) -> None:
        hall = self.samedeal.hall
        if hall is None:
            self.say("There is no connection to a server.", "warn")
            return

        async def create() -> None:
            race = await hall.create(drafted.terms, seed=drafted.seed, phrase=drafted.phrase)
            self.dismiss(None)
            self.samedeal.enter(race, phrase=drafted.phrase)

        await self.refusable(create)
