"""What is laid over a screen: a page to read, a question, the options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from samedeal_client.tui.deeds import Deed, help_lines
from samedeal_client.tui.leaving import Leaving
from samedeal_client.tui.lines import wrapped
from samedeal_client.tui.look import CHOICES, Look

__all__ = ["Confirm", "Options", "Page", "Pick", "Question"]


class Page(ModalScreen[None], Leaving[None]):
    """A page to read, which scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark,f1", "close", show=False)
    ]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines
        self._text = Static(markup=False)

    @staticmethod
    def of_help(
        title: str, deeds: Sequence[Deed], below: Sequence[str], *, shortcuts: bool
    ) -> Page:
        """Returns a page with the keys of a screen, and more below them."""
        return Page(
            title, [*help_lines(deeds, shortcuts=shortcuts), *(["", *below] if below else [])]
        )

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="page") as page:
            page.border_title = Text(self._title).plain
            page.border_subtitle = "Esc closes"
            yield self._text

    def on_resize(self) -> None:
        width = min(94, self.app.size.width * 96 // 100) - 7
        text = "\n".join(wrapped(self._lines, width))
        self._text.update(Text(text))

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_close(self) -> None:
        self.leave()


class Question(ModalScreen["str | None"], Leaving["str | None"]):
    """A question whose answer is typed; None if it is not answered."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False)]

    def __init__(self, question: str, *, hint: str = "", is_secret: bool = False) -> None:
        super().__init__()
        self._question = question
        self._hint = hint
        self._is_secret = is_secret

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label(self._question, markup=False)
            yield Input(placeholder=self._hint, password=self._is_secret)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.leave(event.value.strip() or None)

    def action_close(self) -> None:
        self.leave()


class Confirm(ModalScreen["str | None"], Leaving["str | None"]):
    """A question that is answered by y or n; the answer is `yes` or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,enter", "yes", show=False),
        Binding("n,escape", "no", show=False),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label(self._question, markup=False)
            yield OptionList(Option("y  yes", id="yes"), Option("n  no", id="no"))

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.leave("yes" if event.option.id == "yes" else None)

    def action_yes(self) -> None:
        self.leave("yes")

    def action_no(self) -> None:
        self.leave()


class Pick(ModalScreen["str | None"], Leaving["str | None"]):
    """One of several things is picked; the answer is its id."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False)]

    def __init__(self, question: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._question = question
        self._choices = choices

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label(self._question, markup=False)
            yield OptionList(*(Option(label, id=name) for name, label in self._choices))

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.leave(event.option.id)

    def action_close(self) -> None:
        self.leave()


class Options(ModalScreen["Look | None"], Leaving["Look | None"]):
    """How all this looks: Enter or a click goes on to the next choice; Escape is done."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,o,f9,q", "close", show=False),
        Binding("enter,right,space", "turn(1)", show=False, priority=True),
        Binding("left", "turn(-1)", show=False),
    ]

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = "Options"
            box.border_subtitle = "Enter changes, Esc is done"
            yield OptionList(*(Option(self._line(field), id=field) for field, _, _ in CHOICES))

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    def _line(self, field: str) -> str:
        for name, title, choices in CHOICES:
            if name == field:
                chosen = next(
                    label for label, value in choices if value == getattr(self._look, name)
                )
                return f"{title:20}{chosen}"
        raise AssertionError("every option shown is one of the choices")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_turn(1)

    def action_turn(self, step: int) -> None:
        """Goes on to the next or the last choice of the option that is highlighted."""
        options = self.query_one(OptionList)
        if options.highlighted is None:
            return
        field, _, choices = CHOICES[options.highlighted]
        values = [value for _, value in choices]
        value = values[(values.index(getattr(self._look, field)) + step) % len(values)]
        self._look = msgspec.structs.replace(self._look, **{field: value})
        options.replace_option_prompt(field, self._line(field))

    def action_close(self) -> None:
        self.leave(self._look)
