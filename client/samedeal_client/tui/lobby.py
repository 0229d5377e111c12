"""The lobby: the races there are, and the ways to others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.widgets import DataTable, Input, Static

from samedeal_client.cli.parts import race_code
from samedeal_client.errors import ClientError
from samedeal_client.telling import terms_text
from samedeal_client.tui.aside import aside
from samedeal_client.tui.cuplist import CupListScreen
from samedeal_client.tui.days import DayScreen
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.frame import Frame
from samedeal_client.tui.leaders import LeadersScreen
from samedeal_client.tui.lines import clean
from samedeal_client.tui.opening import NewRaceScreen
from samedeal_client.tui.pages import Pick, Question
from samedeal_client.tui.program import Program
from samedeal_protocol.messages import RaceCard
from samedeal_rules import GAMES

__all__ = ["LobbyScreen", "row_of"]

_LOOK_S: Final = 2.0
"""Seconds between two looks at the list."""
_HEADINGS: Final = ("race", "game", "phase", "entered", "terms")
_PHASES: Final = ("countdown", "open", "running", "over", "cancelled")


def row_of(card: RaceCard) -> tuple[str, ...]:
    """A race as a row of the table."""
    terms = terms_text(card.terms).partition(", ")[2]
    who = ", ".join(map(clean, card.entrants)) or "nobody yet"
    if card.standing is not None:
        who = f"you came {card.standing.place}., {who}"
    return card.race, card.terms.game, card.phase, who, clean(terms)


class LobbyScreen(Frame):
    """Where one starts, and comes back to."""

    key_lines = 2

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._cards: tuple[RaceCard, ...] = ()
        self._is_mine = False
        self._none = Static(id="none", markup=False)
        self._table = DataTable[str](id="races", cursor_type="row")
        self._code = Input(placeholder="a race's code, then Enter", id="code")

    def body(self) -> ComposeResult:
        yield self._none
        yield self._table
        yield self._code

    def on_mount(self) -> None:
        self._table.add_columns(*_HEADINGS)
        self._table.focus()
        self.set_interval(_LOOK_S, self.look_again)
        self.look_again()

    def on_screen_resume(self) -> None:
        self.look_again()

    def link_changed(self) -> None:
        aside(self, self._list, "list", alone=True)

    # --- the list ------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Asks for the list anew."""
        if self.is_current:
            self.program.connect()
            aside(self, self._list, "list", alone=True)

    async def _list(self) -> None:
        hall = self.program.hall
        if hall is None or not hall.is_up:
            self._show(())
            return
        try:
            cards = await (hall.mine() if self._is_mine else hall.list())
        except ClientError as refusal:
            self.say(f"{refusal}", "warn")
            return
        self._show(cards)

    def _show(self, cards: Sequence[RaceCard]) -> None:
        """Shows the list; the cursor stays at the race where it was."""
        if not self._table.is_mounted:
            return
        order = list(cards)
        if not self._is_mine:
            order.sort(key=lambda card: (_PHASES.index(card.phase), -card.opened_at))
        table, chosen = self._table, self._chosen
        if tuple(order) != self._cards:
            self._cards = tuple(order)
            table.clear()
            for card in order:
                table.add_row(*row_of(card), key=card.race)
            if chosen is not None and chosen.race in [card.race for card in order]:
                table.move_cursor(row=table.get_row_index(chosen.race))
        self._none.display = not order
        self._none.update(self._nothing())
        self.update_frame()

    def _nothing(self) -> str:
        if self.program.hall is None:
            again = "x tries again" if self.program.stays_away else "it is looked for"
            return f"  No server: {again}. p practises alone."
        if self._is_mine:
            return "  You have been in no race yet."
        return "  Nobody has opened a race. n opens one."

    @property
    def _chosen(self) -> RaceCard | None:
        at = self._table.cursor_row
        return self._cards[at] if 0 <= at < len(self._cards) else None

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        self._go()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        code = race_code(event.value)
        event.input.value = ""
        if code:
            self._table.focus()
            self.program.enter(code)

    async def on_key(self, event: events.Key) -> None:
        if isinstance(self.focused, Input) and event.key == "escape":
            self._table.focus()
            return
        await super().on_key(event)

    # --- what can be done ----------------------------------------------------------------------

    def head(self) -> tuple[str, str]:
        hall = self.program.hall
        server = self.program.server
        who = "" if hall is None else f"{clean(hall.name)} on "
        return f"samedeal   {'your races' if self._is_mine else 'lobby'}", f"{who}{server}"

    def deeds(self) -> list[Deed]:
        chosen = self._chosen
        deeds: list[Deed] = []
        if chosen is not None:
            deeds.append(Deed(("enter",), self._going(chosen), self._go, "go to the chosen race"))
            deeds.append(Deed(("w", "f3"), "watch", self._watch, "watch the chosen race"))
        if self.program.stays_away:
            deeds.append(Deed(("x", "f2"), "connect", self._connect, "try the server again"))
        if self.program.hall is not None:
            deeds += [
                Deed(("n", "f7"), "new race", self._new, "open a race"),
                Deed(("c", "f5"), "code", self._focus_code, "enter a race by its code"),
                Deed(
                    ("m", "f6"),
                    "all races" if self._is_mine else "my races",
                    self._turn,
                    "your own races, those over as well",
                ),
            ]
            deeds += [
                Deed(("t", "f8"), "tournaments", self._cups, "tournaments: see, enter, play them"),
                Deed(("d",), "day", self._day, "the deal of the day, and the league"),
                Deed(("l",), "leaders", self._leaders, "who is rated how, and who was fastest"),
            ]
        deeds += [
            Deed(("p", "f4"), "practise", self._practise, "play any game alone, offline"),
            Deed(("r",), "replay", self._replay, "see a replay, by its race or from a file"),
            Deed(("q", "f10"), "quit", self._quit, "leave the program", is_vital=True),
        ]
        return deeds

    def help_page(self) -> tuple[str, list[str]]:
        return "samedeal", [
            "In a race everyone gets the same deal; who has all cards home first wins.",
            "Open a race and give its link to others, or enter one from the list.",
            "On every screen ? says what can be done there, and at a board the rules of its game.",
        ]

    def _going(self, card: RaceCard) -> str:
        hall = self.program.hall
        is_in = hall is not None and hall.name in card.entrants
        match card.phase:
            case "over" | "cancelled":
                return "replay"
            case "running" if not is_in and card.terms.mode.value == "live":
                return "watch"
            case _:
                return "go in"

    def _go(self) -> None:
        card = self._chosen
        if card is None:
            return
        match self._going(card):
            case "replay":
                self.program.fetch_replay(card.race)
            case "watch":
                self.program.look_at(card.race)
            case _:
                self.program.enter(card.race)

    def _watch(self) -> None:
        if self._chosen is not None:
            self.program.look_at(self._chosen.race)

    def _new(self) -> None:
        self.app.push_screen(NewRaceScreen(self.program))

    def _connect(self) -> None:
        self.program.connect(is_asked=True)

    def _focus_code(self) -> None:
        self._code.focus()

    def _turn(self) -> None:
        self._is_mine = not self._is_mine
        self.look_again()

    def _practise(self) -> None:
        aside(self, self._pick_game, "practise")

    async def _pick_game(self) -> None:
        games = [(game.key, game.name) for game in GAMES]
        key = await self.asked(Pick("Practise which game?", games))
        game = next((game for game in GAMES if game.key == key), None)
        if game is not None:
            self.program.practise(game)

    def _replay(self) -> None:
        aside(self, self._pick_replay, "replay")

    async def _pick_replay(self) -> None:
        name = await self.asked(Question("Replay of which race, or from which .jsonl file?"))
        if name is None:
            return
        file = Path(name)
        if file.suffix == ".jsonl":
            try:
                self.program.replay(await asyncio.to_thread(file.read_bytes))
            except OSError as refusal:
                self.say(f"No: {name} cannot be read: {refusal.strerror}", "warn")
        else:
            self.program.fetch_replay(race_code(name))

    def _cups(self) -> None:
        self.app.push_screen(CupListScreen(self.program))

    def _day(self) -> None:
        self.app.push_screen(DayScreen(self.program))

    def _leaders(self) -> None:
        self.app.push_screen(LeadersScreen(self.program))

    def _quit(self) -> None:
        self.app.exit(0)
