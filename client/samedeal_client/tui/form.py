"""A form of terms: a game, a preset, every field, and the command that would do the same."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from shlex import join
from typing import ClassVar, Final, Generic, TypeVar

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input, Label, Select, Static

from samedeal_client.cli.parts import Fault
from samedeal_client.client import Hall
from samedeal_client.tui.aside import aside
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.fields import Field, Presets
from samedeal_client.tui.frame import Frame
from samedeal_client.tui.program import Program
from samedeal_rules import GAMES
from samedeal_rules.games import every_game, find
from samedeal_rules.prose import rules_text, title

__all__ = ["Form"]

_D = TypeVar("_D")
"""What is made of a form whose terms hold together."""
_GAMES: Final = tuple((title(game), game.key) for game in every_game())


def _widget(field: Field) -> Select[str] | Input:
    if not field.choices:
        return Input(field.begins, compact=True)
    return Select(field.choices, value=field.begins, allow_blank=False, compact=True)


class Form(Frame, Generic[_D]):
    """Whoever inherits says what the fields are, and what is made of them."""

    heading: ClassVar[str]
    deed: ClassVar[tuple[str, str]]
    """What F7 does, in short and as the help says it."""
    fields: ClassVar[Sequence[Field]]
    presets: ClassVar[Presets]

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._is_changed = False
        self._command = Static(id="command", markup=False)
        self._game = Select(_GAMES, value=GAMES[0].key, allow_blank=False, compact=True)
        names = [(name, name) for name, _ in self.presets]
        self._preset = Select(names, value=self.presets[0][0], allow_blank=False, compact=True)
        self._fields = {field.name: _widget(field) for field in self.fields}

    def body(self) -> ComposeResult:
        with VerticalScroll(id="form", can_focus=False):
            with Horizontal(classes="field"):
                yield Label("game")
                yield self._game
            with Horizontal(classes="field"):
                yield Label("preset")
                yield self._preset
            yield Label("")
            for field in self.fields:
                with Horizontal(classes="field"):
                    yield Label(field.label)
                    yield self._fields[field.name]
                    yield Label(field.meaning, classes="meaning")
        yield self._command

    def on_mount(self) -> None:
        self._game.focus()
        self._check()

    # --- for those that inherit ----------------------------------------------------------------

    @abstractmethod
    def words(self, game: str, values: Mapping[str, str]) -> list[str]:
        """The words of the command that does the same, behind `samedeal`."""

    @abstractmethod
    def drafted(self, game: str, values: Mapping[str, str], *, now: int) -> _D:
        """The terms that the form says. Raises `cli.parts.Fault` where they do not hold."""

    @abstractmethod
    async def made(self, hall: Hall, drafted: _D) -> None:
        """Asks the server for it, leaves the form and goes there. Raises `ClientError`."""

    # --- the form ------------------------------------------------------------------------------

    @property
    def _key(self) -> str:
        return str(self._game.value)

    def _values(self) -> dict[str, str]:
        return {name: str(widget.value) for name, widget in self._fields.items()}

    def fill(self, preset: str) -> None:
        """Sets every term to what the preset says, or to what is usual."""
        values = dict(self.presets)[preset]
        for field in self.fields:
            self._fields[field.name].value = values.get(field.name, field.begins)

    def _draft(self) -> _D | None:
        """The terms as they stand; what does not hold is said."""
        try:
            drafted = self.drafted(self._key, self._values(), now=time.time_ns() // 1_000_000)
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
        command = join(["samedeal", *self.words(self._key, self._values())])
        self._command.update(f"The same as: {command}")
        if self._draft() is not None:
            self.say("")

    def on_select_changed(self, event: Select.Changed) -> None:
        if event.select is self._preset:
            self.fill(str(event.value))
        self._changed()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._open()

    # --- what can be done ----------------------------------------------------------------------

    def head(self) -> tuple[str, str]:
        return self.heading, ""

    def deeds(self) -> list[Deed]:
        return [
            Deed(("f7", "ctrl+o"), self.deed[0], self._open, self.deed[1]),
            Deed(("f10", "escape"), "leave", self.leave, "go back", is_vital=True),
        ]

    def help_page(self) -> tuple[str, list[str]]:
        lines = rules_text(find(self._key)).splitlines()
        said = ["Tab goes from term to term, Enter opens a list. Durations: 90s, 10min, 2h, 1d."]
        return lines[0], [*said, "", *lines[2:]]

    def _open(self) -> None:
        drafted = self._draft()
        if drafted is not None:
            aside(self, partial(self._create, drafted), "open", alone=True)

    async def _create(self, drafted: _D) -> None:
        hall = self.program.hall
        if hall is None:
            self.say("There is no connection to a server.", "warn")
        else:
            await self.refusable(partial(self.made, hall, drafted))
