"""The lobby: the races there are, and the ways to others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from samedeal_client.cli.parts import race_code
from samedeal_client.client import Hall
from samedeal_client.telling import ordinal, terms_text
from samedeal_client.tui.aside import aside
from samedeal_client.tui.cuplist import CupListScreen
from samedeal_client.tui.days import DayScreen
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.leaders import LeadersScreen
from samedeal_client.tui.lines import clean
from samedeal_client.tui.listing import Listing
from samedeal_client.tui.opening import NewRaceScreen
from samedeal_client.tui.pages import Pick, Question
from samedeal_protocol.messages import RaceCard
from samedeal_rules import GAMES

__all__ = ["LobbyScreen", "row_of"]

_HEADINGS: Final = ("race", "game", "phase", "entered", "terms")
_PHASES: Final = ("countdown", "open", "running", "over", "cancelled")


def row_of(card: RaceCard) -> tuple[str, ...]:
    """A race as a row of the table."""
    terms = terms_text(card.terms).partition(", ")[2]
    who = ", ".join(map(clean, card.entrants)) or "nobody yet"
    if card.standing is not None:
        who = f"you came {ordinal(card.standing.place)}, {who}"
    return card.race, card.terms.game, card.phase, who, clean(terms)


class LobbyScreen(Listing[RaceCard]):
    """Where one starts, and comes back to."""

    kind = "race"
    look_s = 2.0
    key_lines = 2

    async def listed(self, hall: Hall) -> Sequence[RaceCard]:
        if self.is_mine:
            return await hall.mine()
        cards = await hall.list()
        return sorted(cards, key=lambda card: (_PHASES.index(card.phase), -card.opened_at))

    def drawn(self, cards: Sequence[RaceCard]) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        return _HEADINGS, [row_of(card) for card in cards]

    def code_of(self, card: RaceCard) -> str:
        return card.race

    def nothing(self) -> str:
        if self.program.hall is None:
            if self.program.stays_away:
                return "  No server: x tries again. p practises alone."
            return (
                "  No server: it is looked for. p practises alone.\n\n"
                "  One is started here with: samedeal-server serve\n"
                "  Another is named with: --server ws://HOST:PORT"
            )
        if self.is_mine:
            return "  You have been in no race yet."
        return "  Nobody has opened a race. n opens one."

    def go_to(self, code: str) -> None:
        self.program.enter(code)

    # --- what can be done ----------------------------------------------------------------------

    def head(self) -> tuple[str, str]:
        hall = self.program.hall
        server = self.program.server
        who = "" if hall is None else f"{clean(hall.name)} on "
        return f"samedeal   {'your races' if self.is_mine else 'lobby'}", f"{who}{server}"

    def deeds(self) -> list[Deed]:
        chosen = self.chosen
        deeds: list[Deed] = []
        if chosen is not None:
            deeds.append(Deed(("enter",), self._going(chosen), self.go_in, "go to the chosen race"))
            deeds.append(Deed(("w", "f3"), "watch", self._watch, "watch the chosen race"))
        if self.program.stays_away:
            deeds.append(Deed(("x", "f2"), "connect", self._connect, "try the server again"))
        if self.program.hall is not None:
            deeds += [
                Deed(("n", "f7"), "new race", self._new, "open a race"),
                Deed(("c", "f5"), "code", self.ask_code, "enter a race by its code"),
                Deed(
                    ("m", "f6"),
                    "all races" if self.is_mine else "my races",
                    self.turn_mine,
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

    def go_in(self) -> None:
        card = self.chosen
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
        if self.chosen is not None:
            self.program.look_at(self.chosen.race)

    def _new(self) -> None:
        self.app.push_screen(NewRaceScreen(self.program))

    def _connect(self) -> None:
        self.program.connect(is_asked=True)

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
