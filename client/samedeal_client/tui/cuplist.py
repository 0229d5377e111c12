"""The tournaments there are, and the ways to one of them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from samedeal_client.client import Hall
from samedeal_client.cups.tables import card_lines, over_text
from samedeal_client.tui.announcing import NewCupScreen
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.lines import clean
from samedeal_client.tui.listing import Listing
from samedeal_client.tui.program import Program
from samedeal_protocol.tournament.views import TournamentCard

__all__ = ["CupListScreen"]


class CupListScreen(Listing[TournamentCard]):
    """Where one finds a tournament."""

    kind = "tournament"
    look_s = 5.0

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._has_over = False
        self._over = 0
        """How many are over, if none is listed."""

    async def listed(self, hall: Hall) -> Sequence[TournamentCard]:
        cards = await hall.tournaments(mine=self.is_mine, over=self._has_over)
        if not cards and not self._has_over:
            self._over = len(await hall.tournaments(mine=self.is_mine, over=True))
        return cards

    def drawn(
        self, cards: Sequence[TournamentCard]
    ) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        width = max(20, self.size.width - 4)
        heading, *lines = (clean(line) for line in card_lines(cards, now=_now(), width=width))
        return [heading], [[line] for line in lines]

    def code_of(self, card: TournamentCard) -> str:
        return card.tournament

    def nothing(self) -> str:
        if self.program.hall is None:
            return "  No server: it is looked for."
        over = "" if self._has_over else over_text(self._over, "v shows")
        if self.is_mine:
            return f"  You are in no tournament{over}."
        return f"  There is no tournament{over}. n announces one."

    def go_to(self, code: str) -> None:
        self.program.visit(code)

    # --- what can be done ----------------------------------------------------------------------

    def head(self) -> tuple[str, str]:
        title = "your tournaments" if self.is_mine else "tournaments"
        return f"samedeal   {title}", "also those that are over" if self._has_over else ""

    def deeds(self) -> list[Deed]:
        deeds: list[Deed] = []
        if self.chosen is not None:
            deeds.append(Deed(("enter",), "go in", self.go_in, "go to the chosen tournament"))
        mine = "all" if self.is_mine else "mine"
        over = "not over" if self._has_over else "over, too"
        return [
            *deeds,
            Deed(("n", "f8"), "announce", self._announce, "announce a tournament, as its host"),
            Deed(("c", "f5"), "code", self.ask_code, "go to a tournament by its code"),
            Deed(("m", "f6"), mine, self.turn_mine, "those that you play or help to run"),
            Deed(("v", "f7"), over, self._turn_over, "also those that are over, or not"),
            Deed(("q", "f10", "escape"), "leave", self.leave, "back to the lobby", is_vital=True),
        ]

    def help_page(self) -> tuple[str, list[str]]:
        return "Tournaments", [
            "Go to one to see how it stands, to register, and to be brought into your races.",
            "Announce one to be its host: : start begins it, and : help says what else hosts do.",
            f"A plan in a file is announced by {self.program.command('tournament', 'new')}.",
        ]

    def go_in(self) -> None:
        if self.chosen is not None:
            self.program.visit(self.chosen.tournament)

    def _announce(self) -> None:
        self.app.push_screen(NewCupScreen(self.program))

    def _turn_over(self) -> None:
        self._has_over = not self._has_over
        self.look_again()


def _now() -> int:
    return time.time_ns() // 1_000_000
