"""A new tournament: a game, a preset, what the command takes; whoever announces it is its host."""

from __future__ import annotations

from collections.abc import Mapping

from samedeal_client.client import Hall
from samedeal_client.tui.cupdraft import FIELDS, PRESETS, CupDraft, draft, words
from samedeal_client.tui.form import Form

__all__ = ["NewCupScreen"]


class NewCupScreen(Form[CupDraft]):
    """The form. It is left with nothing; one goes to the tournament that was announced."""

    heading = "A new tournament"
    deed = "announce it", "announce the tournament, and go there as its host"
    fields = FIELDS
    presets = PRESETS

    def words(self, game: str, values: Mapping[str, str]) -> list[str]:
        return words(game, values)

    def drafted(self, game: str, values: Mapping[str, str], *, now: int) -> CupDraft:
        return draft(game, values, now=now)

    async def made(self, hall: Hall, drafted: CupDraft) -> None:
        code = await hall.announce(drafted.terms, phrase=drafted.phrase)
        self.leave()
        self.program.visit(code)
